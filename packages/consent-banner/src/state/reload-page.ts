import type { Page } from './page.ts';

/** Reloads the page when consent is withdrawn on it, if the element asks for it: a script that ran cannot be undone. */
export function reloadPage(page: Page): void {
  let { allowed, stored } = page.view;
  page.subscribe(() => {
    const { view } = page;
    const before = allowed;
    const isNew = stored !== view.stored;
    allowed = view.allowed;
    stored = view.stored;
    // Other tabs are not reloaded: the visitor may be typing there.
    if (!isNew || !stored || stored !== page.decided) return;
    // A purpose that the notice no longer has was not withdrawn, unless the visitor refused everything.
    const names = Object.keys(stored.decision === 'rejected' ? before : stored.purposes);
    const isLess = names.some((key) => before[key] && stored?.purposes[key] !== true);
    const wish = view.element?.getAttribute('reload-on-withdrawal') ?? 'false';
    // After the other listeners. The record is queued, and is sent when the page is left.
    if (isLess && /^(true)?$/.test(wish)) queueMicrotask(() => location.reload());
  });
}
