/** Remembers where the focus was before the visitor came to the banner, and puts it back when the banner goes. */
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

  /** The button that was pressed is gone. Whoever has the focus by now keeps it. */
  restore(root: ShadowRoot): void {
    const { activeElement } = root.host.getRootNode() as Document | ShadowRoot;
    if (!activeElement || activeElement === document.body) this.#before?.focus({ preventScroll: true });
  }
}
