import type { Middleware } from 'koa';
import { notFound } from '../http/problem.ts';
import { readWidget, type Widget } from './widget.ts';

/** The packages whose builds are served. */
const widgetPackages = ['consent-banner', 'trust-badge'];

/** Every widget that is built, read once. */
export function readWidgets(): readonly Widget[] {
  return widgetPackages.flatMap((name) => readWidget(name) ?? []);
}

/** Serves the widgets below `/widgets/<name>/<version>/`: forever the same bytes, for pages of any origin. */
export function serveWidgets(): Middleware {
  let widgets: readonly Widget[] | undefined;
  return async (ctx, next) => {
    if (!ctx.path.startsWith('/widgets/')) return next();
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') return next();
    widgets ??= readWidgets();
    const [name, version, fileName = '', ...more] = ctx.path.slice('/widgets/'.length).split('/');
    const file = widgets.find((widget) => widget.name === name && widget.version === version)?.files.get(fileName);
    if (file === undefined || more.length > 0) throw notFound('version of a widget');
    ctx.set('Access-Control-Allow-Origin', '*');
    ctx.set('Cross-Origin-Resource-Policy', 'cross-origin');
    ctx.set('Cache-Control', 'public, max-age=31536000, immutable');
    ctx.vary('Accept-Encoding');
    ctx.type = file.type;
    // Asked for one by one, smallest first: among equals, Koa would take the one that the client names first.
    const encoding = (['br', 'gzip'] as const).find((one) => ctx.acceptsEncodings(one) === one);
    if (encoding !== undefined) ctx.set('Content-Encoding', encoding);
    ctx.body = file[encoding ?? 'identity'];
  };
}
