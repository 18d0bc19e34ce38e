import { html, nothing, render } from 'lit/html.js';
import { adoptStyles } from '../first-layer/adopt-styles.ts';
import { furtherStyles } from '../first-layer/further.styles.ts';
import { sharedStyles } from '../first-layer/shared.styles.ts';
import { placeholderStyles } from './placeholder.styles.ts';

/** Smaller boxes show nothing to a visitor anyway. */
const SMALLEST = 44;

/** Without an address, an image is rendered as its alternative text; this gives it the size of its attributes. */
const asBox = [
  ['display', 'inline-block'],
  ['overflow', 'hidden'],
] as const;

export interface PlaceholderAction {
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
 * Covers a blocked frame, image or video with a placeholder. The element keeps its place in the layout under any styles of
 * the page; it is only inert.
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
  for (const styles of [sharedStyles, furtherStyles, placeholderStyles]) adoptStyles(root, styles);
  const box = document.createElement('div');
  box.id = 'root';
  applyTheme(box);
  render(boxView(name, content), box);
  root.append(box);

  const parent = frame.parentElement as HTMLElement;
  // Copies of the page, as kept by client routers, contain our changes and an orphaned placeholder.
  const next = frame.nextElementSibling;
  const isCopy = next?.localName === host.localName;
  if (isCopy) next?.remove();
  const wasInert = frame.inert && !isCopy;

  /** Positions the placeholder over the frame, with its size. It follows the frame in the DOM, out of flow. */
  const cover = (): void => {
    if (!frame.isConnected) {
      remove();
      return;
    }
    frame.inert = true;
    if (frame.nextSibling !== host) frame.after(host);
    const target = frame.getBoundingClientRect();
    host.hidden = Math.min(target.width, target.height) < SMALLEST;
    if (host.hidden) return;
    const { zIndex, borderRadius } = getComputedStyle(frame);
    const place = (property: string, value: string): void => host.style.setProperty(property, value, 'important');
    place('width', `${target.width}px`);
    place('height', `${target.height}px`);
    place('z-index', zIndex);
    place('border-radius', borderRadius);
    place('translate', 'none');
    const { x, y } = host.getBoundingClientRect();
    place('translate', `${target.x - x}px ${target.y - y}px`);
  };

  const observer = new ResizeObserver(cover);
  // A router that morphs the page back to its original markup removes the placeholder.
  const keeper = new MutationObserver(() => host.isConnected || cover());
  const remove = (): void => {
    observer.disconnect();
    keeper.disconnect();
    removeEventListener('scroll', cover, true);
    const hadFocus = root.activeElement !== null;
    host.remove();
    frame.inert = wasInert;
    for (const [property] of boxes) frame.style.removeProperty(property);
    if (hadFocus) frame.focus({ preventScroll: true });
  };
  const boxes = frame instanceof HTMLImageElement && getComputedStyle(frame).display === 'inline' ? asBox : [];
  for (const [property, value] of boxes) frame.style.setProperty(property, value, 'important');
  // Its offset in the parent changes with its siblings; the placeholder is laid out there as well, and follows.
  for (const neighbour of [parent, ...parent.children]) observer.observe(neighbour);
  keeper.observe(parent, { childList: true });
  cover();
  // The placeholder scrolls with the page, but not in a scroll container that is not its containing block.
  addEventListener('scroll', cover, true);
  return remove;
}

function boxView(name: string, { text, actions, language, direction }: PlaceholderContent) {
  return html`
      <div class="box" part="placeholder" role="group" aria-labelledby="name text" lang=${language} dir=${direction}>
        <svg viewBox="0 0 24 24" aria-hidden="true">
          <path d="M3 3l18 18M10.6 5.2A9.7 9.7 0 0 1 21.5 12a11 11 0 0 1-2.3 3.4M6.2 6.7A11.4 11.4 0 0 0 2.5 12a10 10 0 0 0 13.9 5.6M9.9 9.9a3 3 0 0 0 4.2 4.2" />
        </svg>
        ${name ? html`<p id="name" part="name" dir="auto">${name}</p>` : nothing}
        <p id="text" part="text">${text}</p>
        <div class="actions">
          ${actions.map(
            (action) =>
              html`<button part=${action.name} data-action=${action.name} type="button" @click=${action.press}>${action.text}</button>`,
          )}
        </div>
      </div>
  `;
}
