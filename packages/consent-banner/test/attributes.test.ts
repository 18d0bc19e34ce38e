import { aTimeout, expect, fixtureCleanup } from '@open-wc/testing';
import { emulateMedia, setViewport } from '@web/test-runner-commands';
import { restoreMedia } from './media.ts';
import { listenToConsole, restorePage } from './network.ts';
import { find, isBannerShown, isPanelShown, leavePage, press, returnToPage, type Visit, visitPage } from './visitor.ts';
import { waitUntil } from './wait-until.ts';

async function meetWith(attributes: Readonly<Record<string, string>>, language = 'en'): Promise<Visit> {
  const visit = await visitPage({ language }, undefined, attributes);
  await waitUntil(() => isBannerShown(visit), 'the banner shows');
  return visit;
}

describe('the attributes', () => {
  beforeEach(leavePage);
  afterEach(async () => {
    restorePage();
    await restoreMedia();
    await setViewport({ width: 800, height: 600 });
  });

  it('theme: is light or dark on any system', async () => {
    for (const [theme, colorScheme, background] of [
      ['light', 'dark', 'rgb(255, 255, 255)'],
      ['dark', 'light', 'rgb(22, 26, 35)'],
      ['auto', 'dark', 'rgb(22, 26, 35)'],
    ] as const) {
      await emulateMedia({ colorScheme });
      const visit = await meetWith({ theme });
      expect(getComputedStyle(find(visit, '.banner')).backgroundColor, theme).to.equal(background);
    }
  });

  it('language: overrides the notice’s language, and follows changes', async () => {
    const visit = await meetWith({ language: 'de' }, 'fr');
    expect(find(visit, '.banner').lang).to.equal('de');
    visit.element.setAttribute('language', 'ar');
    await waitUntil(() => find(visit, '.banner').lang === 'ar', 'the words change');
    expect(find(visit, '.banner').dir).to.equal('rtl');
    visit.element.removeAttribute('language');
    await waitUntil(() => find(visit, '.banner').lang === 'fr', 'the notice’s language is back');
  });

  for (const place of ['bottom-left', 'bottom-right'] as const) {
    it(`trigger: after a decision a button at ${place} opens the preferences again`, async () => {
      const visit = await meetWith({ trigger: place });
      expect(visit.element.shadowRoot?.querySelector('.trigger')).to.equal(null);
      await press(visit, '.banner [data-choice=accept]');
      await waitUntil(() => visit.element.shadowRoot?.querySelector('.trigger'), 'the button shows');
      const button = find(visit, '.trigger');
      const { left, right, width, height, bottom } = button.getBoundingClientRect();
      expect(Math.min(width, height)).to.be.at.least(44);
      expect(place === 'bottom-left' ? left : document.documentElement.clientWidth - right).to.be.within(0, 40);
      expect(innerHeight - bottom).to.be.within(0, 40);
      expect(button.getAttribute('aria-label')).to.equal('Privacy choices');
      await expect(visit.element).to.be.accessible();
      button.click();
      await waitUntil(() => isPanelShown(visit), 'the panel opens');
    });
  }

  it('trigger: is shown to a returning visitor without a request', async () => {
    const first = await meetWith({ trigger: 'bottom-left' });
    await press(first, '.banner [data-choice=accept]');
    await waitUntil(() => first.network.records.length, 'the record goes out');
    await returnToPage(first);
    await leavePage();
    const later = await visitPage({ id: first.noticeId }, undefined, { trigger: 'bottom-left' });
    await waitUntil(() => later.element.shadowRoot?.querySelector('.trigger'), 'the button shows');
    expect(later.network.notices).to.be.empty;
  });

  it('trigger: none shows no button', async () => {
    const visit = await meetWith({ trigger: 'none' });
    await press(visit, '.banner [data-choice=accept]');
    await aTimeout(50);
    expect(visit.element.shadowRoot?.querySelector('.trigger')).to.equal(null);
  });

  it('with invalid values are logged once each, and ignored', async () => {
    const errors = listenToConsole();
    const attributes = {
      theme: 'blue',
      trigger: 'top',
      'max-age': '-1',
      'refusal-max-age': '0',
      'cookie-domain': 'https://example.com/',
      'clear-cookies': 'statistics',
      'reload-on-withdrawal': 'no',
      'consent-mode': ': ad_storage',
    };
    const { cookie } = document;
    const visit = await meetWith(attributes);
    expect(errors).to.have.length(Object.keys(attributes).length);
    for (const [index, [name, value]] of Object.entries(attributes).entries()) {
      expect(errors[index]).to.contain(`<svc-consent>: ${name}="${value}" is not understood. It must be `);
    }
    visit.element.setAttribute('trigger', 'top');
    expect(errors).to.have.length(Object.keys(attributes).length);
    expect(document.cookie).to.equal(cookie);
  });

  it('are taken over from properties that were set before the script loaded', async () => {
    fixtureCleanup();
    const element = document.createElement('svc-consent');
    Object.defineProperty(element, 'noticeId', {
      value: 'early',
      configurable: true,
      enumerable: true,
      writable: true,
    });
    document.body.append(element);
    expect(element.getAttribute('notice-id')).to.equal('early');
    expect(element.noticeId).to.equal('early');
    expect(Object.hasOwn(element, 'noticeId')).to.equal(false);
    element.remove();
  });
});
