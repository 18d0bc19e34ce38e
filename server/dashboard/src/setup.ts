import { html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { call } from './api.ts';
import type { SetupInput } from './api-types.ts';
import { field, focusHeading, readForm, TaskElement, viewError, viewRetry } from './element.ts';
import { readLanguage, words } from './preferences.ts';
import type en from './words/setup/en.json';

const texts = {
  en: () => import('./words/setup/en.json', { with: { type: 'json' } }),
  de: () => import('./words/setup/de.json', { with: { type: 'json' } }),
  fr: () => import('./words/setup/fr.json', { with: { type: 'json' } }),
};

/** True while the server waits for its first tenant. */
export async function readSetup(): Promise<boolean> {
  return (await call('getSetup', 'GET', '/v1/setup')).isOpen;
}

/**
 * The page behind the link that a server without tenants prints: `/app/setup#token`. The first administrator names the
 * organization and sets a password, then may set up a second factor, and goes on to the first notice.
 */
export class Setup extends TaskElement {
  static override properties = { isOpen: { state: true }, step: { state: true }, hasCodes: { state: true } };

  /** True while the server waits for its first tenant; null until it is known. */
  declare isOpen: boolean | null;
  declare step: 1 | 2 | 3;
  /** True while the backup codes are shown, which the user must not skip. */
  declare hasCodes: boolean;
  /** Loaded with `isOpen`. */
  declare texts: typeof en;
  readonly #token = location.pathname === '/app/setup' ? location.hash.slice(1) : '';
  /** Typed in the first step: the second one confirms with it. */
  #password = '';

  constructor() {
    super();
    this.isOpen = null;
    this.step = 1;
    this.hasCodes = false;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    void this.run(() => this.#load());
  }

  protected override render(): TemplateResult {
    if (this.isOpen === null)
      return html`<h1>Svc</h1>
        ${this.error === null ? html`<p role="status">${words.loading}</p>` : nothing} ${viewError(this.error)}
        ${viewRetry(this.error, () => this.run(() => this.#load()))}`;
    if (!this.isOpen)
      return html`<h1>${this.texts.title}</h1>
        <p>${this.texts.over}</p>
        <p><a href="/app/">${words.signIn}</a></p>`;
    if (this.step === 2)
      return html`${this.#viewHeading(this.texts.title)}
        <svc-second-factor .password=${this.#password} @codes=${this.#keep} @stored=${() => this.#go(3)}></svc-second-factor>
        ${this.hasCodes ? nothing : html`<div class="actions"><button @click=${() => this.#go(3)}>${this.texts.skip}</button></div>`}`;
    if (this.step === 3)
      return html`${this.#viewHeading(this.texts.notice)}
        <p>${this.texts.noticeHint}</p>
        <p>${this.texts.tagHint}</p>
        <div class="actions">
          <button class="primary" @click=${() => location.assign('/app/notices#new')}>${this.texts.notice}</button>
          <button @click=${() => location.assign('/app/')}>${words.toHome}</button>
        </div>`;
    if (this.#token === '')
      return html`<h1>${this.texts.title}</h1>
        <p>${this.texts.missing}</p>
        <p><a href="/docs/start/self-hoster/">${this.texts.docs}</a></p>`;
    return html`<form @submit=${this.#send}>
      ${this.#viewHeading(this.texts.title)}
      <p>${this.texts.hint}</p>
      ${field(this.texts.organization, 'organization.name', { autocomplete: 'organization' })}
      ${field(this.texts.givenName, 'givenName', { autocomplete: 'given-name', isOptional: true })}
      ${field(this.texts.familyName, 'familyName', { autocomplete: 'family-name', isOptional: true })}
      ${field(words.email, 'email', { type: 'email', autocomplete: 'username' })}
      ${field(words.password, 'password', { type: 'password', autocomplete: 'new-password', hint: words.invitationHint })}
      ${viewError(this.error)}
      <div class="actions"><button class="primary" ?disabled=${this.isBusy}>${words.continue}</button></div>
    </form>`;
  }

  protected override updated(changed: PropertyValues<this>): void {
    super.updated(changed);
    if (changed.get('step') !== undefined) focusHeading(this);
  }

  #viewHeading(text: string): TemplateResult {
    const step = this.texts.step.replace('{step}', String(this.step));
    return html`<h1>${text}</h1>
      <p class="quiet">${step}</p>`;
  }

  async #load(): Promise<void> {
    this.texts = (await texts[readLanguage()]()).default;
    document.title = `${this.texts.title} · Svc`;
    this.isOpen = await readSetup();
  }

  readonly #send = (event: SubmitEvent): void => {
    const { 'organization.name': name = '', givenName, familyName, email = '', password = '' } = readForm(event);
    void this.run(async () => {
      const input: SetupInput = {
        token: this.#token,
        organization: { name },
        email,
        givenName: givenName?.trim() || null,
        familyName: familyName?.trim() || null,
        password,
      };
      await call('setUpServer', 'POST', '/v1/setup', { body: input });
      // Reloading the page must not lead back to a link that is used.
      history.replaceState(null, '', '/app/');
      this.#password = password;
      await import('./second-factor.ts');
      this.#go(2);
    });
  };

  readonly #keep = (): void => {
    this.hasCodes = true;
  };

  #go(step: 2 | 3): void {
    this.#password = step === 2 ? this.#password : '';
    this.step = step;
  }
}

customElements.define('svc-setup', Setup);
