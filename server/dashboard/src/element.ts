import { html, LitElement, nothing, type PropertyDeclarations, type PropertyValues, type TemplateResult } from 'lit';
import { RequestError } from './api.ts';
import { words } from './preferences.ts';

/** An element in the document itself, so that labels, styles and the outline of headings reach across. */
export class DashboardElement extends LitElement {
  protected override createRenderRoot(): HTMLElement {
    return this;
  }
}

/** An element whose actions run one at a time and may fail. */
export class TaskElement extends DashboardElement {
  static override properties: PropertyDeclarations = {
    isBusy: { state: true },
    error: { state: true },
    notice: { state: true },
  };

  declare isBusy: boolean;
  /** Why the last action failed; null if it did not. */
  declare error: unknown;
  /** What the last action did; empty for nothing to say. */
  declare notice: string;

  constructor() {
    super();
    this.isBusy = false;
    this.error = null;
    this.notice = '';
  }

  /**
   * Runs an action, unless another one is running. If it fails, the field that the server rejects gets the focus.
   * @returns whether it succeeded.
   */
  protected async run(step: () => Promise<void>): Promise<boolean> {
    if (this.isBusy) return false;
    this.isBusy = true;
    this.error = null;
    this.notice = '';
    try {
      await step();
      this.#markSaved();
    } catch (error) {
      this.error = error;
      this.#focusRejected(error);
    } finally {
      this.isBusy = false;
    }
    return this.error === null;
  }

  /** Leads to another page after an action. @param path below `/app/`. */
  protected goTo(path: string): void {
    this.#markSaved();
    this.dispatchEvent(new CustomEvent('go', { detail: path, bubbles: true }));
  }

  /** The error or the success of the last action. */
  protected viewOutcome(): TemplateResult {
    return html`${viewError(this.error)}
    ${this.notice === '' ? nothing : html`<p class="notice" role="status">${this.notice}</p>`}`;
  }

  protected override updated(_changed: PropertyValues<this>): void {
    this.querySelector<HTMLDialogElement>('dialog[data-open]:not([open])')?.showModal();
  }

  /** The router asks before it leaves a form that is marked. */
  #markSaved(): void {
    for (const form of this.querySelectorAll<HTMLFormElement>('form[data-unsaved]')) delete form.dataset.unsaved;
  }

  #focusRejected(error: unknown): void {
    if (!(error instanceof RequestError)) return;
    const path = error.details[0]?.path.replace('body.', '') ?? '';
    const find = (name: string) => this.querySelector<HTMLElement>(`form [name="${CSS.escape(name)}"]`);
    (find(path) ?? find(path.replace(/[.[].*/, '')))?.focus();
  }
}

/** What an error says to the user; null for none. */
export function viewError(error: unknown): TemplateResult | typeof nothing {
  if (error === null || error === undefined) return nothing;
  return html`<div class="error" role="alert">
    <p>${describeError(error)}</p>
    ${
      error instanceof RequestError && error.requestId !== null
        ? html`<p class="quiet">${words.requestId} <code>${error.requestId}</code></p>`
        : nothing
    }
  </div>`;
}

function describeError(error: unknown): string {
  // The SDK has an error of its own for an id that is no notice.
  if (!(error instanceof RequestError)) return Object(error).status === 404 ? words.notFoundHint : words.failed;
  if (error.status === 0) return words.unreachable;
  // A single detail is the message.
  if (error.details.length < 2) return error.message || words.failed;
  return error.details.map(({ path, issue }) => `${path.replace('body.', '')}: ${issue}.`).join(' ');
}

/** Keeps the browser from sending a form. @returns the values of its fields. */
export function readForm(event: SubmitEvent): Readonly<Record<string, string>> {
  event.preventDefault();
  return Object.fromEntries(new FormData(event.currentTarget as HTMLFormElement)) as Record<string, string>;
}

/** For password managers, which need to know whose password a form has. @param email empty while it is unknown. */
export function username(email = ''): TemplateResult {
  return html`<input hidden autocomplete="username" .value=${email} />`;
}

/** A labelled input. */
export function field(
  label: string,
  name: string,
  more: {
    readonly type?: string;
    readonly autocomplete?: string;
    readonly hint?: string;
    readonly isOptional?: boolean;
    readonly value?: string;
  } = {},
): TemplateResult {
  const { type = 'text', autocomplete = 'off', hint, isOptional = false, value = '' } = more;
  return html`<label class="field">
    <span>${label}</span>
    <input
      name=${name}
      type=${type}
      autocomplete=${autocomplete as 'on'}
      .value=${value}
      ?required=${!isOptional}
      aria-describedby=${hint === undefined ? nothing : `${name}-hint`}
    />
    ${hint === undefined ? nothing : html`<span class="quiet" id="${name}-hint">${hint}</span>`}
  </label>`;
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

/** A labelled choice. @param options pairs of value and label. */
export function choice(
  label: string,
  name: string,
  options: Iterable<readonly [value: string, label: string]>,
  value = '',
): TemplateResult {
  return html`<label class="field">
    <span>${label}</span>
    <select name=${name}>
      ${[...options].map(([one, text]) => html`<option value=${one} ?selected=${one === value}>${text}</option>`)}
    </select>
  </label>`;
}
