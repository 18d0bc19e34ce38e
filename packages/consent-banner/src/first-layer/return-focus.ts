import type { ConsentPage } from '../state/consent-page.ts';

/** Remembers the focus before the visitor entered a layer, and restores it when the layers close. */
export function returnFocus(page: ConsentPage): void {
  let root: ShadowRoot | undefined;
  let before: HTMLElement | undefined;
  const remember = ({ relatedTarget }: FocusEvent): void => {
    const isInside = [root, root?.host].some((place) => place?.contains(relatedTarget as Node | null));
    if (relatedTarget instanceof HTMLElement && !isInside) before = relatedTarget;
  };
  const update = (): void => {
    if (page.view.root !== root) {
      root = page.view.root;
      root?.addEventListener('focusin', remember as EventListener);
    }
    if (page.view.layer !== 'none' || !before) return;
    const target = before;
    before = undefined;
    // After the panel has closed. Focus that has moved elsewhere since is kept.
    queueMicrotask(() => {
      const { activeElement } = target.getRootNode() as Document | ShadowRoot;
      if (!activeElement || activeElement === document.body) target.focus({ preventScroll: true });
    });
  };
  page.subscribe(update);
  update();
}
