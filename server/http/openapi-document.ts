import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Context, Middleware } from 'koa';
import { corsHeaders } from './client.ts';
import { requireReading } from './static-file.ts';

/** Where the OpenAPI document is. */
export const documentPath = '/v1/openapi.json';

/**
 * Serves the OpenAPI document, bare as its readers expect it: the file that `npm run openapi` makes of the routes, and that
 * a test compares with them. Making it anew would cost each process 30 MB.
 */
export function serveDocument(): Middleware {
  let document: Buffer | undefined;
  const serve = (ctx: Context): void => {
    requireReading(ctx);
    document ??= readFileSync(join(import.meta.dirname, '../openapi.json'));
    ctx.set(corsHeaders);
    ctx.set('Cache-Control', 'no-cache');
    ctx.type = 'application/json; charset=utf-8';
    ctx.body = document;
  };
  return (ctx, next) => (ctx.path === documentPath ? serve(ctx) : next());
}
