import { html, nothing, type TemplateResult } from 'lit/html.js';
import { type ChoiceActions, choicesView } from './choices-view.ts';
import type { SpokenWords } from './load-words.ts';
import type { Notice, Purpose, Purposes } from './notice.ts';
import { readReceipt } from './read-receipt.ts';
import { receiptView } from './receipt-view.ts';
import type { StoredDecision } from './stub/stored-decision.ts';

export interface PanelActions extends ChoiceActions {
  /** Called with the index of a purpose and whether its switch is on. */
  readonly save: (isOn: (purpose: Purpose, index: number) => boolean) => void;
  readonly close: () => void;
  /** Called when the dialog was closed, by code or by the visitor. */
  readonly followDialog: () => void;
}

export interface PanelContent {
  readonly noticeId: string;
  readonly notice: Notice;
  readonly words: SpokenWords;
  /** The initial state of the switches: only what the visitor turned on before is on. */
  readonly granted: Purposes;
  /** The visitor's last decision, on any version; null if there is none. */
  readonly stored: StoredDecision | null;
  readonly hasPrivacySignal: boolean;
}

/** The preferences: a dialog, empty while it is closed. */
export function panelView(words: SpokenWords, content: PanelContent | null, actions: PanelActions): TemplateResult {
  return html`
    <dialog
      class="layer panel"
      part="panel"
      aria-labelledby="panel-title"
      lang=${words.lang}
      dir=${words.dir}
      @close=${actions.followDialog}
    >
      ${content ? contentView(content, actions) : nothing}
    </dialog>
  `;
}

function contentView(content: PanelContent, actions: PanelActions): TemplateResult {
  const { noticeId, notice, words, stored } = content;
  const save = ({ target }: Event): void => {
    const root = (target as Element).getRootNode() as ShadowRoot;
    const switches = [...root.querySelectorAll('input')].map(({ checked }) => checked);
    actions.save((_, index) => switches[index] === true);
  };
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
      ${receiptView(stored && readReceipt(noticeId, stored.decidedAt), words)}
      <p class="about" part="about"><bdi>${notice.name}</bdi> · v${notice.version}</p>
      <slot name="more"></slot>
    </div>
    <footer>
      <button class="save" part="save" type="button" @click=${save}>${words.save}</button>
      ${choicesView(words, actions)}
    </footer>
  `;
}

function purposeView(purpose: Purpose, index: number, { words, granted, stored }: PanelContent): TemplateResult {
  const { key, label, description, required } = purpose;
  const isNew = stored !== null && !Object.hasOwn(stored.purposes, key);
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
        .checked=${required || Object.hasOwn(granted, key)}
        ?disabled=${required}
      />
    </li>
  `;
}
