/** Keeps the focused element from being covered by the first layer (WCAG 2.2, success criterion 2.4.11). */
export class FocusClearance {
  readonly #room = new CSSStyleSheet();

  /**
   * Scrolls until the target is above the layer; extends the end of the page if needed. Only for keyboard focus: nothing may
   * move between pointerdown and pointerup.
   */
  clear(target: HTMLElement, layer: Element | null | undefined): void {
    if (!layer || !target.matches(':focus-visible') || !isUnder(target, layer)) return;
    const height = innerHeight - layer.getBoundingClientRect().top + 8;
    const { style } = target;
    const { scrollMarginBottom } = style;
    style.scrollMarginBottom = `${height}px`;
    const scroll = (): void => target.scrollIntoView({ block: 'nearest', behavior: 'instant' });
    scroll();
    if (isUnder(target, layer)) {
      this.#room.replaceSync(`html::after{content:"";display:block;height:${height}px}`);
      const { adoptedStyleSheets: sheets } = document;
      if (!sheets.includes(this.#room)) document.adoptedStyleSheets = [...sheets, this.#room];
      scroll();
    }
    style.scrollMarginBottom = scrollMarginBottom;
  }

  /** The layer was closed. */
  end(): void {
    this.#room.replaceSync('');
  }
}

function isUnder(target: Element, layer: Element): boolean {
  const [box, cover] = [target.getBoundingClientRect(), layer.getBoundingClientRect()];
  return box.bottom > cover.top && box.top < cover.bottom && box.right > cover.left && box.left < cover.right;
}
