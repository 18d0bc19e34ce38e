import type { Context, Middleware } from 'koa';
import { corsHeaders } from './cors.ts';
import { describeRoutes } from './openapi.ts';
import { Problem } from './problem.ts';
import type { Route } from './route.ts';

/** Where the OpenAPI document is. */
export const documentPath = '/v1/openapi.json';

/** The document as text, the same bytes for the same routes. */
export function writeDocument(routes: readonly Route[]): string {
  return `${JSON.stringify(describeRoutes(routes), null, 2)}\n`;
}

/** Serves the OpenAPI document, bare as its readers expect it. */
export function serveDocument(routes: readonly Route[]): Middleware {
  let document: string | undefined;
  const serve = (ctx: Context): void => {
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') {
      throw new Problem('method_not_allowed', 'This path takes GET, HEAD.', { headers: { Allow: 'GET, HEAD' } });
    }
    document ??= writeDocument(routes);
    ctx.set(corsHeaders);
    ctx.set('Cache-Control', 'no-cache');
    ctx.type = 'application/json; charset=utf-8';
    ctx.body = document;
  };
  return (ctx, next) => (ctx.path === documentPath ? serve(ctx) : next());
}
