import { html, nothing, type PropertyDeclarations, type PropertyValues, type TemplateResult } from 'lit';
import { viewCopy } from './copy.ts';
import { field, readForm, TaskElement, viewError, viewForbidden, viewMissing, viewRetry } from './element.ts';
import { pageWords, words } from './preferences.ts';
import { markUnsaved, mayLeave } from './router.ts';
import { session } from './session.ts';

/** A question before an action that cannot be undone or affects other people. */
interface Confirmation {
  /** Names the object. */
  readonly title: string;
  /** Consequences of the action. */
  readonly text: string | TemplateResult;
  readonly button: string;
  run(): Promise<void>;
}

/** A dialog with a form, which closes when the server has taken what it holds. */
export interface FormDialog {
  readonly title: string;
  /** Draws the fields, again whenever the page changes. */
  fields(): TemplateResult;
  /** Of the button that sends the form; default: the title. */
  readonly button?: string;
  /** True if the action cannot be undone. */
  readonly isDangerous?: boolean;
  send(values: Readonly<Record<string, string>>, form: HTMLFormElement): Promise<void>;
}

/** A value that is shown only once. */
interface Secret {
  readonly title: string;
  readonly value: string;
  /** Instructions for the value; default: to store it. */
  readonly hint?: string;
}

/** A page: it loads what it shows, its actions are confirmed or have forms, and its secrets are shown once. */
export class PageElement extends TaskElement {
  static override properties: PropertyDeclarations = {
    confirmation: { state: true },
    formDialog: { state: true },
    secret: { state: true },
    loadError: { state: true },
  };

  declare confirmation: Confirmation | null;
  /** The dialog with a form that is open. */
  declare formDialog: FormDialog | null;
  /** A secret that is shown only now, and what it is. */
  declare secret: Secret | null;
  /** Why what the page shows could not be loaded; null if it was not tried, or succeeded. */
  declare loadError: unknown;

  constructor() {
    super();
    this.confirmation = null;
    this.formDialog = null;
    this.secret = null;
    this.loadError = null;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.reload();
  }

  /** A dialog shows the error of its own action, not that of an earlier one. */
  protected override willUpdate(changed: PropertyValues<this>): void {
    const isOpened = (name: 'confirmation' | 'formDialog') => changed.has(name) && this[name] !== null;
    if (isOpened('confirmation') || isOpened('formDialog')) this.error = null;
  }

  protected override updated(changed: PropertyValues<this>): void {
    super.updated(changed);
    this.dispatchEvent(new Event('drawn', { bubbles: true }));
  }

  /** Reads what the page shows: when it is opened, and when the user tries again. */
  protected async load(): Promise<void> {}

  /** Loads the page after an action. A failure is not one of the action, which has been carried out. */
  protected async loadAgain(): Promise<void> {
    this.loadError = null;
    await this.load().catch((error: unknown) => {
      this.loadError = error;
    });
  }

  /** Loads the page again. What the user has typed stays. */
  protected readonly reload = (): void => {
    this.loadError = null;
    void this.runQuietly(() => this.loadAgain());
  };

  /** Makes the router ask before it leaves the form of the page, after a change that emits no `input` event. */
  protected markUnsaved(): void {
    const form = this.querySelector<HTMLFormElement>('form');
    if (form !== null) markUnsaved(form);
  }

  /** The page while its object is loaded, or why it is not there. @param title the kind of the object. */
  protected viewPending(title: string): TemplateResult {
    const { status, code, details } = Object(this.loadError);
    // An address with an invalid id leads to nothing either.
    if (status === 404 || (status === 422 && details?.[0]?.path.startsWith('path.'))) return viewMissing();
    if (code === 'insufficient_scope') return viewForbidden();
    return html`<h1 data-pending>${title}</h1>
      ${this.viewOutcome()} ${this.viewWaiting()}`;
  }

  /** Shown in place of what the page loads. */
  protected viewWaiting(): TemplateResult {
    return html`${this.loadError !== null ? nothing : html`<p role="status">${words.loading}</p>`}`;
  }

  /** The outcome of the last action and of loading the page, unless a dialog is open. */
  protected override viewOutcome(): TemplateResult {
    if (this.confirmation !== null || this.formDialog !== null) return html`${nothing}`;
    return html`${super.viewOutcome()} ${viewError(this.loadError)} ${viewRetry(this.loadError, this.reload)}`;
  }

  /** The dialogs of the page: at most one is open. */
  protected viewDialogs(): TemplateResult {
    if (this.secret !== null) return this.#viewSecret(this.secret);
    if (this.confirmation !== null) return this.#viewConfirmation(this.confirmation);
    if (this.formDialog !== null) return this.#viewForm(this.formDialog);
    return html`${nothing}`;
  }

  /** A modal dialog; Escape closes it, and asks if that loses input. @param close removes it from the page. */
  protected viewDialog(title: string, content: TemplateResult, close: () => void): TemplateResult {
    return html`<dialog data-open aria-labelledby="dialog-title" @keydown=${askOnEscape} @cancel=${askOnCancel} @close=${close}>
      <h2 id="dialog-title">${title}</h2>
      ${content}
    </dialog>`;
  }

  /** A modal dialog with a form: its fields, the error of the last try, and a button that sends it. */
  protected viewFormDialog(
    title: string,
    fields: TemplateResult,
    submit: (event: SubmitEvent) => void,
    close: () => void,
    button = title,
    isDangerous = false,
  ): TemplateResult {
    const cancel = ({ currentTarget }: Event) => {
      if (mayLeave((currentTarget as Element).closest('dialog') ?? document)) close();
    };
    return this.viewDialog(
      title,
      html`<form @submit=${submit}>
        ${fields} ${viewError(this.error)}
        <div class="actions">
          <button class=${isDangerous ? 'danger' : 'primary'} ?disabled=${this.isBusy}>${button}</button>
          <button type="button" @click=${cancel}>${words.cancel}</button>
        </div>
      </form>`,
      close,
    );
  }

  #viewForm({ title, fields, button = title, isDangerous = false, send }: FormDialog): TemplateResult {
    const close = () => {
      this.formDialog = null;
      this.error = null;
    };
    const submit = (event: SubmitEvent) => {
      const form = event.currentTarget as HTMLFormElement;
      const values = readForm(event);
      void this.run(async () => {
        await send(values, form);
        this.formDialog = null;
      });
    };
    return this.viewFormDialog(title, fields(), submit, close, button, isDangerous);
  }

  #viewConfirmation({ title, text, button, run }: Confirmation): TemplateResult {
    const close = () => {
      this.confirmation = null;
      this.error = null;
    };
    const confirm = async () => {
      if (await this.run(run)) this.confirmation = null;
    };
    return this.viewDialog(
      title,
      html`${typeof text === 'string' ? html`<p>${text}</p>` : text}
        ${viewError(this.error)}
        <div class="actions">
          <button class="danger" ?disabled=${this.isBusy} @click=${confirm}>${button}</button>
          <button @click=${close}>${words.cancel}</button>
        </div>`,
      close,
    );
  }

  /** Stays open until the user says that the secret is stored: there is no second chance. */
  #viewSecret({ title, value, hint = pageWords.secretHint }: Secret): TemplateResult {
    const close = () => {
      this.secret = null;
    };
    const stayOnEscape = (event: KeyboardEvent) => event.key === 'Escape' && event.preventDefault();
    return html`<dialog
      data-open
      data-secret
      aria-labelledby="dialog-title"
      @keydown=${stayOnEscape}
      @cancel=${(event: Event) => event.preventDefault()}
    >
      <h2 id="dialog-title">${title}</h2>
      <p>${hint}</p>
      ${viewCopyable(value)}
      <div class="actions"><button class="primary" @click=${close}>${pageWords.secretStored}</button></div>
    </dialog>`;
  }
}

/** A browser closes a dialog at the second Escape whatever the page says, so that the key must not reach it. */
function askOnEscape(event: KeyboardEvent): void {
  const dialog = event.currentTarget as HTMLDialogElement;
  if (event.key !== 'Escape' || event.isComposing) return;
  event.preventDefault();
  if (mayLeave(dialog)) dialog.close();
}

/** Where the system asks to close a dialog in another way: the back gesture of a phone. Fields for files emit it, too. */
function askOnCancel(event: Event): void {
  const { target, currentTarget } = event;
  if (target === currentTarget && !mayLeave(currentTarget as HTMLDialogElement)) event.preventDefault();
}

/** A labelled text of several lines. */
export function textField(
  label: string,
  name: string,
  { value = '', isOptional = false }: { readonly value?: string; readonly isOptional?: boolean } = {},
): TemplateResult {
  return html`<label class="field">
    <span>${label}</span>
    <textarea name=${name} rows="4" ?required=${!isOptional} .value=${value}></textarea>
  </label>`;
}

/** The fields of a rotation: how long the old secret works beside the new one. */
export function viewOverlap(hint: string): TemplateResult {
  return html`<p>${hint}</p>
    ${field(pageWords.overlapHours, 'overlapHours', { type: 'number', value: '24' })}`;
}

/** The heading of a list, with the button that adds to it for users who may. */
export function viewHeading(
  title: string,
  operation: Parameters<typeof session.allows>[0],
  label: string,
  add: () => void,
): TemplateResult {
  return html`<div class="heading">
    <h1>${title}</h1>
    ${session.allows(operation) ? html`<button class="primary" @click=${add}>${label}</button>` : nothing}
  </div>`;
}

/** Explanation in place of a list or chart without data. */
export interface EmptyState {
  /** Describes the missing data and how it is created. */
  readonly text: string;
  /** The page of the documentation, below `/docs/`. */
  readonly docs: string;
  /** A link to what makes one, where the page has no button for it above. */
  readonly action?: readonly [address: string, label: string];
}

/** An empty state: an explanation, one action, and where the documentation says more. */
export function viewEmpty({ text, docs, action }: EmptyState): TemplateResult {
  return html`<div class="empty" role="status">
    <p>${text}</p>
    ${action === undefined ? nothing : html`<p><a href=${action[0]}>${action[1]}</a></p>`}
    <p><a href="/docs/${docs}/" target="_blank">${pageWords.readDocs}</a></p>
  </div>`;
}

/** A text with a button that copies it. */
export function viewCopyable(text: string): TemplateResult {
  return html`<div class="copyable"><code>${text}</code>${viewCopy(text)}</div>`;
}

/** Texts to copy, with a heading and an explanation. */
export function viewRecipe(title: string, hint: string, ...texts: readonly string[]): TemplateResult {
  return html`<section>
    <h2>${title}</h2>
    <p>${hint}</p>
    ${texts.map((text) => viewCopyable(text))}
  </section>`;
}
