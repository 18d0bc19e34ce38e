import { html, type TemplateResult } from 'lit';
import { DashboardElement } from './element.ts';
import { readLocale } from './preferences.ts';

/** Milliseconds by which the clock of the server is ahead of that of the device. */
let ahead = 0;

/** Takes the time of the server from one of its answers. */
export function followClock({ headers }: Response): void {
  ahead = Date.parse(headers.get('date') ?? '') - Date.now() || 0;
}

const units = [
  ['second', 1000, 60_000],
  ['minute', 60_000, 60 * 60_000],
  // The 72 hours of a breach are counted in hours.
  ['hour', 60 * 60_000, 3 * 24 * 60 * 60_000],
  ['day', 24 * 60 * 60_000, Number.POSITIVE_INFINITY],
] as const;

/** How far a time is from now on the clock of the server, such as "in 41 hr". It is drawn again each minute while visible. */
export class RelativeTime extends DashboardElement {
  static override properties = { time: {} };

  declare time: string;
  #timer: ReturnType<typeof setInterval> | undefined;

  override connectedCallback(): void {
    super.connectedCallback();
    this.#timer = setInterval(this.#tick, 60_000);
    document.addEventListener('visibilitychange', this.#tick);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearInterval(this.#timer);
    document.removeEventListener('visibilitychange', this.#tick);
  }

  protected override render(): TemplateResult {
    const away = Date.parse(this.time) - Date.now() - ahead;
    const [unit, length] = units.find(([, , end]) => Math.abs(away) < end) ?? units[0];
    const format = new Intl.RelativeTimeFormat(readLocale(), { style: 'short' });
    return html`${format.format(Math.trunc(away / length), unit)}`;
  }

  readonly #tick = (): void => {
    if (document.visibilityState === 'visible') this.requestUpdate();
  };
}

customElements.define('svc-relative-time', RelativeTime);
