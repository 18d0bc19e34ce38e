import { expect } from '@open-wc/testing';
import { findPage } from '../src/add-ons/follow-consent.ts';
import { checkPage } from '../src/add-ons/inspector/check-page.ts';
import { inspectPage, startInspector, writeMarkdown } from '../src/add-ons/inspector/index.ts';
import type { PageView } from '../src/state/consent-page.ts';
import { listenToConsole, restorePage } from './network.ts';
import { isBannerShown, leavePage, meetBanner, press, visitPage } from './visitor.ts';
import { waitUntil } from './wait-until.ts';

const pixel = 'data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7';

describe('the checks of the inspector', () => {
  const holder = document.createElement('div');

  beforeEach(leavePage);

  afterEach(() => {
    restorePage();
    holder.remove();
  });

  async function check(attributes: Readonly<Record<string, string>>, markup = ''): Promise<readonly string[]> {
    holder.innerHTML = markup;
    document.body.append(holder);
    const visit = await visitPage({}, undefined, attributes);
    await waitUntil(() => isBannerShown(visit), 'the banner shows');
    return (await inspectPage()).warnings;
  }

  it('find nothing on a page that is set up correctly', async () => {
    const attributes = { scheme: 'dark', layout: 'bar', position: 'top', 'refusal-max-age': '200', trigger: 'none' };
    const markup = `<img alt="" data-svc-purpose="statistics" data-svc-src="${pixel}">`;
    expect(await check({ ...attributes, 'clear-cookies': 'statistics: _ga' }, markup)).to.deep.equal([]);
  });

  it('name every attribute with an invalid value, and what it must be', async () => {
    const warnings = await check({ scheme: 'blue', region: 'UK', 'max-age': '-1', 'refusal-max-age': '30' });
    expect(warnings.map((warning) => /^[\w-]+/.exec(warning)?.[0])).to.have.members([
      'scheme',
      'region',
      'max-age',
      'refusal-max-age',
    ]);
    expect(warnings.find((warning) => warning.startsWith('scheme'))).to.equal(
      'scheme="blue" is not understood. It must be page, light or dark.',
    );
  });

  it('name tags that load although they name a purpose, and tags that cannot be held back', async () => {
    const warnings = await check(
      {},
      `<img alt="" data-svc-purpose="marketing" src="${pixel}"><object data-svc-purpose="marketing"></object>
       <video data-svc-purpose="statistics" data-svc-src="x" poster="${pixel}"></video>`,
    );
    expect(warnings.map((warning) => /<(\w+)/.exec(warning)?.[1])).to.have.members(['img', 'object', 'video']);
  });

  it('name purposes that the notice does not have', async () => {
    const warnings = await check(
      { 'consent-mode': 'analytics: analytics_storage' },
      '<iframe title="A map" data-svc-purpose="maps" data-svc-src="x"></iframe>',
    );
    expect(warnings).to.deep.equal([
      '<iframe data-svc-purpose="maps"> needs a purpose that the notice does not have. It never loads.',
      'consent-mode names the purpose "analytics", which the notice does not have.',
    ]);
    expect(writeMarkdown(await inspectPage())).to.contain('which the notice does not have');
  });

  const waiting = '<iframe title="A map" data-svc-purpose="marketing" data-svc-src="/visitor-page/blank"></iframe>';

  it('name a modal dialog of the page', async () => {
    holder.innerHTML = '<dialog><button>Yes</button></dialog>';
    document.body.append(holder);
    const visit = await visitPage();
    await waitUntil(() => isBannerShown(visit), 'the banner shows');
    holder.querySelector('dialog')?.showModal();
    const { warnings } = await inspectPage();
    holder.querySelector('dialog')?.close();
    expect(warnings).to.deep.equal([
      '<dialog> is modal: nothing beside it takes input. Open it after the visitor has decided.',
    ]);
  });

  for (const [attribute, value] of [
    ['inert', ''],
    ['aria-hidden', 'true'],
  ] as const) {
    it(`name an element that has ${attribute} around the banner`, async () => {
      const visit = await visitPage();
      await waitUntil(() => isBannerShown(visit), 'the banner shows');
      visit.element.parentElement?.setAttribute(attribute, value);
      expect((await inspectPage()).warnings.filter((warning) => warning.includes(`has ${attribute}`))).to.have.length(
        1,
      );
    });
  }

  it('name an element that is not rendered around the banner', async () => {
    const visit = await visitPage();
    await waitUntil(() => isBannerShown(visit), 'the banner shows');
    const parent = visit.element.parentElement as HTMLElement;
    parent.style.display = 'none';
    expect((await inspectPage()).warnings).to.include(
      '<svc-consent> is in <div>, which is not rendered. Move it to the start of the body.',
    );
  });

  it('name plain attributes, and the lazy loader that reads them', async () => {
    const plain = waiting.replace('data-svc-src', 'data-src');
    expect(await check({}, plain)).to.deep.equal([
      '<iframe data-svc-purpose="marketing"> has data-src. Lazy loaders read it, and request the address before consent. Write data-svc-src.',
    ]);
    Object.assign(window, { lazySizes: {} });
    const [warning] = await check({}, plain);
    Reflect.deleteProperty(window, 'lazySizes');
    expect(warning).to.contain('The lazy loader of this page reads it');
  });

  it('name a script that does not know its address', async () => {
    document.body.append(document.createElement('svc-consent'));
    const { warnings } = await inspectPage();
    expect(warnings.join()).to.not.contain('own address');
    const view = { ...findPage()?.view, noticeId: 'a', address: '/v1/public/consent/a' } as PageView;
    expect(checkPage(view).join()).to.contain('The script does not know its own address');
    document.body.lastElementChild?.remove();
  });

  it('name a renamed data layer', async () => {
    const script = '<script type="text/plain" src="https://www.googletagmanager.com/gtm.js?id=GTM-1&l=layer"></script>';
    const attributes = { 'consent-mode': 'statistics: analytics_storage' };
    expect(await check(attributes, script)).to.deep.equal([
      'Google Tag Manager reads window.layer. Set data-layer="layer" on <svc-consent>.',
    ]);
    expect(await check({ ...attributes, 'data-layer': 'layer' }, script)).to.deep.equal([]);
  });

  it('name tags in shadow trees that are not observed', async () => {
    holder.innerHTML = '<video-card></video-card>';
    const root = holder.firstElementChild?.attachShadow({ mode: 'open' }) as ShadowRoot;
    root.innerHTML = waiting;
    document.body.append(holder);
    const visit = await visitPage();
    await waitUntil(() => isBannerShown(visit), 'the banner shows');
    expect((await inspectPage()).warnings).to.deep.equal([
      '<iframe data-svc-purpose="marketing"> is in the shadow tree of <video-card>. Call SvcConsent.observe(root) with its shadow root.',
    ]);
    const stop = window.SvcConsent.observe(root);
    expect((await inspectPage()).warnings).to.deep.equal([]);
    stop();
  });

  it('name a notice of another domain', async () => {
    const visit = await visitPage({ domain: 'example.com' });
    await waitUntil(() => isBannerShown(visit), 'the banner shows');
    expect((await inspectPage()).warnings).to.deep.equal([
      'The notice belongs to example.com, and this page to localhost: the server refuses its records. Use a notice of this domain.',
    ]);
  });

  it('name released scripts that use document.write() or wait for the page to load', async () => {
    const tag = `<script type="text/plain" data-svc-purpose="marketing">document.write('<b></b>'); addEventListener('load', () => {})</script>`;
    holder.replaceChildren(document.createRange().createContextualFragment(tag));
    document.body.append(holder);
    const visit = await meetBanner();
    await press(visit, '.banner [data-choice=accept]');
    await waitUntil(() => holder.querySelector('b'), 'it runs');
    const { warnings } = await inspectPage();
    performance.clearMarks();
    expect(warnings.map((warning) => /^An inline script (uses|waits)/.exec(warning)?.[1])).to.deep.equal([
      'uses',
      'waits',
    ]);
  });

  it('are logged on localhost, each once', async () => {
    const errors = listenToConsole();
    const stop = startInspector();
    await check({ layout: 'banner' });
    stop();
    expect(errors.filter((error) => error.includes('layout="banner"'))).to.have.length(1);
  });
});
