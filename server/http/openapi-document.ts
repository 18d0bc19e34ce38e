import type { Middleware } from 'koa';
import { corsHeaders } from './cors.ts';
import { describeRoutes } from './openapi.ts';
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
  return async (ctx, next) => {
    if (ctx.path !== documentPath || (ctx.method !== 'GET' && ctx.method !== 'HEAD')) return next();
    document ??= writeDocument(routes);
    ctx.set(corsHeaders);
    ctx.set('Cache-Control', 'no-cache');
    ctx.type = 'application/json; charset=utf-8';
    ctx.body = document;
  };
}
