import { html, nothing, type TemplateResult } from 'lit';
import { field, readForm, TaskElement, username, viewError } from './element.ts';
import { loadPageWords, pageWords, words } from './preferences.ts';
import { session } from './session.ts';

/**
 * The page behind a link with which a user sets a password: `/app/invite#token` or `/app/reset#token`. Servers and logs see
 * nothing after the `#`.
 */
export class NewPasswordForm extends TaskElement {
  static override properties = { purpose: {}, email: { state: true }, invited: { state: true } };

  declare purpose: 'invitation' | 'reset';
  /** The address to sign in with; null before the password is set. */
  declare email: string | null;
  /** To what an invitation is; empty until it is known. */
  declare invited: string;
  readonly #token = location.hash.slice(1);

  constructor() {
    super();
    this.email = null;
    this.invited = '';
  }

  override connectedCallback(): void {
    super.connectedCallback();
    document.title = `${this.#title} · Svc`;
    if (this.purpose === 'invitation' && this.#token !== '') void this.#describe().catch(() => undefined);
  }

  protected override render(): TemplateResult {
    const note = this.purpose === 'reset' ? words.resetDone : words.invitationAccepted;
    if (this.email !== null)
      return html`<svc-sign-in .email=${this.email} .note=${note} @signed-in=${this.#enter}></svc-sign-in>`;
    return html`<form @submit=${this.#send}>
      <h1>${this.#title}</h1>
      ${this.purpose === 'invitation' ? html`<p role="status">${this.invited || '\u00a0'}</p>` : nothing}
      ${
        this.#token === ''
          ? html`<div class="error" role="alert"><p>${words.invitationMissing}</p></div>`
          : html`${username()} ${field(words.newPassword, 'password', {
              type: 'password',
              autocomplete: 'new-password',
              hint: words.invitationHint,
            })}
            ${viewError(this.error)}
            <div class="actions"><button class="primary" ?disabled=${this.isBusy}>${words.continue}</button></div>`
      }
      ${
        this.#token === '' || Object(this.error).status === 404
          ? html`<p><a href="/app/">${words.signIn}</a></p>`
          : nothing
      }
    </form>`;
  }

  /**
   * Rejects if the invitation is over or the server cannot be reached: the form then shows the error when it is sent.
   */
  async #describe(): Promise<void> {
    // The words that the invited user needs next, after the sign-in.
    const [{ tenant, role }] = await Promise.all([session.previewInvitation(this.#token), loadPageWords()]);
    const named: Readonly<Record<string, string>> = { organization: tenant.name, role: pageWords.values[role] };
    this.invited = pageWords.invited.replace(/\{(\w+)\}/g, (_, name) => named[name] ?? '');
  }

  get #title(): string {
    return this.purpose === 'reset' ? words.resetTitle : words.invitationTitle;
  }

  readonly #send = (event: SubmitEvent): void => {
    const input = { token: this.#token, password: readForm(event).password ?? '' };
    void this.run(async () => {
      const set = this.purpose === 'reset' ? session.resetPassword(input) : session.acceptInvitation(input);
      const { email } = await set;
      history.replaceState(null, '', location.pathname);
      this.email = email;
    });
  };

  readonly #enter = (): void => {
    history.replaceState(null, '', '/app/');
    void session.load();
  };
}

customElements.define('svc-new-password', NewPasswordForm);
