import { html, nothing, type PropertyDeclarations, type TemplateResult } from 'lit';
import { field, TaskElement, viewError } from './element.ts';
import { pageWords, words } from './preferences.ts';

/** What a user is asked before something that cannot be undone, or that others notice. */
interface Confirmation {
  /** Names the object. */
  readonly title: string;
  /** What happens then. */
  readonly text: string;
  readonly button: string;
  run(): Promise<void>;
}

/** A page whose actions are confirmed, and whose secrets are shown once. */
export class PageElement extends TaskElement {
  static override properties: PropertyDeclarations = { confirmation: { state: true }, secret: { state: true } };

  declare confirmation: Confirmation | null;
  /** A secret that is shown only now, and what it is. */
  declare secret: { readonly title: string; readonly value: string } | null;

  constructor() {
    super();
    this.confirmation = null;
    this.secret = null;
  }

  /** The page while its object is loaded, or why it is not there. @param title the kind of the object. */
  protected viewPending(title: string): TemplateResult {
    return html`<h1>${title}</h1>
      ${this.error === null ? html`<p role="status">${words.loading}</p>` : viewError(this.error)}`;
  }

  /** The dialogs of the page: at most one is open. */
  protected viewDialogs(): TemplateResult {
    if (this.secret !== null) return this.#viewSecret(this.secret);
    if (this.confirmation !== null) return this.#viewConfirmation(this.confirmation);
    return html`${nothing}`;
  }

  /** A modal dialog; Escape closes it. @param close removes it from the page. */
  protected viewDialog(title: string, content: TemplateResult, close: () => void): TemplateResult {
    return html`<dialog data-open aria-labelledby="dialog-title" @close=${close}>
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
  ): TemplateResult {
    return this.viewDialog(
      title,
      html`<form @submit=${submit}>
        ${fields} ${viewError(this.error)}
        <div class="actions">
          <button class="primary" ?disabled=${this.isBusy}>${button}</button>
          <button type="button" @click=${close}>${words.cancel}</button>
        </div>
      </form>`,
      close,
    );
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
      html`<p>${text}</p>
        ${viewError(this.error)}
        <div class="actions">
          <button class="danger" ?disabled=${this.isBusy} @click=${confirm}>${button}</button>
          <button @click=${close}>${words.cancel}</button>
        </div>`,
      close,
    );
  }

  /** Stays open until the user says that the secret is stored: there is no second chance. */
  #viewSecret({ title, value }: { readonly title: string; readonly value: string }): TemplateResult {
    const close = () => {
      this.secret = null;
    };
    return html`<dialog data-open aria-labelledby="dialog-title" @cancel=${(event: Event) => event.preventDefault()}>
      <h2 id="dialog-title">${title}</h2>
      <p>${pageWords.secretHint}</p>
      ${viewCopyable(value)}
      <div class="actions"><button class="primary" @click=${close}>${pageWords.secretStored}</button></div>
    </dialog>`;
  }
}

/** The fields of a rotation: how long the old secret works beside the new one. */
export function viewOverlap(hint: string): TemplateResult {
  return html`<p>${hint}</p>
    ${field(pageWords.overlapHours, 'overlapHours', { type: 'number', value: '24' })}`;
}

/** A text with a button that copies it. */
export function viewCopyable(text: string): TemplateResult {
  const copy = async (event: Event): Promise<void> => {
    const button = event.currentTarget as HTMLButtonElement;
    await navigator.clipboard.writeText(text);
    button.textContent = pageWords.copied;
  };
  return html`<div class="copyable"><code>${text}</code><button @click=${copy}>${pageWords.copy}</button></div>`;
}
