/** Remembers the focus before the visitor entered the banner, and restores it when the banner closes. */
export class FocusReturn {
  #before: HTMLElement | undefined;

  readonly remember = ({
    relatedTarget,
    currentTarget,
  }: Event & { readonly relatedTarget?: EventTarget | null }): void => {
    const root = currentTarget as ShadowRoot;
    const isInside = [root, root.host].some((place) => place.contains(relatedTarget as Node | null));
    if (relatedTarget instanceof HTMLElement && !isInside) this.#before = relatedTarget;
  };

  /** The pressed button was removed. Focus that has moved elsewhere since is kept. */
  restore(root: ShadowRoot): void {
    const { activeElement } = root.host.getRootNode() as Document | ShadowRoot;
    if (!activeElement || activeElement === document.body) this.#before?.focus({ preventScroll: true });
  }
}
