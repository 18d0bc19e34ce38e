import { html, type TemplateResult } from 'lit/html.js';
import { findTarget } from '../first-layer/shield-events.ts';
import type { Words } from './words.ts';

export interface ClampedText {
  /** Id of the paragraph; the button gets the same with `-more`. */
  readonly id: string;
  readonly text: string;
  /** Id of the element that names what the text is about. */
  readonly about: string;
}

/** A text of some lines, and a button that shows the others. The button is hidden until `settleClamps` has measured the text. */
export function clampedView({ id, text, about }: ClampedText, words: Words): TemplateResult {
  return html`
    <p class="about clamp" part="text" id=${id} dir="auto">${text}</p>
    <button
      class="more"
      part="more"
      type="button"
      id="${id}-more"
      aria-expanded="false"
      aria-controls=${id}
      aria-labelledby="${id}-more ${about}"
      hidden
      .onclick=${toggle}
    >
      <span>${words.more}</span><span>${words.less}</span>
    </button>
  `;
}

function toggle(event: Event): void {
  const button = findTarget(event).closest('button') as HTMLElement;
  const isOpen = button.ariaExpanded === 'true';
  button.ariaExpanded = String(!isOpen);
  button.previousElementSibling?.classList.toggle('clamp', isOpen);
}

/** Shows the buttons of the texts that do not fit, as they are laid out now. */
export function settleClamps(root: ParentNode): void {
  for (const text of root.querySelectorAll<HTMLElement>('.clamp')) {
    const isWhole = text.scrollHeight <= text.clientHeight + 1;
    (text.nextElementSibling as HTMLElement).hidden = isWhole;
  }
}
