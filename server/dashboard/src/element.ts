import { html, LitElement, nothing, type PropertyDeclarations, type PropertyValues, type TemplateResult } from 'lit';
import { isOtherUser, RequestError } from './api.ts';
import { pageWords, words } from './preferences.ts';

/** An element in the document itself, so that labels, styles and the outline of headings reach across. */
export class DashboardElement extends LitElement {
  protected override createRenderRoot(): HTMLElement {
    return this;
  }

  /** The focus of what is removed moves to the list around it, or to the heading of the page. */
  protected override update(changed: PropertyValues<this>): void {
    const focused = document.activeElement;
    const isInside = this.contains(focused);
    const list = findList(focused);
    super.update(changed);
    // The focus of a dialog returns to the element that opened it.
    if (isInside && focused?.isConnected === false && focused.closest('dialog') === null) refocus(list);
  }
}

/** Moves the focus to the heading of a page, where screen readers begin. */
export function focusHeading(page: ParentNode): void {
  const heading = page.querySelector<HTMLElement>('h1');
  heading?.setAttribute('tabindex', '-1');
  // The user may have scrolled since the page was opened, or be on the way back to where they were.
  heading?.focus({ preventScroll: true });
}

/** An element whose actions run one after another and may fail. */
export class TaskElement extends DashboardElement {
  static override properties: PropertyDeclarations = {
    isBusy: { state: true },
    error: { state: true },
    notice: { state: true },
  };

  declare isBusy: boolean;
  /** Why the last action failed; null if it did not. */
  declare error: unknown;
  /** Message about the last action; empty for none. */
  declare notice: string;
  /** The end of the last action; the next one waits for it. */
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;
  /** The element that had the focus when a dialog was opened. */
  #opener: Element | null = null;

  constructor() {
    super();
    this.isBusy = false;
    this.error = null;
    this.notice = '';
  }

  /**
   * Runs an action of the user; one that is pressed while another one runs waits for it. If it fails, the field that the
   * server rejects gets the focus. Input that is entered while it runs stays unsaved.
   * @returns whether it succeeded.
   */
  protected async run(step: () => Promise<void>): Promise<boolean> {
    const sent = this.#listUnsaved();
    const isDone = await this.runQuietly(step);
    for (const [form, mark] of sent) if (isDone && form.dataset.unsaved === mark) delete form.dataset.unsaved;
    return isDone;
  }

  /** The same for what the user has not sent: their input in the forms stays unsaved. */
  protected async runQuietly(step: () => Promise<void>): Promise<boolean> {
    const pressed = document.activeElement;
    const isInside = this.contains(pressed);
    const list = findList(pressed);
    this.isBusy = true;
    this.error = null;
    this.notice = '';
    this.#waiting += 1;
    const outcome = this.#last.then(() => this.#try(step));
    this.#last = outcome;
    const isDone = await outcome;
    await this.updateComplete;
    // A button that is disabled while its action runs loses the focus.
    if (isInside && this.isConnected) refocus(pressed, list);
    return isDone;
  }

  /** Leads to another page after an action. @param path below `/app/`. */
  protected goTo(path: string): void {
    for (const [form] of this.#listUnsaved()) delete form.dataset.unsaved;
    this.dispatchEvent(new CustomEvent('go', { detail: path, bubbles: true }));
  }

  /** The error or the success of the last action. */
  protected viewOutcome(): TemplateResult {
    return html`${viewError(this.error)}
    ${this.notice === '' ? nothing : html`<p class="notice" role="status">${this.notice}</p>`}`;
  }

  protected override updated(_changed: PropertyValues<this>): void {
    const dialog = this.querySelector<HTMLDialogElement>('dialog[data-open]');
    if (dialog !== null && !dialog.open) {
      this.#opener ??= document.activeElement;
      dialog.showModal();
    } else if (dialog === null && this.#opener !== null) {
      const opener = this.#opener;
      this.#opener = null;
      refocus(opener);
    }
  }

  async #try(step: () => Promise<void>): Promise<boolean> {
    try {
      await step();
      return true;
    } catch (error) {
      this.error = error;
      this.#focusRejected(error);
      return false;
    } finally {
      this.#waiting -= 1;
      this.isBusy = this.#waiting > 0;
    }
  }

  /** The forms that the router asks about before it leaves them, with their marks. */
  #listUnsaved() {
    const forms = [...this.querySelectorAll<HTMLFormElement>('form[data-unsaved]')];
    return forms.map((form) => [form, form.dataset.unsaved] as const);
  }

  #focusRejected(error: unknown): void {
    if (!(error instanceof RequestError)) return;
    const fields = error.details.map(({ path }) => findField(this, path));
    // A field of a closed part takes no focus, and is not seen.
    for (const field of fields) field?.closest('details')?.setAttribute('open', '');
    fields[0]?.focus();
  }
}

/** The region of the list around an element. */
function findList(element: Element | null): Element | null {
  const selector = '[role=region]';
  return element?.closest(selector) ?? element?.closest('svc-list')?.querySelector(selector) ?? null;
}

/** Gives the focus back, unless the user has moved it: to the first element that takes it, else to the heading. */
function refocus(...elements: readonly (Element | null)[]): void {
  for (const element of elements) {
    if (document.activeElement !== document.body) return;
    if (element instanceof HTMLElement) element.focus({ preventScroll: true });
  }
  if (document.activeElement === document.body) focusHeading(document);
}

/** Shows an error to the user; nothing for null. */
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

/** A button that tries again what failed for a reason that passes: the server is away, broken or busy. */
export function viewRetry(error: unknown, retry: () => void): TemplateResult | typeof nothing {
  if (!(error instanceof RequestError) || (error.status > 0 && error.status < 429)) return nothing;
  return html`<div class="actions"><button @click=${retry}>${words.retry}</button></div>`;
}

/** Content of a page whose script could not be fetched. */
export function viewUnloaded(title: string): TemplateResult {
  return html`<h1>${title}</h1>
    ${viewUnloadedPart()}`;
}

/** The same for a part of a page. Browsers keep that failure until the document is loaded again. */
export function viewUnloadedPart(): TemplateResult {
  return html`<div class="error" role="alert"><p>${words.unreachable}</p></div>
    <div class="actions"><button @click=${() => location.reload()}>${words.retry}</button></div>`;
}

/** Content for an address that does not exist, or belongs to another tenant. */
export function viewMissing(): TemplateResult {
  return html`<h1>${words.notFound}</h1>
    <p>${words.notFoundHint}</p>
    <p><a href="/app/">${words.toHome}</a></p>`;
}

/** Content for an address that the role of the user does not allow. */
export function viewForbidden(): TemplateResult {
  return html`<h1>${pageWords.forbidden}</h1>
    <p>${pageWords.forbiddenHint}</p>
    <p><a href="/app/">${words.toHome}</a></p>`;
}

/** The field for a rejected value. One may hold a whole list or object: then it is that of every value inside. */
function findField(page: ParentNode, path: string): HTMLElement | null {
  for (let name = nameField(path); name !== ''; name = name.replace(/(?:^|[.[])[^.[]*$/, '')) {
    const field = page.querySelector<HTMLElement>(`form [name="${CSS.escape(name)}"]`);
    if (field !== null) return field;
  }
  return null;
}

/** The label of that field; its name if the page has none. */
function labelField(path: string): string {
  const field = findField(document, path);
  const label =
    field?.closest('[data-group]')?.querySelector('legend') ?? field?.closest('label')?.querySelector('span');
  return label?.textContent || nameField(path);
}

function nameField(path: string): string {
  return path.replace(/^(?:body|query)\./, '');
}

function describeError(error: unknown): TemplateResult | string {
  // The SDK has an error of its own for an invalid id of a notice.
  if (!(error instanceof RequestError)) return Object(error).status === 404 ? words.notFoundHint : words.failed;
  if (error.status === 0) return words.unreachable;
  if (error.code === 'insufficient_scope') return pageWords.forbiddenAction;
  if (isOtherUser(error)) return pageWords.otherUser;
  if (error.code === 'second_factor_required')
    return html`${pageWords.factorRequired} <a href="/app/me">${pageWords.toFactor}</a>`;
  if (error.code === 'internal_error') return words.failed;
  if (error.details.length > 0)
    return error.details.map(({ path, issue }) => `${labelField(path)}: ${issue}.`).join(' ');
  // Before the sign-in there are no words of the pages.
  const errors: Readonly<Record<string, string>> = { ...pageWords?.errors, ...words.errors };
  return errors[error.code] ?? (error.message || words.failed);
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
  const input = html`<input
    name=${name}
    type=${type}
    autocomplete=${autocomplete as 'on'}
    .value=${value}
    ?required=${!isOptional}
    aria-describedby=${hint === undefined ? nothing : `${name}-hint`}
  />`;
  const shown = hint === undefined ? nothing : html`<span class="quiet" id="${name}-hint">${hint}</span>`;
  return viewHinted(label, input, shown);
}

/**
 * A control with its label, and a hint that describes the control.
 * @param hint is outside the label: screen readers would read it twice.
 */
export function viewHinted(
  label: string,
  control: TemplateResult,
  hint: TemplateResult | typeof nothing,
): TemplateResult {
  return html`<div class="field">
    <label><span>${label}</span>${control}</label>
    ${hint}
  </div>`;
}

/**
 * The options of a list. The attribute `selected` would count only until the user chooses one. The property is set only when
 * the value changes: what the user chose in a form that is not sent yet stays.
 */
export function viewOptions(
  options: Iterable<readonly [value: string, label: string]>,
  value: string,
): readonly TemplateResult[] {
  return [...options].map(([one, text]) => html`<option value=${one} .selected=${one === value}>${text}</option>`);
}

/** A labelled choice. @param options pairs of value and label. */
export function choice(
  label: string,
  name: string,
  options: Iterable<readonly [value: string, label: string]>,
  value = '',
  onChange: ((event: Event) => void) | typeof nothing = nothing,
): TemplateResult {
  return html`<label class="field">
    <span>${label}</span>
    <select name=${name} @change=${onChange}>
      ${viewOptions(options, value)}
    </select>
  </label>`;
}
