import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Middleware } from 'koa';
import { listNotices } from '../consent/notice-store.ts';
import { html } from '../http/html.ts';
import type { Installation } from '../installation.ts';
import { findTenant } from '../tenants/store.ts';
import { readWidget, type Widget, writeScriptTag } from '../widgets/widget.ts';

/** Nothing inline, nothing from elsewhere: what a site owner with a strict policy has. */
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
  'trusted-types lit-html',
].join('; ');

const assets = new Map([
  ['/demo/demo.css', 'text/css; charset=utf-8'],
  ['/demo/demo.js', 'text/javascript; charset=utf-8'],
]);

/** Serves `/demo`, the page that carries the banner of the demo notice, where there is a demo tenant. */
export function serveDemo({ database, settings }: Installation): Middleware {
  let widget: Widget | undefined;
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
    const tenant = await findTenant(database.kysely, 'demo');
    if (tenant === undefined) return next();
    const { notices } = await listNotices(database.kysely, tenant.id, { status: 'published' }, null, 100);
    const notice = notices.at(-1);
    widget ??= readWidget('consent-banner');
    if (notice === undefined || widget === undefined) return next();
    const baseUrl = settings.baseUrl ?? `http://${notice.domain}:${ctx.req.socket.localPort}`;
    // The notice belongs to one host; the numbers of that host are another site to it.
    if (ctx.path === '/' || (ctx.hostname !== notice.domain && settings.baseUrl === null)) {
      ctx.redirect(`${baseUrl}/demo`);
      return;
    }
    ctx.set('Content-Security-Policy', policy);
    ctx.set('Referrer-Policy', 'no-referrer');
    ctx.set('Cache-Control', 'no-cache');
    ctx.type = 'text/html; charset=utf-8';
    ctx.body = writePage(widget, notice.id, baseUrl);
  };
}

function writePage(widget: Widget, noticeId: string, baseUrl: string): string {
  const tag = `${writeScriptTag(widget, baseUrl)}\n${html`<svc-consent notice-id="${noticeId}" api-base="${baseUrl}"></svc-consent>`}`;
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
</head>
<body>
<main>
<h1>From a script tag to a ledger row</h1>
<p>This page carries the consent banner the way your site would: one pinned, integrity-checked script, under a
Content-Security-Policy that allows nothing inline.</p>
<h2>1. Decide</h2>
<p>Use the banner. <button type="button" id="open">Change my choices</button></p>
<h2>2. What the page knows</h2>
<p><code>SvcConsent.get()</code> says:</p>
<pre id="state" role="status" tabindex="0">null</pre>
<h2>3. What the ledger holds</h2>
<p>Read it back with the API key that the server printed (it also stands in <code>demo-credentials.json</code>):</p>
<pre tabindex="0">${html`${read}`}</pre>
<p>Then prove that nobody changed it:</p>
<pre tabindex="0">npx svc verify</pre>
<h2>The tag</h2>
<pre tabindex="0">${html`${tag}`}</pre>
</main>
</body>
</html>
`;
}
