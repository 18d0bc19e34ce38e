import { html, nothing, type TemplateResult } from 'lit';
import { languages } from '../../../consent/messages/messages.ts';
import { viewHinted } from '../element.ts';
import { type Draft, type DraftPurpose, writeDraft } from '../notice-draft.ts';
import { nameLanguage } from '../notice-names.ts';
import { listUntranslated } from '../notice-rules.ts';
import { pageWords } from '../preferences.ts';
import type { EditorState } from './part.ts';

type TextName = keyof typeof pageWords.editor.textNames;

/** The texts of several lines. */
const long: readonly TextName[] = ['intro', 'panelIntro'];

/** Texts of the banner, in each language. */
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
    ${viewHinted(
      editor.addLanguage,
      html`<input
        list="more-languages"
        autocomplete="off"
        aria-describedby="add-language-hint"
        @input=${clear}
        @blur=${clear}
        @keydown=${press}
      />`,
      html`<span class="quiet" id="add-language-hint">${editor.addLanguageHint}</span>`,
    )}
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

interface TextField {
  readonly label: string;
  readonly name: string;
  /** Where the value is in the draft. */
  readonly path: readonly (string | number)[];
  readonly value: string;
  readonly language: string;
  /** The rows of a text of several lines. */
  readonly rows?: number;
  readonly placeholder?: string;
  /** The text that is translated, and its language. */
  readonly original?: { readonly id: string; readonly text: string; readonly language: string };
}

function viewTextField(field: TextField): TemplateResult {
  const { label, name, value, language, rows, placeholder = '', original } = field;
  const path = JSON.stringify(field.path);
  return viewHinted(
    label,
    rows
      ? html`<textarea
          name=${name}
          data-path=${path}
          rows=${rows}
          lang=${language}
          dir="auto"
          placeholder=${placeholder}
          .value=${value}
          aria-describedby=${original?.id ?? nothing}
        ></textarea>`
      : html`<input
          name=${name}
          data-path=${path}
          autocomplete="off"
          lang=${language}
          dir="auto"
          placeholder=${placeholder}
          .value=${value}
          aria-describedby=${original?.id ?? nothing}
        />`,
    original ? html`<span class="quiet" id=${original.id} lang=${original.language}>${original.text}</span>` : nothing,
  );
}

function viewText({ draft, language, words }: EditorState, name: TextName): TemplateResult {
  const isOwn = language === draft.language;
  return viewTextField({
    label: pageWords.editor.textNames[name],
    name: isOwn ? `texts.${name}` : `translations.${language}.texts.${name}`,
    path: isOwn ? ['texts', name] : ['translations', language, name],
    value: (isOwn ? draft.texts : draft.translations[language])?.[name] ?? '',
    language,
    placeholder: words?.[name] ?? '',
    ...(long.includes(name) && { rows: 4 }),
  });
}

function viewTranslation({ draft, language }: EditorState, purpose: DraftPurpose, index: number): TemplateResult {
  const { key, label, description, words } = purpose;
  const { label: translated = '', description: more = '' } = words[language] ?? {};
  const place = `translations.${language}.purposes.${key}`;
  const isMissing = translated === '' || (more === '' && description !== '');
  return html`<fieldset>
    <legend>
      ${label || key}
      ${isMissing ? html`<span class="status" data-tone="neutral">${pageWords.editor.notTranslated}</span>` : nothing}
    </legend>
    ${viewTextField({
      label: pageWords.purposeLabel,
      name: `${place}.label`,
      path: ['purposes', index, 'words', language, 'label'],
      value: translated,
      language,
      original: { id: `original-${index}`, text: label, language: draft.language },
    })}
    ${viewTextField({
      label: pageWords.purposeDescription,
      name: `${place}.description`,
      path: ['purposes', index, 'words', language, 'description'],
      value: more,
      language,
      rows: 3,
      original: { id: `original-description-${index}`, text: description, language: draft.language },
    })}
  </fieldset>`;
}
