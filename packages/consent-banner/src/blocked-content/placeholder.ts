import { html, nothing, render } from 'lit/html.js';
import { deferredStyles } from '../first-layer/complete-banner.ts';
import { css } from '../first-layer/css.ts';
import { adoptStyles } from '../first-layer/elements.ts';
import { sharedStyles } from '../first-layer/shared.styles.ts';
import { queryAll } from '../page/document.ts';
import { placeholderStyles } from './placeholder.styles.ts';
import { findNext, keepTabOrder } from './tab-order.ts';

/** Smaller boxes show nothing to a visitor anyway. */
const SMALLEST = 44;

/** The part of a frame that the page shows, and where it is in the page's layers. */
interface FramePlace {
  readonly box: DOMRect;
  readonly clip: { readonly left: number; readonly top: number; readonly right: number; readonly bottom: number };
  readonly isVisible: boolean;
  readonly isFixed: boolean;
  readonly zIndex: string;
}

/**
 * Without an address, an image is rendered as its alternative text; this gives it the size of its attributes. Under any style
 * of the page, and in a sheet: an attribute on an element of an application would fail its hydration.
 */
const asBox = css`
  :where(img[data-svc-purpose][width][height]:not([src], [srcset])) {
    display: inline-block;
    overflow: hidden;
  }
`;

/** The element that contains another one in the rendered page, across the borders of shadow trees. */
function findParent(element: Element): Element | null {
  const { parentNode } = element;
  return element.assignedSlot ?? (parentNode instanceof ShadowRoot ? parentNode.host : element.parentElement);
}

/** Measures a frame as its placeholder must be drawn, which is in another place of the document. */
function measureFrame(frame: HTMLElement, layer: Element): FramePlace {
  const box = frame.getBoundingClientRect();
  let { left, top, right, bottom } = box;
  let { position } = getComputedStyle(frame);
  let isFixed = false;
  let zIndex = 'auto';
  for (let one: Element | null = frame; one && one !== layer && one.localName !== 'html'; one = findParent(one)) {
    const style = getComputedStyle(one);
    const isPositioned = style.position !== 'static';
    const isLayer = style.transform !== 'none' || style.isolation === 'isolate' || Number(style.opacity) < 1;
    isFixed ||= style.position === 'fixed';
    // The outermost one counts: others order what is in it.
    if (style.zIndex !== 'auto') zIndex = style.zIndex;
    else if (isLayer || /fixed|sticky/.test(style.position)) zIndex = 'auto';
    if (one === frame) continue;
    // An absolute element is not clipped by what is between it and its containing block.
    const isContaining = isPositioned || style.transform !== 'none';
    if (position === 'fixed' || (position === 'absolute' && !isContaining)) continue;
    position = style.position;
    const edge = one.getBoundingClientRect();
    if (style.overflowX !== 'visible') {
      left = Math.max(left, edge.left + one.clientLeft);
      right = Math.min(right, edge.left + one.clientLeft + one.clientWidth);
    }
    if (style.overflowY !== 'visible') {
      top = Math.max(top, edge.top + one.clientTop);
      bottom = Math.min(bottom, edge.top + one.clientTop + one.clientHeight);
    }
  }
  const isVisible = frame.checkVisibility?.({ opacityProperty: true, visibilityProperty: true }) ?? true;
  return { box, clip: { left, top, right, bottom }, isVisible, isFixed, zIndex };
}

interface PlaceholderAction {
  readonly name: 'show-once' | 'preferences' | 'try-again';
  readonly text: string;
  readonly press: () => void;
}

export interface PlaceholderContent {
  readonly text: string;
  readonly actions: readonly PlaceholderAction[];
  readonly language: string;
  readonly direction: 'ltr' | 'rtl';
}

/**
 * Covers a blocked frame, image or video with a placeholder. The element and its surroundings stay as the page made them, also
 * before a framework has hydrated them: the placeholder is at the end of the document, and is drawn over the frame.
 * @returns a function that removes the placeholder.
 */
export function showPlaceholder(
  frame: HTMLElement,
  content: PlaceholderContent,
  applyTheme: (box: HTMLElement) => void,
): () => void {
  const host = document.createElement('svc-consent-placeholder');
  const root = host.attachShadow({ mode: 'open' });
  const name = frame.getAttribute('alt') || frame.title;
  for (const styles of [sharedStyles, deferredStyles, placeholderStyles]) adoptStyles(root, styles);
  const box = document.createElement('div');
  box.id = 'root';
  applyTheme(box);
  const label = `${name} ${content.text}`;
  const number = (numbers.get(label) ?? 0) + 1;
  numbers.set(label, number);
  render(boxView(name, number, content), box);
  root.append(box);
  adoptStyles(frame.getRootNode() as Document | ShadowRoot, asBox);
  // Copies of the page, as kept by client routers, contain the placeholders of then.
  for (const copy of queryAll(host.localName)) if (!copy.shadowRoot) copy.remove();

  let layer: Element | undefined;
  let last = '';
  let settling: ReturnType<typeof setTimeout> | undefined;
  let restoring: ReturnType<typeof setTimeout> | undefined;
  let attached = -Infinity;
  let wait = 0;

  /** Puts the placeholder into its layer, also after the page or a router has removed it. */
  const attach = (parent: Element): void => {
    restoring = undefined;
    attached = performance.now();
    parent.insertBefore(host, findNext(frame, parent));
  };

  /** Draws the placeholder over what the page shows of the frame. */
  const cover = (): void => {
    if (!frame.isConnected) {
      remove();
      return;
    }
    const parent = findLayer(frame);
    if (parent !== layer) keeper.observe(parent, { childList: true });
    layer = parent;
    if (host.parentNode !== parent) {
      if (restoring !== undefined) return;
      // One that removes it each time gets ever more time.
      wait = performance.now() - attached < 1_000 + 2 * wait ? 2 * wait || 50 : 0;
      if (wait) {
        restoring = setTimeout(() => {
          attach(findLayer(frame));
          cover();
        }, wait);
        return;
      }
      attach(parent);
    }
    const { box: target, clip, isVisible, isFixed, zIndex } = measureFrame(frame, parent);
    const [width, height] = [clip.right - clip.left, clip.bottom - clip.top];
    host.hidden = !isVisible || Math.min(target.width, target.height) < SMALLEST || width < 1 || height < 1;
    if (host.hidden) return;
    const place = (element: HTMLElement, properties: Readonly<Record<string, string>>): void => {
      for (const [property, value] of Object.entries(properties))
        element.style.setProperty(property, value, 'important');
    };
    place(host, {
      position: isFixed ? 'fixed' : 'absolute',
      width: `${width}px`,
      height: `${height}px`,
      'z-index': zIndex,
    });
    place(host, { translate: 'none' });
    const { x, y } = host.getBoundingClientRect();
    place(host, { translate: `${clip.left - x}px ${clip.top - y}px` });
    place(box, {
      width: `${target.width}px`,
      height: `${target.height}px`,
      translate: `${target.left - clip.left}px ${target.top - clip.top}px`,
      'border-radius': getComputedStyle(frame).borderRadius,
      'color-scheme': getComputedStyle(frame).colorScheme,
    });
    const now = `${[target.x, target.y, target.width, target.height]}`;
    if (now === last) return;
    last = now;
    clearTimeout(settling);
    settling = setTimeout(watchPlace, 100);
  };

  // The frame moves for reasons that no event reports. One that leaves exactly its own place is no longer all in it.
  let moves: IntersectionObserver | undefined;
  const watchPlace = (threshold = 1): void => {
    cover();
    moves?.disconnect();
    const { top, right, bottom, left } = frame.getBoundingClientRect();
    const { clientWidth, clientHeight } = document.documentElement;
    const margins = [top, clientWidth - right, clientHeight - bottom, left];
    const rootMargin = margins.map((margin) => `${-Math.floor(margin)}px`).join(' ');
    let isFirst = true;
    moves = new IntersectionObserver(
      (entries) => {
        const ratio = entries.at(-1)?.intersectionRatio ?? 0;
        if (!isFirst) cover();
        else if (ratio && ratio < threshold) watchPlace(ratio);
        isFirst = false;
      },
      { rootMargin, threshold },
    );
    moves.observe(frame);
  };

  const sizes = new ResizeObserver(() => cover());
  const keeper = new MutationObserver(() => cover());
  const remove = (): void => {
    sizes.disconnect();
    keeper.disconnect();
    moves?.disconnect();
    clearTimeout(settling);
    clearTimeout(restoring);
    removeEventListener('scroll', cover, true);
    removeEventListener('resize', cover);
    forget();
    const hadFocus = root.activeElement !== null;
    host.remove();
    if (hadFocus) frame.focus({ preventScroll: true });
  };
  // The frame moves with the size of its neighbors.
  for (const one of frame.parentNode?.children ?? []) sizes.observe(one);
  for (let one: Element | null = frame; one; one = findParent(one)) {
    sizes.observe(one);
    keeper.observe(one, { attributes: true, childList: true });
  }
  const forget = keepTabOrder(host, frame);
  addEventListener('scroll', cover, true);
  addEventListener('resize', cover);
  cover();
  return remove;
}

/** Where the placeholder is drawn: above the page, or in what the page shows above itself. */
function findLayer(frame: HTMLElement): Element {
  for (let one: Element | null = frame.parentElement; one; one = findParent(one))
    if (one.matches(':modal, :popover-open, :fullscreen')) return one;
  return document.body;
}

/** How often a name was given: landmarks of one name cannot be told apart. */
const numbers = new Map<string, number>();

function boxView(name: string, number: number, { text, actions, language, direction }: PlaceholderContent) {
  return html`
      <div class="box" part="placeholder" role="region" aria-labelledby="name text number" lang=${language} dir=${direction}>
        <svg viewBox="0 0 24 24" aria-hidden="true">
          <path d="M3 3l18 18M10.6 5.2A9.7 9.7 0 0 1 21.5 12a11 11 0 0 1-2.3 3.4M6.2 6.7A11.4 11.4 0 0 0 2.5 12a10 10 0 0 0 13.9 5.6M9.9 9.9a3 3 0 0 0 4.2 4.2" />
        </svg>
        ${name ? html`<p id="name" part="name" dir="auto">${name}</p>` : nothing}
        <p id="text" part="text">${text}</p>
        ${number > 1 ? html`<span id="number" hidden>${number}</span>` : nothing}
        <div class="actions">
          ${actions.map(
            (action) =>
              html`<button part=${action.name} data-action=${action.name} type="button" @click=${action.press}>${action.text}</button>`,
          )}
        </div>
      </div>
  `;
}
