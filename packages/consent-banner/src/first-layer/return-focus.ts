import type { ConsentPage } from '../page/consent-page.ts';

/** Remembers the focus before the visitor entered a layer, and restores it when the layers close. */
export function returnFocus(page: ConsentPage): void {
  let before: HTMLElement | undefined;
  // Events in the layers do not reach the document. For an event outside of them, the element is where the focus goes.
  addEventListener.call(document, 'focusout', (event) => {
    const { target, relatedTarget } = event as FocusEvent;
    const host = page.view.root?.host;
    if (host?.contains(relatedTarget as Node | null) && !host.contains(target as Node)) before = target as HTMLElement;
  });
  page.subscribe(() => {
    if (page.view.layer !== 'none' || !before) return;
    const target = before;
    before = undefined;
    // After the panel has closed. Focus that has moved elsewhere since is kept.
    queueMicrotask(() => {
      const { activeElement } = target.getRootNode() as Document | ShadowRoot;
      if (!activeElement || activeElement === document.body) target.focus({ preventScroll: true });
    });
  });
}
