import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { type Browser, type BrowserContext, chromium as launcher, type Page, type Request } from 'playwright-core';
import { build } from 'vite';
import { chromium } from '../../../tools/test/chromium.ts';
import { readWidget } from '../../site/widgets/widget.ts';
import { type GatedSite, startGatedSite } from './banner/gated-site.ts';

const root = join(import.meta.dirname, '../../..');

/** A banner of others, as a page of the documentation sets it up, and where a visitor presses in it. */
interface Recipe {
  /** The title of its block begins with it. */
  readonly name: string;
  readonly accept: string;
  readonly reject: string;
  /** In the preferences, which the button of the page opens: what refuses marketing, and what saves. */
  readonly refuseMarketing: readonly string[];
}

const recipes: readonly Recipe[] = [
  {
    name: 'vanilla-cookieconsent',
    accept: '#cc-main .cm [data-role=all]',
    reject: '#cc-main .cm [data-role=necessary]',
    refuseMarketing: ['#cc-main input[value=marketing]', '#cc-main .pm [data-role=save]'],
  },
  {
    name: 'Klaro',
    accept: '#klaro .cookie-notice .cm-btn-success',
    reject: '#klaro .cookie-notice .cn-decline',
    refuseMarketing: ['#service-item-marketing', '#klaro .cm-btn-accept'],
  },
  {
    name: 'orejime',
    accept: '.orejime-Banner-saveButton',
    reject: '.orejime-Banner-declineButton',
    refuseMarketing: ['#orejime-purpose-marketing', '.orejime-Modal-saveButton'],
  },
  {
    name: 'tarteaucitron',
    accept: '#tarteaucitronPersonalize2',
    reject: '#tarteaucitronAllDenied2',
    refuseMarketing: ['#marketingDenied'],
  },
];

const purposes = ['necessary', 'statistics', 'marketing'].map((key) => ({
  key,
  label: key,
  description: `For ${key}.`,
  required: key === 'necessary',
}));
const all = { necessary: true, statistics: true, marketing: true };

interface LedgerRow {
  readonly subjectId: string;
  readonly kind: string;
  readonly purposes: Readonly<Record<string, boolean>>;
  readonly capturedAt: string;
}

// Each block of docs-site/pages/widgets/any-banner.md, with the banner's build from npm, on a site whose API is at another origin.
describe('the recipes for other banners', () => {
  let site: GatedSite;
  let browser: Browser;
  before(async () => {
    site = await startGatedSite();
    browser = await launcher.launch(chromium());
    addTarteaucitron(site);
  });
  after(async () => {
    await browser?.close();
    await site?.[Symbol.asyncDispose]();
  });

  for (const recipe of recipes) {
    describe(recipe.name, () => {
      const host = `${recipe.name.toLowerCase()}.localhost`;
      let noticeId: string;
      let url: string;
      let context: BrowserContext;
      let page: Page;
      const errors: string[] = [];
      const press = (selector: string) => page.locator(selector).click();
      const isPost = (request: Request) => request.method() === 'POST' && request.url().endsWith(`${noticeId}/records`);
      /** Does something and waits until the server has stored what it recorded. */
      async function settle(act: () => Promise<unknown>): Promise<void> {
        const stored = page.waitForResponse((response) => isPost(response.request()) && response.status() === 201);
        await act();
        await stored;
      }
      async function readLedger(): Promise<readonly LedgerRow[]> {
        const { body } = await site.server.request('GET', `/v1/consent/${noticeId}/records`);
        return body.data.data.toReversed();
      }
      /** Waits until the page has seen the response, too. */
      const noneQueued = () =>
        page.waitForFunction(() => !Object.keys(localStorage).some((key) => key.includes(':record:')));

      before(async () => {
        noticeId = await site.publish('localhost', { purposes });
        url = site.originOf(host) + (await addRecipePage(site, recipe.name, noticeId));
        context = await browser.newContext();
        await context.addInitScript(preparePage);
        page = await context.newPage();
        page.on('pageerror', (error) => errors.push(String(error)));
        page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
      });
      after(() => context?.close());

      test('records an acceptance once, and a change of mind as a withdrawal by the same visitor', async () => {
        await visit(page, url);
        await settle(() => press(recipe.accept));
        await visit(page, url);
        await settle(async () => {
          await press('#privacy');
          for (const selector of recipe.refuseMarketing) await page.locator(selector).dispatchEvent('click');
        });
        const rows = await readLedger();
        assert.deepEqual(
          rows.map(({ kind, purposes }) => [kind, purposes]),
          [
            ['capture', all],
            ['withdrawal', { ...all, marketing: false }],
          ],
        );
        assert.equal(new Set(rows.map(({ subjectId }) => subjectId)).size, 1);
        assert.deepEqual(errors, []);
      });

      test('records a rejection', async () => {
        await visitFirst(page, url);
        await settle(() => press(recipe.reject));
        assert.deepEqual((await readLedger()).at(-1)?.purposes, { ...all, statistics: false, marketing: false });
        await noneQueued();
      });

      test('records the decision of a visitor who leaves in the same task', async () => {
        await visitFirst(page, url);
        const before = (await readLedger()).length;
        await page.locator(recipe.accept).waitFor();
        site.gate.setWeather(site.originOf(host), 'slow preflight');
        const gone = page.waitForURL('about:blank');
        await page.evaluate(
          `document.querySelector(${JSON.stringify(recipe.accept)}).click(); location.href = 'about:blank'`,
        );
        await gone;
        site.gate.setWeather(site.originOf(host), 'fine');
        await page.goto(url);
        await noneQueued();
        const rows = await readLedger();
        assert.deepEqual([rows.length - before, rows.at(-1)?.purposes], [1, all]);
      });

      test('records a decision when the server is back, with its time', async () => {
        await visitFirst(page, url);
        const before = (await readLedger()).length;
        await page.locator(recipe.reject).waitFor();
        site.gate.setWeather(site.originOf(host), 'unreachable');
        const failed = page.waitForEvent('requestfailed', isPost);
        const start = new Date().toISOString();
        await press(recipe.reject);
        await failed;
        const end = new Date().toISOString();
        await page.goto('about:blank');
        site.gate.setWeather(site.originOf(host), 'fine');
        await settle(() => page.goto(url));
        const rows = await readLedger();
        const { capturedAt = '' } = rows.at(-1) ?? {};
        assert.equal(rows.length - before, 1);
        assert.ok(start <= capturedAt && capturedAt <= end, `${start} ${capturedAt} ${end}`);
      });
    });
  }
});

/** Runs in each page before its own scripts. */
function preparePage(): void {
  // Some banners are not shown to robots.
  Object.defineProperty(navigator, 'webdriver', { value: false });
  // The buttons of tarteaucitron do nothing until half a second after they are shown.
  const listen = (resolve: (value: unknown) => void) => {
    const { tarteaucitron } = window as unknown as { tarteaucitron?: { readonly events: { load: unknown } } };
    if (tarteaucitron) tarteaucitron.events.load = resolve;
    else resolve(null);
  };
  document.addEventListener('DOMContentLoaded', () => {
    Object.assign(window, { isReady: new Promise(listen) });
  });
}

/** Goes to a page and waits until its banner works. */
async function visit(page: Page, url: string): Promise<void> {
  await page.goto(url);
  await page.evaluate('isReady');
}

/** A new visitor comes to a page. */
async function visitFirst(page: Page, url: string): Promise<void> {
  await page.goto(url);
  await page.evaluate(() => localStorage.clear());
  await page.context().clearCookies();
  await visit(page, url);
}

/** Adds a page with the block of a recipe. @returns its path. */
async function addRecipePage(site: GatedSite, name: string, noticeId: string): Promise<string> {
  const text = readFileSync(join(root, 'docs-site/pages/widgets/any-banner.md'), 'utf8');
  const [, language, code = ''] = new RegExp(`\`\`\`(js|html) title="${name} [^\n]*\\n([^]*?)\`\`\``).exec(text) ?? [];
  const widget = readWidget('consent-banner');
  const record = widget?.built.find(({ file }) => file === 'svc-consent-record.js');
  const ours = code
    .replaceAll('your-notice-id', noticeId)
    .replace(/svc-consent\/[\w.-]+\//, `svc-consent/${widget?.version}/`)
    .replaceAll('https://consent.example.com', site.gate.url)
    .replace('sha384-…', record?.integrity ?? '');
  const body = '<h1>A page</h1><button id="privacy">Privacy</button>';
  if (language === 'html') return site.addPage({ body: body + ours });
  const { script, styles } = await bundle(ours);
  site.addFile(`/${name}.js`, 'text/javascript', script);
  site.addFile(`/${name}.css`, 'text/css', styles);
  return site.addPage({
    head: `<link rel="stylesheet" href="/${name}.css"><script src="/${name}.js" type="module"></script>`,
    body,
  });
}

/** Bundles a block for a page, with the built module of `record()`. */
async function bundle(code: string): Promise<{ readonly script: string; readonly styles: string }> {
  const entry = '\0recipe';
  const built = await build({
    configFile: false,
    logLevel: 'error',
    root: import.meta.dirname,
    plugins: [
      {
        name: 'recipe',
        resolveId: (source) => (source === entry ? source : null),
        load: (id) => (id === entry ? code : null),
      },
    ],
    build: { write: false, rolldownOptions: { input: entry } },
  });
  const files = [built].flat().flatMap((bundled) => ('output' in bundled ? bundled.output : []));
  const script = files.map((file) => (file.type === 'chunk' ? file.code : '')).join('');
  const styles = files.map((file) => (file.type === 'asset' ? String(file.source) : '')).join('');
  return { script, styles };
}

/** The files that tarteaucitron loads from the folder of its script. */
function addTarteaucitron(site: GatedSite): void {
  const folder = dirname(createRequire(import.meta.url).resolve('tarteaucitronjs/package.json'));
  for (const file of [
    'tarteaucitron.min.js',
    'tarteaucitron.services.min.js',
    'advertising.min.js',
    'lang/tarteaucitron.en.min.js',
    'css/tarteaucitron.min.css',
  ]) {
    const type = file.endsWith('.css') ? 'text/css' : 'text/javascript';
    site.addFile(`/tarteaucitron/${file}`, type, readFileSync(join(folder, file)));
  }
}
