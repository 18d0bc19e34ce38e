import { html, nothing, type PropertyDeclarations, type PropertyValues, type TemplateResult } from 'lit';
import { languages } from '../../../../packages/consent-banner/src/languages.ts';
import type { WithResponse } from '../../../../packages/node-sdk/src/transport.ts';
import type { Notice, NoticeChange, NoticeContent } from '../../../../packages/node-sdk/src/types/api.ts';
import { listChanged, viewConflict } from '../conflict.ts';
import { field } from '../element.ts';
import { listRemoved, putInput, trimFacts, viewNoticeFacts, viewPurposeFacts } from '../notice-facts.ts';
import { contentOf, isConflict, listTexts, NoticePage } from '../notice-page.ts';
import { pageWords, words } from '../preferences.ts';
import type { Layer, Preview } from '../preview.ts';
import { notices } from '../sdk.ts';
import { session } from '../session.ts';

type Purpose = NoticeContent['purposes'][number];

/** How the preview is shown. */
interface Look {
  readonly screen: keyof typeof pageWords.screens;
  readonly theme: Preview['theme'];
  readonly layer: Layer;
  readonly direction: keyof typeof pageWords.directions;
}

/** The editor of a notice, with the banner that visitors will see. */
export class NoticeEditor extends NoticePage {
  static override properties: PropertyDeclarations = {
    draft: { state: true },
    theirs: { state: true },
    look: { state: true },
  };

  /** What the form holds. */
  declare draft: NoticeContent | null;
  /** What another user saved while this one was editing. */
  declare theirs: WithResponse<Notice> | null;
  declare look: Look;

  constructor() {
    super();
    this.draft = null;
    this.theirs = null;
    const theme = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
    this.look = { screen: 'desktop', theme, layer: 'banner', direction: 'own' };
  }

  override connectedCallback(): void {
    super.connectedCallback();
    addEventListener('message', this.#follow);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    removeEventListener('message', this.#follow);
  }

  protected override async load(): Promise<void> {
    await super.load();
    this.draft = this.stored && contentOf(this.stored);
  }

  protected override updated(changed: PropertyValues<this>): void {
    super.updated(changed);
    this.#preview();
  }

  protected override viewNotice(notice: Notice): TemplateResult {
    return html`<div class="editor">
        ${this.#viewForm(this.draft ?? contentOf(notice))} ${this.#viewPreview()}
      </div>
      ${this.theirs === null ? nothing : this.#viewConflict(notice, this.theirs.data)}`;
  }

  #viewForm(content: NoticeContent): TemplateResult {
    const { name, controllerName, language, domain, purposes } = content;
    const mayEdit = session.allows('editConsentNotice');
    return html`<form @submit=${this.#submit} @input=${this.#input} @invalid=${reveal}>
      <fieldset class="plain" ?disabled=${!mayEdit}>
        ${field(pageWords.name, 'name', { hint: pageWords.noticeNameHint, value: name })}
        ${field(pageWords.controller, 'controllerName', { hint: pageWords.controllerHint, value: controllerName })}
        ${field(pageWords.domain, 'domain', { hint: pageWords.domainHint, value: domain })}
        <label class="field">
          <span>${pageWords.noticeLanguage}</span>
          <input name="language" list="languages" autocomplete="off" required .value=${language} aria-describedby="language-hint" />
          <span class="quiet" id="language-hint">${pageWords.languageHint}</span>
        </label>
        <datalist id="languages">${languages.map((tag) => html`<option value=${tag}>${nameLanguage(tag)}</option>`)}</datalist>
        ${viewNoticeFacts(content)}
        <h2>${pageWords.purposes}</h2>
        <p class="quiet">${pageWords.purposeHint}</p>
        ${purposes.map((purpose, index) => this.#viewPurpose(purpose, index, purposes.length, mayEdit))}
        ${
          mayEdit
            ? html`<button type="button" @click=${this.#add}>${pageWords.addPurpose}</button>
                ${this.theirs === null ? this.viewOutcome() : nothing}
                <div class="actions"><button class="primary" ?disabled=${this.isBusy}>${pageWords.save}</button></div>`
            : nothing
        }
      </fieldset>
    </form>`;
  }

  #viewPurpose(purpose: Purpose, index: number, count: number, mayEdit: boolean): TemplateResult {
    const { key, label, description, required } = purpose;
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
      ${viewPurposeFacts(place, purpose, mayEdit ? this.#changeRecipients(purpose, index) : null)}
      ${
        mayEdit
          ? html`<div class="actions">
              ${button('up', pageWords.moveUp, index === 0, () => this.#move(index, index - 1, 'up'))}
              ${button('down', pageWords.moveDown, index === count - 1, () => this.#move(index, index + 1, 'down'))}
              ${count === 1 ? nothing : button('remove', pageWords.remove, false, () => this.#remove(index))}
            </div>`
          : nothing
      }
    </fieldset>`;
  }

  #viewPreview(): TemplateResult {
    const { screen } = this.look;
    return html`<div class="preview">
      <h2>${pageWords.preview}</h2>
      <div class="filters">
        ${this.#viewLook('screen', pageWords.screen, pageWords.screens)}
        ${this.#viewLook('theme', pageWords.appearance, { light: words.themeLight, dark: words.themeDark })}
        ${this.#viewLook('layer', pageWords.layer, pageWords.layers)}
        ${this.#viewLook('direction', pageWords.direction, pageWords.directions)}
      </div>
      <div class="screen" data-screen=${screen}>
        <iframe src="/app/preview.html" title=${pageWords.preview} @load=${this.#preview}></iframe>
      </div>
      <p class="quiet">${pageWords.previewHint}</p>
    </div>`;
  }

  #viewLook<Name extends keyof Look>(
    name: Name,
    label: string,
    options: Readonly<Record<Look[Name], string>>,
  ): TemplateResult {
    const choose = (event: Event) => {
      this.look = { ...this.look, [name]: (event.currentTarget as HTMLSelectElement).value };
    };
    return html`<label
      ><span>${label}</span
      ><select .value=${this.look[name]} @change=${choose}>
        ${Object.entries<string>(options).map(
          ([value, text]) => html`<option value=${value} ?selected=${value === this.look[name]}>${text}</option>`,
        )}
      </select></label
    >`;
  }

  #viewConflict(base: Notice, theirs: Notice): TemplateResult {
    const close = () => {
      this.theirs = null;
      this.error = null;
    };
    const take = () => {
      if (this.theirs !== null) this.keep(this.theirs);
      this.draft = contentOf(theirs);
      delete this.querySelector('form')?.dataset.unsaved;
      close();
    };
    const mine = listEdits(contentOf(base), this.draft ?? contentOf(base));
    const merged = { ...theirs, ...mine } as NoticeContent;
    const texts = { base: listTexts(base), theirs: listTexts(theirs), merged: listTexts(merged) };
    const keep = () => void this.#save(this.theirs);
    return this.viewDialog(
      pageWords.editedMeanwhile,
      viewConflict(texts, { keep, take, close }, this.isBusy, this.error),
      close,
    );
  }

  readonly #input = (event: Event): void => {
    const { draft } = this;
    if (draft === null || !(event.target instanceof HTMLElement)) return;
    this.draft = putInput(draft, event.target as HTMLInputElement);
  };

  readonly #add = (): void => {
    const { purposes = [] } = this.draft ?? {};
    const added = { key: '', label: '', description: '', required: false };
    void this.#arrange([...purposes, added], `[name="purposes.${purposes.length}.key"]`);
  };

  #remove(index: number): void {
    const purposes = (this.draft?.purposes ?? []).toSpliced(index, 1);
    const next = Math.min(index, purposes.length - 1);
    void this.#arrange(purposes, `[name="purposes.${next}.key"]`);
  }

  /** The buttons of the recipients of a purpose. */
  #changeRecipients(purpose: Purpose, index: number) {
    const { recipients = [] } = purpose;
    const place = `purposes.${index}.recipients`;
    const change = (changed: Purpose['recipients'], ...focus: readonly string[]) =>
      this.#arrange((this.draft?.purposes ?? []).with(index, { ...purpose, recipients: changed }), ...focus);
    return {
      add: () =>
        void change([...recipients, { name: '', role: 'processor' }], `[name="${place}.${recipients.length}.name"]`),
      // Without the last one, nothing is stated until the user says that there are none.
      remove: (at: number) => {
        const left = recipients.toSpliced(at, 1);
        const next = Math.min(at, left.length - 1);
        void change(left.length === 0 ? undefined : left, `[name="${place}.${next}.name"]`, `[name="${place}"]`);
      },
    };
  }

  /** Moves a purpose; the focus stays with it. */
  #move(from: number, to: number, step: 'up' | 'down'): void {
    const purposes = [...(this.draft?.purposes ?? [])];
    purposes.splice(to, 0, ...purposes.splice(from, 1));
    const buttons = `.purpose:nth-of-type(${to + 1}) button`;
    void this.#arrange(purposes, `${buttons}[data-step=${step}]:enabled`, `${buttons}[data-step]:enabled`);
  }

  /** @param focus selectors of what has the focus then; the first that is there. */
  async #arrange(purposes: NoticeContent['purposes'], ...focus: readonly string[]): Promise<void> {
    if (this.draft === null) return;
    this.draft = { ...this.draft, purposes };
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
      const change = listEdits(contentOf(stored), draft);
      const ifMatch = seen === null ? this.tag : seen.response.headers.etag;
      try {
        if (Object.keys(change).length > 0)
          this.keep(await notices.update(this.noticeId, change, { ifMatch }).withResponse());
      } catch (error) {
        if (!isConflict(error)) throw error;
        await import('../differences.ts');
        this.theirs = await notices.retrieve(this.noticeId).withResponse();
        return;
      }
      if (this.stored !== null) this.draft = contentOf(this.stored);
      this.theirs = null;
      this.notice = pageWords.saved;
    });
    if (isSaved && this.theirs !== null) this.markUnsaved();
  }

  readonly #preview = (): void => {
    const { draft, stored, look } = this;
    const frame = this.querySelector('iframe')?.contentWindow;
    if (!frame || draft === null || stored === null) return;
    const preview: Preview = {
      content: draft,
      version: (stored.version ?? 0) + 1,
      theme: look.theme,
      language: look.direction === 'rtl' ? 'ar' : draft.language,
      layer: look.layer,
    };
    frame.postMessage(preview, location.origin);
  };

  /** The preview opens and closes its own preferences. */
  readonly #follow = ({ origin, source, data }: MessageEvent): void => {
    if (origin !== location.origin || source !== this.querySelector('iframe')?.contentWindow) return;
    if (data === 'banner' || data === 'panel') this.look = { ...this.look, layer: data };
  };
}

/** The fields that the user changed; null for a fact that is removed. */
function listEdits(stored: NoticeContent, draft: NoticeContent): NoticeChange {
  const [before, after] = [trimFacts(stored), trimFacts(draft)];
  return { ...listChanged(before, after), ...listRemoved(before, after) };
}

/** Opens the part with a field that the browser rejects: it would refuse to send the form and could not say why. */
const reveal = {
  capture: true,
  handleEvent({ target }: Event): void {
    (target as Element).closest('details')?.setAttribute('open', '');
  },
};

/** The name of a language, in the language of the user. */
function nameLanguage(tag: string): string | undefined {
  return new Intl.DisplayNames(document.documentElement.lang, { type: 'language' }).of(tag);
}

customElements.define('svc-notice', NoticeEditor);
