import { html, LitElement, nothing, type PropertyDeclarations, type TemplateResult } from 'lit';
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
  static override properties: PropertyDeclarations = { isBusy: { state: true }, error: { state: true } };

  declare isBusy: boolean;
  /** Why the last action failed; null if it did not. */
  declare error: unknown;

  constructor() {
    super();
    this.isBusy = false;
    this.error = null;
  }

  /** Runs an action, unless another one is running. */
  protected async run(step: () => Promise<void>): Promise<void> {
    if (this.isBusy) return;
    this.isBusy = true;
    this.error = null;
    try {
      await step();
    } catch (error) {
      this.error = error;
    } finally {
      this.isBusy = false;
    }
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
  if (!(error instanceof RequestError)) return words.failed;
  if (error.status === 0) return words.unreachable;
  const [detail] = error.details;
  return detail === undefined ? error.message || words.failed : `${error.message} ${detail.path}: ${detail.issue}`;
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
    readonly autocomplete: string;
    readonly hint?: string;
    readonly isOptional?: boolean;
  },
): TemplateResult {
  const { type = 'text', autocomplete, hint, isOptional = false } = more;
  return html`<label class="field">
    <span>${label}</span>
    <input
      name=${name}
      type=${type}
      autocomplete=${autocomplete as 'on'}
      ?required=${!isOptional}
      aria-describedby=${hint === undefined ? nothing : `${name}-hint`}
    />
    ${hint === undefined ? nothing : html`<span class="quiet" id="${name}-hint">${hint}</span>`}
  </label>`;
}
