import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Context, Middleware } from 'koa';
import { sendTag } from '../../http/entity-tag.ts';
import { html, type Insertable, type Markup, withoutDirections } from '../../http/html.ts';
import { requireGetOrHead } from '../../http/problem.ts';
import { immutable, StaticFile } from '../../http/static-file.ts';
import type { Installation } from '../../installation/installation.ts';
import { publicKeyPath } from '../ledger-key.ts';
import { writeFeed } from './feed.ts';
import { feedPath, writeTrustBody } from './page-markup.ts';
import type { PublishedTrust, PublishedTrustCenter } from './store.ts';
import { listAchievements, trustPath } from './trust-center.ts';

/** Allows one style sheet, no script, nothing inline or from other origins, and no frame around the page. */
const policy =
  "default-src 'none'; style-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const stylePath = '/trust/trust.css';

/** Serves the public page of every published trust center at `/trust/<slug>`. */
export function serveTrust({ clock, settings: { baseUrl } }: Installation, publishedTrust: PublishedTrust): Middleware {
  const style = readFileSync(join(import.meta.dirname, 'trust.css'));
  const pinned = new StaticFile('trust.css', style, immutable);
  const unpinned = new StaticFile('trust.css', style, 'no-cache');
  const write = (text: PageText) => writeDocument(text, `${stylePath}?v=${pinned.tag}`, baseUrl);
  const missing = write(missingPage);
  return async (ctx, next) => {
    if (ctx.path !== '/trust' && !ctx.path.startsWith('/trust/')) return next();
    ctx.state.route = '/trust/{slug}';
    requireGetOrHead(ctx);
    if (ctx.path === stylePath) return (ctx.querystring === `v=${pinned.tag}` ? pinned : unpinned).send(ctx);
    if (ctx.path.endsWith('/')) {
      ctx.status = 301;
      ctx.redirect(ctx.path.replace(/(?<!\/)\/+$/, ''));
      return;
    }
    const [, feedSlug] = /^\/trust\/([^/]+)\/subprocessors\.atom$/.exec(ctx.path) ?? [];
    const center = await publishedTrust.find(feedSlug ?? ctx.path.slice('/trust/'.length));
    if (center !== undefined && feedSlug !== undefined) return sendFeed(ctx, writeFeed(center, baseUrl));
    const page = center === undefined ? missing : write(describePage(center, clock()));
    ctx.status = center === undefined ? 404 : 200;
    ctx.set({
      'Content-Security-Policy': policy,
      'Referrer-Policy': 'no-referrer',
      'Cross-Origin-Opener-Policy': 'same-origin',
      'Cache-Control': 'no-cache',
    });
    ctx.type = 'text/html; charset=utf-8';
    if (center === undefined || sendTag(ctx, tagText(page))) ctx.body = page;
  };
}

/** Feed readers ask often, and a change is announced days before it is in force. */
function sendFeed(ctx: Context, feed: string): void {
  ctx.state.route = '/trust/{slug}/subprocessors.atom';
  ctx.status = 200;
  ctx.set({
    'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
    'Cache-Control': 'public, max-age=300',
  });
  ctx.type = 'application/atom+xml; charset=utf-8';
  if (sendTag(ctx, tagText(feed))) ctx.body = feed;
}

function tagText(text: string): string {
  return `"${hash('sha256', text).slice(0, 16)}"`;
}

/** `path` is the canonical one; null for the missing page. */
type PageText = Readonly<{
  title: string;
  description: string;
  path: string | null;
  feed: string | null;
  body: Markup;
}>;

/** The public page of a trust center at a time. */
function describePage(center: PublishedTrustCenter, now: string): PageText {
  const { slug, content } = center;
  const name = withoutDirections(center.name);
  return {
    title: `${name} · Trust center`,
    description: content.headline ?? `Frameworks, documents and contacts in the trust center of ${name}.`,
    path: trustPath(slug),
    feed: content.subprocessors.length > 0 ? feedPath(slug) : null,
    body: writeTrustBody(center, listAchievements(content, now), now, publicKeyPath),
  };
}

/** The page for an unknown and for an unpublished trust center, which look the same. */
const missingPage: PageText = {
  title: 'No trust center here',
  description: 'There is no published trust center at this address.',
  path: null,
  feed: null,
  body: html`<main class="missing">
<p class="kicker">Trust center</p>
<h1>No trust center here</h1>
<p class="lead">Nothing is published at this address. It may be mistyped, or the page may not be public: ask the company
that you are looking for.</p>
</main>
`,
};

/** @param baseUrl null if none is set: the Host header is not trusted for metadata. */
function writeDocument(text: PageText, stylePath: string, baseUrl: string | null): string {
  const { title, description, path, feed, body } = text;
  const alternate: Insertable =
    feed && html`<link rel="alternate" type="application/atom+xml" title="Changes of subprocessors" href="${feed}">\n`;
  const address: Insertable =
    path &&
    baseUrl &&
    html`<link rel="canonical" href="${baseUrl}${path}">\n<meta property="og:url" content="${baseUrl}${path}">\n`;
  return `${html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<meta name="description" content="${description}">
<meta property="og:type" content="website">
<meta property="og:title" content="${title}">
<meta property="og:description" content="${description}">
${address}${alternate}<link rel="icon" href="data:,">
<link rel="stylesheet" href="${stylePath}">
</head>
<body>
${body}<footer><p class="colophon">Published with Svc</p></footer>
</body>
</html>
`}`;
}
