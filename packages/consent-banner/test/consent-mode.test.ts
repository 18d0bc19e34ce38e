import { expect } from '@open-wc/testing';
import { Page } from '../src/page/page.ts';
import { createNotice, replaceNetwork, restorePage } from './network.ts';
import { leavePage, meetBanner, openPanel, press, returnToPage, type Visit, visitPage } from './visitor.ts';

const mapping =
  'statistics: analytics_storage; marketing: ad_storage ad_user_data ad_personalization; necessary: security_storage';
const page = window as unknown as { dataLayer?: IArguments[] };

/** Without the events for triggers, which are plain objects. */
function readCommands(layer: readonly unknown[] = page.dataLayer ?? []): readonly unknown[][] {
  return layer.filter((entry) => !Object.hasOwn(entry as object, 'event')).map((entry) => [...(entry as IArguments)]);
}

async function visitWithMapping(id: string, text = mapping): Promise<Visit> {
  const visit = await meetBanner({ id }, undefined, { 'consent-mode': text });
  return visit;
}

const denied = {
  analytics_storage: 'denied',
  ad_storage: 'denied',
  ad_user_data: 'denied',
  ad_personalization: 'denied',
  security_storage: 'denied',
};

describe('Google Consent Mode', () => {
  beforeEach(async () => {
    await leavePage();
    delete page.dataLayer;
  });

  afterEach(() => {
    restorePage();
    delete page.dataLayer;
  });

  it('is not changed without the attribute', async () => {
    const visit = await meetBanner();
    await press(visit, '.banner [data-choice=accept]');
    expect(page.dataLayer).to.equal(undefined);
  });

  it('is denied as soon as the element exists, in Google’s format', async () => {
    const holder = document.createElement('div');
    holder.innerHTML = `<svc-consent notice-id="${crypto.randomUUID()}" consent-mode="${mapping}"></svc-consent>`;
    document.querySelector('svc-consent')?.remove();
    document.body.append(holder);
    expect(readCommands(), 'within the same task').to.deep.equal([
      ['consent', 'default', { ...denied, wait_for_update: 500 }],
    ]);
    expect(Object.prototype.toString.call(page.dataLayer?.[0])).to.equal('[object Arguments]');
    holder.remove();
  });

  it('is denied again when another notice replaces a granted one', async () => {
    const visit = await visitWithMapping(crypto.randomUUID());
    await press(visit, '.banner [data-choice=accept]');
    visit.element.setAttribute('notice-id', crypto.randomUUID());
    expect(readCommands().at(-1)).to.deep.equal(['consent', 'update', denied]);
  });

  it('is updated with each decision', async () => {
    const visit = await visitWithMapping(crypto.randomUUID());
    await press(visit, '.banner [data-choice=accept]');
    const granted = Object.fromEntries(Object.keys(denied).map((name) => [name, 'granted']));
    expect(readCommands().at(-1)).to.deep.equal(['consent', 'update', granted]);
    await openPanel(visit);
    await press(visit, 'footer [data-choice=reject]');
    expect(readCommands().at(-1)).to.deep.equal(['consent', 'update', { ...denied, security_storage: 'granted' }]);
  });

  it('has the stored decision of a returning visitor as its default, and does not wait', async () => {
    const visit = await visitWithMapping(crypto.randomUUID());
    await press(visit, '.banner [data-choice=accept]');
    await returnToPage(visit);
    page.dataLayer = [];
    await leavePage();
    await visitPage({ id: visit.noticeId }, undefined, { 'consent-mode': mapping });
    const granted = Object.fromEntries(Object.keys(denied).map((name) => [name, 'granted']));
    expect(readCommands()).to.deep.equal([['consent', 'default', granted]]);
  });

  it('is denied by the element where its attributes say that what the tag of the script has found is too old', async () => {
    const noticeId = crypto.randomUUID();
    const decision = {
      decision: 'accepted',
      purposes: { statistics: true },
      noticeVersion: 7,
      decidedAt: new Date(Date.now() - 60 * 86_400_000).toISOString(),
      subjectId: 'a-visitor',
    };
    localStorage.setItem(`svc-consent:${noticeId}`, JSON.stringify(decision));
    replaceNetwork(createNotice(noticeId));
    const script = document.createElement('script');
    Object.assign(script.dataset, { consentMode: 'statistics: analytics_storage', noticeId });
    const visited = new Page({
      script,
      source: location.href,
      loadPanel: () => new Promise(() => {}),
      loadContent: () => new Promise(() => {}),
    });
    const element = document.createElement('div');
    element.setAttribute('notice-id', noticeId);
    element.setAttribute('max-age', '30');
    visited.elements.add(element);
    visited.refresh();
    expect(visited.view.state).to.equal(null);
    expect(readCommands()).to.deep.equal([
      ['consent', 'default', { analytics_storage: 'granted' }],
      ['consent', 'update', { analytics_storage: 'denied' }],
    ]);
  });

  it('grants a signal of two purposes only if both are granted', async () => {
    const visit = await visitWithMapping(crypto.randomUUID(), 'statistics: shared; marketing: shared');
    await openPanel(visit);
    visit.element.shadowRoot?.querySelectorAll('input')[1]?.click();
    await press(visit, '.save');
    expect(readCommands().at(-1)).to.deep.equal(['consent', 'update', { shared: 'denied' }]);
  });

  it('leaves an element of the page alone that is named like the data layer', async () => {
    const image = document.body.appendChild(document.createElement('img'));
    image.id = 'shadowedLayer';
    const visit = await meetBanner({}, undefined, { 'consent-mode': mapping, 'data-layer': image.id });
    await press(visit, '.banner [data-choice=accept]');
    expect(window.SvcConsent.get()?.decided).to.equal(true);
    image.remove();
  });

  it('denies signals of an invalid attribute', async () => {
    const visit = await visitWithMapping(crypto.randomUUID(), 'statistics analytics_storage; telemetry: ad_storage');
    await press(visit, '.banner [data-choice=accept]');
    expect(readCommands().at(-1)).to.deep.equal(['consent', 'update', { ad_storage: 'denied' }]);
  });

  describe('in an array of another name', () => {
    const layers = window as unknown as Record<string, unknown[] | undefined>;
    let tag: HTMLScriptElement | undefined;
    afterEach(() => {
      tag?.remove();
      for (const name of ['shopLayer', 'otherLayer']) delete layers[name];
    });

    /** A tag of Google, which the browser does not load. */
    function addTag(src: string): void {
      tag = document.createElement('script');
      tag.type = 'text/plain';
      tag.src = src;
      document.head.append(tag);
    }

    it('goes there if the attribute names it', async () => {
      await meetBanner({}, undefined, { 'consent-mode': mapping, 'data-layer': 'shopLayer' });
      expect(page.dataLayer).to.equal(undefined);
      expect(readCommands(layers.shopLayer)).to.deep.equal([
        ['consent', 'default', { ...denied, wait_for_update: 500 }],
      ]);
    });

    for (const src of [
      'https://www.googletagmanager.com/gtm.js?id=GTM-X&l=shopLayer',
      'https://www.googletagmanager.com/gtag/js?id=G-X&l=shopLayer&cx=c',
      'https://tags.example/gtm.js?l=shopLayer',
    ])
      it(`finds it in ${src}`, async () => {
        addTag(src);
        await visitWithMapping(crypto.randomUUID());
        expect(page.dataLayer).to.equal(undefined);
        expect(readCommands(layers.shopLayer)[0]?.slice(0, 2)).to.deep.equal(['consent', 'default']);
      });

    it('gets a default of its own if the tag came after the banner', async () => {
      const visit = await visitWithMapping(crypto.randomUUID());
      addTag('https://www.googletagmanager.com/gtm.js?id=GTM-X&l=shopLayer');
      await press(visit, '.banner [data-choice=reject]');
      expect(readCommands(layers.shopLayer)).to.deep.equal([
        ['consent', 'default', { ...denied, security_storage: 'granted' }],
      ]);
    });

    it('is not taken from a script that is none of Google’s', async () => {
      addTag('https://example.com/gtranslate.js?url=otherLayer');
      await visitWithMapping(crypto.randomUUID());
      expect(readCommands()).to.have.length(1);
    });
  });

  describe('the event svc_consent', () => {
    const events = () =>
      (page.dataLayer as readonly unknown[]).filter((entry) => Object.hasOwn(entry as object, 'event'));

    it('follows the signals of each decision, with its purposes, and of a returning visitor', async () => {
      page.dataLayer = [];
      const visit = await meetBanner();
      expect(page.dataLayer).to.have.length(0);
      await press(visit, '.banner [data-choice=accept]');
      const event = {
        event: 'svc_consent',
        svc_consent: { necessary: true, statistics: true, marketing: true },
      };
      expect(page.dataLayer).to.deep.equal([event]);
      page.dataLayer = [];
      await returnToPage(visit);
      expect(events()).to.deep.equal([event]);
    });

    it('does not disturb a page on which an element has that name', async () => {
      const named = document.body.appendChild(document.createElement('div'));
      named.id = 'dataLayer';
      const visit = await meetBanner();
      await press(visit, '.banner [data-choice=accept]');
      expect(window.SvcConsent.get()?.purposes.marketing).to.equal(true);
      named.remove();
    });
  });
});
