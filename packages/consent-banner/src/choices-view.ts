import { html, type TemplateResult } from 'lit/html.js';
import type { Words } from './words.ts';

export interface ChoiceActions {
  readonly acceptAll: () => void;
  readonly rejectAll: () => void;
}

/** Both buttons share one class and one part, so that no style can favour either. */
export function choicesView(words: Words, { acceptAll, rejectAll }: ChoiceActions): TemplateResult {
  return html`
    <div class="choices">
      <button class="choice" part="choice" type="button" data-choice="reject" @click=${rejectAll}>${words.reject}</button>
      <button class="choice" part="choice" type="button" data-choice="accept" @click=${acceptAll}>${words.accept}</button>
    </div>
  `;
}
