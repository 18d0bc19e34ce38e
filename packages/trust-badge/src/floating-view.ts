import { html, type TemplateResult } from 'lit/html.js';
import type { BadgeContent } from './badge-content.ts';
import { markView } from './icons.ts';
import { panelView } from './panel-view.ts';

/** A button in a corner that opens a drawer; without data, a link. */
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
  button.focus(); // Some browsers do not focus a clicked button, and the focus must return to it.
  (button.nextElementSibling as HTMLDialogElement).showModal();
}

/** The pointerdown target: a text selection that ends outside is not a click beside the drawer. */
let pressed: EventTarget | null;

function notePress({ target }: Event): void {
  pressed = target;
}

/** Closes the drawer by its button or its backdrop: the panel fills the dialog, so only the backdrop targets the dialog. */
function closeDrawer({ target, currentTarget }: Event): void {
  const isVeil = target === currentTarget && pressed === target;
  if (isVeil || (target as Element).closest('button')) (currentTarget as HTMLDialogElement).close();
}
