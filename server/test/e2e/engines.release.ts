import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, afterEach, before, describe, test } from 'node:test';
import { readWidget } from '../../site/widgets/widget.ts';
import { publishTrust } from '../site/trust/helpers.ts';
import { type Engine, type EnginePage, engines } from './banner/engines.ts';
import { type GatedSite, type SitePage, startGatedSite } from './banner/gated-site.ts';
import { readFocus, Visit } from './banner/visit.ts';

const find = (selector: string) => `document.querySelector('svc-consent')?.shadowRoot?.querySelector('${selector}')`;
const banner = find('.banner:popover-open');
const panel = find('dialog:modal');
const accept = find('.banner [data-choice=accept]');
const reject = find('.banner [data-choice=reject]');
const trigger = find('.trigger');
const toggle = (purpose: string) => find(`dialog [part=switch][value=${purpose}]`);
const placeholder = (part: string) =>
  `document.querySelector('svc-consent-placeholder')?.shadowRoot?.querySelector('[part=${part}]')`;
const badge = (part: string) =>
  `document.querySelector('svc-trust-badge').shadowRoot?.querySelector('[part~=${part}]')`;
const purposes = 'SvcConsent.get()?.purposes';

const all = { necessary: true, analytics: true, marketing: true };
const none = { necessary: true, analytics: false, marketing: false };

/** The first element with this selector, in any shadow tree. */
const findDeep = (selector: string) => `(function search(root) {
  const found = root.querySelector('${selector}');
  if (found) return found;
  for (const { shadowRoot } of root.querySelectorAll('*')) {
    const inner = shadowRoot && search(shadowRoot);
    if (inner) return inner;
  }
  return null;
})(document)`;

/** A visitor in one engine, and what the API and the site saw of them. */
class Visitor extends Visit {
  readonly page: EnginePage;
  readonly site: GatedSite;

  constructor(engine: Engine, page: EnginePage, site: GatedSite) {
    super(engine.name, page);
    this.page = page;
    this.site = site;
  }

  /** Opens a page with a banner of its own. @returns the id of its notice. */
  async openBanner({ head = '', body = '' }: SitePage = {}): Promise<string> {
    const noticeId = await this.site.publish();
    await this.page.open(this.#add(noticeId, { head, body }));
    await this.until(banner);
    return noticeId;
  }

  /** Opens another page with the banner of this notice. */
  openNext(noticeId: string): Promise<void> {
    return this.page.open(this.#add(noticeId, {}));
  }

  #add(noticeId: string, { head, body = '' }: SitePage): string {
    const element = `<svc-consent notice-id="${noticeId}" trigger="bottom-right"></svc-consent>`;
    const page = { head: `${head ?? ''}${this.site.writeTag()}`, body: `${element}<h1>A page</h1>${body}` };
    return this.site.originOf('localhost') + this.site.addPage(page);
  }

  /** The purposes of the records of a notice, oldest first, once so many were sent. */
  async records(noticeId: string, count: number): Promise<readonly object[]> {
    const line = `POST /v1/public/consent/${noticeId}/records`;
    await this.site.gate.waitFor(line, count);
    for (;;) {
      const { status, body } = await this.site.server.request('GET', `/v1/consent/${noticeId}/records`);
      assert.equal(status, 200);
      if (body.data.data.length < count) continue;
      assert.equal(this.site.gate.asked.filter((one) => one.endsWith(line)).length, count, 'each record is sent once');
      return body.data.data.map((record: { readonly purposes: object }) => record.purposes).reverse();
    }
  }
}

const film = '<iframe title="A film" data-svc-purpose="marketing" data-src="FILM" width="400" height="300"></iframe>';
const filmIsShown = `document.querySelector('iframe').contentDocument?.title === 'A film'`;
const noteReturn = `<script>addEventListener('pageshow', ({ persisted }) => { window.isRestored = persisted })</script>`;

/** A library from npm, as a site serves it. */
const readLibrary = (path: string) => readFileSync(join(import.meta.dirname, '../../../node_modules', path));

/** Built-ins as old libraries change them, and shortcuts that spare form controls only. */
const hostileScript = `<script>
  Date.prototype.toJSON = function () { return 'changed ' + this.getTime() };
  Array.prototype.toJSON = function () { return 'changed ' + this.length };
  Object.prototype.extend = function (more) { for (const name in more) this[name] = more[name]; return this };
  window.siteLayer = [];
  document.addEventListener('keydown', (event) => {
    if (/^(INPUT|TEXTAREA|SELECT|BUTTON|A)$/.test(event.target.tagName)) return;
    if ([' ', 'Enter', 'Escape'].includes(event.key)) event.preventDefault();
  });
</script>`;

const hasUpdate = `siteLayer.some(({ 0: command, 1: kind }) => command === 'consent' && kind === 'update')`;

const flows: Readonly<Record<string, (visitor: Visitor) => Promise<void>>> = {
  async 'shows the banner, records one decision and keeps it across a reload'(visitor) {
    const noticeId = await visitor.openBanner();
    assert.deepEqual(await visitor.records(noticeId, 0), []);
    await visitor.click(accept);
    await visitor.until(`!${banner}`);
    assert.deepEqual(await visitor.records(noticeId, 1), [all]);
    await visitor.page.reload();
    await visitor.until(`${trigger}?.checkVisibility()`);
    assert.deepEqual(await visitor.evaluate(purposes), all);
    assert.equal(await visitor.evaluate(`!${banner}`), true);
    assert.deepEqual(await visitor.records(noticeId, 1), [all]);
  },

  async 'saves a choice in the panel, and withdraws it there'(visitor) {
    const noticeId = await visitor.openBanner();
    await visitor.click(find('.banner .quiet'));
    await visitor.until(panel);
    await visitor.click(toggle('analytics'));
    await visitor.click(find('dialog .save'));
    await visitor.until(`!${panel} && !${banner}`);
    const choice = { ...none, analytics: true };
    assert.deepEqual(await visitor.evaluate(purposes), choice);
    assert.deepEqual(await visitor.records(noticeId, 1), [choice]);
    await visitor.click(trigger);
    await visitor.until(panel);
    assert.equal(await visitor.evaluate(`${toggle('analytics')}.checked`), true);
    await visitor.click(find('dialog [data-choice=reject]'));
    await visitor.until(`!${panel}`);
    assert.deepEqual(await visitor.evaluate(purposes), none);
    assert.deepEqual(await visitor.records(noticeId, 2), [choice, none]);
  },

  async 'blocks a frame behind a placeholder until its purpose is allowed'(visitor) {
    const path = `/film-${randomUUID()}`;
    visitor.site.addFile(path, 'text/html', '<!doctype html><html lang="en"><title>A film</title></html>');
    const noticeId = await visitor.openBanner({ body: film.replace('FILM', path) });
    await visitor.click(reject);
    await visitor.until(placeholder('preferences'));
    assert.ok(!visitor.site.visited.includes(path));
    await visitor.click(placeholder('preferences'));
    await visitor.until(panel);
    assert.equal(await visitor.evaluate(`${toggle('marketing')}.checked`), true);
    assert.deepEqual(await visitor.evaluate(purposes), none);
    await visitor.click(find('dialog .save'));
    await visitor.until(filmIsShown);
    assert.deepEqual(await visitor.records(noticeId, 2), [none, { ...none, marketing: true }]);
  },

  async 'shows a blocked frame once without a record'(visitor) {
    const path = `/film-${randomUUID()}`;
    visitor.site.addFile(path, 'text/html', '<!doctype html><html lang="en"><title>A film</title></html>');
    const noticeId = await visitor.openBanner({ body: film.replace('FILM', path) });
    await visitor.click(reject);
    await visitor.until(placeholder('show-once'));
    await visitor.click(placeholder('show-once'));
    await visitor.until(filmIsShown);
    assert.deepEqual(await visitor.evaluate(purposes), none);
    assert.deepEqual(await visitor.records(noticeId, 1), [none]);
  },

  async 'still asks after the back button, also where the engine kept the page in memory'(visitor) {
    const noticeId = await visitor.openBanner({ head: noteReturn });
    await visitor.openNext(noticeId);
    await visitor.page.back();
    // Engines drop a page from memory for reasons of their own, such as a request under way.
    await visitor.until(`window.isRestored !== undefined && ${banner}`);
    await visitor.click(accept);
    await visitor.until(`!${banner}`);
    assert.deepEqual(await visitor.records(noticeId, 1), [all]);
  },

  async 'applies a decision of the next page after the back button'(visitor) {
    const noticeId = await visitor.openBanner();
    await visitor.openNext(noticeId);
    await visitor.until(banner);
    await visitor.click(accept);
    assert.deepEqual(await visitor.records(noticeId, 1), [all]);
    await visitor.page.back();
    // An engine may load the page again instead of restoring it.
    await visitor.until(`window.SvcConsent && ${purposes}?.marketing && !${banner}`);
  },

  async 'asks by keyboard on a page with every hostile surrounding at once, and sends one record and nothing before'(
    visitor,
  ) {
    const { site, page } = visitor;
    const noticeId = await site.publish();
    const [film, picture, tag] = ['film', 'picture', 'tag'].map((name) => `/${name}-${randomUUID()}`);
    site.addFile('/lazysizes.js', 'text/javascript', readLibrary('lazysizes/lazysizes.min.js'));
    site.addFile('/turbo.js', 'text/javascript', readLibrary('@hotwired/turbo/dist/turbo.es2017-umd.js'));
    site.addFile('/gtm.js', 'text/javascript', '');
    site.addFile(film as string, 'text/html', '<!doctype html><html lang="en"><title>A film</title></html>');
    site.addFile(picture as string, 'image/svg+xml', '<svg xmlns="http://www.w3.org/2000/svg"/>');
    site.addFile(tag as string, 'text/javascript', 'window.runs = (window.runs ?? 0) + 1;');
    const head = `${hostileScript}<script src="/turbo.js"></script><script src="/lazysizes.js" async></script>
      <script src="/gtm.js?id=GTM-TEST&l=siteLayer" async></script>
      <script type="text/plain" data-svc-purpose="analytics" data-svc-src="${tag}"></script>${site.writeTag()}`;
    const body = `<div style="display: none"><svc-consent notice-id="${noticeId}" consent-mode="analytics: analytics_storage"></svc-consent></div>
      <h1>A page</h1><img class="lazyload" data-src="${picture}" alt="" width="9" height="9">
      <iframe class="lazyload" title="A film" data-svc-purpose="marketing" data-svc-src="${film}" width="400" height="300"></iframe>`;
    const gate = `<dialog id="gate"><form method="dialog"><button>Yes</button></form></dialog><script>gate.showModal()</script>`;
    const next = site.addPage({ head, body });
    await page.open(site.originOf('localhost') + site.addPage({ head, body: body + gate }));

    await visitor.until(`document.querySelector('img').complete && document.querySelector('img').src && gate.open`);
    await page.press('Enter');
    await visitor.until(`!gate.open && ${findDeep('.banner:popover-open')}?.checkVisibility()`);
    assert.deepEqual(await visitor.records(noticeId, 0), []);
    assert.ok(site.visited.includes(picture as string), 'the lazy loader works');
    for (const path of [film, tag]) assert.ok(!site.visited.includes(path as string), path);
    for (let presses = 0; (await visitor.evaluate(readFocus)) !== 'Accept all'; presses++) {
      assert.ok(presses < 10, 'Tab reaches the button');
      await page.press('Tab');
    }
    await page.press('Space');
    for (const step of [`!${findDeep('.banner:popover-open')}`, filmIsShown, 'window.runs === 1', hasUpdate])
      await visitor.until(step);
    assert.deepEqual(await visitor.records(noticeId, 1), [all]);
    assert.equal(await visitor.evaluate('typeof window.dataLayer'), 'undefined');

    await visitor.evaluate(`void Turbo.visit('${next}')`);
    await visitor.until(`location.pathname === '${next}' && ${filmIsShown}`);
    assert.equal(await visitor.evaluate('window.runs'), 1);
    await page.reload();
    await visitor.until(`window.SvcConsent && ${purposes}?.analytics && ${filmIsShown} && window.runs === 1`);
    assert.equal(await visitor.evaluate(`!${findDeep('.banner:popover-open')}`), true);
    assert.deepEqual(await visitor.records(noticeId, 1), [all]);
  },

  async 'opens the drawer of a floating badge, and leaves the rest of the page to its visitors'(visitor) {
    const { slug } = await publishTrust(visitor.site.server);
    const widget = readWidget('trust-badge');
    assert.ok(widget, 'npm run build:widgets');
    const { url } = visitor.site.gate;
    const path = visitor.site.addPage({
      head: `<script src="${url}${widget.path}" integrity="${widget.integrity}" crossorigin="anonymous" defer></script>`,
      body: `<svc-trust-badge tenant="${slug}" variant="floating" api-base="${url}"></svc-trust-badge><h1>A page</h1>`,
    });
    await visitor.page.open(visitor.site.originOf('localhost') + path);
    await visitor.until(badge('trigger'));
    const [width, height] = await visitor.evaluate<[number, number]>(
      `[${badge('trigger')}.offsetWidth, ${badge('trigger')}.offsetHeight]`,
    );
    assert.ok(width < 320 && height < 100, `the button takes ${width} x ${height} px`);
    await visitor.click(badge('trigger'));
    await visitor.until(`${badge('drawer')}.matches(':popover-open')`);
    await visitor.click(
      find('button[popovertarget=drawer]:not([part~=trigger])').replace('svc-consent', 'svc-trust-badge'),
    );
    await visitor.until(`!${badge('drawer')}.matches(':popover-open')`);
  },
};

for (const engine of engines)
  describe(`the widgets in ${engine.name}`, { skip: engine.skip }, () => {
    let site: GatedSite;
    let page: EnginePage;
    before(async () => {
      site = await startGatedSite();
      page = await engine.start();
    });
    after(async () => {
      await page?.[Symbol.asyncDispose]();
      await site?.[Symbol.asyncDispose]();
    });

    afterEach(() => page.renew());

    for (const [name, flow] of Object.entries(flows)) test(name, () => flow(new Visitor(engine, page, site)));
  });
