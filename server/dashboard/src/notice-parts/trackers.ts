import { html, nothing, type TemplateResult } from 'lit';
import { mostTrackers } from '../../../consent/notice-bounds.ts';
import { field, viewOptions } from '../element.ts';
import { formatCount } from '../format.ts';
import { type DraftPurpose, splitLifetime } from '../notice-draft.ts';
import { nameLifetime, unitNames } from '../notice-names.ts';
import { pageWords } from '../preferences.ts';
import type { EditorState } from './part.ts';

type Trackers = NonNullable<DraftPurpose['trackers']>;

/** Trackers that each purpose stores or reads on the device. */
export function viewPart(state: EditorState): TemplateResult {
  const { editor } = pageWords;
  const { purposes } = state.draft;
  const count = purposes.reduce((sum, { trackers = [] }) => sum + trackers.length, 0);
  return html`<p>${editor.trackersHint}</p>
    <p class="quiet" role="status">${editor.trackerCount} ${formatCount(count)} / ${formatCount(mostTrackers)}</p>
    ${purposes.map((purpose, index) => viewPurpose(state, purpose, index, count < mostTrackers))}`;
}

function viewPurpose(state: EditorState, purpose: DraftPurpose, index: number, hasRoom: boolean): TemplateResult {
  const { label, key, trackers = [] } = purpose;
  const { editor } = pageWords;
  const place = `purposes.${index}.trackers`;
  const change = (changed: Trackers, ...focus: readonly string[]) =>
    state.change(
      { ...state.draft, purposes: state.draft.purposes.with(index, { ...purpose, trackers: changed }) },
      ...focus,
    );
  const add = () =>
    change(
      [...trackers, { name: '', provider: trackers.at(-1)?.provider ?? '', lifetime: 'session', thirdParty: false }],
      `[name="${place}.${trackers.length}.name"]`,
    );
  const remove = (at: number) => {
    const next = Math.min(at, trackers.length - 2);
    change(trackers.toSpliced(at, 1), `[name="${place}.${next}.name"]`, `[data-add="${index}"]`);
  };
  return html`<h2>${label || key}</h2>
    ${trackers.length === 0 ? html`<p class="quiet">${editor.noTrackers}</p>` : nothing}
    ${trackers.map((tracker, at) => {
      const name = tracker.name || `${editor.tracker} ${at + 1}`;
      const row = `${place}.${at}`;
      return html`<fieldset class="row">
        <legend>${name}</legend>
        ${field(pageWords.name, `${row}.name`, { value: tracker.name })}
        ${field(editor.provider, `${row}.provider`, { value: tracker.provider })}
        ${viewLifetime(`${row}.lifetime`, tracker.lifetime)}
        <label class="check"
          ><input type="checkbox" name="${row}.thirdParty" .checked=${tracker.thirdParty} /> ${editor.thirdParty}</label
        >
        ${
          state.mayEdit
            ? html`<button type="button" aria-label="${pageWords.remove}: ${name}" @click=${() => remove(at)}>
                ${pageWords.remove}
              </button>`
            : nothing
        }
      </fieldset>`;
    })}
    ${
      state.mayEdit
        ? html`<p>
            <button
              type="button"
              data-add=${index}
              aria-label="${editor.addTracker}: ${label || key}"
              ?disabled=${!hasRoom}
              @click=${add}
            >
              ${editor.addTracker}
            </button>
          </p>`
        : nothing
    }`;
}

/** A lifetime as a choice, with an amount beside a unit. What has several units stays as it is stored. */
function viewLifetime(name: string, lifetime: string): TemplateResult {
  const { editor } = pageWords;
  const split = splitLifetime(lifetime);
  const chosen = split?.unit ?? lifetime;
  const options: Record<string, string> = { ...editor.lifetimes };
  for (const unit of unitNames) options[unit] = editor.units[unit];
  if (!Object.hasOwn(options, chosen)) options[chosen] = nameLifetime(chosen);
  return html`<label class="field">
      <span>${editor.lifetime}</span>
      <select name=${name} data-kind="lifetime">
        ${viewOptions(Object.entries(options), chosen)}
      </select>
    </label>
    ${
      split === null
        ? nothing
        : html`<label class="field">
            <span>${editor.amount}</span>
            <input name=${name} data-kind="lifetime" type="number" min="1" step="1" required .value=${split.amount} />
          </label>`
    }`;
}
