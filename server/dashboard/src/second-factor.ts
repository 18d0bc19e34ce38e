import { html, nothing, type PropertyValues, svg, type TemplateResult } from 'lit';
import { encode } from 'uqr';
import { call } from './api.ts';
import type { OperationResults } from './api-types.ts';
import { viewCopy } from './copy.ts';
import { field, readForm, TaskElement, username, viewError, viewRetry } from './element.ts';
import { pageWords, words } from './preferences.ts';
import { session } from './session.ts';

/**
 * The second factor of the user: its set-up with a QR code, its backup codes, and turning it off.
 * @fires codes when it shows backup codes, which are not shown again
 * @fires stored when the user has stored the backup codes
 */
export class SecondFactor extends TaskElement {
  static override properties = {
    password: {},
    factor: { state: true },
    enrollment: { state: true },
    backupCodes: { state: true },
    task: { state: true },
  };

  /** The current password where the user has just typed it; empty to ask for it. */
  declare password: string;
  declare factor: OperationResults['getMfaStatus'] | null;
  /** The second factor that is being set up. */
  declare enrollment: OperationResults['enrollTotp'] | null;
  /** Codes that are shown only now. */
  declare backupCodes: readonly string[] | null;
  /** The task that the password confirms. */
  declare task: 'enroll' | 'disable' | 'backup codes' | null;

  constructor() {
    super();
    this.password = '';
    this.factor = null;
    this.enrollment = null;
    this.backupCodes = null;
    this.task = null;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    addEventListener('beforeunload', this.#guard);
    void this.run(() => this.#load());
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    removeEventListener('beforeunload', this.#guard);
  }

  protected override updated(changed: PropertyValues<this>): void {
    super.updated(changed);
    if (changed.has('backupCodes') && this.backupCodes !== null) this.dispatchEvent(new Event('codes'));
  }

  /** The router asks as well, but the setup has none. */
  readonly #guard = (event: Event): void => {
    if (this.backupCodes !== null) event.preventDefault();
  };

  protected override render(): TemplateResult {
    return html`<section aria-labelledby="second-factor">
      <h2 id="second-factor">${words.secondFactor}</h2>
      ${viewError(this.error)}
      ${
        this.factor === null
          ? this.error === null
            ? html`<p role="status">${words.loading}</p>`
            : viewRetry(this.error, () => this.run(() => this.#load()))
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
      return html`${session.needsFactor ? html`<p class="notice">${pageWords.factorRequired}</p>` : nothing}
        <p>${words.secondFactorOff}</p>
        <div class="actions"><button class="primary" @click=${() => this.#ask('enroll')}>${words.enroll}</button></div>`;
    return html`<p>${words.secondFactorOn} ${backupCodesRemaining}</p>
      ${session.needsFactor ? html`<p><a href="/app/">${words.toHome}</a></p>` : nothing}
      <div class="actions">
        <button @click=${() => this.#ask('backup codes')}>${words.newBackupCodes}</button>
        <button class="danger" @click=${() => this.#ask('disable')}>${words.disable}</button>
      </div>`;
  }

  #viewConfirmation(): TemplateResult {
    return html`<form @submit=${this.#confirm}>
      ${this.task === 'enroll' ? nothing : viewEnding(this.task)}
      ${username(session.me?.user.email)} ${field(words.currentPassword, 'password', { type: 'password', autocomplete: 'current-password', value: this.password })}
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
    return html`<div data-secret>
      <h3>${words.backupCodes}</h3>
      <p>${words.backupCodesHint}</p>
      <ul class="codes">
        ${codes.map((code) => html`<li><code>${code}</code></li>`)}
      </ul>
      <div class="actions">
        <button class="primary" @click=${this.#store}>${words.stored}</button>
        ${viewCopy(codes.join('\n'))}
      </div>
    </div>`;
  }

  async #load(): Promise<void> {
    this.factor = await call('getMfaStatus', 'GET', '/v1/me/mfa', { answer: 'bare' });
  }

  #ask(task: SecondFactor['task']): void {
    this.task = task;
    this.error = null;
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
    this.dispatchEvent(new Event('stored'));
    void this.run(() => this.#load());
  };
}

/** Explains the effect of the task. */
function viewEnding(task: SecondFactor['task']): TemplateResult {
  if (task === 'disable')
    return html`<h3>${words.disable}</h3>
      <p>${pageWords.disableHint}</p>`;
  return html`<h3>${words.newBackupCodes}</h3>
    <p>${pageWords.newBackupCodesHint}</p>`;
}

/** Dark modules on white in every theme: scanners need the contrast and the margin. */
function viewQrCode(text: string): TemplateResult {
  const { data, size } = encode(text, { border: 4 });
  const modules = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])));
  return html`<svg class="qr" viewBox="0 0 ${size} ${size}" role="img" aria-label="QR">
    ${svg`<rect width=${size} height=${size} fill="#fff"></rect><path d=${modules.join('')} fill="#000"></path>`}
  </svg>`;
}

customElements.define('svc-second-factor', SecondFactor);
