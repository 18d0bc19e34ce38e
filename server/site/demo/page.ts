import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Middleware } from 'koa';
import { findTenant } from '../../accounts/tenants/store.ts';
import { listNotices } from '../../consent/notice-store.ts';
import { escapeHtml, html, type Markup } from '../../http/html.ts';
import { StaticFile } from '../../http/static-file.ts';
import type { Installation } from '../../installation/installation.ts';
import type { Queries } from '../../storage/queries.ts';
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
  'trusted-types svc-consent svc-consent-panel svc-trust-badge',
].join('; ');

const assets = ['demo.css', 'demo.js'] as const;

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
  const filter = { status: 'published', domain: undefined, search: undefined } as const;
  const { rows: notices } = await listNotices(queries, tenant.id, filter, null, 100);
  const notice = notices.at(-1);
  return notice === undefined ? null : { noticeId: notice.id, domain: notice.domain, slug: tenant.slug };
}

/** Serves `/demo`, a page with the banner of the demo notice and the trust badge, if there is a demo tenant. */
export function serveDemo({ database, settings }: Installation): Middleware {
  const files = new Map<string, StaticFile>();
  let banner: Widget | undefined;
  let badge: Widget | undefined;
  return async (ctx, next) => {
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') return next();
    const name = assets.find((one) => ctx.path === `/demo/${one}`);
    if (name !== undefined) {
      const file = files.get(name) ?? new StaticFile(name, readFileSync(join(import.meta.dirname, name)), 'no-cache');
      files.set(name, file);
      return file.send(ctx);
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

const template = readFileSync(join(import.meta.dirname, 'page.html'), 'utf8');

/** Writes the demo page. @param site `badge` is undefined if it was not built: the page then omits it. */
export function writeDemoPage(
  site: Omit<DemoSite, 'domain'> & {
    readonly banner: Widget;
    readonly badge: Widget | undefined;
    readonly baseUrl: string;
  },
): string {
  const { banner, badge, noticeId, slug, baseUrl } = site;
  const trustPage = baseUrl + trustPath(slug);
  // The link is the content until the script runs, or without it.
  const writeBadge = (variant: string) =>
    html`<svc-trust-badge tenant="${slug}" api-base="${baseUrl}" variant="${variant}" theme="auto"><a href="${trustPage}">Trust center</a></svc-trust-badge>`;
  const variants = ['compact', 'status', 'card', 'floating'].map((name) => [name, writeBadge(name)]);
  const values: Readonly<Record<string, Markup | string>> = {
    baseUrl: html`${baseUrl}`,
    noticeId: html`${noticeId}`,
    trustPage: html`${trustPage}`,
    tag: `${writeScriptTag(banner, baseUrl)}\n${html`<svc-consent notice-id="${noticeId}" api-base="${baseUrl}"></svc-consent>`}`,
    badgeScript: badge === undefined ? '' : writeScriptTag(badge, baseUrl),
    ...Object.fromEntries(variants),
  };
  const [start, badges, end] = template.split('<!-- badge -->\n');
  const shown = [start, ...(badge === undefined ? [] : [badges]), end].join('');
  return shown.replace(/\{\{(\w+)(\|text)?\}\}/g, (_, name: string, isText: string | undefined) => {
    const markup = String(values[name]);
    return isText === undefined ? markup : escapeHtml(markup);
  });
}
