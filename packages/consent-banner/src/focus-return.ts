/** Remembers where the focus was before the visitor came to the banner, and puts it back when the banner goes. */
export class FocusReturn {
  #before: HTMLElement | undefined;

  readonly remember = ({ relatedTarget, currentTarget }: FocusEvent): void => {
    const isOutside = !(currentTarget as Element).getRootNode().contains(relatedTarget as Node | null);
    if (relatedTarget instanceof HTMLElement && isOutside) this.#before = relatedTarget;
  };

  /** The button that was pressed is gone. Whoever has the focus by now keeps it. */
  restore(root: ShadowRoot): void {
    const { activeElement } = root.host.getRootNode() as Document | ShadowRoot;
    if (!activeElement || activeElement === document.body) this.#before?.focus({ preventScroll: true });
  }
}
