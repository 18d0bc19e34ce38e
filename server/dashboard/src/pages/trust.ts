import { html, nothing, type PropertyDeclarations, type TemplateResult } from 'lit';
import type { WithResponse } from '../../../../packages/node-sdk/src/transport.ts';
import type { ControlFramework, TrustCenter } from '../../../../packages/node-sdk/src/types/api.ts';
import { RequestError } from '../api.ts';
import { viewConflict } from '../conflict.ts';
import { viewStatus, viewTime } from '../format.ts';
import { pageWords } from '../preferences.ts';
import { controls, trust } from '../sdk.ts';
import { session } from '../session.ts';
import { listTexts, mergeChanges, nameChanged, readSaved, type Saved } from '../trust-changes.ts';
import { type Draft, emptyRow, type ListName, readDraft, writeInput } from '../trust-draft.ts';
import { viewTrustFields } from '../trust-form.ts';
import { TrustPage } from '../trust-page.ts';
import '../trust-preview-frame.ts';

/** Content that another user saved in the meantime, and the content that this user tried to save. */
interface Conflict {
  readonly theirs: WithResponse<TrustCenter>;
  readonly wanted: Saved;
  readonly isDraft: boolean;
}

/** The editor of the trust center, with the public page that visitors will see. */
export class TrustEditor extends TrustPage {
  static override properties: PropertyDeclarations = {
    draft: { state: true },
    conflict: { state: true },
  };

  /** Content of the form. */
  declare draft: Draft | null;
  declare conflict: Conflict | null;
  #frameworks: readonly ControlFramework[] = [];
  /** The entity tag of what this user has seen: what another user saved meanwhile is not overwritten. */
  #tag: string | undefined;

  constructor() {
    super();
    this.draft = null;
    this.conflict = null;
  }

  protected override async load(): Promise<void> {
    const [stored, { items }] = await Promise.all([trust.retrieve().withResponse(), controls.frameworks.list()]);
    this.#frameworks = items;
    this.#take(stored);
  }

  protected override viewTrust(stored: TrustCenter): TemplateResult {
    const { draft } = this;
    if (draft === null) return this.viewWaiting();
    const { conflict } = this;
    return html`<div class="editor">
        ${this.#viewForm(stored, draft)}
        <div class="preview">
          <svc-trust-preview .stored=${stored} .draft=${draft} .frameworks=${this.#frameworks}></svc-trust-preview>
        </div>
      </div>
      ${conflict === null || this.confirmation !== null ? nothing : this.#viewConflict(stored, conflict)}`;
  }

  #viewForm(stored: TrustCenter, draft: Draft): TemplateResult {
    const mayEdit = session.allows('replaceTrustCenter');
    return html`<form @submit=${this.#submit} @input=${this.#input}>
      <fieldset class="plain" ?disabled=${!mayEdit}>
        <p>
          ${viewStatus(stored.published ? 'published' : 'draft')}
          ${stored.updatedAt === null ? nothing : html`${pageWords.lastChanged} ${viewTime(stored.updatedAt)}`}
        </p>
        ${stored.draft === null ? nothing : viewDraftState(stored, stored.draft.updatedAt)}
        ${viewTrustFields(draft, this.#frameworks, mayEdit ? this.#rowActions : null)}
        ${this.conflict === null ? this.viewOutcome() : nothing} ${mayEdit ? this.#viewActions(stored) : nothing}
      </fieldset>
    </form>`;
  }

  #viewActions({ published, draft }: TrustCenter): TemplateResult {
    return html`<div class="actions">
      <button class="primary" ?disabled=${this.isBusy}>${published ? pageWords.publishChanges : pageWords.saveDraft}</button>
      ${published ? html`<button type="button" ?disabled=${this.isBusy} @click=${this.#saveDraft}>${pageWords.saveDraft}</button>` : nothing}
      ${draft === null ? nothing : html`<button type="button" @click=${this.#discard}>${pageWords.discardDraft}</button>`}
      ${
        published
          ? html`<button type="button" @click=${this.#unpublish}>${pageWords.unpublish}</button>`
          : html`<button type="button" @click=${this.#publish}>${pageWords.publish}</button>`
      }
    </div>`;
  }

  #viewConflict(base: TrustCenter, { theirs, wanted, isDraft }: Conflict): TemplateResult {
    const close = () => {
      this.conflict = null;
      this.error = null;
    };
    const take = () => {
      this.#take(theirs);
      delete this.querySelector('form')?.dataset.unsaved;
      close();
    };
    const keep = () => void this.run(() => this.#send(wanted, theirs, isDraft));
    const write = (saved: Saved) => listTexts(saved, this.#frameworks);
    const texts = {
      base: write(readSaved(base)),
      theirs: write(readSaved(theirs.data)),
      merged: write(mergeChanges(base, wanted, theirs.data)),
    };
    return this.viewDialog(
      pageWords.trustChanged,
      viewConflict(texts, { keep, take, close }, this.isBusy, this.error),
      close,
    );
  }

  /** @param sent the draft that was saved: what was entered since stays. */
  #take({ data, response }: WithResponse<TrustCenter>, sent = this.draft): void {
    this.stored = data;
    this.#tag = response.headers.etag;
    if (this.draft === sent) this.draft = readDraft(data.draft ?? data);
  }

  readonly #input = ({ target }: Event): void => {
    const { draft } = this;
    if (draft === null) return;
    const { name, type, checked, value } = target as HTMLInputElement;
    const [list, index, cell = ''] = name.split('.');
    if (name === 'showsProof') this.draft = { ...draft, showsProof: checked };
    else if (index === undefined) this.draft = { ...draft, texts: { ...draft.texts, [name]: value } };
    else {
      const rows = draft.lists[list as ListName];
      const given = type === 'date' && value !== '' ? `${value}T00:00:00.000Z` : value;
      const changed = rows.with(Number(index), { ...rows[Number(index)], [cell]: given });
      this.draft = { ...draft, lists: { ...draft.lists, [list as ListName]: changed } };
    }
  };

  readonly #rowActions = {
    add: (list: ListName): void => {
      const used = new Set(this.draft?.lists.frameworks.map(({ code }) => code));
      const free = this.#frameworks.find(({ code }) => !used.has(code)) ?? this.#frameworks[0];
      const rows = this.draft?.lists[list] ?? [];
      void this.#arrange(list, [...rows, emptyRow(list, free?.code)], `[name^="${list}.${rows.length}."]`);
    },
    remove: (list: ListName, index: number): void => {
      const rows = (this.draft?.lists[list] ?? []).toSpliced(index, 1);
      void this.#arrange(list, rows, `[data-list=${list}]`);
    },
  };

  /** @param focus the selector of what has the focus then. */
  async #arrange(list: ListName, rows: Draft['lists'][ListName], focus: string): Promise<void> {
    if (this.draft === null) return;
    this.draft = { ...this.draft, lists: { ...this.draft.lists, [list]: rows } };
    this.markUnsaved();
    await this.updateComplete;
    this.querySelector<HTMLElement>(focus)?.focus();
  }

  readonly #submit = (event: SubmitEvent): void => {
    event.preventDefault();
    if (this.stored?.published) this.#publish();
    else void this.run(() => this.#save(false));
  };

  /** Asks with what changes for visitors. */
  readonly #publish = (): void => {
    const { stored, draft } = this;
    if (stored === null || draft === null || !this.querySelector('form')?.reportValidity()) return;
    const changed = nameChanged(stored, { ...writeInput(draft), published: true });
    if (stored.published && changed.length === 0) {
      this.notice = pageWords.nothingChanged;
      return;
    }
    this.confirmation = {
      title: stored.published ? pageWords.publishChanges : pageWords.publishTrust,
      text: stored.published
        ? `${pageWords.changes}: ${changed.join(', ')}.`
        : `${pageWords.publishTrustHint} ${stored.url}`,
      button: pageWords.publish,
      run: () => this.#save(true),
    };
  };

  readonly #saveDraft = (): void => {
    const { draft } = this;
    if (draft === null || !this.querySelector('form')?.reportValidity()) return;
    void this.run(() => this.#send({ ...writeInput(draft), published: true }, null, true));
  };

  readonly #discard = (): void => {
    this.confirmation = {
      title: pageWords.discardDraft,
      text: pageWords.discardDraftHint,
      button: pageWords.discardDraft,
      run: async () => this.#take(await trust.discardDraft({ ifMatch: this.#tag }).withResponse()),
    };
  };

  readonly #unpublish = (): void => {
    this.confirmation = {
      title: pageWords.unpublishTrust,
      text: pageWords.unpublishTrustHint,
      button: pageWords.unpublish,
      run: () => this.#save(false),
    };
  };

  /** An action that ended in the question about both changes has saved nothing. */
  protected override async run(step: () => Promise<void>): Promise<boolean> {
    const isDone = await super.run(step);
    if (isDone && this.conflict !== null) this.markUnsaved();
    return isDone;
  }

  async #save(published: boolean): Promise<void> {
    if (this.draft !== null) await this.#send({ ...writeInput(this.draft), published }, null);
  }

  /**
   * Saves, unless another user saved something that this one has not seen.
   * @param seen what another user saved, and this one has seen: only what this one changed replaces it.
   * @param isDraft whether what is public stays as it is.
   */
  async #send(wanted: Saved, seen: WithResponse<TrustCenter> | null, isDraft = false): Promise<void> {
    const { stored, draft } = this;
    if (stored === null) return;
    const input = seen === null ? wanted : mergeChanges(stored, wanted, seen.data);
    const ifMatch = seen === null ? this.#tag : seen.response.headers.etag;
    try {
      const { published: _, ...content } = input;
      const sent = isDraft ? trust.saveDraft(content, { ifMatch }) : trust.replace(input, { ifMatch });
      this.#take(await sent.withResponse(), draft);
    } catch (error) {
      if (!(error instanceof RequestError && error.code === 'trust_center_changed')) throw error;
      await import('../differences.ts');
      this.conflict = { theirs: await trust.retrieve().withResponse(), wanted, isDraft };
      return;
    }
    this.conflict = null;
    this.notice = input.published && !isDraft ? pageWords.trustPublished : pageWords.saved;
  }
}

function viewDraftState(stored: TrustCenter, updatedAt: string): TemplateResult {
  const changed = nameChanged(stored, readSaved(stored));
  return html`<p>
    ${pageWords.draftSaved} ${viewTime(updatedAt)}${changed.length === 0 ? nothing : html`. ${pageWords.changes}: ${changed.join(', ')}.`}
  </p>`;
}

customElements.define('svc-trust', TrustEditor);
