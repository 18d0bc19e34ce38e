import { html, type TemplateResult } from 'lit/html.js';
import type { SpokenWords } from './load-words.ts';

/** The floating button that opens the preferences again: taking consent back is as easy as giving it. */
export function triggerView(words: SpokenWords, place: string, open: () => void): TemplateResult {
  return html`
    <button
      class="layer trigger"
      part="trigger"
      type="button"
      popover="manual"
      data-place=${place}
      aria-haspopup="dialog"
      aria-label=${words.trigger}
      title=${words.trigger}
      lang=${words.lang}
      dir=${words.dir}
      @click=${open}
    >
      <svg viewBox="0 0 24 24" aria-hidden="true">
        <path d="M12 3l7 3v5.5c0 4.5-3 7.8-7 9.5-4-1.7-7-5-7-9.5V6zM9 11.5l2.2 2.2L15 10" />
      </svg>
    </button>
  `;
}
