import { render } from 'lit/html.js';
import { adoptStyles } from '../first-layer/adopt-styles.ts';
import { isReachable } from '../first-layer/reach.ts';
import type { ConsentPage } from '../page/consent-page.ts';
import type { Parts } from '../parts.ts';
import { settleClamps } from './clamped-text.ts';
import { Folds } from './folds.ts';
import { panelStyles } from './panel.styles.ts';
import { panelView } from './panel-view.ts';

/**
 * The preferences panel: a dialog in the first element of the page.
 * @param loadDetails loads what is folded away, when the visitor unfolds it.
 */
export function mountPanel(page: ConsentPage, loadDetails: Parts['details']): void {
  const panel = new Panel(page, loadDetails);
  page.subscribe(() => panel.update());
}

class Panel {
  readonly #page: ConsentPage;
  readonly #folds: Folds;
  readonly #place = document.createElement('div');
  readonly #size = new ResizeObserver(() => settleClamps(this.#place));

  constructor(page: ConsentPage, loadDetails: Parts['details']) {
    this.#page = page;
    this.#folds = new Folds(loadDetails, () => this.update());
    this.#place.className = 'place';
    this.#place.addEventListener('toggle', () => settleClamps(this.#place), true);
  }

  update(): void {
    const { view } = this.#page;
    const { root } = view;
    const base = root?.querySelector('#root');
    if (!root || !base) {
      this.#toggle(false);
      this.#place.remove();
      return;
    }
    if (this.#place.parentNode !== base) {
      // In another place it is no longer modal.
      this.#toggle(false);
      adoptStyles(root, panelStyles);
      // Before the first layer: of two slots with the same name the first is filled, and the panel has one only while it is open.
      base.prepend(this.#place);
    }
    if (this.#folds.details) adoptStyles(root, this.#folds.details.styles);
    render(panelView(this.#page, this.#folds), this.#place);
    this.#toggle(view.layer === 'panel' && view.notice !== null);
  }

  #toggle(isOpen: boolean): void {
    const dialog = this.#place.querySelector('dialog');
    if (!dialog || dialog.open === isOpen) return;
    holdScroll(isOpen);
    if (!isOpen) {
      this.#size.disconnect();
      dialog.close();
      return;
    }
    dialog.showModal();
    // Where the element is hidden, the dialog must not block the page. It waits there until the layers leave the element.
    if (!isReachable(dialog)) {
      this.#toggle(false);
      dialog.show();
      return;
    }
    this.#size.observe(dialog);
    settleClamps(this.#place);
    const [wanted] = this.#page.view.switchedOn;
    const inputs = [...dialog.querySelectorAll('input')];
    inputs.find(({ value }) => value === wanted)?.focus();
  }
}

const held = /* @__PURE__ */ new CSSStyleSheet();

/** Keeps the page behind the panel from scrolling, and its content from moving into the place of the scroll bar. */
function holdScroll(isHeld: boolean): void {
  const hasBar = innerWidth > document.documentElement.clientWidth;
  if (isHeld) held.replaceSync(`html{overflow:hidden!important${hasBar ? ';scrollbar-gutter:stable!important' : ''}}`);
  const others = document.adoptedStyleSheets.filter((sheet) => sheet !== held);
  document.adoptedStyleSheets = isHeld ? [...others, held] : others;
}
