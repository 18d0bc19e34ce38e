import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { buildSync } from 'esbuild';
import german from '../../../server/consent/messages/de.json' with { type: 'json' };
import english from '../../../server/consent/messages/en.json' with { type: 'json' };

// A whole page of a strict site with the built script on it, and the three responses of the API.

interface Exchange {
  readonly path: string;
  readonly query: Readonly<Record<string, string | string[] | undefined>>;
  readonly req: AsyncIterable<Uint8Array>;
  readonly method: string;
  body: unknown;
  type: string;
  status: number;
  set(name: string, value: string): void;
}

const dist = new URL('../dist/', import.meta.url);
const strictPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "connect-src 'self'",
  "frame-src 'self'",
  "require-trusted-types-for 'script'",
  'trusted-types svc-consent svc-consent-panel',
].join('; ');

/** Alternatives for a page of the strict site; `none` has no policy. */
const policies: Readonly<Record<string, string>> = {
  strict: strictPolicy,
  none: '',
  nonce: "script-src 'nonce-right' 'strict-dynamic'; connect-src 'self'",
  untrusted: strictPolicy.replace('trusted-types svc-consent svc-consent-panel', "trusted-types 'none'"),
};

/** The built files in a folder, as they are or changed; without a text one is missing. */
function copyBuild(
  folder: string,
  change = (_name: string, text: string): string | undefined => text,
): Readonly<Record<string, string>> {
  const names = readdirSync(dist).filter((name) => /^svc-consent.*\.js$/.test(name));
  const texts = names.map((name) => [`${folder}/${name}`, change(name, readFileSync(new URL(name, dist), 'utf8'))]);
  return Object.fromEntries(texts.filter(([, text]) => text !== undefined));
}

/**
 * Files beside the page: a script that reports its state to the parent window, a blocked one, and
 * broken builds.
 */
const files: Readonly<Record<string, string>> = {
  // React is published for bundlers only.
  'react.js':
    buildSync({
      stdin: {
        contents: `export { createElement } from 'react';
        export { hydrateRoot } from 'react-dom/client';
        export { renderToString } from 'react-dom/server.browser';`,
        resolveDir: import.meta.dirname,
      },
      bundle: true,
      minify: true,
      write: false,
      format: 'iife',
      globalName: 'React',
      define: { 'process.env.NODE_ENV': '"production"' },
    }).outputFiles[0]?.text ?? '',
  'empty.js': '',
  'held.js': 'document.body.dataset.held = (document.body.dataset.held ?? "") + "held ";',
  'report.js': `setInterval(() => {
    const shown = document.querySelector('svc-consent').shadowRoot?.querySelector('.banner:popover-open');
    parent.postMessage({ isShown: !!shown, decision: window.SvcConsent?.get() ?? null }, '*');
    if (shown && location.hash === '#accept') shown.querySelector('[data-choice=accept]').click();
  }, 20);`,
  ...copyBuild('copy'),
  ...copyBuild('changed', (name, text) => (name.endsWith('-panel.js') ? `${text}\n` : text)),
  ...copyBuild('missing', (name, text) => (name === 'svc-consent.js' ? text : undefined)),
  ...copyBuild('partless', (name, text) => (/^svc-consent(-panel|-content)?\.js$/.test(name) ? text : undefined)),
};

const records = new Map<string, unknown[]>();
const noticeReads = new Map<string, number>();

/**
 * Serves `/visitor-page?notice=…` (with `copies`, `head`, `above`, `below`, `attributes`, `policy`, `language`, `folder`), the public endpoints, and
 * `/visitor-page/seen?notice=…` for the tests.
 */
export async function serveVisitorPage(exchange: Exchange, next: () => Promise<void>): Promise<void> {
  const noticeId = String(exchange.query.notice);
  const [, publicId, isRecord] = /^\/v1\/public\/consent\/([^/]+)(\/records)?$/.exec(exchange.path) ?? [];
  // Scripts without an address take the further ones from the server of the API.
  const file =
    files[exchange.path.replace('/visitor-page/', '').replace(/^\/widgets\/svc-consent\/[\w.-]+\//, 'copy/')];
  if (exchange.path === '/visitor-page') {
    const policy = policies[String(exchange.query.policy ?? 'strict')];
    if (policy) exchange.set('Content-Security-Policy', policy);
    exchange.type = 'html';
    exchange.body = renderPage(noticeId, exchange.query);
  } else if (exchange.path === '/visitor-page/blank') {
    exchange.type = 'html';
    exchange.body = '<!doctype html><title>Blank</title>';
  } else if (file !== undefined) {
    exchange.type = 'js';
    exchange.set('Access-Control-Allow-Origin', '*');
    exchange.body = file;
  } else if (exchange.path === '/visitor-page/seen') {
    exchange.body = { records: records.get(noticeId) ?? [], noticeReads: noticeReads.get(noticeId) ?? 0 };
  } else if (publicId) {
    exchange.set('Access-Control-Allow-Origin', '*');
    exchange.set('Access-Control-Allow-Headers', 'Content-Type');
    await answerApi(exchange, publicId, isRecord !== undefined);
  } else {
    await next();
  }
}

async function answerApi(exchange: Exchange, noticeId: string, isRecord: boolean): Promise<void> {
  if (exchange.method === 'OPTIONS') {
    exchange.status = 204;
  } else if (isRecord) {
    const record = JSON.parse(await readBody(exchange.req));
    records.set(noticeId, [...(records.get(noticeId) ?? []), record]);
    exchange.status = 201;
    exchange.body = { data: {} };
  } else {
    noticeReads.set(noticeId, (noticeReads.get(noticeId) ?? 0) + 1);
    exchange.body = { data: createNotice(noticeId) };
  }
}

async function readBody(request: AsyncIterable<Uint8Array>): Promise<string> {
  let text = '';
  for await (const chunk of request) text += new TextDecoder().decode(chunk);
  return text;
}

function renderPage(noticeId: string, query: Exchange['query']): string {
  const { copies = 1, head = '', above = '', below = '', attributes = '', language = 'en' } = query;
  const { folder = '/packages/consent-banner/dist' } = query;
  const notice = JSON.stringify({ data: createNotice(noticeId) });
  const inline = query.isInline ? `<script type="application/json">${notice}</script>` : '';
  const nonce = query.policy === 'nonce' ? ' nonce="right"' : '';
  const script = readFileSync(new URL('svc-consent.js', dist));
  const integrity = `sha384-${createHash('sha384').update(script).digest('base64')}`;
  const tag = `<script src="${folder}/svc-consent.js" integrity="${integrity}" crossorigin="anonymous"${nonce}></script>`;
  return `<!doctype html><html lang="${language}"><head><title>A visitor's page</title>${head}</head>
    <body>${above}<svc-consent notice-id="${noticeId}" ${attributes}>${inline}</svc-consent>${tag.repeat(Number(copies))}${below}<h1>A page</h1></body></html>`;
}

function createNotice(id: string): object {
  const objection = id.startsWith('object-') && { basisByRegion: { 'US-CA': 'object' } };
  const purposes = [
    { key: 'necessary', label: 'Necessary', description: 'Keeps the site running.', required: true },
    { key: 'statistics', label: 'Statistics', description: 'Counts visits.', required: false, ...objection },
  ];
  const language = id.startsWith('de-') ? 'de' : 'en';
  const notice = { id, name: 'Site', controllerName: 'Acme', language, domain: 'localhost', version: 4, purposes };
  const links = id.startsWith('links-') && { links: { privacyPolicy: 'https://example.com/privacy' } };
  return { ...notice, ...links, asksSince: 4, languages: [], texts: language === 'de' ? german : english };
}
