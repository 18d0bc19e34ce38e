import { html, type TemplateResult } from 'lit';
import './sign-in.ts';
import { DashboardElement, viewError } from './element.ts';
import { loadPageWords, words } from './preferences.ts';
import { session } from './session.ts';

/** The dashboard: the sign-in page, or the pages of the signed-in user, which are loaded then. */
export class App extends DashboardElement {
  static override properties = { state: { state: true }, error: { state: true } };

  declare state: 'loading' | 'invitation' | 'signed out' | 'signed in';
  declare error: unknown;

  constructor() {
    super();
    this.state = 'loading';
    this.error = null;
    session.addEventListener('change', () => void this.#follow());
  }

  override connectedCallback(): void {
    super.connectedCallback();
    void this.#open();
  }

  protected override render(): TemplateResult {
    if (this.error !== null)
      return html`<main class="gate">
        ${viewError(this.error)}
        <div class="actions"><button class="primary" @click=${() => this.#open()}>${words.retry}</button></div>
      </main>`;
    if (this.state === 'signed in') return html`<svc-shell></svc-shell>`;
    if (this.state === 'invitation') return html`<main class="gate"><svc-invitation></svc-invitation></main>`;
    if (this.state === 'signed out')
      return html`<main class="gate"><svc-sign-in @signed-in=${() => session.load()}></svc-sign-in></main>`;
    return html`<main class="gate"><p role="status">${words.loading}</p></main>`;
  }

  async #open(): Promise<void> {
    this.error = null;
    try {
      if (location.pathname === '/app/invite') {
        await import('./invitation.ts');
        this.state = 'invitation';
      } else await session.load();
    } catch (error) {
      this.error = error;
    }
  }

  async #follow(): Promise<void> {
    if (session.me) await Promise.all([import('./shell.ts'), loadPageWords()]);
    else document.title = `${words.signIn} · Svc`;
    this.state = session.me ? 'signed in' : 'signed out';
  }
}

customElements.define('svc-app', App);
