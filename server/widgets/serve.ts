import type { Context, Middleware } from 'koa';
import { corsHeaders } from '../http/cors.ts';
import { findOwnAddress } from '../http/own-address.ts';
import { invalidValues, notFound } from '../http/problem.ts';
import { requireReading } from '../http/require-reading.ts';
import type { WidgetPlaces } from './catalogue.ts';
import { describeWidgets } from './describe-widgets.ts';
import { readWidgets, type Widget } from './widget.ts';
import { encodings, WidgetFile } from './widget-file.ts';

/** Where the list of all widgets with their tags is. */
export const widgetIndexPath = '/widgets/index.json';

/** A released version keeps its bytes for good. Of one that is worked on every use asks whether it has them still. */
const caching = {
  released: 'public, max-age=31536000, immutable',
  unreleased: 'no-cache',
  index: 'public, max-age=60',
} as const;

export interface WidgetOptions {
  /** The public address of this server; null to take the Host that was asked. */
  readonly baseUrl: string | null;
  /** Where the widgets are found; default: those of this installation. */
  readonly places?: WidgetPlaces;
}

/** Serves the widgets below `/widgets/<name>/<version>/`, and what there is to embed, for pages of any origin. */
export function serveWidgets({ baseUrl, places }: WidgetOptions): Middleware {
  let widgets: readonly Widget[] | undefined;
  let index: Index | undefined;
  return async (ctx, next) => {
    if (!ctx.path.startsWith('/widgets/')) return next();
    requireReading(ctx);
    widgets ??= readWidgets(places);
    if (ctx.path === widgetIndexPath) {
      ctx.state.route = widgetIndexPath;
      const address = requireAddress(ctx, baseUrl);
      // The last one is kept: most servers have one address.
      if (index?.address !== address) index = { address, file: writeIndex(widgets, address) };
      return await answer(ctx, index.file, caching.index);
    }
    const [name, version, ...rest] = ctx.path.slice('/widgets/'.length).split('/');
    const widget = widgets.find((one) => one.name === name && one.version === version);
    const file = widget?.files.get(rest.join('/'));
    if (widget === undefined || file === undefined) throw notFound('version of a widget');
    ctx.state.route = '/widgets/{name}/{version}/{file}';
    await answer(ctx, file, widget.isReleased ? caching.released : caching.unreleased);
  };
}

interface Index {
  readonly address: string;
  readonly file: WidgetFile;
}

function writeIndex(widgets: readonly Widget[], address: string): WidgetFile {
  return new WidgetFile('index.json', Buffer.from(JSON.stringify(describeWidgets(widgets, address))));
}

/** @throws {Problem} `validation_failed` for a Host that cannot be one: it would stand in a tag that others paste. */
function requireAddress({ req }: Context, baseUrl: string | null): string {
  const address = findOwnAddress(baseUrl, { host: req.headers.host });
  if (address === null) throw invalidValues([{ path: 'header.Host', issue: 'must be a host and a port' }]);
  return address;
}

async function answer(ctx: Context, file: WidgetFile, cacheControl: string): Promise<void> {
  // Asked for one by one, smallest first: among equals, Koa would take the one that the client names first.
  const encoding = encodings.find((one) => ctx.acceptsEncodings(one) === one) ?? 'identity';
  ctx.set(corsHeaders);
  ctx.set('Cross-Origin-Resource-Policy', 'cross-origin');
  ctx.set('Cache-Control', cacheControl);
  ctx.set('ETag', file.nameVersion(encoding));
  ctx.vary('Accept-Encoding');
  ctx.status = 200;
  if (ctx.fresh) {
    ctx.status = 304;
    return;
  }
  ctx.type = file.type;
  if (encoding !== 'identity') ctx.set('Content-Encoding', encoding);
  ctx.body = await file.encode(encoding);
}
