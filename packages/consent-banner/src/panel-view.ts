import { html, nothing, type TemplateResult } from 'lit/html.js';
import { type ChoiceActions, choicesView } from './choices-view.ts';
import type { SpokenWords } from './load-words.ts';
import type { Notice, Purpose, Purposes } from './notice.ts';
import type { RecordReceipt } from './receipt.ts';
import { receiptView } from './receipt-view.ts';

export interface PanelActions extends ChoiceActions {
  readonly save: () => void;
  readonly close: () => void;
}

export interface PanelContent {
  readonly notice: Notice;
  readonly words: SpokenWords;
  /** What the switches show first: nothing is on that the visitor has not turned on before. */
  readonly granted: Purposes;
  /** What the visitor decided on before, in whatever version; null if nothing. */
  readonly known: Purposes | null;
  readonly receipt: RecordReceipt | null;
  readonly hasPrivacySignal: boolean;
}

/** What stands in the preferences dialog while it is open. */
export function panelView(content: PanelContent, actions: PanelActions): TemplateResult {
  const { notice, words, receipt } = content;
  return html`
    <header>
      <h2 id="panel-title" part="title">${words.panelTitle}</h2>
      <button class="close" part="close" type="button" aria-label=${words.close} @click=${actions.close}>
        <svg viewBox="0 0 24 24" aria-hidden="true"><path d="M6 6l12 12M18 6L6 18" /></svg>
      </button>
    </header>
    <div class="body">
      <p part="text">${words.panelIntro}</p>
      ${content.hasPrivacySignal ? html`<p part="text">${words.privacySignal}</p>` : nothing}
      <ul part="purposes">
        ${notice.purposes.map((purpose, index) => purposeView(purpose, index, content))}
      </ul>
      ${receiptView(receipt, words)}
      <p class="about" part="about"><bdi>${notice.name}</bdi> · v${notice.version}</p>
    </div>
    <footer>
      <button class="save" part="save" type="button" @click=${actions.save}>${words.save}</button>
      ${choicesView(words, actions)}
    </footer>
  `;
}

function purposeView(purpose: Purpose, index: number, { words, granted, known }: PanelContent): TemplateResult {
  const { key, label, description, required } = purpose;
  const isNew = known !== null && !Object.hasOwn(known, key);
  const note = required ? words.required : isNew ? words.newPurpose : '';
  return html`
    <li part="purpose">
      <label for="purpose-${index}">
        <span class="name">
          <span id="label-${index}" dir="auto">${label}</span>
          ${note ? html`<strong id="note-${index}">${note}</strong>` : nothing}
        </span>
        <span class="about" id="about-${index}" dir="auto">${description}</span>
      </label>
      <input
        id="purpose-${index}"
        part="switch"
        type="checkbox"
        role="switch"
        aria-labelledby="label-${index}"
        aria-describedby=${note ? `note-${index} about-${index}` : `about-${index}`}
        .checked=${required || granted[key] === true}
        ?disabled=${required}
      />
    </li>
  `;
}
