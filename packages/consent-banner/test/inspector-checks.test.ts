import { expect } from '@open-wc/testing';
import { sendMouse } from '@web/test-runner-commands';
import { findPage } from '../src/add-ons/follow-consent.ts';
import { checkPage } from '../src/add-ons/inspector/check-page.ts';
import { inspectPage, startInspector, writeMarkdown } from '../src/add-ons/inspector/index.ts';
import { Inspection } from '../src/add-ons/inspector/inspection.ts';
import type { PageView } from '../src/page/consent-page.ts';
import { listenToConsole, restorePage } from './network.ts';
import { find, leavePage, meetBanner, press } from './visitor.ts';
import { waitUntil } from './wait-until.ts';

const pixel = 'data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7';

function centerOf(element: Element): [number, number] {
  const { x, y, width, height } = element.getBoundingClientRect();
  return [Math.round(x + width / 2), Math.round(y + height / 2)];
}

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
    await meetBanner({}, undefined, attributes);
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
    await meetBanner();
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
      const visit = await meetBanner();
      visit.element.parentElement?.setAttribute(attribute, value);
      expect((await inspectPage()).warnings.filter((warning) => warning.includes(`has ${attribute}`))).to.have.length(
        1,
      );
    });
  }

  it('name an element that is not rendered around the banner', async () => {
    const visit = await meetBanner();
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

  describe('of the data layer', () => {
    const write = (name: string): string =>
      `<script type="text/plain" src="https://www.googletagmanager.com/gtm.js?id=GTM-1&l=${name}"></script>`;
    const warn = (name: string): string =>
      `Google Tag Manager reads window.${name}. Set data-layer="${name}" on <svc-consent>.`;
    const attributes = { 'consent-mode': 'statistics: analytics_storage' };

    it('name one that a later tag of Google reads, not one that the banner finds', async () => {
      expect(await check(attributes, write('early'))).to.deep.equal([]);
      holder.innerHTML = write('late');
      expect((await inspectPage()).warnings).to.deep.equal([warn('late')]);
    });

    it('name one that is not that of the attribute', async () => {
      expect(await check({ ...attributes, 'data-layer': 'given' }, write('given'))).to.deep.equal([]);
      expect(await check({ ...attributes, 'data-layer': 'given' }, write('other'))).to.deep.equal([warn('other')]);
      const plain = write('x').replace('&l=x', '');
      expect(await check({ 'data-layer': 'given' }, plain)).to.deep.equal([warn('dataLayer')]);
      expect(await check({}, write('other'))).to.deep.equal([]);
    });
  });

  it('name a dialog that only says that it is modal, also in a shadow tree', async () => {
    const gate = '<div role="dialog" aria-modal="true"><button>Yes</button></div>';
    const [warning] = await check({}, gate);
    expect(warning).to.equal(
      '<div> has aria-modal: nothing beside it is read by screen readers, and it may trap the focus. Open it after the visitor has decided.',
    );
    expect(await check({}, `<div hidden>${gate}</div>`)).to.deep.equal([]);
    holder.innerHTML = '<age-gate></age-gate>';
    const root = holder.firstElementChild?.attachShadow({ mode: 'open' }) as ShadowRoot;
    root.innerHTML = gate;
    expect((await inspectPage()).warnings).to.deep.equal([warning]);
  });

  it('name a script that takes the focus from the banner, and not a visitor who leaves it', async () => {
    const errors = listenToConsole();
    const stop = startInspector();
    const inspection = new Inspection();
    inspection.watch(() => {});
    const visit = await meetBanner();
    holder.innerHTML = '<textarea></textarea><input>';
    document.body.append(holder);
    const input = holder.querySelector('input') as HTMLInputElement;
    const list = () => errors.filter((error) => error.includes('moves the focus'));
    find(visit, '.banner [data-choice=accept]').focus();
    await sendMouse({ type: 'click', position: centerOf(holder.querySelector('textarea') as Element) });
    expect(document.activeElement?.localName).to.equal('textarea');
    // The focus trap of a dialog.
    const trap = (): unknown => setTimeout(() => input.focus());
    input.addEventListener('focusout', trap);
    input.focus();
    find(visit, '.banner [data-choice=accept]').focus();
    await waitUntil(() => list().length, 'it is reported');
    const { warnings } = await inspection.look();
    inspection.end();
    stop();
    input.removeEventListener('focusout', trap);
    expect(list()).to.deep.equal([`<svc-consent>: ${warnings[0]}`]);
    expect(warnings[0]).to.contain('A script moves the focus from the banner to <input>. Exclude <svc-consent>');
  });

  it('name tags in shadow trees that are not observed', async () => {
    holder.innerHTML = '<video-card></video-card>';
    const root = holder.firstElementChild?.attachShadow({ mode: 'open' }) as ShadowRoot;
    root.innerHTML = waiting;
    document.body.append(holder);
    await meetBanner();
    expect((await inspectPage()).warnings).to.deep.equal([
      '<iframe data-svc-purpose="marketing"> is in the shadow tree of <video-card>. Call SvcConsent.observe(root) with its shadow root.',
    ]);
    const stop = window.SvcConsent.observe(root);
    expect((await inspectPage()).warnings).to.deep.equal([]);
    stop();
  });

  it('name a notice of another domain', async () => {
    await meetBanner({ domain: 'example.com' });
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
