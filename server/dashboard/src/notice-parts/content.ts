import { html, nothing, type TemplateResult } from 'lit';
import { languages } from '../../../consent/messages/messages.ts';
import { field, viewHinted } from '../element.ts';
import type { Draft, DraftPurpose } from '../notice-draft.ts';
import { viewLinks, viewNoticeFacts, viewPurposeFacts } from '../notice-facts.ts';
import { nameLanguage } from '../notice-names.ts';
import { pageWords } from '../preferences.ts';
import type { EditorState } from './part.ts';

/** Names of the notice and its controller, its domain, its purposes and the facts about the processing. */
export function viewPart(state: EditorState): TemplateResult {
  const { draft, mayEdit } = state;
  const { name, controllerName, language, domain, purposes } = draft;
  return html`${field(pageWords.name, 'name', { hint: pageWords.noticeNameHint, value: name })}
    ${field(pageWords.controller, 'controllerName', { hint: pageWords.controllerHint, value: controllerName })}
    ${field(pageWords.domain, 'domain', { hint: pageWords.domainHint, value: domain })}
    ${viewHinted(
      pageWords.noticeLanguage,
      html`<input name="language" list="languages" autocomplete="off" required .value=${language} aria-describedby="language-hint" />`,
      html`<span class="quiet" id="language-hint">${pageWords.languageHint}</span>`,
    )}
    <datalist id="languages">${languages.map((tag) => html`<option value=${tag}>${nameLanguage(tag)}</option>`)}</datalist>
    ${viewLinks(draft)} ${viewNoticeFacts(draft)}
    <h2>${pageWords.purposes}</h2>
    <p class="quiet">${pageWords.purposeHint}</p>
    ${purposes.map((purpose, index) => viewPurpose(state, purpose, index))}
    ${mayEdit ? html`<button type="button" @click=${() => add(state)}>${pageWords.addPurpose}</button>` : nothing}`;
}

function viewPurpose(state: EditorState, purpose: DraftPurpose, index: number): TemplateResult {
  const { key, label, description, required } = purpose;
  const count = state.draft.purposes.length;
  const place = `purposes.${index}`;
  const button = (step: 'up' | 'down' | 'remove', text: string, isOff: boolean, act: () => void) =>
    html`<button type="button" data-step=${step} aria-label="${text}: ${label}" ?disabled=${isOff} @click=${act}>
      ${text}
    </button>`;
  return html`<fieldset class="purpose">
    <legend>${label || `${pageWords.purpose} ${index + 1}`}</legend>
    ${field(pageWords.purposeKey, `${place}.key`, { value: key })}
    ${field(pageWords.purposeLabel, `${place}.label`, { value: label })}
    <label class="field">
      <span>${pageWords.purposeDescription}</span>
      <textarea name="${place}.description" rows="3" .value=${description}></textarea>
    </label>
    <label class="check"
      ><input type="checkbox" name="${place}.required" .checked=${required} /> ${pageWords.required}</label
    >
    ${viewPurposeFacts(place, purpose, state.mayEdit ? changeRecipients(state, index) : null)}
    ${
      state.mayEdit
        ? html`<div class="actions">
            ${button('up', pageWords.moveUp, index === 0, () => move(state, index, index - 1, 'up'))}
            ${button('down', pageWords.moveDown, index === count - 1, () => move(state, index, index + 1, 'down'))}
            ${count === 1 ? nothing : button('remove', pageWords.remove, false, () => remove(state, index))}
          </div>`
        : nothing
    }
  </fieldset>`;
}

function put(draft: Draft, purposes: Draft['purposes']): Draft {
  return { ...draft, purposes };
}

function add({ draft, change }: EditorState): void {
  const { purposes } = draft;
  const added = { key: '', label: '', description: '', required: false, words: {} };
  change(put(draft, [...purposes, added]), `[name="purposes.${purposes.length}.key"]`);
}

function remove({ draft, change }: EditorState, index: number): void {
  const purposes = draft.purposes.toSpliced(index, 1);
  change(put(draft, purposes), `[name="purposes.${Math.min(index, purposes.length - 1)}.key"]`);
}

/** Moves a purpose; the focus stays with it. */
function move({ draft, change }: EditorState, from: number, to: number, step: 'up' | 'down'): void {
  const purposes = [...draft.purposes];
  purposes.splice(to, 0, ...purposes.splice(from, 1));
  const buttons = `.purpose:nth-of-type(${to + 1}) button`;
  change(put(draft, purposes), `${buttons}[data-step=${step}]:enabled`, `${buttons}[data-step]:enabled`);
}

/** The buttons of the recipients of a purpose. */
function changeRecipients({ draft, change }: EditorState, index: number) {
  const purpose = draft.purposes[index] as DraftPurpose;
  const { recipients = [] } = purpose;
  const place = `purposes.${index}.recipients`;
  const keep = (changed: DraftPurpose['recipients'], ...focus: readonly string[]) =>
    change(put(draft, draft.purposes.with(index, { ...purpose, recipients: changed })), ...focus);
  return {
    add: () => keep([...recipients, { name: '', role: 'processor' }], `[name="${place}.${recipients.length}.name"]`),
    // Without the last one, nothing is stated until the user says that there are none.
    remove: (at: number) => {
      const left = recipients.toSpliced(at, 1);
      const next = Math.min(at, left.length - 1);
      keep(left.length === 0 ? undefined : left, `[name="${place}.${next}.name"]`, `[name="${place}"]`);
    },
  };
}
