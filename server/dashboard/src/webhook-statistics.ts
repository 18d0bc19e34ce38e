import { html, type TemplateResult } from 'lit';
import type { WebhookPeriod } from '../../../packages/node-sdk/src/types/api.ts';
import { type Axis, formatDay, viewChart } from './chart.ts';
import { formatCount } from './format.ts';
import { PageElement } from './page-element.ts';
import { pageWords, readLocale } from './preferences.ts';
import { webhooks } from './sdk.ts';
import { setParameter } from './whereabouts.ts';

const hour = 60 * 60_000;
const day = 24 * hour;

/** The choices of the span: how many bars, and what each stands for. */
const spans = {
  hours: { count: 24, per: 'hour', step: hour, days: 2 },
  week: { count: 7, per: 'day', step: day, days: 7 },
  month: { count: 30, per: 'day', step: day, days: 30 },
} as const;
type Span = keyof typeof spans;

/** The deliveries to a webhook as bars, with a table. */
export class WebhookStatistics extends PageElement {
  static override properties = { webhookId: {}, periods: { state: true }, span: { state: true } };

  declare webhookId: string;
  /** Those of the span, oldest first; null until they are loaded. */
  declare periods: readonly WebhookPeriod[] | null;
  declare span: Span;

  constructor() {
    super();
    this.periods = null;
    const wanted = new URLSearchParams(location.search).get('span') ?? '';
    this.span = Object.hasOwn(spans, wanted) ? (wanted as Span) : 'week';
  }

  protected override async load(): Promise<void> {
    const { span } = this;
    const { per, days } = spans[span];
    const { items } = await webhooks.statistics(this.webhookId, { per, days });
    this.periods = fillPeriods(items, span);
  }

  protected override render(): TemplateResult {
    const { statistics } = pageWords;
    const { periods, span } = this;
    return html`<section>
      <div class="heading">
        <h2>${pageWords.webhookStatistics.title}</h2>
        <label
          ><span class="hidden">${statistics.span}</span
          ><select name="span" @change=${this.#choose}>
            ${Object.keys(spans).map(
              (one) =>
                html`<option value=${one} ?selected=${one === span}>${pageWords.webhookStatistics.spans[one as Span]}</option>`,
            )}
          </select></label
        >
      </div>
      ${this.viewOutcome()} ${periods === null ? this.viewWaiting() : viewPeriods(periods, span)}
    </section>`;
  }

  readonly #choose = (event: Event): void => {
    this.span = (event.currentTarget as HTMLSelectElement).value as Span;
    setParameter('span', this.span);
    this.reload();
  };
}

function viewPeriods(periods: readonly WebhookPeriod[], span: Span): TemplateResult {
  const words = pageWords.webhookStatistics;
  if (periods.every(({ delivered, failedAttempts, deadLetters }) => delivered + failedAttempts + deadLetters === 0))
    return html`<p>${words.none}</p>`;
  const axis: Axis<WebhookPeriod> =
    spans[span].per === 'day'
      ? { title: () => pageWords.statistics.day, name: ({ startsAt }) => formatDay(startsAt) }
      : { title: () => words.hour, name: ({ startsAt }) => formatHour(startsAt) };
  return html`${viewChart(words.title, periods, axis, [
    { label: pageWords.values.delivered, colour: 'first', count: ({ delivered }) => delivered },
    { label: words.failedAttempts, colour: 'second', count: ({ failedAttempts }) => failedAttempts },
    { label: pageWords.deadLetters, count: ({ deadLetters }) => deadLetters },
    ...(['average', 'slowest'] as const).map((key) => ({
      label: words[key],
      count: () => 0,
      show: ({ responseTime }: WebhookPeriod) => formatMilliseconds(responseTime?.[`${key}Milliseconds`]),
    })),
  ])}`;
}

/** Every hour or day up to now in UTC, oldest first; the server leaves out those without deliveries. */
function fillPeriods(counted: readonly WebhookPeriod[], span: Span): readonly WebhookPeriod[] {
  const { count, step } = spans[span];
  const known = new Map(counted.map((period) => [Date.parse(period.startsAt), period]));
  // The clock of the server can be ahead.
  const last = Math.max(Math.floor(Date.now() / step) * step, ...known.keys());
  return Array.from({ length: count }, (_, index) => {
    const start = last - (count - 1 - index) * step;
    const none = { delivered: 0, failedAttempts: 0, deadLetters: 0, responseTime: null };
    return known.get(start) ?? { startsAt: new Date(start).toISOString(), ...none };
  });
}

/** The start of an hour in the zone of the user. */
function formatHour(time: string): string {
  const shown = new Intl.DateTimeFormat(readLocale(), { dateStyle: 'short', timeStyle: 'short' });
  return shown.format(new Date(time));
}

function formatMilliseconds(milliseconds: number | undefined): string {
  return milliseconds === undefined ? '–' : `${formatCount(milliseconds)} ms`;
}

customElements.define('svc-webhook-statistics', WebhookStatistics);
