import { html, svg, type TemplateResult } from 'lit';
import { formatCount, viewTable } from './format.ts';
import { pageWords, readLocale } from './preferences.ts';

/** A series of counts: bars of a chart, and a column of its table. */
export interface Figure<Period> {
  readonly label: string;
  /** The class of its bars; without one it is only in the table. */
  readonly colour?: 'first' | 'second';
  count(period: Period): number;
  /** Text in the table; default: the count. */
  show?(period: Period): string;
}

/** The periods that a chart has bars for. */
export interface Axis<Period> {
  title(): string;
  name(period: Period): string;
}

/** A bar for each period, those of its figures on top of each other, and a table with the same numbers. */
export function viewChart<Period>(
  title: string,
  periods: readonly Period[],
  axis: Axis<Period>,
  figures: readonly Figure<Period>[],
): TemplateResult {
  const shown = figures.filter(({ colour }) => colour !== undefined);
  const most = Math.max(...periods.map((period) => shown.reduce((sum, { count }) => sum + count(period), 0)));
  const bars = periods.flatMap((period, index) => {
    let top = most;
    return shown.map(({ label, colour, count }) => {
      const height = count(period);
      top -= height;
      return svg`<rect class=${colour} x=${index + 0.1} y=${top} width="0.8" height=${height}
        ><title>${axis.name(period)}, ${label}: ${formatCount(height)}</title></rect>`;
    });
  });
  const rows = periods.toReversed().map(
    (period) =>
      html`<tr>
        <th scope="row">${axis.name(period)}</th>
        ${figures.map(({ count, show }) => html`<td>${show === undefined ? formatCount(count(period)) : show(period)}</td>`)}
      </tr>`,
  );
  const [first] = periods;
  const last = periods.at(-1);
  return html`<p>
      ${
        shown.length === 1
          ? ''
          : shown.map(({ label, colour }) => html`<span class="legend">${viewSwatch(colour)} ${label}</span> `)
      }
      ${pageWords.statistics.most} ${formatCount(most)}
    </p>
    <svg class="chart days" viewBox="0 0 ${periods.length} ${most || 1}" preserveAspectRatio="none" aria-hidden="true">
      ${bars}
    </svg>
    <p class="ends quiet"><span>${first && axis.name(first)}</span> <span>${last && axis.name(last)}</span></p>
    <details>
      <summary>${pageWords.statistics.table}</summary>
      ${viewTable(title, [axis.title(), ...figures.map(({ label }) => label)], rows)}
    </details>`;
}

/** The colour of a figure in the bars. @param colour their class. */
export function viewSwatch(colour: string | undefined): TemplateResult {
  return html`<svg class="chart swatch" viewBox="0 0 6 6" aria-hidden="true">
    ${svg`<rect class=${colour} width="6" height="6"></rect>`}
  </svg>`;
}

/** Shares of a whole as parts of one bar; a table has the numbers, so it is hidden from screen readers. */
export function viewShares(shares: readonly (readonly [colour: string, percent: number])[]): TemplateResult {
  let start = 0;
  const parts = shares.map(([colour, percent]) => {
    const part = svg`<rect class=${colour} x=${start} width=${percent} height="6"></rect>`;
    start += percent;
    return part;
  });
  return html`<svg class="chart" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
    <rect class="track" width="100" height="6"></rect>
    ${parts}
  </svg>`;
}

/** A day in UTC, as the language of the user writes it. */
export function formatDay(date: string): string {
  const shown = new Intl.DateTimeFormat(readLocale(), { dateStyle: 'medium', timeZone: 'UTC' });
  return shown.format(new Date(date));
}
