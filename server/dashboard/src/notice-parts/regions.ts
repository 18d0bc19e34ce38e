import { html, nothing, type TemplateResult } from 'lit';
import { countries, isRegion } from '../../../consent/regions.ts';
import { choice, viewHinted } from '../element.ts';
import type { Draft, DraftPurpose } from '../notice-draft.ts';
import { nameRegion, states } from '../notice-names.ts';
import { pageWords } from '../preferences.ts';
import type { EditorState } from './part.ts';

type BasisName = keyof typeof pageWords.editor.bases;

/** On what basis each purpose is asked for, where the region of the visitor is known. */
export function viewPart(state: EditorState): TemplateResult {
  const { draft } = state;
  const { editor } = pageWords;
  return html`<p>${editor.regionsHint}</p>
    <dl class="bases">
      ${Object.entries(editor.bases).map(([basis, name]) => html`<div><dt>${name}</dt><dd>${editor.basisHints[basis as BasisName]}</dd></div>`)}
    </dl>
    <fieldset>
      <legend>${editor.elsewhere}</legend>
      ${draft.purposes.map((purpose, index) => viewBasis(purpose, `purposes.${index}.basis`, purpose.basis ?? '', editor.bases.consent))}
      ${viewRegime(draft, null)}
    </fieldset>
    ${draft.regions.map((region) => viewRegion(state, region))} ${state.mayEdit ? viewAdd(state) : nothing}`;
}

function viewRegion(state: EditorState, region: string): TemplateResult {
  const { draft, mayEdit } = state;
  const { editor } = pageWords;
  const name = nameRegion(region);
  return html`<fieldset>
    <legend>${name} <code>${region}</code></legend>
    ${draft.purposes.map((purpose, index) =>
      viewBasis(
        purpose,
        `purposes.${index}.basisByRegion.${region}`,
        purpose.basisByRegion?.[region] ?? '',
        editor.bases[basisIn(purpose, parentOf(region))],
      ),
    )}
    ${viewRegime(draft, region)}
    ${
      mayEdit
        ? html`<button type="button" aria-label="${pageWords.remove}: ${name}" @click=${() => remove(state, region)}>
            ${pageWords.remove}
          </button>`
        : nothing
    }
  </fieldset>`;
}

/** @param byDefault what applies if nothing is chosen. */
function viewBasis(
  { label, key, required }: DraftPurpose,
  name: string,
  value: string,
  byDefault: string,
): TemplateResult {
  const { editor } = pageWords;
  if (required) return html`<p>${label || key}: ${editor.alwaysExempt}</p>`;
  const options = { '': `${editor.byDefault} ${byDefault}`, ...editor.bases };
  return choice(label || key, name, Object.entries(options), value);
}

/** Describes what visitors in the region see. */
function viewRegime({ purposes }: Draft, region: string | null): TemplateResult | typeof nothing {
  const { editor } = pageWords;
  const bases = purposes.filter(({ required }) => !required).map((purpose) => basisIn(purpose, region));
  if (bases.length === 0) return nothing;
  if (bases.includes('consent')) return html`<p class="quiet">${editor.regimes.consent}</p>`;
  return html`<p class="quiet">${bases.includes('object') ? editor.regimes.object : editor.regimes.exempt}</p>`;
}

/** The country of a part of one; null for a country. */
function parentOf(region: string): string | null {
  return region.includes('-') ? region.slice(0, 2) : null;
}

/** The basis that applies in a known region; null for those that have none of their own. */
function basisIn({ basis, basisByRegion = {} }: DraftPurpose, region: string | null): BasisName {
  const own = region === null ? '' : basisByRegion[region] || basisByRegion[region.slice(0, 2)];
  return (own || basis || 'consent') as BasisName;
}

function viewAdd(state: EditorState): TemplateResult {
  const { draft, change } = state;
  const { editor } = pageWords;
  const add = (event: Event) => {
    const group = (event.currentTarget as Element).closest('.add');
    const country = group?.querySelector('select')?.value ?? '';
    const part = group?.querySelector('input') as HTMLInputElement;
    const region = [country, part.value.trim().toUpperCase()].filter((one) => one !== '').join('-');
    if (!isRegion(region)) {
      part.setCustomValidity(editor.noRegion);
      part.reportValidity();
      return;
    }
    part.value = '';
    const regions = [...new Set([...draft.regions, region])].sort();
    const first = draft.purposes.findIndex(({ required }) => !required);
    change({ ...draft, regions }, `[name="purposes.${first}.basisByRegion.${region}"]`);
  };
  const clear = ({ currentTarget }: Event) => (currentTarget as HTMLInputElement).setCustomValidity('');
  const press = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.isComposing) return;
    event.preventDefault();
    add(event);
  };
  const named = [...countries].map((code) => [code, nameRegion(code)] as const);
  named.sort(([, one], [, other]) => one.localeCompare(other, document.documentElement.lang));
  return html`<fieldset class="add row">
    <legend>${editor.addRegion}</legend>
    <label class="field">
      <span>${pageWords.facts.country}</span>
      <select>
        ${named.map(([code, name]) => html`<option value=${code} ?selected=${code === 'US'}>${name}</option>`)}
      </select>
    </label>
    ${viewHinted(
      editor.subdivision,
      html`<input
        list="states"
        maxlength="3"
        autocomplete="off"
        aria-describedby="subdivision-hint"
        @input=${clear}
        @blur=${clear}
        @keydown=${press}
      />`,
      html`<span class="quiet" id="subdivision-hint">${editor.subdivisionHint}</span>`,
    )}
    <datalist id="states">${Object.entries(states).map(([code, name]) => html`<option value=${code}>${name}</option>`)}</datalist>
    <button type="button" @click=${add}>${editor.add}</button>
  </fieldset>`;
}

function remove({ draft, change }: EditorState, region: string): void {
  const purposes = draft.purposes.map(({ basisByRegion = {}, ...purpose }) => {
    const { [region]: _, ...others } = basisByRegion;
    return { ...purpose, basisByRegion: others };
  });
  change({ ...draft, purposes, regions: draft.regions.filter((one) => one !== region) }, '.add select');
}
