import { html, nothing, type PropertyDeclarations, type PropertyValues, type TemplateResult } from 'lit';
import type { WithResponse } from '../../../../packages/node-sdk/src/transport.ts';
import type { Notice, NoticeContent, NoticeWarning } from '../../../../packages/node-sdk/src/types/api.ts';
import { RequestError } from '../api.ts';
import { loadMessages } from '../banner-messages.ts';
import { viewConflict } from '../conflict.ts';
import { viewError, viewUnloadedPart } from '../element.ts';
import { type Draft, listEdits, putInput, readDraft, writeDraft } from '../notice-draft.ts';
import { isConflict, NoticePage } from '../notice-page.ts';
import type { EditorState, NoticePart } from '../notice-parts/part.ts';
import { rightToLeft } from '../notice-preview.ts';
import type { LocalizedMessages } from '../notice-rules.ts';
import { listTexts } from '../notice-texts.ts';
import { viewWarnings } from '../notice-warnings.ts';
import { pageWords, words } from '../preferences.ts';
import { notices } from '../sdk.ts';
import { session } from '../session.ts';
import { setParameter } from '../whereabouts.ts';

/** The parts of the editor; each script is loaded when its part is opened. */
const parts = {
  content: () => import('../notice-parts/content.ts'),
  texts: () => import('../notice-parts/texts.ts'),
  look: () => import('../notice-parts/look.ts'),
  regions: () => import('../notice-parts/regions.ts'),
  trackers: () => import('../notice-parts/trackers.ts'),
} as const satisfies Readonly<Record<string, () => Promise<NoticePart>>>;

type PartName = keyof typeof parts;
const partNames = Object.keys(parts) as readonly PartName[];

/** The editor of a notice, with the banner that visitors will see. */
export class NoticeEditor extends NoticePage {
  static override properties: PropertyDeclarations = {
    draft: { state: true },
    theirs: { state: true },
    opened: { state: true },
    language: { state: true },
    spoken: { state: true },
    wordsError: { state: true },
  };

  /** Content of the form. */
  declare draft: Draft | null;
  /** The notice as another user saved it while this one was editing. */
  declare theirs: WithResponse<Notice> | null;
  /** The part that is open, and its script; null until the first is loaded. */
  declare opened: { readonly name: PartName; readonly viewPart: NoticePart['viewPart'] } | null;
  /** The language that is edited and shown; empty for that of the notice. */
  declare language: string;
  /** The default words that are loaded, by language. */
  declare spoken: Readonly<Record<string, LocalizedMessages>>;
  /** Why they could not be loaded. */
  declare wordsError: unknown;

  constructor() {
    super();
    this.draft = null;
    this.theirs = null;
    this.opened = null;
    this.language = '';
    this.spoken = {};
    this.wordsError = null;
  }

  protected override async load(): Promise<void> {
    const wanted = new URLSearchParams(location.search).get('part') ?? '';
    const name = partNames.find((one) => one === wanted) ?? 'content';
    await Promise.all([super.load(), this.#open(name)]);
    this.draft = this.stored && readDraft(this.stored);
  }

  protected override updated(changed: PropertyValues<this>): void {
    super.updated(changed);
    const { draft } = this;
    if (draft === null || this.wordsError !== null) return;
    for (const tag of [this.#edited(draft), this.#previewed(draft)])
      if (!Object.hasOwn(this.spoken, tag) && isTag(tag)) void this.#loadWords(tag);
  }

  protected override viewNotice(notice: Notice): TemplateResult {
    const { draft, opened } = this;
    if (opened === null && this.loadError !== null) return viewUnloadedPart();
    if (draft === null || opened === null) return this.viewWaiting();
    return html`${viewWarnings(notice, (warning) => void this.runQuietly(() => this.#showText(warning)))}
      <div class="editor">
        <div>${this.#viewParts(opened.name)} ${this.#viewForm(draft, opened)}</div>
        <div class="preview">${this.#viewPreview(notice, draft)}</div>
      </div>
      ${this.theirs === null ? nothing : this.#viewConflict(notice, this.theirs.data, draft)}`;
  }

  #viewParts(open: PartName): TemplateResult {
    return html`<div class="tabs" role="tablist" aria-label=${pageWords.edit} @keydown=${this.#walk}>
      ${partNames.map(
        (name) =>
          html`<button
            type="button"
            role="tab"
            id="tab-${name}"
            aria-controls="part"
            aria-selected=${name === open}
            tabindex=${name === open ? 0 : -1}
            @click=${() => this.#choose(name)}
          >
            ${pageWords.editor.parts[name]}
          </button>`,
      )}
    </div>`;
  }

  #viewForm(draft: Draft, { name, viewPart }: NonNullable<NoticeEditor['opened']>): TemplateResult {
    const mayEdit = session.allows('editConsentNotice');
    const state: EditorState = {
      draft,
      mayEdit,
      language: this.#edited(draft),
      words: this.spoken[this.#edited(draft)]?.messages ?? null,
      chooseLanguage: (tag) => {
        this.language = tag;
      },
      change: (changed, ...focus) => void this.#change(changed, focus),
    };
    return html`<form @submit=${this.#submit} @input=${this.#input} @invalid=${reveal}>
      <fieldset class="plain" ?disabled=${!mayEdit}>
        <div id="part" role="tabpanel" aria-labelledby="tab-${name}">${viewPart(state)}</div>
        ${this.theirs === null ? this.viewOutcome() : nothing}
        ${
          mayEdit
            ? html`<div class="actions"><button class="primary" ?disabled=${this.isBusy}>${pageWords.save}</button></div>`
            : nothing
        }
      </fieldset>
    </form>`;
  }

  #viewPreview(notice: Notice, draft: Draft): TemplateResult {
    const language = this.#previewed(draft);
    const retry = () => {
      this.wordsError = null;
    };
    if (this.wordsError !== null)
      return html`<h2>${pageWords.preview}</h2>
        ${viewError(this.wordsError)}
        <div class="actions"><button @click=${retry}>${words.retry}</button></div>`;
    return html`<svc-notice-preview
      .content=${writeDraft(draft)}
      .version=${(notice.version ?? 0) + 1}
      .language=${language}
      .languages=${[draft.language, ...Object.keys(draft.translations)]}
      .regions=${draft.regions}
      .spoken=${this.spoken[language] ?? null}
      @language=${({ detail }: CustomEvent<string>) => {
        this.language = detail;
      }}
    ></svc-notice-preview>`;
  }

  /** The language of the notice that is edited. */
  #edited({ language, translations }: Draft): string {
    return Object.hasOwn(translations, this.language) ? this.language : language;
  }

  /** That of the preview: it can be one that the notice does not have. */
  #previewed(draft: Draft): string {
    return this.language === rightToLeft ? this.language : this.#edited(draft);
  }

  #viewConflict(base: Notice, theirs: Notice, draft: Draft): TemplateResult {
    const close = () => {
      this.theirs = null;
      this.error = null;
    };
    const take = () => {
      if (this.theirs !== null) this.keep(this.theirs);
      this.draft = readDraft(theirs);
      delete this.querySelector('form')?.dataset.unsaved;
      close();
    };
    const merged = { ...theirs, ...listEdits(base, draft) } as NoticeContent;
    const texts = { base: listTexts(base), theirs: listTexts(theirs), merged: listTexts(merged) };
    const keep = () => void this.#save(this.theirs);
    return this.viewDialog(
      pageWords.editedMeanwhile,
      viewConflict(texts, { keep, take, close }, this.isBusy, this.error),
      close,
    );
  }

  /** Loads a part and shows it. What is entered in another one stays in the draft. */
  async #open(name: PartName): Promise<void> {
    const { viewPart } = await parts[name]().catch(() => {
      throw new RequestError(0, { code: 'unreachable' });
    });
    this.opened = { name, viewPart };
    setParameter('part', name === 'content' ? '' : name);
  }

  #choose(name: PartName): void {
    void this.runQuietly(() => this.#open(name));
  }

  /** The arrow keys go over the parts, as in every list of tabs. */
  readonly #walk = (event: KeyboardEvent): void => {
    const tabs = [...this.querySelectorAll<HTMLElement>('[role=tab]')];
    const at = tabs.indexOf(event.target as HTMLElement);
    const forward = getComputedStyle(this).direction === 'rtl' ? 'ArrowLeft' : 'ArrowRight';
    const backward = forward === 'ArrowLeft' ? 'ArrowRight' : 'ArrowLeft';
    const targets: Readonly<Record<string, number>> = { [forward]: at + 1, [backward]: at - 1, Home: 0, End: -1 };
    const target = targets[event.key];
    if (target === undefined) return;
    event.preventDefault();
    const tab = tabs.at(target % tabs.length);
    tab?.focus();
    tab?.click();
  };

  async #loadWords(tag: string): Promise<void> {
    try {
      this.spoken = { ...this.spoken, [tag]: await loadMessages(tag) };
    } catch (error) {
      this.wordsError = error;
    }
  }

  readonly #input = (event: Event): void => {
    const { draft } = this;
    const input = event.target as HTMLInputElement;
    // A field without a name holds nothing of the draft.
    if (draft === null || !input.name) return;
    this.draft = putInput(draft, input);
  };

  async #change(draft: Draft, focus: readonly string[]): Promise<void> {
    this.draft = draft;
    this.markUnsaved();
    await this.updateComplete;
    focus
      .map((selector) => this.querySelector<HTMLElement>(selector))
      .find((found) => found !== null)
      ?.focus();
  }

  readonly #submit = (event: SubmitEvent): void => {
    event.preventDefault();
    void this.#save(null);
  };

  /**
   * Saves the fields that the user changed, unless another user saved something that this one has not seen.
   * @param seen what another user saved, and this one has seen.
   */
  async #save(seen: WithResponse<Notice> | null): Promise<void> {
    const { stored, draft } = this;
    if (stored === null || draft === null) return;
    const isSaved = await this.run(async () => {
      const change = listEdits(stored, draft);
      const ifMatch = seen === null ? this.tag : seen.response.headers.etag;
      try {
        if (Object.keys(change).length > 0)
          this.keep(await notices.update(this.noticeId, change, { ifMatch }).withResponse());
      } catch (error) {
        await this.#showRejected(error);
        if (!isConflict(error)) throw error;
        await import('../differences.ts');
        this.theirs = await notices.retrieve(this.noticeId).withResponse();
        return;
      }
      // Changes made while saving are kept.
      if (this.stored !== null && this.draft === draft)
        this.draft = { ...readDraft(this.stored), regions: draft.regions };
      this.theirs = null;
      this.notice = pageWords.saved;
    });
    if (isSaved && this.theirs !== null) this.markUnsaved();
  }

  /** Opens the part with the field that the server rejects. */
  async #showRejected(error: unknown): Promise<void> {
    const [rejected] = error instanceof RequestError ? error.details : [];
    if (rejected === undefined) return;
    const path = rejected.path.replace(/^body\./, '');
    const [, tag] = /^translations\.([^.]+)/.exec(path) ?? [];
    if (tag !== undefined) this.language = tag;
    await this.#open(findPart(path));
    await this.updateComplete;
  }

  /** Opens the text that a warning is about. */
  async #showText({ language, path }: NoticeWarning): Promise<void> {
    this.language = language;
    await this.#open(findPart(path));
    await this.updateComplete;
    this.querySelector<HTMLElement>(`[name="${CSS.escape(path)}"]`)?.focus();
  }
}

/** The part with the field of a value. */
function findPart(path: string): PartName {
  if (/^(?:texts|translations)\b/.test(path)) return 'texts';
  if (path.startsWith('theme')) return 'look';
  if (/^purposes\.\d+\.basis/.test(path)) return 'regions';
  return /^purposes(?:\.\d+\.trackers|$)/.test(path) ? 'trackers' : 'content';
}

function isTag(text: string): boolean {
  try {
    return Intl.getCanonicalLocales(text).length > 0;
  } catch {
    return false;
  }
}

/** Opens the part with a field that the browser rejects: it would refuse to send the form and could not say why. */
const reveal = {
  capture: true,
  handleEvent({ target }: Event): void {
    (target as Element).closest('details')?.setAttribute('open', '');
  },
};

customElements.define('svc-notice', NoticeEditor);
