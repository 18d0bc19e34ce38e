import type { Notice } from '../notice/notice.ts';
import { CORNER } from '../page/attributes.ts';
import { query } from '../page/browser.ts';
import type { ConsentPage } from '../page/consent-page.ts';
import { css } from './css.ts';
import {
  adoptStyles,
  applyTheme,
  create,
  createButton,
  createChoices,
  createIcon,
  readDirection,
  readTheme,
} from './elements.ts';
import { sharedStyles } from './shared.styles.ts';

/** Shows the first layer, the floating button, and a message if the panel cannot be loaded, in the element of a page. */
export function mountFirstLayer(page: ConsentPage): void {
  /** Elements that are shown, each with the sources it was made of: it is made again if those change. */
  const layers = new Map<string, readonly [element: HTMLElement, ...sources: unknown[]]>();
  let box: HTMLElement | undefined;

  function show(name: string, sources: readonly unknown[] | null, make: () => HTMLElement): void {
    const [shown, ...before] = layers.get(name) ?? [];
    if (shown && sources?.every((one, at) => one === before[at])) return;
    const element = sources && make();
    shown?.remove();
    layers.delete(name);
    if (!element) return;
    layers.set(name, [element, ...sources]);
    box?.append(element);
  }

  page.subscribe(() => {
    const { view } = page;
    const { root, notice, layer } = view;
    // Another element shows from now on, or none.
    if (box && box.parentNode !== root) {
      box.remove();
      layers.clear();
      box = undefined;
    }
    if (!root) return;
    const isAsked = view.isAsking && !!notice && !view.isRecalled;
    const isMissing = view.isOpening && view.isFailed;
    const corner = view.element?.getAttribute('trigger') ?? '';
    const place = !view.isAsking && notice?.texts.trigger && CORNER.test(corner) ? corner : '';
    // A visitor who has decided needs none of this.
    if (!box && !notice && !isMissing) return;
    if (!box) {
      adoptStyles(root, sharedStyles + firstLayerStyles);
      box = create('div', { id: 'root' });
      root.append(box);
      // Shortcuts of the page take the element for no form control, and would swallow the keys of our buttons.
      box.onkeydown = box.onkeypress = box.onkeyup = (event) => event.stopPropagation();
    }
    applyTheme(box, view);
    const sources = isAsked || isMissing ? [notice, isAsked, isMissing] : null;
    show('banner', sources, () => createBanner(page, isMissing, isAsked));
    show('trigger', place ? [notice] : null, () => createTrigger(page));
    for (const [element] of layers.values()) {
      element.dataset.place = place;
      element.dataset.layout = readTheme(view, 'layout');
      element.dataset.position = readTheme(view, 'position');
      element.classList.toggle('covered', layer === 'panel');
      // Beside a modal dialog of the page it would be drawn above that, but inert.
      element.togglePopover(layer === 'panel' || !query(':modal:not(:has(svc-consent))'));
    }
  });
}

/** Shorter texts have no more lines than a phone can show. */
const LONG = 160;

/**
 * The first layer: a named region above the page that neither blocks it nor takes the focus. To a visitor who is not asked, it
 * only says that the panel cannot be loaded.
 */
function createBanner(page: ConsentPage, isMissing: boolean, isAsked: boolean): HTMLElement {
  const { notice, switchedOn } = page.view;
  const { texts = {}, language = 'en' } = notice ?? {};
  const open = createButton(
    'quiet',
    isMissing ? (texts.tryAgain ?? 'Try again') : texts.preferences,
    () => page.open(switchedOn),
    { part: 'preferences', 'aria-haspopup': 'dialog' },
  );
  // A button that it replaces may have the focus, which then moves to it.
  open.autofocus = !!page.view.root?.activeElement?.closest('.banner');
  const actions = create('div', { class: 'actions' });
  if (isMissing)
    actions.append(create('p', { id: 'failure', role: 'alert' }, texts.loadFailed ?? 'This could not be loaded.'));
  actions.append(
    isAsked
      ? createChoices(
          texts,
          () => page.decide(() => false, 'banner'),
          () => page.decide(() => true, 'banner'),
        )
      : createButton('quiet', texts.close ?? 'Close', () => page.close(), { part: 'close' }),
    open,
  );
  return create(
    'section',
    {
      class: 'layer banner',
      part: 'banner',
      popover: 'manual',
      'aria-labelledby': isAsked ? 'title' : 'failure',
      lang: language,
      dir: readDirection(language),
    },
    create('div', {}, ...(isAsked && notice ? describe(notice) : [])),
    actions,
  );
}

function describe(notice: Notice): readonly HTMLElement[] {
  const { title = '', intro = '', more, less } = notice.texts;
  const text = create('p', { part: 'text' }, intro);
  const shown: HTMLElement[] = [
    create('slot', { name: 'logo' }),
    create('h2', { id: 'title', part: 'title' }, title),
    text,
  ];
  // A long text shows its first lines, and the others after "more".
  if (intro.length > LONG && more) {
    text.className = 'clamped';
    const expand = createButton(
      'expand',
      more,
      () => {
        const isClamped = text.classList.toggle('clamped');
        expand.ariaExpanded = String(!isClamped);
        expand.textContent = (!isClamped && less) || more;
      },
      { 'aria-expanded': 'false' },
    );
    shown.push(expand);
  }
  return [...shown, createLinks(notice)];
}

/** The notice's links that have a text, and those of the page. */
export function createLinks({ links, texts }: Notice): HTMLElement {
  const box = create('div', { class: 'links' });
  for (const [name, href] of Object.entries(links ?? {})) {
    const text = texts[name];
    if (text && href.startsWith('https:')) box.append(create('a', { href, part: 'link' }, text));
  }
  box.append(create('slot', { name: 'more' }));
  return box;
}

const SHIELD = 'M12 3l7 3v5c0 5-3 8-7 10-4-2-7-5-7-10V6zM9 12l2 2 4-4';

/** The floating button that opens the preferences again: withdrawing consent is as easy as giving it. */
function createTrigger(page: ConsentPage): HTMLElement {
  const { texts, language = '' } = page.view.notice ?? {};
  const label = texts?.trigger ?? '';
  const button = createButton('layer trigger', '', () => page.open(), {
    part: 'trigger',
    popover: 'manual',
    'aria-haspopup': 'dialog',
    'aria-label': label,
    title: label,
    lang: language,
    dir: readDirection(language),
  });
  button.append(createIcon('0 0 24 24', { d: SHIELD }));
  return button;
}

/** The first layer in its layouts and positions, as a sheet at the edge of a phone, and the floating button. */
const firstLayerStyles = css`
  :host {
    display: contents !important; /* A rule of the page, or of a blocker, would leave the open panel invisible. */
  }
  .banner {
    position: fixed;
    z-index: 2147483647;
    inset: auto var(--_gap) max(var(--_gap), env(safe-area-inset-bottom));
    inline-size: auto;
    max-inline-size: var(--svc-c-width, 27em);
    block-size: auto;
    max-block-size: calc(100dvh - 2 * var(--_gap));
    margin-inline: auto 0;
    padding: 1.25em 1.5em 0;
    overflow: auto;
  }
  .banner p {
    margin-block-start: 0.5em;
  }
  .clamped {
    display: -webkit-box;
    -webkit-box-orient: vertical;
    -webkit-line-clamp: 6;
    overflow: hidden;
  }
  .expand {
    padding-inline: 0;
    text-align: start;
  }
  /* In sight in the lowest window, where the text scrolls behind them. */
  .actions {
    position: sticky;
    inset-block-end: 0;
    padding-block: 1em;
    background: var(--_bg);
  }
  .actions .quiet {
    inline-size: 100%;
    margin-block-start: 0.25em;
  }
  [data-position='bottom-start'] {
    margin-inline: 0 auto;
  }
  [data-position='bottom'] {
    margin-inline: auto;
  }
  [data-layout='center'] {
    inset: var(--_gap);
    block-size: fit-content;
    margin: auto;
  }
  [data-layout='bar'] {
    inset: auto 0 0;
    max-inline-size: none;
    border-radius: 0;
    padding-inline: max(1.5em, 50vw - 36em);
  }
  [data-layout='bar'][data-position='top'] {
    inset: 0 0 auto;
  }
  @media (min-width: 800px) {
    [data-layout='bar']:popover-open {
      display: grid;
      grid-template-columns: 1fr 24em;
      column-gap: 2.5em;
      align-items: center;
    }
  }
  @media (max-width: 480px), (max-height: 480px) {
    .banner {
      max-block-size: max(75dvh, min(15em, 100dvh));
      padding: 1em 1.125em 0;
    }
    .actions {
      padding-block: 0.75em;
    }
    .clamped {
      -webkit-line-clamp: 4;
    }
  }
  @media (max-width: 480px) {
    .banner:not([data-position='top']) {
      inset: auto 0 0;
      max-inline-size: none;
      margin: 0;
      border-end-start-radius: 0;
      border-end-end-radius: 0;
    }
  }
  .trigger {
    position: fixed;
    z-index: 2147483646;
    inset: auto auto max(var(--_gap), env(safe-area-inset-bottom)) var(--_gap);
    inline-size: 48px;
    block-size: 48px;
    padding: 11px;
    border-color: var(--_muted);
    border-radius: 50%;
  }
  [data-place='bottom-right'] {
    left: auto;
    right: var(--_gap);
  }
  .trigger svg {
    display: block;
  }
  .trigger path:only-child {
    fill: none;
    stroke: currentColor;
    stroke-width: 1.75;
  }
`;
