import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Context, Middleware } from 'koa';
import { corsHeaders } from '../../http/answer.ts';
import { requireGetOrHead } from '../../http/problem.ts';
import { StaticFile } from '../../http/static-file.ts';
import type { Installation } from '../../installation/installation.ts';
import { type DemoSite, findDemoSite } from '../demo/page.ts';
import { BuiltSite, documentationHeaders } from './built-site.ts';

const folder = join(import.meta.dirname, '../../../docs-site/dist');

/** The path of the documentation. */
export const documentationPath = '/docs';

/** True if the documentation was built. */
export function hasDocumentation(): boolean {
  return existsSync(join(folder, 'index.html'));
}

/** Serves the built documentation below `/docs`; without a build, passes requests on. */
export function serveDocumentation(installation: Installation): Middleware {
  let site: BuiltSite | null = null;
  const readFacts = describeServer(installation);
  return async (ctx, next) => {
    const { path } = ctx;
    if (path !== documentationPath && !path.startsWith(`${documentationPath}/`)) return next();
    site ??= BuiltSite.open(folder);
    if (site === null) return next();
    ctx.state.route = '/docs/{page}';
    requireGetOrHead(ctx);
    ctx.set(documentationHeaders);
    // Relative, because a proxy may serve it below another path.
    if (path === documentationPath) return move(ctx, 'docs/');
    const below = path.slice(documentationPath.length + 1);
    if (below === 'live/server.json') {
      ctx.set('Cache-Control', 'no-cache');
      ctx.body = { server: await readFacts() };
      return;
    }
    const file = site.find(below);
    if (file !== undefined) return file.send(ctx);
    if (site.find(`${below}/`) !== undefined) return move(ctx, `${below.split('/').at(-1)}/`);
    await site.writeMissing(below).send(ctx, 404);
  };
}

function move(ctx: Context, target: string): void {
  ctx.status = 301;
  // Without it, browsers may cache the redirect indefinitely (RFC 9111 section 4.2.2).
  ctx.set('Cache-Control', 'no-cache');
  ctx.redirect(target + ctx.search);
}

/**
 * Serves the OpenAPI document, bare as its readers expect it: the file that `npm run openapi` makes of the routes, and that
 * a test compares with them. Generating it at the start would cost each process 30 MB.
 */
export function serveApiDocument(): Middleware {
  let document: StaticFile | undefined;
  return (ctx, next) => {
    if (ctx.path !== '/v1/openapi.json') return next();
    requireGetOrHead(ctx);
    const name = 'openapi.json';
    document ??= new StaticFile(name, readFileSync(join(import.meta.dirname, '../..', name)), 'no-cache');
    ctx.set(corsHeaders);
    return document.send(ctx);
  };
}

/** Anyone may request the facts at any rate, so the database is queried at most once in this time. */
const keptMilliseconds = 10_000;

/** The data that the live pages need: the public address and the demo. All of it is on the public demo page. */
function describeServer({ clock, database, settings }: Installation) {
  let kept: { readonly at: number; readonly demo: Promise<DemoSite | null> } | undefined;
  return async () => {
    const at = Date.parse(clock());
    if (kept === undefined || Math.abs(at - kept.at) >= keptMilliseconds) {
      kept = { at, demo: findDemoSite(database.kysely) };
      // The next request retries after a failure.
      kept.demo.catch(() => {
        kept = undefined;
      });
    }
    return { baseUrl: settings.baseUrl, demo: await kept.demo };
  };
}
