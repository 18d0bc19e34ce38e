import { html, type TemplateResult } from 'lit';
import { field, readForm, TaskElement, username, viewError } from './element.ts';
import { words } from './preferences.ts';
import { session } from './session.ts';

/** The page behind the link of an invitation: `/app/invite#token`. Servers and logs see nothing after the `#`. */
export class InvitationForm extends TaskElement {
  static override properties = { accepted: { state: true } };

  /** The address that accepted; null before. */
  declare accepted: string | null;
  readonly #token = location.hash.slice(1);

  constructor() {
    super();
    this.accepted = null;
    document.title = `${words.invitationTitle} · Svc`;
  }

  protected override render(): TemplateResult {
    if (this.accepted !== null)
      return html`<svc-sign-in .email=${this.accepted} .note=${words.invitationAccepted} @signed-in=${this.#enter}></svc-sign-in>`;
    return html`<form @submit=${this.#accept}>
      <h1>${words.invitationTitle}</h1>
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
    </form>`;
  }

  readonly #accept = (event: SubmitEvent): void => {
    const { password = '' } = readForm(event);
    void this.run(async () => {
      const { email } = await session.acceptInvitation({ token: this.#token, password });
      history.replaceState(null, '', '/app/invite');
      this.accepted = email;
    });
  };

  readonly #enter = (): void => {
    history.replaceState(null, '', '/app/');
    void session.load();
  };
}

customElements.define('svc-invitation', InvitationForm);
