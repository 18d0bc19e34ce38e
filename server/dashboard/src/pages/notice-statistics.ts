import { html, type TemplateResult } from 'lit';
import type { Notice, NoticeDay } from '../../../../packages/node-sdk/src/types/api.ts';
import { type Axis, type Figure, formatDay, viewChart, viewShares } from '../chart.ts';
import { formatCount, formatPercent, viewTable } from '../format.ts';
import { NoticePage } from '../notice-page.ts';
import { type EmptyState, viewEmpty } from '../page-element.ts';
import { pageWords } from '../preferences.ts';
import { notices } from '../sdk.ts';
import { setParameter } from '../whereabouts.ts';

/** The choices of the span, in days. */
const spans = [7, 30, 90] as const;
type Span = (typeof spans)[number];

/** Decisions on a notice, and how often it was fetched. */
export class NoticeStatistics extends NoticePage {
  static override properties = { days: { state: true }, span: { state: true } };

  /** Those of the span, oldest first; null until they are loaded. */
  declare days: readonly NoticeDay[] | null;
  declare span: Span;

  constructor() {
    super();
    this.days = null;
    const wanted = new URLSearchParams(location.search).get('days');
    this.span = spans.find((span) => String(span) === wanted) ?? 30;
  }

  protected override async load(): Promise<void> {
    const { span } = this;
    const [{ items }] = await Promise.all([notices.statistics(this.noticeId, { days: span }), super.load()]);
    this.days = fillDays(items, span);
  }

  protected override viewNotice(notice: Notice): TemplateResult {
    const { statistics } = pageWords;
    return html`<div class="filters">
        <label
          ><span>${statistics.span}</span
          ><select name="days" @change=${this.#choose}>
            ${spans.map((span) => html`<option value=${span} ?selected=${span === this.span}>${statistics.spans[span]}</option>`)}
          </select></label
        >
      </div>
      ${this.viewOutcome()} ${this.days === null ? this.viewWaiting() : this.#viewCounts(notice, this.days)}`;
  }

  #viewCounts(notice: Notice, counted: readonly NoticeDay[]): TemplateResult {
    if (counted.every(({ reads, captures, withdrawals }) => reads + captures + withdrawals === 0))
      return viewEmpty(explainEmpty(notice));
    return html`${this.#viewDecisions(counted)} ${this.#viewOptIn(notice, counted)} ${this.#viewReads(counted)}`;
  }

  #viewDecisions(counted: readonly NoticeDay[]): TemplateResult {
    const { statistics } = pageWords;
    return html`<section>
      <h2>${statistics.decisions}</h2>
      <p class="quiet">${statistics.decisionsHint}</p>
      ${viewChart(statistics.decisions, counted, days, [
        { label: statistics.decisions, colour: 'first', count: ({ captures }) => captures },
        { label: statistics.withdrawals, colour: 'second', count: ({ withdrawals }) => withdrawals },
        { label: statistics.byVisitors, count: ({ visitorRecords }) => visitorRecords },
      ])}
    </section>`;
  }

  #viewReads(counted: readonly NoticeDay[]): TemplateResult {
    const { statistics } = pageWords;
    const reads: Figure<NoticeDay> = { label: statistics.reads, colour: 'first', count: (day) => day.reads };
    return html`<section>
      <h2>${statistics.reads}</h2>
      <p class="quiet">${statistics.readsHint}</p>
      ${viewChart(statistics.reads, counted, days, [reads])}
    </section>`;
  }

  #viewOptIn({ purposes }: Notice, counted: readonly NoticeDay[]): TemplateResult {
    const { statistics } = pageWords;
    const totals = sumPurposes(counted);
    // In the order of the notice; then those that it no longer has.
    const own = purposes.map(({ key }) => key).filter((key) => totals.has(key));
    const keys = [...new Set([...own, ...totals.keys()])];
    const rows = keys.map((key) => {
      const [granted = 0, refused = 0] = totals.get(key) ?? [];
      const rate = (100 * granted) / (granted + refused);
      const purpose = purposes.find((one) => one.key === key);
      return html`<tr>
        <th scope="row">
          ${purpose?.label ?? key}
          ${purpose?.required ? html`<div class="quiet">${pageWords.required}</div>` : ''}
        </th>
        <td class="bar-cell">
          ${formatPercent(rate)} ${viewShares([['accepted', rate]])}
        </td>
        <td>${formatCount(granted)}</td>
        <td>${formatCount(refused)}</td>
      </tr>`;
    });
    const columns = [pageWords.purpose, statistics.rate, pageWords.values.granted, pageWords.values.refused];
    return html`<section>
      <h2>${statistics.optIn}</h2>
      <p class="quiet">${statistics.optInHint}</p>
      ${rows.length === 0 ? html`<p>${statistics.noDecisions}</p>` : viewTable(statistics.optIn, columns, rows)}
    </section>`;
  }

  readonly #choose = (event: Event): void => {
    const { value } = event.currentTarget as HTMLSelectElement;
    setParameter('days', value);
    this.span = Number(value) as Span;
    this.reload();
  };
}

function explainEmpty({ id }: Notice): EmptyState {
  return {
    text: pageWords.statistics.none,
    docs: 'guides/notices',
    action: [`/app/notices/${id}/install`, pageWords.installBanner],
  };
}

/** The days of the charts. */
const days: Axis<NoticeDay> = { title: () => pageWords.statistics.day, name: ({ date }) => formatDay(date) };

/** Every day up to today in UTC, oldest first; the server leaves out those with nothing to count. */
function fillDays(counted: readonly NoticeDay[], span: number): readonly NoticeDay[] {
  const known = new Map(counted.map((day) => [day.date, day]));
  // The clock of the server can be ahead.
  const last = [new Date().toISOString().slice(0, 10), ...known.keys()].sort().at(-1) as string;
  return Array.from({ length: span }, (_, index) => {
    const date = new Date(Date.parse(last) - (span - 1 - index) * dayMilliseconds).toISOString().slice(0, 10);
    return known.get(date) ?? { date, reads: 0, captures: 0, withdrawals: 0, visitorRecords: 0, purposes: [] };
  });
}

const dayMilliseconds = 24 * 60 * 60_000;

/** How many records granted and refused each purpose. */
function sumPurposes(days: readonly NoticeDay[]): ReadonlyMap<string, readonly [granted: number, refused: number]> {
  const totals = new Map<string, readonly [number, number]>();
  for (const { key, granted, refused } of days.flatMap(({ purposes }) => purposes)) {
    const [before = 0, refusedBefore = 0] = totals.get(key) ?? [];
    totals.set(key, [before + granted, refusedBefore + refused]);
  }
  return totals;
}

customElements.define('svc-notice-statistics', NoticeStatistics);
