import type { Middleware } from 'koa';
import { requireGetOrHead } from '../http/problem.ts';
import { StaticFile } from '../http/static-file.ts';

const caching = 'public, max-age=86400';

/** The icon of the dashboard: browsers ask for it on pages that name none. */
const icon =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#1c2029"/><path d="M9 16.5l4.5 4.5L23 11" fill="none" stroke="#e8bd77" stroke-width="3.5" stroke-linecap="round" stroke-linejoin="round"/></svg>';

/** Trust pages and the documentation may be found. Pages of sites are rendered with their banner, from /v1/public. */
const robots = `User-agent: *
Allow: /v1/public/
Disallow: /app/
Disallow: /demo
Disallow: /oauth/
Disallow: /privacy/
Disallow: /scim/
Disallow: /v1/
`;

/** Files that programs look for on every host: at the root with an extension, or by RFC 8615. */
const wellKnown = /^\/(?:\.well-known(?:\/.*)?|[^/]+\.[A-Za-z0-9]+)$/;

/** Serves the icon and robots.txt, and answers for other files of that kind in plain text: no program reads our errors. */
export function serveSiteFiles(): Middleware {
  const files = new Map([
    ['/favicon.ico', new StaticFile('favicon.svg', icon, caching)],
    ['/robots.txt', new StaticFile('robots.txt', robots, caching)],
  ]);
  const missing = new StaticFile('missing.txt', 'There is no such file.\n', caching);
  return async (ctx, next) => {
    const file = files.get(ctx.path);
    if (file === undefined && !wellKnown.test(ctx.path)) return next();
    if (file !== undefined) ctx.state.route = ctx.path;
    requireGetOrHead(ctx);
    await (file ?? missing).send(ctx, file === undefined ? 404 : 200);
  };
}
