import { render } from 'lit/html.js';
import { adoptStyles } from '../first-layer/adopt-styles.ts';
import type { ConsentPage } from '../state/consent-page.ts';
import { settleClamps } from './clamped-text.ts';
import { defineCookieList } from './cookie-list.ts';
import { FrameCovers } from './cover-frames.ts';
import { holdScroll } from './hold-scroll.ts';
import { panelStyles } from './panel.styles.ts';
import { panelView } from './panel-view.ts';

/** The views of the second script: the preferences panel, the placeholders and the list of trackers. */
export function mountPanel(page: ConsentPage): void {
  const covers = new FrameCovers(page);
  const panel = new Panel(page);
  const update = (): void => {
    panel.update();
    covers.update();
  };
  defineCookieList(page);
  page.subscribe(update);
  update();
}

/** The dialog in the first element of the page. */
class Panel {
  readonly #page: ConsentPage;
  readonly #place = document.createElement('div');
  readonly #size = new ResizeObserver(() => settleClamps(this.#place));

  constructor(page: ConsentPage) {
    this.#page = page;
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
      adoptStyles(root, panelStyles);
      // Before the first layer: of two slots with the same name the first is filled, and the panel has one only while it is open.
      base.prepend(this.#place);
    }
    render(panelView(this.#page), this.#place);
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
    // An invisible dialog must not block the page.
    if (!dialog.checkVisibility()) {
      this.#page.close();
      return;
    }
    this.#size.observe(dialog);
    settleClamps(this.#place);
    const [wanted] = this.#page.view.switchedOn;
    const inputs = [...dialog.querySelectorAll('input')];
    inputs.find(({ value }) => value === wanted)?.focus();
  }
}
