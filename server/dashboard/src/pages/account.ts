import { html, svg, type TemplateResult } from 'lit';
import { encode } from 'uqr';
import type { Session } from '../../../../packages/node-sdk/src/types/api.ts';
import { call } from '../api.ts';
import type { OperationResults } from '../api-types.ts';
import { field, readForm, TaskElement, username } from '../element.ts';
import { viewTime } from '../format.ts';
import { keep, type Language, languages, readLanguage, useLanguage, words } from '../preferences.ts';
import { session } from '../session.ts';

/** The user's own account: second factor, password, sessions, language. */
export class Account extends TaskElement {
  static override properties = {
    sessions: { state: true },
    factor: { state: true },
    enrollment: { state: true },
    backupCodes: { state: true },
    task: { state: true },
  };

  declare sessions: readonly Session[] | null;
  declare factor: OperationResults['getMfaStatus'] | null;
  /** The second factor that is being set up. */
  declare enrollment: OperationResults['enrollTotp'] | null;
  /** Codes that are shown only now. */
  declare backupCodes: readonly string[] | null;
  /** What the password that is asked for confirms. */
  declare task: 'enroll' | 'disable' | 'backup codes' | null;

  constructor() {
    super();
    this.sessions = null;
    this.factor = null;
    this.enrollment = null;
    this.backupCodes = null;
    this.task = null;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    void this.run(() => this.#load());
  }

  protected override render(): TemplateResult {
    return html`<h1>${words.account}</h1>
      ${this.viewOutcome()}
      ${this.#viewSecondFactor()} ${this.#viewPassword()} ${this.#viewSessions()} ${this.#viewLanguage()}`;
  }

  #viewSecondFactor(): TemplateResult {
    return html`<section aria-labelledby="second-factor">
      <h2 id="second-factor">${words.secondFactor}</h2>
      ${
        this.factor === null
          ? html`<p role="status">${words.loading}</p>`
          : this.backupCodes !== null
            ? this.#viewBackupCodes(this.backupCodes)
            : this.enrollment !== null
              ? this.#viewEnrollment(this.enrollment.totpURI)
              : this.task !== null
                ? this.#viewConfirmation()
                : this.#viewFactor(this.factor)
      }
    </section>`;
  }

  #viewFactor({ enabled, backupCodesRemaining }: OperationResults['getMfaStatus']): TemplateResult {
    if (!enabled)
      return html`<p>${words.secondFactorOff}</p>
        <div class="actions"><button class="primary" @click=${() => this.#ask('enroll')}>${words.enroll}</button></div>`;
    return html`<p>${words.secondFactorOn} ${backupCodesRemaining}</p>
      <div class="actions">
        <button @click=${() => this.#ask('backup codes')}>${words.newBackupCodes}</button>
        <button class="danger" @click=${() => this.#ask('disable')}>${words.disable}</button>
      </div>`;
  }

  #viewConfirmation(): TemplateResult {
    return html`<form @submit=${this.#confirm}>
      ${username(session.me?.user.email)} ${field(words.currentPassword, 'password', { type: 'password', autocomplete: 'current-password' })}
      <div class="actions">
        <button class="primary" ?disabled=${this.isBusy}>${words.continue}</button>
        <button type="button" @click=${() => this.#ask(null)}>${words.cancel}</button>
      </div>
    </form>`;
  }

  #viewEnrollment(uri: string): TemplateResult {
    return html`<form @submit=${this.#verify}>
      <p>${words.enrollScan}</p>
      ${viewQrCode(uri)}
      <details>
        <summary>${words.enrollManual}</summary>
        <code>${uri}</code>
      </details>
      ${field(words.code, 'code', { autocomplete: 'one-time-code' })}
      <div class="actions"><button class="primary" ?disabled=${this.isBusy}>${words.continue}</button></div>
    </form>`;
  }

  #viewBackupCodes(codes: readonly string[]): TemplateResult {
    return html`<h3>${words.backupCodes}</h3>
      <p>${words.backupCodesHint}</p>
      <ul class="codes">
        ${codes.map((code) => html`<li><code>${code}</code></li>`)}
      </ul>
      <div class="actions"><button class="primary" @click=${this.#store}>${words.stored}</button></div>`;
  }

  #viewPassword(): TemplateResult {
    return html`<section aria-labelledby="password">
      <h2 id="password">${words.changePassword}</h2>
      <form @submit=${this.#changePassword}>
        ${username(session.me?.user.email)} ${field(words.currentPassword, 'currentPassword', { type: 'password', autocomplete: 'current-password' })}
        ${field(words.newPassword, 'newPassword', {
          type: 'password',
          autocomplete: 'new-password',
          hint: words.invitationHint,
        })}
        <div class="actions"><button ?disabled=${this.isBusy}>${words.changePassword}</button></div>
      </form>
    </section>`;
  }

  #viewSessions(): TemplateResult {
    return html`<section aria-labelledby="sessions">
      <h2 id="sessions">${words.sessions}</h2>
      <p class="quiet">${words.sessionsHint}</p>
      ${
        this.sessions === null
          ? html`<p role="status">${words.loading}</p>`
          : html`<ul class="plain">
              ${this.sessions.map(
                ({ id, createdAt, lastSeenAt, isCurrent }) =>
                  html`<li>
                    <span>${words.started} ${viewTime(createdAt)}, ${words.lastSeen} ${viewTime(lastSeenAt)}</span>
                    ${
                      isCurrent
                        ? html`<strong>${words.thisSession}</strong>`
                        : html`<button @click=${() => this.#end(id)}>${words.endSession}</button>`
                    }
                  </li>`,
              )}
            </ul>`
      }
      <div class="actions"><button @click=${() => this.#end(null)}>${words.endOthers}</button></div>
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
    </section>`;
  }

  async #load(): Promise<void> {
    const [sessions, factor] = await Promise.all([
      call('listMySessions', 'GET', '/v1/me/sessions'),
      call('getMfaStatus', 'GET', '/v1/me/mfa', { answer: 'bare' }),
    ]);
    this.sessions = sessions.items;
    this.factor = factor;
  }

  #ask(task: Account['task']): void {
    this.task = task;
    this.error = null;
    this.notice = '';
  }

  readonly #confirm = (event: SubmitEvent): void => {
    const { password } = readForm(event);
    void this.run(async () => {
      if (this.task === 'enroll')
        this.enrollment = await call('enrollTotp', 'POST', '/v1/me/mfa/totp/enroll', { body: { password } });
      else if (this.task === 'disable')
        this.factor = await call('disableTotp', 'DELETE', '/v1/me/mfa/totp', { body: { password } });
      else
        this.backupCodes = (
          await call('replaceBackupCodes', 'POST', '/v1/me/mfa/backup-codes', { body: { password } })
        ).backupCodes;
      this.task = null;
    });
  };

  readonly #verify = (event: SubmitEvent): void => {
    const { code = '' } = readForm(event);
    void this.run(async () => {
      this.factor = await call('verifyTotp', 'POST', '/v1/me/mfa/totp/verify', { body: { code: code.trim() } });
      this.backupCodes = this.enrollment?.backupCodes ?? null;
      this.enrollment = null;
    });
  };

  readonly #store = (): void => {
    this.backupCodes = null;
    void this.run(() => this.#load());
  };

  readonly #changePassword = (event: SubmitEvent): void => {
    const form = event.currentTarget as HTMLFormElement;
    const values = readForm(event);
    void this.run(async () => {
      await call('changePassword', 'POST', '/v1/auth/password', { body: values });
      form.reset();
      await this.#load();
      this.notice = words.passwordChanged;
    });
  };

  readonly #chooseLanguage = async (event: Event): Promise<void> => {
    const language = (event.currentTarget as HTMLSelectElement).value as Language;
    keep('svc-language', language);
    await useLanguage(language);
    location.reload();
  };

  #end(id: string | null): void {
    void this.run(async () => {
      if (id === null) await call('endMyOtherSessions', 'DELETE', '/v1/me/sessions');
      else await call('endMySession', 'DELETE', `/v1/me/sessions/${id}`);
      await this.#load();
    });
  }
}

/** Dark modules on white in every theme: scanners need the contrast and the margin. */
function viewQrCode(text: string): TemplateResult {
  const { data, size } = encode(text, { border: 4 });
  const modules = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])));
  return html`<svg class="qr" viewBox="0 0 ${size} ${size}" role="img" aria-label="QR">
    ${svg`<rect width=${size} height=${size} fill="#fff"></rect><path d=${modules.join('')} fill="#000"></path>`}
  </svg>`;
}

customElements.define('svc-account', Account);
