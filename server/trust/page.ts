import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Middleware } from 'koa';
import { requireGetOrHead } from '../http/problem.ts';
import { immutable, StaticFile } from '../http/static-file.ts';
import type { Installation } from '../installation/installation.ts';
import type { PublishedTrust } from './store.ts';
import { writeMissingPage, writeTrustPage } from './write-page.ts';

/** Allows one style sheet, no script, nothing inline or from other origins, and no frame around the page. */
const policy = [
  "default-src 'none'",
  "style-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const stylePath = '/trust/trust.css';

/** Serves the public page of every published trust center at `/trust/<slug>`. */
export function serveTrust(
  { clock, settings: { baseUrl } }: Pick<Installation, 'clock' | 'settings'>,
  publishedTrust: PublishedTrust,
): Middleware {
  const style = readFileSync(join(import.meta.dirname, 'trust.css'));
  const pinned = new StaticFile('trust.css', style, immutable);
  const unpinned = new StaticFile('trust.css', style, 'no-cache');
  const surroundings = { stylePath: `${stylePath}?v=${pinned.tag}`, baseUrl };
  const missing = writeMissingPage(surroundings);
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
    const center = await publishedTrust.find(ctx.path.slice('/trust/'.length));
    const page = center === undefined ? missing : writeTrustPage(center, clock(), surroundings);
    ctx.status = center === undefined ? 404 : 200;
    ctx.set({
      'Content-Security-Policy': policy,
      'Referrer-Policy': 'no-referrer',
      'Cross-Origin-Opener-Policy': 'same-origin',
      'Cache-Control': 'no-cache',
      ...(center !== undefined && { ETag: `"${hash('sha256', page).slice(0, 16)}"` }),
    });
    ctx.type = 'text/html; charset=utf-8';
    if (ctx.fresh) ctx.status = 304;
    else ctx.body = page;
  };
}
