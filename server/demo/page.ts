import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Middleware } from 'koa';
import { listNotices } from '../consent/notice-store.ts';
import type { Installation } from '../installation/installation.ts';
import { findTenant } from '../tenants/store.ts';
import { readWidget, type Widget } from '../widgets/widget.ts';
import { writeDemoPage } from './write-page.ts';

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
  'trusted-types svc-consent svc-consent-ui svc-trust-badge',
].join('; ');

const assets = new Map([
  ['/demo/demo.css', 'text/css; charset=utf-8'],
  ['/demo/demo.js', 'text/javascript; charset=utf-8'],
]);

/** Serves `/demo`, the page that carries the banner of the demo notice and the trust badge, where there is a demo tenant. */
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
    const tenant = await findTenant(database.kysely, 'demo');
    if (tenant === undefined) return next();
    const { rows: notices } = await listNotices(database.kysely, tenant.id, { status: 'published' }, null, 100);
    const notice = notices.at(-1);
    banner ??= readWidget('consent-banner');
    badge ??= readWidget('trust-badge');
    if (notice === undefined || banner === undefined) return next();
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
    ctx.body = writeDemoPage({ banner, badge, noticeId: notice.id, slug: tenant.slug, baseUrl });
  };
}
