import { html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { keyed } from 'lit/directives/keyed.js';
import './idle-warning.ts';
import './palette.ts';
import { transport } from './api.ts';
import { type Me, operationScopes } from './api-types.ts';
import { DashboardElement, focusHeading, viewError, viewRetry } from './element.ts';
import { type DashboardPage, findPage, listNavigation } from './pages.ts';
import { keep, pageWords, readTheme, type Theme, themes, useTheme, words } from './preferences.ts';
import { mayLeave, type Place, Router } from './router.ts';
import { session } from './session.ts';
import { returnTo } from './whereabouts.ts';

/** The frame around every page of a signed-in user: navigation, tenant, palette, and signing in again when the session ended. */
export class Shell extends DashboardElement {
  static override properties = {
    place: { state: true },
    isMenuOpen: { state: true },
    renewal: { state: true },
    hasOther: { state: true },
    elsewhere: { state: true },
    error: { state: true },
    signOutError: { state: true },
  };

  declare place: Place | null;
  /** True if a narrow window shows the navigation; a wide one always does. */
  declare isMenuOpen: boolean;
  /** Resolves when the user has signed in again, or given up. */
  declare renewal: PromiseWithResolvers<boolean> | null;
  /** True if the session that ended was replaced by that of another user. */
  declare hasOther: boolean;
  /** Resolves when the session is in the tenant of the pages again. */
  declare elsewhere: PromiseWithResolvers<boolean> | null;
  /** Why the tenant could not be switched. */
  declare error: unknown;
  declare signOutError: unknown;
  readonly router: Router;
  readonly #left = new AbortController();
  /** Aborts when another page is shown. */
  #leaving = new AbortController();

  constructor() {
    super();
    this.place = null;
    this.isMenuOpen = false;
    this.renewal = null;
    this.hasOther = false;
    this.elsewhere = null;
    this.error = null;
    this.signOutError = null;
    const show = (place: Place) => {
      this.place = place;
      this.isMenuOpen = false;
      this.signOutError = null;
      this.#leaving.abort();
      this.#leaving = new AbortController();
      void this.#arrive(place, this.#leaving.signal);
    };
    this.router = new Router(findPage, show, this.#left.signal);
    const renew = () => {
      this.renewal ??= Promise.withResolvers();
      return this.renewal.promise;
    };
    transport.renew = renew;
    transport.reclaim = () => {
      this.hasOther = true;
      return renew();
    };
    transport.requireFactor = () => {
      session.needsFactor = true;
      // Other pages link to it: they may hold input.
      if (location.pathname === '/app/') void this.router.go('me');
    };
    transport.denied = () => void session.load().catch(() => undefined);
    transport.askTenant = () => {
      this.elsewhere ??= Promise.withResolvers();
      return this.elsewhere.promise;
    };
  }

  override connectedCallback(): void {
    super.connectedCallback();
    session.addEventListener('change', this.#follow);
    void this.router.open();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#left.abort();
    session.removeEventListener('change', this.#follow);
    transport.renew = null;
    transport.reclaim = null;
    transport.denied = null;
    transport.requireFactor = null;
    transport.askTenant = null;
  }

  protected override render(): TemplateResult {
    const { me } = session;
    if (!me) return html`${nothing}`;
    const entries = listNavigation();
    const current = findEntry(entries);
    return html`<a class="skip" href="#content" @click=${this.#skip}>${words.skip}</a>
      <header class="bar">
        <a class="brand" href="/app/">Svc</a>
        ${me.memberships.length > 1 ? this.#viewTenants(me) : html`<span class="tenant" title=${me.tenant.slug}>${me.tenant.name}</span>`}
        <svc-palette .router=${this.router}></svc-palette>
        <label class="theme"
          ><span class="hidden">${words.theme}</span
          ><select @change=${this.#chooseTheme}>
            ${themes.map((theme) => html`<option value=${theme} ?selected=${theme === readTheme()}>${themeName(theme)}</option>`)}
          </select></label
        >
        <button @click=${() => void this.#signOut()}>${words.signOut}</button>
        ${session.allows('listPortfolio') && location.pathname !== '/app/staff' ? viewViewing(me.tenant.name) : nothing}
      </header>
      <nav aria-label=${words.navigation}>
        <button class="menu" aria-expanded=${this.isMenuOpen} aria-controls="entries" @click=${this.#toggleMenu}>
          ${words.menu}
        </button>
        <ul id="entries" ?data-open=${this.isMenuOpen}>
          ${entries.map((entry) => viewEntry(entry, entry === current))}
        </ul>
      </nav>
      <main id="content" tabindex="-1" @go=${this.#go} @drawn=${this.#nameDocument}>
        ${this.elsewhere === null ? viewError(this.error) : nothing}
        ${viewError(this.signOutError)} ${viewRetry(this.signOutError, () => void this.#signOut())}
        ${this.place === null ? html`<p role="status">${words.loading}</p>` : viewPlace(this.place)}
      </main>
      ${this.renewal === null ? nothing : this.#viewRenewal(me.user.email, me.tenant.id)}
      ${this.elsewhere === null ? nothing : this.#viewElsewhere(me)}
      <svc-idle-warning></svc-idle-warning>`;
  }

  protected override updated(changed: PropertyValues<this>): void {
    if (changed.has('renewal') || changed.has('elsewhere'))
      this.querySelector<HTMLDialogElement>('dialog.renewal:not([open])')?.showModal();
  }

  #viewRenewal(email: string, tenant: string): TemplateResult {
    const { hasOther } = this;
    return html`<dialog class="renewal" aria-label=${words.signInTitle} @cancel=${() => this.#endRenewal(false)}>
      <svc-sign-in
        .email=${email}
        .tenant=${tenant}
        .note=${hasOther ? pageWords.otherUser : words.sessionEnded}
        @signed-in=${() => this.#endRenewal(true)}
      ></svc-sign-in>
      <div class="actions">
        <button @click=${() => this.#endRenewal(false)}>${words.cancel}</button>
        ${hasOther ? html`<button @click=${() => location.assign('/app/')}>${pageWords.openOtherUser}</button>` : nothing}
      </div>
    </dialog>`;
  }

  #endRenewal(isSignedIn: boolean): void {
    this.#closeDialog();
    this.renewal?.resolve(isSignedIn);
    this.renewal = null;
    this.hasOther = false;
    // The new session ends later, and the role may be another one.
    if (isSignedIn) session.load().catch(() => undefined);
  }

  /** Gives the focus back, which removing an open dialog does not. */
  #closeDialog(): void {
    this.querySelector<HTMLDialogElement>('dialog.renewal')?.close();
  }

  #viewTenants({ tenant, memberships }: Me): TemplateResult {
    return html`<label class="tenant"
      ><span class="hidden">${pageWords.currentTenant}</span
      ><select @change=${this.#chooseTenant}>
        ${memberships.map(
          ({ tenantId, tenantName, tenantSlug }) =>
            html`<option value=${tenantId} title=${tenantSlug} ?selected=${tenantId === tenant.id}>${tenantName}</option>`,
        )}
      </select></label
    >`;
  }

  /** Another tab moved the session to another tenant: nothing of this page may happen there. */
  #viewElsewhere({ tenant }: Me): TemplateResult {
    return html`<dialog class="renewal" aria-labelledby="elsewhere" @cancel=${(event: Event) => event.preventDefault()}>
      <h2 id="elsewhere">${pageWords.switchedTitle}</h2>
      <p>${pageWords.switchedHint} ${tenant.name}.</p>
      ${viewError(this.error)}
      <div class="actions">
        <button class="primary" @click=${() => this.#switchBack(tenant.id)}>${pageWords.switchBack} ${tenant.name}</button>
        <button @click=${() => location.assign('/app/')}>${pageWords.openOtherTenant}</button>
      </div>
    </dialog>`;
  }

  async #switchBack(tenantId: string): Promise<void> {
    if (!(await this.#switchTo(tenantId))) return;
    this.#closeDialog();
    this.elsewhere?.resolve(true);
    this.elsewhere = null;
  }

  async #switchTo(tenantId: string): Promise<boolean> {
    this.error = null;
    try {
      await session.switchTenant(tenantId);
    } catch (error) {
      this.error = error;
    }
    return this.error === null;
  }

  /** The pages of the other tenant are loaded from scratch: nothing of this one stays in the browser. */
  readonly #chooseTenant = async (event: Event): Promise<void> => {
    const select = event.currentTarget as HTMLSelectElement;
    if (mayLeave() && (await this.#switchTo(select.value))) {
      // The user has been asked, and the session is in the other tenant already.
      this.#left.abort();
      location.assign('/app/');
    } else select.value = session.me?.tenant.id ?? '';
  };

  async #arrive({ left }: Place, leaving: AbortSignal): Promise<void> {
    await this.updateComplete;
    await this.#page?.updateComplete;
    const main = this.querySelector('main');
    if (main === null || leaving.aborted) return;
    focusHeading(main);
    if (left !== null) returnTo(main, left, leaving);
  }

  /** The title names the object that a page shows, once it is loaded: "Our shop · Notices · Svc". */
  readonly #nameDocument = (): void => {
    const name = this.querySelector('main h1:not([data-pending])')?.textContent?.trim();
    if (!name || this.place === null || Object.keys(this.place.parameters).length === 0) return;
    const { page, path } = this.place;
    const section = findEntry(listNavigation())?.title() ?? '';
    const isPart = !/:\w+$/.test(path);
    document.title = [...(isPart ? [page.title()] : []), name, section, 'Svc'].join(' · ');
  };

  get #page(): DashboardElement | null {
    const page = this.querySelector('main')?.firstElementChild;
    return page instanceof DashboardElement ? page : null;
  }

  /** The role may have changed: what it allows is shown again, and what the user has typed stays. */
  readonly #follow = (): void => {
    this.requestUpdate();
    this.#page?.requestUpdate();
  };

  /** Shows a failure: a user who leaves the window must know that they are still signed in. */
  async #signOut(): Promise<void> {
    if (!mayLeave()) return;
    this.signOutError = null;
    await session.signOut().catch((error: unknown) => {
      this.signOutError = error;
    });
  }

  readonly #toggleMenu = (): void => {
    this.isMenuOpen = !this.isMenuOpen;
  };

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

/** Each navigation renders its page again: nothing of one object is left beside another. */
function viewPlace(place: Place): unknown {
  return keyed(place, place.page.render(place.parameters));
}

function viewEntry({ path, title }: DashboardPage, isCurrent: boolean): TemplateResult {
  return html`<li><a href="/app/${path}" aria-current=${isCurrent ? 'page' : nothing}>${title()}</a></li>`;
}

/** The entry whose address the page is at or below: the longest that fits. */
function findEntry(entries: readonly DashboardPage[]): DashboardPage | undefined {
  const here = `${location.pathname.slice('/app/'.length)}/`;
  const fitting = entries.filter(({ path }) => (path === '' ? here === '/' : here.startsWith(`${path}/`)));
  return fitting.sort((one, other) => other.path.length - one.path.length)[0];
}

function themeName(theme: Theme): string {
  return { system: words.themeSystem, light: words.themeLight, dark: words.themeDark }[theme];
}

/** Reminds the staff of the operator whose data they read. */
function viewViewing(tenant: string): TemplateResult {
  const { viewing, readOnly, back } = pageWords.staff;
  return html`<p class="viewing">
    ${viewing} <strong>${tenant}</strong> ${readOnly} <a href="/app/staff">${back}</a>
  </p>`;
}

session.scopes = operationScopes;
customElements.define('svc-shell', Shell);
