import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Context, Middleware } from 'koa';
import { requireReading } from '../http/require-reading.ts';
import type { Installation } from '../installation/installation.ts';
import { BuiltSite, type SiteFile } from './built-site.ts';
import { describeServer } from './describe-server.ts';
import { documentationHeaders } from './headers.ts';

const folder = join(import.meta.dirname, '../../docs-site/dist');

/** Where the documentation is. */
export const documentationPath = '/docs';

/** Whether it was built. */
export function hasDocumentation(): boolean {
  return existsSync(join(folder, 'index.html'));
}

/** Serves the built documentation below `/docs`; where it was not built, the path is one of those that there are not. */
export function serveDocumentation(installation: Pick<Installation, 'clock' | 'database' | 'settings'>): Middleware {
  let site: BuiltSite | null = null;
  const readFacts = describeServer(installation);
  return async (ctx, next) => {
    const { path } = ctx;
    if (path !== documentationPath && !path.startsWith(`${documentationPath}/`)) return next();
    site ??= BuiltSite.open(folder);
    if (site === null) return next();
    ctx.state.route = '/docs/{page}';
    requireReading(ctx);
    ctx.set(documentationHeaders);
    // Relative, so that it holds behind a proxy that serves it below another path.
    if (path === documentationPath) return move(ctx, 'docs/');
    const below = path.slice(documentationPath.length + 1);
    if (below === 'live/server.json') {
      ctx.set('Cache-Control', 'no-cache');
      ctx.body = { server: await readFacts() };
      return;
    }
    const found = site.find(below);
    if (found.kind === 'moved') return move(ctx, `${below.split('/').at(-1)}/`);
    ctx.status = found.kind === 'file' ? 200 : 404;
    send(ctx, found.file, site);
  };
}

function move(ctx: Context, target: string): void {
  ctx.status = 301;
  // Without a word of it a browser would keep it for as long as it likes (RFC 9111 section 4.2.2).
  ctx.set('Cache-Control', 'no-cache');
  ctx.redirect(target + ctx.search);
}

function send(ctx: Context, file: SiteFile, site: BuiltSite): void {
  ctx.set('Cache-Control', file.caching);
  ctx.vary('Accept-Encoding');
  ctx.type = file.type;
  // Asked for one by one, smallest first: among equals, Koa would take the one that the client names first.
  const encoding = (['br', 'gzip'] as const).find((one) => ctx.acceptsEncodings(one) === one);
  // Each encoding is another text with a tag of its own (RFC 9110 section 8.8.3.3).
  ctx.set('ETag', `"${file.tag}${encoding === undefined ? '' : `-${encoding}`}"`);
  if (ctx.status === 200 && ctx.fresh) {
    ctx.status = 304;
    return;
  }
  if (encoding !== undefined) ctx.set('Content-Encoding', encoding);
  ctx.body = encoding === undefined ? file.bytes : site.encode(file, encoding);
}
