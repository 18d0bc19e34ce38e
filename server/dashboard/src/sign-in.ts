import { html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { field, readForm, TaskElement, username, viewError } from './element.ts';
import { words } from './preferences.ts';
import { session } from './session.ts';

/**
 * The form that signs a user in: password, then a code if a second factor is enabled.
 * @fires signed-in
 */
export class SignInForm extends TaskElement {
  static override properties = {
    email: {},
    tenant: {},
    note: {},
    challengeId: { state: true },
  };

  /** The only user who may sign in here, in the middle of their work; empty for anyone. */
  declare email: string;
  /** The id or slug of their tenant. */
  declare tenant: string;
  /** Shown above the form. */
  declare note: string;
  declare challengeId: string | null;
  /** Input before the code: the user may go back to it. */
  #entered: Readonly<Record<string, string>> = {};

  constructor() {
    super();
    this.email = '';
    this.tenant = '';
    this.note = '';
    this.challengeId = null;
  }

  protected override render(): TemplateResult {
    const isCode = this.challengeId !== null;
    return html`<form @submit=${isCode ? this.#sendCode : this.#sendPassword}>
      <h1 tabindex="-1">${isCode ? words.codeTitle : words.signInTitle}</h1>
      ${this.note === '' ? nothing : html`<p role="status">${this.note}</p>`}
      ${isCode ? this.#viewCode() : this.#viewPassword()} ${viewError(this.error)}
      <div class="actions">
        <button class="primary" ?disabled=${this.isBusy}>${isCode ? words.continue : words.signIn}</button>
        ${isCode ? html`<button type="button" @click=${this.#goBack}>${words.back}</button>` : nothing}
      </div>
    </form>`;
  }

  protected override updated(changed: PropertyValues<this>): void {
    const hasFailed = changed.has('error') && this.error !== null;
    if (hasFailed || changed.get('challengeId') !== undefined) this.querySelector('input')?.focus();
  }

  #viewPassword(): TemplateResult {
    if (this.email !== '')
      return html`<p>${this.email}</p>
        ${username(this.email)}
        ${field(words.password, 'password', { type: 'password', autocomplete: 'current-password' })}`;
    const { email = '', tenant = '' } = this.#entered;
    return html`${field(words.email, 'email', { type: 'email', autocomplete: 'username', value: email })}
    ${field(words.password, 'password', { type: 'password', autocomplete: 'current-password' })}
    ${field(words.tenant, 'tenant', { autocomplete: 'organization', isOptional: true, value: tenant })}`;
  }

  #viewCode(): TemplateResult {
    return field(words.code, 'code', { autocomplete: 'one-time-code', hint: words.codeHint });
  }

  readonly #sendPassword = (event: SubmitEvent): void => {
    const { password = '', ...entered } = readForm(event);
    const { email = this.email, tenant = this.tenant } = entered;
    this.#entered = entered;
    void this.run(async () => {
      const signed = await session.signIn({ email, password, ...(tenant !== '' && { tenant }) });
      if (signed.status === 'signed_in') this.#finish();
      else this.challengeId = signed.challengeId;
    });
  };

  readonly #sendCode = (event: SubmitEvent): void => {
    const { code = '' } = readForm(event);
    void this.run(async () => {
      await session.answerChallenge(this.challengeId as string, code.trim());
      this.#finish();
    });
  };

  readonly #goBack = (): void => {
    this.challengeId = null;
    this.error = null;
  };

  #finish(): void {
    this.dispatchEvent(new Event('signed-in'));
  }
}

customElements.define('svc-sign-in', SignInForm);
