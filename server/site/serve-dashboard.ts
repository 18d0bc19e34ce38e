import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Context, Middleware } from 'koa';
import { requireGetOrHead } from '../http/problem.ts';
import { BuiltSite } from './documentation/built-site.ts';

const folder = join(import.meta.dirname, '../dashboard/dist');

/** The path of the dashboard. */
export const dashboardPath = '/app';

/** True if the dashboard was built. */
export function hasDashboard(): boolean {
  return existsSync(join(folder, 'index.html'));
}

// No connect-src: a preview sends nothing.
const previewPolicy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'; require-trusted-types-for 'script'; trusted-types lit-html svc-consent svc-consent-panel svc-trust-badge svc-trust-preview";

/** The only pages that may be framed, by pages of this server, with their policies. */
const previewPolicies: Readonly<Record<string, string>> = {
  'preview.html': previewPolicy,
  'trust-preview.html': previewPolicy,
  // The badge loads what is published.
  'badge-preview.html': `${previewPolicy}; connect-src 'self'`,
};

const headers: Readonly<Record<string, string>> = {
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; font-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types lit-html",
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'X-Content-Type-Options': 'nosniff',
};

/**
 * Serves the built dashboard below `/app/`; without a build, passes requests on. Every path without a file is a page of
 * the dashboard, which its own router finds.
 */
export function serveDashboard(): Middleware {
  let site: BuiltSite | null = null;
  return async (ctx, next) => {
    const isHome = ctx.path === '/';
    if (!isHome && ctx.path !== dashboardPath && !ctx.path.startsWith(`${dashboardPath}/`)) return next();
    site ??= BuiltSite.open(folder);
    if (site === null) return next();
    ctx.state.route = isHome ? '/' : '/app/{page}';
    requireGetOrHead(ctx);
    // Relative, because a proxy may serve it below another path.
    if (isHome || ctx.path === dashboardPath) return redirect(ctx, 'app/');
    ctx.set(headers);
    const below = ctx.path.slice(dashboardPath.length + 1);
    const policy = Object.hasOwn(previewPolicies, below) ? previewPolicies[below] : undefined;
    if (policy !== undefined) ctx.set('Content-Security-Policy', policy);
    // Every path without a file is a page, except a file of an earlier build.
    const file = site.find(below) ?? (below.startsWith('assets/') ? undefined : site.find(''));
    return file === undefined ? next() : file.send(ctx);
  };
}

function redirect(ctx: Context, target: string): void {
  ctx.status = 303;
  ctx.set('Cache-Control', 'no-cache');
  ctx.redirect(target);
}
