import type { Context, Middleware } from 'koa';
import { corsHeaders } from '../../http/answer.ts';
import { requireFound, requireGetOrHead } from '../../http/problem.ts';
import { readOwnAddress } from '../../http/request.ts';
import { StaticFile } from '../../http/static-file.ts';
import { describeWidgets } from './tags.ts';
import { readWidgets, type Widget, type WidgetPlaces } from './widget.ts';

const widgetIndexPath = '/widgets/index.json';

/**
 * Serves the widgets below `/widgets/<name>/<version>/`, and their list, to pages of any origin.
 * @param baseUrl the public address of this server; null to use the Host header.
 * @param loaded called with the script that a page loads by a tag, and its `Origin` or `Referer`.
 */
export function serveWidgets(
  baseUrl: string | null,
  loaded?: (widget: Widget, origin: string | undefined) => void,
  places?: WidgetPlaces,
): Middleware {
  let widgets: readonly Widget[] | undefined;
  let index: { readonly address: string; readonly file: StaticFile } | undefined;
  return async (ctx, next) => {
    if (!ctx.path.startsWith('/widgets/')) return next();
    requireGetOrHead(ctx);
    widgets ??= readWidgets(places);
    if (ctx.path === widgetIndexPath) {
      ctx.state.route = widgetIndexPath;
      const address = readOwnAddress(baseUrl, { host: ctx.req.headers.host });
      // Only the last one is kept, because most servers have one address.
      if (index?.address !== address) {
        const text = JSON.stringify(describeWidgets(widgets, address));
        index = { address, file: new StaticFile('index.json', text, 'public, max-age=60') };
      }
      return send(ctx, index.file);
    }
    const [name, version, ...rest] = ctx.path.slice('/widgets/'.length).split('/');
    const widget = widgets.find((one) => one.name === name && one.version === version);
    const file = requireFound(widget?.files.get(rest.join('/')), 'version of a widget');
    ctx.state.route = '/widgets/{name}/{version}/{file}';
    if (widget?.path === ctx.path) loaded?.(widget, ctx.req.headers.origin ?? ctx.req.headers.referer);
    await send(ctx, file);
  };
}

async function send(ctx: Context, file: StaticFile): Promise<void> {
  ctx.set(corsHeaders);
  ctx.set('Cross-Origin-Resource-Policy', 'cross-origin');
  await file.send(ctx);
}
