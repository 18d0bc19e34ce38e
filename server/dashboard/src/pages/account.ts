import { html, type TemplateResult } from 'lit';
import type { Session } from '../../../../packages/node-sdk/src/types/api.ts';
import { call } from '../api.ts';
import { field, readForm, username } from '../element.ts';
import { nameDevice, viewTime } from '../format.ts';
import { PageElement } from '../page-element.ts';
import { hasShortcuts, keep, languages, pageWords, readLanguage, words } from '../preferences.ts';
import { session } from '../session.ts';
import '../second-factor.ts';

/** The user's own account: name, second factor, password, sessions, language. */
export class Account extends PageElement {
  static override properties = {
    sessions: { state: true },
  };

  declare sessions: readonly Session[] | null;
  /** The name in the form at first: the answer to a save must not replace what was entered meanwhile. */
  readonly #name = session.me?.user;

  constructor() {
    super();
    this.sessions = null;
  }

  protected override render(): TemplateResult {
    return html`<h1>${words.account}</h1>
      ${this.viewOutcome()}
      ${this.#viewName()}
      <svc-second-factor @stored=${this.reload}></svc-second-factor>
      ${this.#viewPassword()} ${this.#viewSessions()} ${this.#viewLanguage()} ${this.viewDialogs()}`;
  }

  #viewName(): TemplateResult {
    const { givenName, familyName } = this.#name ?? {};
    return html`<section aria-labelledby="name">
      <h2 id="name">${pageWords.yourName}</h2>
      <form @submit=${this.#saveName}>
        ${field(pageWords.givenName, 'givenName', { value: givenName ?? '', autocomplete: 'given-name', isOptional: true })}
        ${field(pageWords.familyName, 'familyName', { value: familyName ?? '', autocomplete: 'family-name', isOptional: true })}
        <div class="actions"><button ?disabled=${this.isBusy}>${pageWords.save}</button></div>
      </form>
    </section>`;
  }

  #viewPassword(): TemplateResult {
    return html`<section aria-labelledby="password">
      <h2 id="password">${pageWords.changePassword}</h2>
      <form @submit=${this.#changePassword}>
        ${username(session.me?.user.email)} ${field(words.currentPassword, 'currentPassword', { type: 'password', autocomplete: 'current-password' })}
        ${field(words.newPassword, 'newPassword', {
          type: 'password',
          autocomplete: 'new-password',
          hint: words.invitationHint,
        })}
        <div class="actions"><button ?disabled=${this.isBusy}>${pageWords.changePassword}</button></div>
      </form>
    </section>`;
  }

  #viewSessions(): TemplateResult {
    return html`<section aria-labelledby="sessions">
      <h2 id="sessions">${words.sessions}</h2>
      <p class="quiet">${pageWords.sessionsHint}</p>
      ${
        this.sessions === null
          ? this.viewWaiting()
          : html`<ul class="plain">
              ${this.sessions.map(
                ({ id, device, createdAt, lastSeenAt, idleExpiresAt, isCurrent }) =>
                  html`<li>
                    <span
                      ><strong>${nameDevice(device)}</strong><br />${pageWords.started} ${viewTime(createdAt)}, ${words.lastSeen}
                      ${viewTime(lastSeenAt)}, ${pageWords.endsWhenIdle} ${viewTime(idleExpiresAt)}</span
                    >
                    ${
                      isCurrent
                        ? html`<strong>${pageWords.thisSession}</strong>`
                        : html`<button @click=${() => this.#end(id)}>${words.endSession}</button>`
                    }
                  </li>`,
              )}
            </ul>`
      }
      <div class="actions"><button @click=${this.#endOthers}>${pageWords.endOthers}</button></div>
    </section>`;
  }

  #viewLanguage(): TemplateResult {
    return html`<section aria-labelledby="language">
      <h2 id="language">${words.language}</h2>
      <select aria-labelledby="language" @change=${this.#chooseLanguage}>
        ${Object.entries(languages).map(
          ([tag, name]) => html`<option value=${tag} lang=${tag} ?selected=${tag === readLanguage()}>${name}</option>`,
        )}
      </select>
    </section>
    <section aria-labelledby="keyboard">
      <h2 id="keyboard">${pageWords.keyboard}</h2>
      <label class="check"
        ><input type="checkbox" .checked=${hasShortcuts()} @change=${switchShortcuts} /> ${words.shortcuts}</label
      >
    </section>`;
  }

  protected override async load(): Promise<void> {
    this.sessions = (await call('listMySessions', 'GET', '/v1/me/sessions')).items;
  }

  readonly #saveName = (event: SubmitEvent): void => {
    const values = Object.entries(readForm(event)).map(([name, value]) => [name, value.trim() === '' ? null : value]);
    void this.run(async () => {
      await call('editMe', 'PATCH', '/v1/me', { body: Object.fromEntries(values) });
      await session.load();
      this.notice = pageWords.nameSaved;
    });
  };

  readonly #changePassword = (event: SubmitEvent): void => {
    const form = event.currentTarget as HTMLFormElement;
    const values = readForm(event);
    void this.run(async () => {
      await call('changePassword', 'POST', '/v1/auth/password', { body: values });
      form.reset();
      await this.loadAgain();
      this.notice = pageWords.passwordChanged;
    });
  };

  readonly #chooseLanguage = (event: Event): void => {
    keep('svc-language', (event.currentTarget as HTMLSelectElement).value);
    location.reload();
  };

  #end(id: string): void {
    void this.run(async () => {
      await call('endMySession', 'DELETE', `/v1/me/sessions/${id}`);
      await this.loadAgain();
    });
  }

  readonly #endOthers = (): void => {
    this.confirmation = {
      title: pageWords.endOthers,
      text: `${session.me?.user.email}: ${pageWords.endOthersHint}`,
      button: pageWords.endOthers,
      run: async () => {
        await call('endMyOtherSessions', 'DELETE', '/v1/me/sessions');
        await this.loadAgain();
      },
    };
  };
}

function switchShortcuts(event: Event): void {
  keep('svc-shortcuts', (event.currentTarget as HTMLInputElement).checked ? 'on' : 'off');
}

customElements.define('svc-account', Account);
