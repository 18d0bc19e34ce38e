import { html, type TemplateResult } from 'lit/html.js';
import type { BadgeContent } from './badge-content.ts';
import { markView } from './icons.ts';
import { panelView } from './panel-view.ts';

/** A button that stays in its corner and opens a drawer; without data, a link there. */
export function floatingView(content: BadgeContent): TemplateResult {
  const { trust, words, link } = content;
  const face = html`${markView(!!trust)}<span>${words.kicker}</span>`;
  if (!trust) return html`<a class="face float" part="float-button" href=${link}>${face}</a>`;
  return html`
    <button
      class="face float"
      part="button trigger float-button"
      aria-haspopup="dialog"
      @click=${openDrawer}
    >
      ${face}
    </button>
    <dialog part="drawer" aria-labelledby="name" @pointerdown=${notePress} @click=${closeDrawer}>
      ${panelView(content)}
    </dialog>
  `;
}

function openDrawer({ currentTarget }: Event): void {
  const button = currentTarget as HTMLElement;
  button.focus(); // Not every browser does so on a click, and the focus returns to where it was.
  (button.nextElementSibling as HTMLDialogElement).showModal();
}

/** What the pointer went down on: a selection of text that ends outside is no click beside the drawer. */
let pressed: EventTarget | null;

function notePress({ target }: Event): void {
  pressed = target;
}

/** By its button or by what is behind it: the panel fills the dialog, so that what hits the dialog itself hits its veil. */
function closeDrawer({ target, currentTarget }: Event): void {
  const isVeil = target === currentTarget && pressed === target;
  if (isVeil || (target as Element).closest('button')) (currentTarget as HTMLDialogElement).close();
}
