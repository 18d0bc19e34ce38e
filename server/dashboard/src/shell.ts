import { html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import './palette.ts';
import { transport } from './api.ts';
import { DashboardElement } from './element.ts';
import { missing, type NavigationEntry, navigation, pages } from './pages.ts';
import { keep, readTheme, type Theme, themes, useTheme, words } from './preferences.ts';
import { type Place, Router } from './router.ts';
import { session } from './session.ts';

/** The frame around every page of a signed-in user: navigation, tenant, palette, and signing in again when the session ended. */
export class Shell extends DashboardElement {
  static override properties = { place: { state: true }, renewal: { state: true } };

  declare place: Place | null;
  /** Resolves when the user has signed in again, or given up. */
  declare renewal: PromiseWithResolvers<boolean> | null;
  readonly router: Router;

  constructor() {
    super();
    this.place = null;
    this.renewal = null;
    this.router = new Router(pages, missing, (place) => {
      this.place = place;
      void this.#focusHeading();
    });
    transport.renew = () => {
      this.renewal ??= Promise.withResolvers();
      return this.renewal.promise;
    };
  }

  override connectedCallback(): void {
    super.connectedCallback();
    void this.router.open();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    transport.renew = null;
  }

  protected override render(): TemplateResult {
    const { me } = session;
    if (!me) return html`${nothing}`;
    return html`<a class="skip" href="#content" @click=${this.#skip}>${words.skip}</a>
      <header class="bar">
        <a class="brand" href="/app/">Svc</a>
        <span class="tenant" title=${me.tenant.slug}>${me.tenant.name}</span>
        <svc-palette .router=${this.router}></svc-palette>
        <label class="theme"
          ><span class="hidden">${words.theme}</span
          ><select @change=${this.#chooseTheme}>
            ${themes.map((theme) => html`<option value=${theme} ?selected=${theme === readTheme()}>${themeName(theme)}</option>`)}
          </select></label
        >
        <button @click=${() => session.signOut()}>${words.signOut}</button>
      </header>
      <nav aria-label=${words.navigation}>
        <ul>
          ${navigation.filter(isVisible).map((entry) => this.#viewEntry(entry))}
        </ul>
      </nav>
      <main id="content" tabindex="-1" @go=${this.#go}>
        ${this.place === null ? html`<p role="status">${words.loading}</p>` : this.place.page.render(this.place.parameters)}
      </main>
      ${this.renewal === null ? nothing : this.#viewRenewal(me.user.email, me.tenant.id)}`;
  }

  protected override updated(changed: PropertyValues<this>): void {
    if (changed.has('renewal')) this.querySelector<HTMLDialogElement>('dialog.renewal')?.showModal();
  }

  #viewEntry({ path, title }: NavigationEntry): TemplateResult {
    const isCurrent = path === currentEntry()?.path;
    return html`<li><a href="/app/${path}" aria-current=${isCurrent ? 'page' : nothing}>${title()}</a></li>`;
  }

  #viewRenewal(email: string, tenant: string): TemplateResult {
    return html`<dialog class="renewal" @cancel=${() => this.#endRenewal(false)}>
      <svc-sign-in
        .email=${email}
        .tenant=${tenant}
        .note=${words.sessionEnded}
        @signed-in=${() => this.#endRenewal(true)}
      ></svc-sign-in>
      <div class="actions"><button @click=${() => this.#endRenewal(false)}>${words.cancel}</button></div>
    </dialog>`;
  }

  #endRenewal(isSignedIn: boolean): void {
    this.renewal?.resolve(isSignedIn);
    this.renewal = null;
  }

  async #focusHeading(): Promise<void> {
    await this.updateComplete;
    const heading = this.querySelector<HTMLElement>('main h1');
    heading?.setAttribute('tabindex', '-1');
    heading?.focus();
  }

  /** A page leads to another one after its action. */
  readonly #go = ({ detail }: CustomEvent<string>): void => void this.router.go(detail);

  readonly #skip = (event: Event): void => {
    event.preventDefault();
    this.querySelector<HTMLElement>('main')?.focus();
  };

  readonly #chooseTheme = (event: Event): void => {
    const theme = (event.currentTarget as HTMLSelectElement).value as Theme;
    keep('svc-theme', theme);
    useTheme(theme);
  };
}

/** The entry whose address the page is at or below: the longest that fits. */
function currentEntry(): NavigationEntry | undefined {
  const here = `${location.pathname.slice('/app/'.length)}/`;
  const fitting = navigation.filter(({ path }) => (path === '' ? here === '/' : here.startsWith(`${path}/`)));
  return fitting.sort((one, other) => other.path.length - one.path.length)[0];
}

function isVisible({ operation }: NavigationEntry): boolean {
  return operation === null || session.allows(operation);
}

function themeName(theme: Theme): string {
  return { system: words.themeSystem, light: words.themeLight, dark: words.themeDark }[theme];
}

customElements.define('svc-shell', Shell);
