import { html, nothing, render } from 'lit/html.js';
import { adoptStyles } from './adopt-styles.ts';
import { fillText, listNames } from './fill-words.ts';
import type { SpokenWords } from './load-words.ts';
import { placeholderStyles } from './placeholder.styles.ts';
import { sharedStyles } from './shared.styles.ts';

/** Smaller frames have no room for a sentence, and show nothing to a visitor anyway. */
const SMALLEST = 48;

/** Without an address, an image is rendered as its alternative text; this gives it the size of its attributes. */
const asBox = [
  ['display', 'inline-block'],
  ['overflow', 'hidden'],
] as const;

export interface PlaceholderOptions {
  /** The blocked frame, image or video: it stays in place, empty, so that nothing on the page moves. */
  readonly frame: HTMLElement;
  /** The purposes that it needs, as the notice names them. */
  readonly labels: readonly string[];
  readonly words: SpokenWords;
  readonly theme?: string | null;
  /** Called when the visitor allows these purposes. */
  readonly allow: () => void;
}

/**
 * Covers a blocked frame with a placeholder that says which consent is missing and offers to grant it. The frame keeps its
 * place in the layout under any styles of the page; it is only inert.
 * @returns a function that removes the placeholder.
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
    const place = (name: string, value: string): void => host.style.setProperty(name, value, 'important');
    place('width', `${target.width}px`);
    place('height', `${target.height}px`);
    place('z-index', getComputedStyle(frame).zIndex);
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
    host.remove();
    frame.inert = wasInert;
    for (const [name] of boxes) frame.style.removeProperty(name);
  };
  const boxes = frame instanceof HTMLImageElement && getComputedStyle(frame).display === 'inline' ? asBox : [];
  for (const [name, value] of boxes) frame.style.setProperty(name, value, 'important');
  // Its offset in the parent changes with its siblings; the placeholder is laid out there as well, and follows.
  for (const neighbour of [parent, ...parent.children]) observer.observe(neighbour);
  keeper.observe(parent, { childList: true });
  cover();
  // The placeholder scrolls with the page, but not in a scroll container that is not its containing block.
  addEventListener('scroll', cover, true);
  return remove;
}
