import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Middleware } from 'koa';
import { listNotices } from '../consent/notice-store.ts';
import { html, type Markup } from '../http/html.ts';
import type { Installation } from '../installation/installation.ts';
import type { Queries } from '../storage/database.ts';
import { findTenant } from '../tenants/store.ts';
import { trustPath } from '../trust/trust-center.ts';
import { writeScriptTag } from '../widgets/tags.ts';
import { readWidget, type Widget } from '../widgets/widget.ts';

/** A strict policy, as a site owner may have: nothing inline, nothing from other origins. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types svc-consent svc-consent-ui svc-trust-badge',
].join('; ');

const assets = new Map([
  ['/demo/demo.css', 'text/css; charset=utf-8'],
  ['/demo/demo.js', 'text/javascript; charset=utf-8'],
]);

/** The demo tenant and its notice. */
export interface DemoSite {
  readonly noticeId: string;
  /** The host that the notice belongs to. */
  readonly domain: string;
  readonly slug: string;
}

/** Finds the demo tenant and its published notice; null without either. */
export async function findDemoSite(queries: Queries): Promise<DemoSite | null> {
  const tenant = await findTenant(queries, 'demo');
  if (tenant === undefined) return null;
  const { rows: notices } = await listNotices(
    queries,
    tenant.id,
    { status: 'published', domain: undefined, search: undefined },
    null,
    100,
  );
  const notice = notices.at(-1);
  return notice === undefined ? null : { noticeId: notice.id, domain: notice.domain, slug: tenant.slug };
}

/** Serves `/demo`, a page with the banner of the demo notice and the trust badge, if there is a demo tenant. */
export function serveDemo({ database, settings }: Installation): Middleware {
  let banner: Widget | undefined;
  let badge: Widget | undefined;
  return async (ctx, next) => {
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') return next();
    const type = assets.get(ctx.path);
    if (type !== undefined) {
      ctx.type = type;
      ctx.set('Cache-Control', 'no-cache');
      ctx.body = readFileSync(join(import.meta.dirname, ctx.path.slice('/demo/'.length)));
      return;
    }
    if (ctx.path !== '/' && ctx.path !== '/demo') return next();
    const site = await findDemoSite(database.kysely);
    banner ??= readWidget('consent-banner');
    badge ??= readWidget('trust-badge');
    if (site === null || banner === undefined) return next();
    const baseUrl = settings.baseUrl ?? `http://${site.domain}:${ctx.req.socket.localPort}`;
    // The notice belongs to one host name; the IP address of that host is another site.
    if (ctx.path === '/' || (ctx.hostname !== site.domain && settings.baseUrl === null)) {
      ctx.redirect(`${baseUrl}/demo`);
      return;
    }
    ctx.set('Content-Security-Policy', policy);
    ctx.set('Referrer-Policy', 'no-referrer');
    ctx.set('Cache-Control', 'no-cache');
    ctx.type = 'text/html; charset=utf-8';
    ctx.body = writeDemoPage({ banner, badge, baseUrl, ...site });
  };
}

/** Writes the demo page. @param page `badge` is undefined if it was not built: the page then omits it. */
export function writeDemoPage({
  banner,
  badge,
  noticeId,
  slug,
  baseUrl,
}: Omit<DemoSite, 'domain'> & {
  readonly banner: Widget;
  readonly badge: Widget | undefined;
  readonly baseUrl: string;
}): string {
  const tag = `${writeScriptTag(banner, baseUrl)}\n${html`<svc-consent notice-id="${noticeId}" api-base="${baseUrl}"></svc-consent>`}`;
  const read = `curl -s ${baseUrl}/v1/consent/${noticeId}/records -H "Authorization: Bearer $KEY"`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Svc demo</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/demo/demo.css">
<script src="/demo/demo.js" defer></script>
${tag}
${badge === undefined ? '' : writeScriptTag(badge, baseUrl)}
</head>
<body>
<main>
<h1>From a script tag to a ledger row</h1>
<p>This page embeds the consent banner the way your site would: one pinned, integrity-checked script, under a
Content-Security-Policy that allows nothing inline.</p>
<h2>1. Decide</h2>
<p>Use the banner. <button type="button" id="open">Change my choices</button></p>
<h2>2. What the page knows</h2>
<p><code>SvcConsent.get()</code> returns:</p>
<pre id="state" role="status" tabindex="0">null</pre>
<h2>3. What the ledger holds</h2>
<p>Read it with the API key that the server printed (also in <code>demo-credentials.json</code>):</p>
<pre tabindex="0">${html`${read}`}</pre>
<p>Then verify that it was not changed:</p>
<pre tabindex="0">npx @svc/server verify</pre>
<h2>The tag</h2>
<pre tabindex="0">${html`${tag}`}</pre>
${badge === undefined ? '' : writeBadges(badge, slug, baseUrl)}</main>
</body>
</html>
`;
}

/** The badge in several variants, and its tag. */
function writeBadges(badge: Widget, slug: string, baseUrl: string): Markup {
  const page = baseUrl + trustPath(slug);
  // The link is the content until the script runs, or without it.
  const write = (variant: string) =>
    html`<svc-trust-badge tenant="${slug}" api-base="${baseUrl}" variant="${variant}" theme="auto"><a href="${page}">Trust center</a></svc-trust-badge>`;
  const shown = ['compact', 'status', 'card'].map((variant) => html`<li>${write(variant)}</li>\n`);
  return html`<h2 id="badge">The trust badge</h2>
<p>The second widget shows the frameworks in the <a href="${page}">trust center of the demo</a>, a page that needs no script.
Another badge floats at the edge of this page.</p>
<ul class="badges" aria-labelledby="badge">
${shown}</ul>
${write('floating')}
<pre tabindex="0">${writeScriptTag(badge, baseUrl)}
${String(write('compact'))}</pre>
`;
}
