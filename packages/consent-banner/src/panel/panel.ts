import { html, nothing, render, type TemplateResult } from 'lit/html.js';
import { carryOver } from '../decision/grants.ts';
import { adoptStyles, createChoices, readDirection } from '../first-layer/elements.ts';
import { createLinks } from '../first-layer/first-layer.ts';
import { findTarget, isReachable } from '../first-layer/focus.ts';
import type { Notice, Purpose } from '../notice/notice.ts';
import type { ConsentPage, PageView } from '../page/consent-page.ts';
import type { details } from './details.ts';
import { clampedView, Folds, settleClamps } from './folds.ts';
import { describeSignal, readMessages } from './messages.ts';
import { panelStyles } from './panel.styles.ts';
import { purposeView } from './purpose-view.ts';

/**
 * The preferences panel: a dialog in the first element of the page.
 * @param loadDetails loads what is folded away, when the visitor unfolds it.
 */
export function mountPanel(page: ConsentPage, loadDetails: () => Promise<typeof details>): void {
  const panel = new Panel(page, loadDetails);
  page.subscribe(() => panel.update());
}

class Panel {
  readonly #page: ConsentPage;
  readonly #folds: Folds;
  readonly #place = document.createElement('div');
  readonly #size = new ResizeObserver(() => settleClamps(this.#place));

  constructor(page: ConsentPage, loadDetails: () => Promise<typeof details>) {
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
    lockScroll(isOpen);
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

const scrollLock = /* @__PURE__ */ new CSSStyleSheet();

/** Keeps the page behind the panel from scrolling, and its content from moving into the place of the scroll bar. */
function lockScroll(isLocked: boolean): void {
  const hasBar = innerWidth > document.documentElement.clientWidth;
  if (isLocked)
    scrollLock.replaceSync(`html{overflow:hidden!important${hasBar ? ';scrollbar-gutter:stable!important' : ''}}`);
  const others = document.adoptedStyleSheets.filter((sheet) => sheet !== scrollLock);
  document.adoptedStyleSheets = isLocked ? [...others, scrollLock] : others;
}

/** Of more purposes than these, the descriptions are folded away. */
const MOST_UNFOLDED = 5;

/** The preferences: a dialog, empty while it is closed. */
function panelView(page: ConsentPage, folds: Folds): TemplateResult {
  const { notice, layer } = page.view;
  const isOpen = notice !== null && layer === 'panel';
  return html`
    <dialog
      class="layer panel"
      part="panel"
      aria-labelledby="panel-title"
      lang=${notice?.language ?? nothing}
      dir=${notice ? readDirection(notice.language) : nothing}
      @close=${({ target }: Event) => {
        // The event is late: the dialog may be open again.
        if (!(target as HTMLDialogElement).open && page.view.layer === 'panel') page.close();
      }}
    >
      ${isOpen ? contentView(page, notice, folds) : nothing}
    </dialog>
  `;
}

function contentView(page: ConsentPage, notice: Notice, folds: Folds): TemplateResult {
  const { view } = page;
  const { stored } = view;
  const { purposes, version, name } = notice;
  const messages = readMessages(notice);
  const shared = findSharedElements(page, notice);
  const isOn = findSwitchedOn(view, notice);
  const signal = describeSignal(view, notice);
  const save = (event: Event): void => {
    const root = findTarget(event).getRootNode() as ShadowRoot;
    const on = [...root.querySelectorAll<HTMLInputElement>('dialog input:checked')].map((input) => input.value);
    page.decide(({ key }) => on.includes(key), 'modal');
  };
  return html`
    <header>
      <h2 id="panel-title" part="title">${messages.panelTitle}</h2>
      <button class="close" part="close" type="button" aria-label=${messages.close} .onclick=${() => page.close()}>
        <svg viewBox="0 0 24 24" aria-hidden="true"><path d="M6 6l12 12M18 6L6 18" /></svg>
      </button>
    </header>
    <div class="body">
      ${messages.panelIntro && clampedView({ id: 'panel-intro', text: messages.panelIntro, about: 'panel-title' }, messages)}
      ${signal ? html`<p class="signal" part="signal" role="status">${signal}</p>` : nothing}
      <ul part="purposes">
        ${purposes.map((purpose, index) =>
          purposeView(purpose, {
            id: String(index),
            messages,
            language: notice.language,
            region: view.region,
            isOn: isOn(purpose),
            isNew: stored !== null && !Object.hasOwn(stored.purposes, purpose.key),
            isFolded: purposes.length > MOST_UNFOLDED,
            folds,
          }),
        )}
      </ul>
      ${folds.receiptView(view, notice)}
      <p class="about" part="about"><bdi>${name}</bdi> · v${version}</p>
      ${shared.links}
    </div>
    <footer>
      <button class="save" part="save" type="button" .onclick=${save}>${messages.save}</button>
      ${shared.choices}
    </footer>
  `;
}

interface SharedElements {
  readonly choices: HTMLElement;
  readonly links: HTMLElement;
}

const made = new WeakMap<Notice, SharedElements>();

/** The elements that are the same as in the first layer; the same elements each time, which keeps the focus. */
function findSharedElements(page: ConsentPage, notice: Notice): SharedElements {
  const choose = (isGranted: boolean): void => page.decide(() => isGranted, 'modal');
  const shared = made.get(notice) ?? {
    choices: createChoices(
      readMessages(notice),
      () => choose(false),
      () => choose(true),
    ),
    links: createLinks(notice),
  };
  made.set(notice, shared);
  return shared;
}

/**
 * Which switches of the panel are on at first: what the visitor chose before, what is on by its basis as long as they have
 * not decided on it, and what they came to switch on.
 */
function findSwitchedOn(view: PageView, notice: Notice): (purpose: Purpose) => boolean {
  const { state, allowed, switchedOn } = view;
  const chosen = carryOver(view, notice);
  return ({ key }) =>
    switchedOn.includes(key) ||
    Object.hasOwn(chosen, key) ||
    (!(state && Object.hasOwn(state.purposes, key)) && allowed[key] === true);
}
