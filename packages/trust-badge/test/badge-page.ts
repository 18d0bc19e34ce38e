import { readFileSync } from 'node:fs';
import { chooseBadgeWords } from '../../../server/site/trust/badge-words.ts';

// A complete page of a strict site with the built script, and the API response behind it.

interface Exchange {
  readonly path: string;
  readonly query: Readonly<Record<string, string | string[] | undefined>>;
  body: unknown;
  type: string;
  set(name: string, value: string): void;
}

const strictPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "connect-src 'self'",
  "require-trusted-types-for 'script'",
  'trusted-types svc-trust-badge',
].join('; ');

/** Serves `/badge-page?tenant=…&variant=…&copies=…&above=…&inside=…`, and the public endpoint below `/` and `/privacy`. */
export async function serveBadgePage(exchange: Exchange, next: () => Promise<void>): Promise<void> {
  const [, slug] = /^(?:\/privacy)?\/v1\/public\/trust\/([^/]+)\/widget$/.exec(exchange.path) ?? [];
  if (exchange.path === '/badge-page') {
    const { tenant = 'acme', variant = 'compact', copies = 1, above = '', inside = '' } = exchange.query;
    exchange.set('Content-Security-Policy', strictPolicy);
    exchange.type = 'html';
    exchange.body = renderPage(
      `tenant="${tenant}" variant="${variant}"`,
      Number(copies),
      String(above),
      String(inside),
    );
  } else if (slug) {
    const { language } = exchange.query;
    exchange.body = {
      data: {
        name: 'Acme',
        slug,
        achievedFrameworks: ['GDPR'],
        updatedAt: '2024-03-05T12:00:00.000Z',
        ...(language && { words: chooseBadgeWords(String(language)) }),
      },
    };
  } else {
    await next();
  }
}

function renderPage(attributes: string, copies: number, above: string, inside: string): string {
  const dist = new URL('../dist/', import.meta.url);
  const { file, integrity } = JSON.parse(readFileSync(new URL('integrity.json', dist), 'utf8'));
  const tag = `<script src="/packages/trust-badge/dist/${file}" integrity="${integrity}" crossorigin="anonymous"></script>`;
  return `<!doctype html><html lang="en"><title>A page</title>
    <body>${above}${tag.repeat(copies)}<svc-trust-badge ${attributes} accent="rebeccapurple">${inside}</svc-trust-badge><h1>A page</h1></body></html>`;
}
