import { html, nothing, render } from 'lit/html.js';
import { adoptStyles } from './adopt-styles.ts';
import { fillText, listNames } from './fill-words.ts';
import type { SpokenWords } from './load-words.ts';
import { placeholderStyles } from './placeholder.styles.ts';
import { sharedStyles } from './shared.styles.ts';

/** Below this there is no room for a sentence, and such frames show nothing to a visitor anyway. */
const SMALLEST = 48;

/** An image without an address is but its alternative text; so it has the size of its attributes, and stands like an image. */
const asBox = [
  ['display', 'inline-block'],
  ['overflow', 'hidden'],
] as const;

export interface PlaceholderOptions {
  /** The frame, image or video that is held back: it stays where it is, empty, so that nothing on the page moves. */
  readonly frame: HTMLElement;
  /** The purposes that it waits for, as the notice names them. */
  readonly labels: readonly string[];
  readonly words: SpokenWords;
  readonly theme?: string | null;
  /** The visitor wants these purposes. */
  readonly allow: () => void;
}

/**
 * Lays a box over a frame that is held back: it says what is missing and offers to allow it. The frame keeps its place in
 * the page's layout, whatever the page's styles say about it; it is only out of reach.
 * @returns the way to take the box away again.
 */
export function showPlaceholder({ frame, labels, words, theme, allow }: PlaceholderOptions): () => void {
  const host = document.createElement('svc-consent-placeholder');
  const root = host.attachShadow({ mode: 'open' });
  const label = listNames(labels, words);
  const name = frame.getAttribute('alt') || frame.title;
  if (theme) host.setAttribute('theme', theme);
  adoptStyles(root, sharedStyles, placeholderStyles);
  render(
    html`
      <div id="root">
        <div class="layer" part="placeholder" role="group" aria-labelledby="name text" lang=${words.lang} dir=${words.dir}>
          ${name ? html`<p id="name" part="name" dir="auto">${name}</p>` : nothing}
          <p id="text" part="text">${fillText(words.placeholder, { label })}</p>
          <button part="allow" type="button" @click=${allow}>${fillText(words.placeholderAllow, { label })}</button>
        </div>
      </div>
    `,
    root,
  );

  const parent = frame.parentElement as HTMLElement;
  // A copy of the page, as client routers keep one, has what we wrote into it, and a box that nobody looks after.
  const next = frame.nextElementSibling;
  const isCopy = next?.localName === host.localName;
  if (isCopy) next?.remove();
  const wasInert = frame.inert && !isCopy;

  /** Puts the box over the frame, of its size. It stands behind it in the page, out of the flow. */
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
    const place = (name: string, value: string): void => host.style.setProperty(name, value, 'important');
    place('width', `${target.width}px`);
    place('height', `${target.height}px`);
    place('z-index', getComputedStyle(frame).zIndex);
    place('translate', 'none');
    const { x, y } = host.getBoundingClientRect();
    place('translate', `${target.x - x}px ${target.y - y}px`);
  };

  const observer = new ResizeObserver(cover);
  // What writes the page's first markup over it, such as a morph, takes the box away.
  const keeper = new MutationObserver(() => host.isConnected || cover());
  const remove = (): void => {
    observer.disconnect();
    keeper.disconnect();
    removeEventListener('scroll', cover, true);
    host.remove();
    frame.inert = wasInert;
    for (const [name] of boxes) frame.style.removeProperty(name);
  };
  const boxes = frame instanceof HTMLImageElement && getComputedStyle(frame).display === 'inline' ? asBox : [];
  for (const [name, value] of boxes) frame.style.setProperty(name, value, 'important');
  // Where it stands within its parent changes with its neighbours; the box is laid out there, too, and follows the rest.
  for (const neighbour of [parent, ...parent.children]) observer.observe(neighbour);
  keeper.observe(parent, { childList: true });
  cover();
  // The box scrolls with the page, but not within an element whose content it does not belong to for layout.
  addEventListener('scroll', cover, true);
  return remove;
}
