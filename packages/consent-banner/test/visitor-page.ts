import { readFileSync } from 'node:fs';

// A whole page of a strict site with the built script on it, and the three answers of the API behind it.

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

const strictPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "connect-src 'self'",
  "require-trusted-types-for 'script'",
  'trusted-types svc-consent',
].join('; ');

const records = new Map<string, unknown[]>();
const noticeReads = new Map<string, number>();

/** Serves `/visitor-page?notice=…&copies=…&above=…`, the public endpoints, and `/visitor-page/seen?notice=…` for the tests. */
export async function serveVisitorPage(exchange: Exchange, next: () => Promise<void>): Promise<void> {
  const noticeId = String(exchange.query.notice);
  const [, publicId, isRecord] = /^\/v1\/public\/consent\/([^/]+)(\/records)?$/.exec(exchange.path) ?? [];
  if (exchange.path === '/visitor-page') {
    exchange.set('Content-Security-Policy', strictPolicy);
    exchange.type = 'html';
    exchange.body = renderPage(noticeId, Number(exchange.query.copies ?? 1), String(exchange.query.above ?? ''));
  } else if (exchange.path === '/visitor-page/seen') {
    exchange.body = { records: records.get(noticeId) ?? [], noticeReads: noticeReads.get(noticeId) ?? 0 };
  } else if (publicId && isRecord) {
    const record = JSON.parse(await readBody(exchange.req));
    records.set(publicId, [...(records.get(publicId) ?? []), record]);
    exchange.status = 201;
    exchange.body = { data: {} };
  } else if (publicId) {
    noticeReads.set(publicId, (noticeReads.get(publicId) ?? 0) + 1);
    exchange.body = { data: createNotice(publicId) };
  } else {
    await next();
  }
}

async function readBody(request: AsyncIterable<Uint8Array>): Promise<string> {
  let text = '';
  for await (const chunk of request) text += new TextDecoder().decode(chunk);
  return text;
}

function renderPage(noticeId: string, copies: number, above: string): string {
  const dist = new URL('../dist/', import.meta.url);
  const { file, integrity } = JSON.parse(readFileSync(new URL('integrity.json', dist), 'utf8'));
  const tag = `<script src="/packages/consent-banner/dist/${file}" integrity="${integrity}" crossorigin="anonymous"></script>`;
  return `<!doctype html><html lang="en"><title>A visitor's page</title>
    <body>${above}<svc-consent notice-id="${noticeId}"></svc-consent>${tag.repeat(copies)}<h1>A page</h1></body></html>`;
}

function createNotice(id: string): object {
  const purposes = [
    { key: 'necessary', label: 'Necessary', description: 'Keeps the site running.', required: true },
    { key: 'statistics', label: 'Statistics', description: 'Counts visits.', required: false },
  ];
  return { id, name: 'Site', controllerName: 'Acme', language: 'en', domain: 'localhost', version: 4, purposes };
}
