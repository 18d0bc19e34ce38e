import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Context, Middleware } from 'koa';
import { requireReading } from '../http/require-reading.ts';
import type { Clock } from '../storage/clock.ts';
import type { PublishedTrust } from './published-trust.ts';
import { writeMissingPage, writeTrustPage } from './write-page.ts';

/** One style sheet of ours, and nothing else: no script at all, nothing inline, nothing from elsewhere, in no frame. */
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
export function serveTrust(options: {
  readonly publishedTrust: PublishedTrust;
  readonly clock: Clock;
  readonly baseUrl: string | null;
}): Middleware {
  const { publishedTrust, clock, baseUrl } = options;
  const style = readFileSync(join(import.meta.dirname, 'trust.css'), 'utf8');
  const version = digest(style);
  const surroundings = { stylePath: `${stylePath}?v=${version}`, baseUrl };
  const missing = writeMissingPage(surroundings);
  return async (ctx, next) => {
    if (ctx.path !== '/trust' && !ctx.path.startsWith('/trust/')) return next();
    ctx.state.route = '/trust/{slug}';
    requireReading(ctx);
    if (ctx.path === stylePath) {
      const isPinned = ctx.querystring === `v=${version}`;
      answer(ctx, 'text/css; charset=utf-8', style, isPinned ? 'public, max-age=31536000, immutable' : 'no-cache');
      return;
    }
    if (ctx.path.endsWith('/')) {
      ctx.status = 301;
      ctx.redirect(ctx.path.replace(/(?<!\/)\/+$/, ''));
      return;
    }
    ctx.set('Content-Security-Policy', policy);
    ctx.set('Referrer-Policy', 'no-referrer');
    ctx.set('Cross-Origin-Opener-Policy', 'same-origin');
    const center = await publishedTrust.find(ctx.path.slice('/trust/'.length));
    if (center !== undefined) {
      answer(ctx, 'text/html; charset=utf-8', writeTrustPage(center, clock(), surroundings), 'no-cache');
      return;
    }
    ctx.status = 404;
    ctx.set('Cache-Control', 'no-cache');
    ctx.type = 'text/html; charset=utf-8';
    ctx.body = missing;
  };
}

/** Answers with a text, or that the client has it already. */
function answer(ctx: Context, type: string, text: string, caching: string): void {
  ctx.status = 200;
  ctx.set('Cache-Control', caching);
  ctx.set('ETag', `"${digest(text)}"`);
  ctx.type = type;
  if (ctx.fresh) ctx.status = 304;
  else ctx.body = text;
}

function digest(text: string): string {
  return hash('sha256', text).slice(0, 16);
}
