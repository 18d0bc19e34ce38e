import { html, type TemplateResult } from 'lit';
import './sign-in.ts';
import { RequestError } from './api.ts';
import { DashboardElement, viewError, viewUnloaded } from './element.ts';
import { preloadPage } from './pages.ts';
import { loadPageWords, readLanguage, useLanguage, words } from './preferences.ts';
import { session, wasSignedIn } from './session.ts';

/** The pages behind links that the server or an administrator hands out, by their address. */
const gates: Readonly<Record<string, { load(): Promise<unknown>; view(): TemplateResult }>> = {
  '/app/invite': {
    load: () => import('./new-password.ts'),
    view: () => html`<svc-new-password .purpose=${'invitation'}></svc-new-password>`,
  },
  '/app/setup': { load: () => import('./setup.ts'), view: () => html`<svc-setup></svc-setup>` },
  '/app/start': { load: () => import('./start.ts'), view: () => html`<svc-start></svc-start>` },
  '/app/reset': {
    load: () => import('./new-password.ts'),
    view: () => html`<svc-new-password .purpose=${'reset'}></svc-new-password>`,
  },
};

/** Loads everything that the page of the address is made of, at once. */
function loadFrame(): Promise<unknown> {
  return Promise.all([import('./shell.ts'), loadPageWords(), preloadPage()]);
}

/** The dashboard: the sign-in page, or the pages of the signed-in user, which are loaded then. */
export class App extends DashboardElement {
  static override properties = { state: { state: true }, error: { state: true } };

  /** A gate is a page that needs no session. */
  declare state: 'loading' | 'gate' | 'not set up' | 'signed out' | 'signed in';
  declare error: unknown;
  /** If they cannot be loaded, the words are English. */
  readonly #words = useLanguage(readLanguage()).catch(() => undefined);

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

  /** The session is requested at once, and nothing is drawn before the words are there. */
  protected override async scheduleUpdate(): Promise<unknown> {
    await this.#words;
    return super.scheduleUpdate();
  }

  protected override render(): TemplateResult {
    if (this.error !== null && !(this.error instanceof RequestError))
      return html`<main class="gate">${viewUnloaded('Svc')}</main>`;
    if (this.error !== null)
      return html`<main class="gate">
        ${viewError(this.error)}
        <div class="actions"><button class="primary" @click=${() => this.#open()}>${words.retry}</button></div>
      </main>`;
    if (this.state === 'signed in') return html`<svc-shell></svc-shell>`;
    if (this.state === 'gate') return html`<main class="gate">${gates[location.pathname]?.view()}</main>`;
    if (this.state === 'not set up') return html`<main class="gate"><svc-setup></svc-setup></main>`;
    if (this.state === 'signed out')
      return html`<main class="gate"><svc-sign-in @signed-in=${() => session.load()}></svc-sign-in></main>`;
    return html`<main class="gate"><p role="status">${words.loading}</p></main>`;
  }

  async #open(): Promise<void> {
    this.error = null;
    try {
      const gate = gates[location.pathname];
      // Where there was a session, the frame is loaded beside it, not after it.
      if (gate === undefined && wasSignedIn()) loadFrame().catch(() => undefined);
      if (gate === undefined) return await session.load();
      await gate.load();
      this.state = 'gate';
    } catch (error) {
      this.error = error;
    }
  }

  async #follow(): Promise<void> {
    await this.#words;
    try {
      if (session.me) await loadFrame();
    } catch (error) {
      this.error = error;
      return;
    }
    if (!session.me) document.title = `${words.signIn} · Svc`;
    this.state = session.me ? 'signed in' : 'signed out';
    // A server without tenants has nobody to sign in.
    if (
      this.state === 'signed out' &&
      (await import('./setup.ts').then((setup) => setup.readSetup()).catch(() => false))
    )
      this.state = 'not set up';
  }
}

customElements.define('svc-app', App);
