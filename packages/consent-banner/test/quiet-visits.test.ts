import { expect } from '@open-wc/testing';
import { emulateMedia } from '@web/test-runner-commands';
import { createNotice, restorePage } from './network.ts';
import { find, isBannerShown, isPanelShown, meetBanner, openPanel, press, visitPage } from './visitor.ts';
import { waitUntil } from './wait-until.ts';
import { whenSettled } from './when-idle.ts';

// In this order: the first visits must not even load the interface.

function pretend(object: object, name: string, value: unknown): void {
  Object.defineProperty(object, name, { configurable: true, value });
}

describe('on quiet visits', () => {
  afterEach(restorePage);

  for (const robot of ['Googlebot/2.1', 'Mozilla/5.0 (compatible; bingbot/2.0)', 'Some Crawler', 'Baiduspider']) {
    it(`a robot (${robot}) is not asked, and nothing is granted`, async () => {
      const { userAgent } = navigator;
      pretend(navigator, 'userAgent', robot);
      const visit = await visitPage();
      await whenSettled();
      visit.element.remove();
      expect(isBannerShown(visit)).to.equal(false);
      expect(window.SvcConsent.get()).to.equal(null);
      expect(visit.network.notices).to.be.empty;
      pretend(navigator, 'userAgent', userAgent);
    });
  }

  it('a phone whose name ends like a robot’s is asked', async () => {
    const { userAgent } = navigator;
    pretend(navigator, 'userAgent', 'Mozilla/5.0 (Linux; Android 13; CUBOT P80) AppleWebKit/537.36');
    await meetBanner();
    pretend(navigator, 'userAgent', userAgent);
  });

  it('a prerendered page shows, reports and requests nothing until it is visible', async () => {
    const id = crypto.randomUUID();
    pretend(document, 'prerendering', true);
    const visit = await visitPage({ id });
    await whenSettled();
    expect(visit.network.notices).to.be.empty;
    expect(isBannerShown(visit)).to.equal(false);
    pretend(document, 'prerendering', false);
    document.dispatchEvent(new Event('prerenderingchange'));
    await waitUntil(() => isBannerShown(visit), 'the banner shows');
  });

  it('the first layer does not wait for the browser’s language data, which loads lazily', async () => {
    const asked: string[] = [];
    const names = ['Locale', 'ListFormat', 'DateTimeFormat', 'DisplayNames', 'PluralRules'] as const;
    const kept = names.map((name) => [name, Intl[name]] as const);
    for (const [name, original] of kept) {
      const report = (): void => void asked.push(name);
      const get = (target: object, key: string): unknown => {
        report();
        return Reflect.get(target, key);
      };
      const construct = (target: new () => object, given: []): object => {
        report();
        return Reflect.construct(target, given);
      };
      pretend(Intl, name, new Proxy(original, { get, construct }));
    }
    const visit = await meetBanner({ language: 'en-AU' });
    for (const [name, original] of kept) pretend(Intl, name, original);
    expect(find(visit, '.banner').lang).to.equal('en-AU');
    expect(asked).to.deep.equal([]);
  });

  it('a printed page has no banner and no panel', async () => {
    const visit = await meetBanner();
    await emulateMedia({ media: 'print' });
    expect(getComputedStyle(find(visit, '.banner')).display).to.equal('none');
    await emulateMedia({ media: 'screen' });
    expect(getComputedStyle(find(visit, '.banner')).display).to.not.equal('none');
  });

  it('a router that replaces the body keeps the session, and shows in the new element', async () => {
    const visit = await meetBanner();
    const body = document.createElement('body');
    const element = document.createElement('svc-consent');
    element.setAttribute('notice-id', visit.noticeId);
    body.append(element);
    const { body: before } = document;
    document.body.replaceWith(body);
    await waitUntil(() => isBannerShown({ element }), 'the banner shows in the new body');
    window.SvcConsent.open();
    await waitUntil(() => isPanelShown({ ...visit, element }), 'and its panel opens');
    expect(visit.network.notices).to.have.length(1);
    document.body.replaceWith(before);
    await waitUntil(() => isBannerShown(visit), 'and back');
    expect(element.shadowRoot?.querySelector('.banner')).to.equal(null);
  });

  it('a router that replaces the body withdraws nothing, and fetches nothing, where the element has a region', async () => {
    const purposes = createNotice('').purposes.map((one) => ({ ...one, basisByRegion: { US: 'object' as const } }));
    const visit = await visitPage({ purposes }, undefined, { region: 'US-CA', language: 'en' });
    await openPanel(visit);
    await press(visit, '.save');
    expect(window.SvcConsent.get()?.purposes.marketing).to.equal(true);
    const heard: unknown[] = [];
    const listen = ({ detail }: CustomEvent): unknown => heard.push(detail);
    document.addEventListener('svc-consent', listen);
    const { body: before } = document;
    const body = document.createElement('body');
    body.append(visit.element.cloneNode());
    before.replaceWith(body);
    body.replaceWith(before);
    document.removeEventListener('svc-consent', listen);
    expect(heard).to.deep.equal([]);
    expect(visit.network.notices).to.have.length(1);
  });
});
