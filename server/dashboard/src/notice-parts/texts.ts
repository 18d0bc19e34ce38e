import { html, nothing, type TemplateResult } from 'lit';
import { languages } from '../../../consent/words/languages.ts';
import { type Draft, type DraftPurpose, writeDraft } from '../notice-draft.ts';
import { nameLanguage } from '../notice-names.ts';
import { listUntranslated } from '../notice-rules.ts';
import { pageWords } from '../preferences.ts';
import type { EditorState } from './part.ts';

type TextName = keyof typeof pageWords.editor.textNames;

/** The texts of several lines. */
const long: readonly TextName[] = ['intro', 'panelIntro'];

/** What the banner says, in each language. */
export function viewPart(state: EditorState): TemplateResult {
  const { draft, language } = state;
  const { editor } = pageWords;
  const isOwn = language === draft.language;
  return html`<h2>${editor.languages}</h2>
    <p class="quiet">${editor.languagesHint}</p>
    <ul class="plain languages">${[draft.language, ...Object.keys(draft.translations)].map((tag) => viewLanguage(state, tag))}</ul>
    ${state.mayEdit ? viewAdd(state) : nothing}
    <h2>${editor.textsIn} ${nameLanguage(language)}</h2>
    <p class="quiet">${editor.textsHint}</p>
    ${(Object.keys(editor.textNames) as TextName[]).map((name) => viewText(state, name))}
    ${
      isOwn
        ? nothing
        : html`<h3>${pageWords.purposes}</h3>
            ${draft.purposes.map((purpose, index) => viewTranslation(state, purpose, index))}`
    }`;
}

function viewLanguage(state: EditorState, tag: string): TemplateResult {
  const { draft, language, mayEdit, chooseLanguage } = state;
  const { editor } = pageWords;
  const name = nameLanguage(tag);
  const isOwn = tag === draft.language;
  const missing = isOwn ? [] : listMissing(draft, tag);
  return html`<li>
    <div>
      <button type="button" aria-pressed=${tag === language} lang=${tag} @click=${() => chooseLanguage(tag)}>
        ${name} <code>${tag}</code>
      </button>
      <span class="quiet">
        ${
          isOwn
            ? editor.ownLanguage
            : missing.length === 0
              ? editor.offered
              : `${editor.notOffered} ${missing.join(', ')}`
        }
      </span>
    </div>
    ${
      isOwn || !mayEdit
        ? nothing
        : html`<button
            type="button"
            name="translations.${tag}"
            aria-label="${pageWords.remove}: ${name}"
            @click=${() => removeLanguage(state, tag)}
          >
            ${pageWords.remove}
          </button>`
    }
  </li>`;
}

/** The names of the purposes that have no words in a language yet. */
function listMissing(draft: Draft, tag: string): readonly string[] {
  const keys = listUntranslated(writeDraft(draft), tag);
  return draft.purposes.filter(({ key }) => keys.includes(key)).map(({ label, key }) => label || key);
}

function viewAdd(state: EditorState): TemplateResult {
  const { draft } = state;
  const { editor } = pageWords;
  const known = [draft.language, ...Object.keys(draft.translations)];
  const add = (event: Event) => {
    const input = (event.currentTarget as Element).closest('.add')?.querySelector('input') as HTMLInputElement;
    const tag = canonicalize(input.value.trim());
    if (tag === null || known.includes(tag)) {
      input.setCustomValidity(tag === null ? editor.noLanguage : editor.hasLanguage);
      input.reportValidity();
      return;
    }
    input.value = '';
    state.chooseLanguage(tag);
    state.change(
      { ...draft, translations: { ...draft.translations, [tag]: {} } },
      `[name="translations.${tag}.texts.title"]`,
    );
  };
  const clear = ({ currentTarget }: Event) => (currentTarget as HTMLInputElement).setCustomValidity('');
  const press = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.isComposing) return;
    event.preventDefault();
    add(event);
  };
  return html`<div class="add">
    <label class="field">
      <span>${editor.addLanguage}</span>
      <input
        list="more-languages"
        autocomplete="off"
        aria-describedby="add-language-hint"
        @input=${clear}
        @blur=${clear}
        @keydown=${press}
      />
      <span class="quiet" id="add-language-hint">${editor.addLanguageHint}</span>
    </label>
    <datalist id="more-languages">
      ${languages.filter((tag) => !known.includes(tag)).map((tag) => html`<option value=${tag}>${nameLanguage(tag)}</option>`)}
    </datalist>
    <p><button type="button" @click=${add}>${pageWords.editor.add}</button></p>
  </div>`;
}

/** The one form of a tag that the server stores; null for what is none. */
function canonicalize(tag: string): string | null {
  try {
    return Intl.getCanonicalLocales(tag)[0] ?? null;
  } catch {
    return null;
  }
}

function removeLanguage({ draft, language, chooseLanguage, change }: EditorState, tag: string): void {
  const { [tag]: _, ...translations } = draft.translations;
  const purposes = draft.purposes.map(({ words: { [tag]: _removed, ...words }, ...purpose }) => ({
    ...purpose,
    words,
  }));
  if (language === tag) chooseLanguage(draft.language);
  change({ ...draft, translations, purposes }, '.languages [aria-pressed=true]');
}

function viewText({ draft, language, words }: EditorState, name: TextName): TemplateResult {
  const isOwn = language === draft.language;
  const value = (isOwn ? draft.texts : draft.translations[language])?.[name] ?? '';
  const place = isOwn ? `texts.${name}` : `translations.${language}.texts.${name}`;
  const path = isOwn ? ['texts', name] : ['translations', language, name];
  const placeholder = words?.[name] ?? '';
  return html`<label class="field">
    <span>${pageWords.editor.textNames[name]}</span>
    ${
      long.includes(name)
        ? html`<textarea
            name=${place}
            data-path=${JSON.stringify(path)}
            rows="4"
            lang=${language}
            dir="auto"
            placeholder=${placeholder}
            .value=${value}
          ></textarea>`
        : html`<input
            name=${place}
            data-path=${JSON.stringify(path)}
            autocomplete="off"
            lang=${language}
            dir="auto"
            placeholder=${placeholder}
            .value=${value}
          />`
    }
  </label>`;
}

function viewTranslation({ draft, language }: EditorState, purpose: DraftPurpose, index: number): TemplateResult {
  const { key, label, description, words } = purpose;
  const { editor } = pageWords;
  const { label: translated = '', description: more = '' } = words[language] ?? {};
  const path = (name: string) => JSON.stringify(['purposes', index, 'words', language, name]);
  const place = `translations.${language}.purposes.${key}`;
  const isMissing = translated === '' || (more === '' && description !== '');
  return html`<fieldset>
    <legend>
      ${label || key} ${isMissing ? html`<span class="status" data-tone="neutral">${editor.notTranslated}</span>` : nothing}
    </legend>
    <label class="field">
      <span>${pageWords.purposeLabel}</span>
      <input
        name="${place}.label"
        data-path=${path('label')}
        autocomplete="off"
        lang=${language}
        dir="auto"
        .value=${translated}
        aria-describedby="original-${index}"
      />
      <span class="quiet" id="original-${index}" lang=${draft.language}>${label}</span>
    </label>
    <label class="field">
      <span>${pageWords.purposeDescription}</span>
      <textarea
        name="${place}.description"
        data-path=${path('description')}
        rows="3"
        lang=${language}
        dir="auto"
        .value=${more}
        aria-describedby="original-description-${index}"
      ></textarea>
      <span class="quiet" id="original-description-${index}" lang=${draft.language}>${description}</span>
    </label>
  </fieldset>`;
}
