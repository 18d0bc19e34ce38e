import { html, nothing, type TemplateResult } from 'lit';
import { call, transport } from './api.ts';
import { DashboardElement } from './element.ts';
import { pageWords, readLocale } from './preferences.ts';
import { followClock } from './relative-time.ts';
import { session } from './session.ts';

const usualWarning = 5 * 60_000;
/** Tabs share a session: a request of one keeps it alive for all. */
const lastUseKey = 'svc-last-use';

/**
 * Warns five minutes before the session ends because it is not used, and lets the user continue. At the end it asks for the
 * password, before the next press does. What was entered stays.
 */
export class IdleWarning extends DashboardElement {
  static override properties = { endsAt: { state: true } };

  /** When the session ends, while the warning is shown. */
  declare endsAt: number | null;
  #idle = 0;
  #latestEnd = 0;
  /** The element that had the focus before the button. */
  #left: HTMLElement | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    super();
    this.endsAt = null;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    transport.noteUse = (response) => {
      if (response !== undefined) followClock(response);
      localStorage.setItem(lastUseKey, String(Date.now()));
      this.#follow();
    };
    session.addEventListener('change', this.#start);
    addEventListener('storage', this.#follow);
    this.#start();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearTimeout(this.#timer);
    transport.noteUse = () => undefined;
    session.removeEventListener('change', this.#start);
    removeEventListener('storage', this.#follow);
  }

  protected override render(): TemplateResult {
    if (this.endsAt === null) return html`${nothing}`;
    const time = new Intl.DateTimeFormat(readLocale(), { timeStyle: 'short' }).format(this.endsAt);
    return html`<div class="idle notice" role="alert">
      <p>${pageWords.idleWarning} ${time}.</p>
      <button class="primary" @focus=${this.#noteLeft} @click=${this.#stay}>${pageWords.staySignedIn}</button>
    </div>`;
  }

  /** The clock of the server counts: only durations are taken from what it sent. */
  readonly #start = (): void => {
    if (!session.me) return;
    const { lastSeenAt, idleExpiresAt, expiresAt } = session.me.session;
    this.#idle = Date.parse(idleExpiresAt) - Date.parse(lastSeenAt);
    this.#latestEnd = Date.now() + Date.parse(expiresAt) - Date.parse(lastSeenAt);
    transport.noteUse();
  };

  readonly #follow = (): void => {
    clearTimeout(this.#timer);
    const end = Math.min(Number(localStorage.getItem(lastUseKey)) + this.#idle, this.#latestEnd);
    const remaining = end - Date.now();
    const warning = Math.min(usualWarning, this.#idle / 2);
    this.endsAt = remaining > 0 && remaining <= warning ? end : null;
    if (remaining > 0) this.#timer = setTimeout(this.#follow, remaining > warning ? remaining - warning : remaining);
    else void transport.renew?.();
  };

  readonly #noteLeft = ({ relatedTarget }: FocusEvent): void => {
    // The window gets the focus back with nothing before it.
    if (relatedTarget instanceof HTMLElement) this.#left = relatedTarget;
  };

  readonly #stay = (): void => {
    this.#left?.focus();
    // A failure leaves the warning; the end of the session asks for the password.
    call('getMe', 'GET', '/v1/me').catch(() => undefined);
  };
}

customElements.define('svc-idle-warning', IdleWarning);
