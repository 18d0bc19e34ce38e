import { isBusy, type MeasuredFinding, type Measurement } from '../../tools/bench/measurement.ts';
import { describeFigure } from '../../tools/bench/report.ts';
import { html, type Insertable, type Markup } from './markup.ts';
import type { PartialPlace, PartialResult } from './partials.ts';
import { writeTable } from './table.ts';

/**
 * Writes what one benchmark found: each figure with its budget and verdict, notes, and when it was measured.
 * One that was never measured says so. @param name of the benchmark.
 */
export function writeMeasurement(name: string, { sources }: PartialPlace): PartialResult {
  const measurement = sources.measurements[name];
  if (measurement === undefined)
    return { content: html`<p>Not measured yet: <code>npm run bench -- ${name} --record</code> does it.</p>\n` };
  const rows = measurement.findings.map((finding) => {
    const { figure, spread, budget } = describeFigure(finding);
    const { what, ours, floor, value } = finding;
    const beside = [ours, floor].filter(Boolean).map(keepTogether).join(' beside ');
    const half = value.low === value.high ? '' : keepTogether(spread.replace('–', ' – '));
    return [what, keepTogether(figure), keepTogether(budget), judge(finding), half, beside];
  });
  const columns = ['What / beside what', 'Figure', 'Budget', 'Verdict', 'Middle half', 'Ours beside the floor'];
  const notes = measurement.findings.flatMap(({ what, note }) => (note === undefined ? [] : [`${what}: ${note}.`]));
  return {
    content: html`${writeTable(`Figures of ${name}`, columns, rows)}${notes.map((note) => html`<p>${writeNote(note)}</p>\n`)}<p>${describeOccasion(measurement)}</p>
`,
  };
}

/** Writes how many figures keep their budgets, and each one that does not, with a link to its table. */
export function writeVerdict({ address, sources }: PartialPlace): PartialResult {
  const all = Object.entries(sources.measurements).flatMap(([name, { findings }]) =>
    findings.map((finding) => ({ name, finding })),
  );
  const missed = all.filter(({ finding }) => !finding.met);
  const rows = missed.map(({ name, finding }) => {
    const { figure, budget } = describeFigure(finding);
    return [finding.what, keepTogether(figure), keepTogether(budget), html`<a href="#${name}">${name}</a>`];
  });
  const kept = all.length - missed.length;
  const sentence = html`<p>Of ${all.length} figures ${kept} keep the budget. ${missed.length === 0 ? 'None misses it.' : 'These miss it:'}</p>\n`;
  const table = writeTable(
    'Figures that miss their budget',
    ['What / beside what', 'Figure', 'Budget', 'Benchmark'],
    rows,
  );
  return {
    content: html`${sentence}${missed.length === 0 ? null : table}`,
    links: [...new Set(missed.map(({ name }) => name))].map((anchor) => ({ address, anchor })),
  };
}

/** Writes when, at which commit and on what each benchmark was measured. */
export function writeConditions({ address, sources }: PartialPlace): PartialResult {
  const measurements = Object.entries(sources.measurements);
  const rows = measurements.map(([name, measurement]): readonly Insertable[] => [
    html`<a href="#${name}">${name}</a>`,
    writeDate(measurement),
    writeCommit(measurement),
    measurement.node,
    measurement.chromium ?? 'none',
    `${measurement.load}${isBusy(measurement) ? ', busy' : ''}`,
    `${measurement.processors} × ${measurement.processor}, ${measurement.gibibytes} GiB`,
  ]);
  const columns = ['Benchmark', 'Date', 'Commit', 'Node', 'Chromium', 'Load before', 'Processors and memory'];
  return {
    content: writeTable('Conditions of each benchmark', columns, rows),
    links: measurements.map(([name]) => ({ address, anchor: name })),
  };
}

function describeOccasion(measurement: Measurement): Markup {
  const { load, processors } = measurement;
  const busy = `The machine was busy: ${load} processes wanted its ${processors} processors in the minute before.`;
  return html`Measured on ${writeDate(measurement)} at commit ${writeCommit(measurement)}. ${isBusy(measurement) ? busy : null}`;
}

function writeDate({ measuredOn }: Measurement): string {
  const form = { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' } as const;
  return keepTogether(new Date(measuredOn).toLocaleDateString('en-GB', form));
}

/** Writes the text between backticks as code. */
function writeNote(note: string): Markup {
  return html`${note.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part))}`;
}

function writeCommit({ commit, isModified }: Measurement): Markup {
  return html`<code>${commit.slice(0, 10)}</code>${isModified ? ', with changes that are not in it' : null}`;
}

function judge({ met }: MeasuredFinding): Insertable {
  return met ? 'met' : html`<strong>missed</strong>`;
}

/** A figure and its unit stay on one line. */
function keepTogether(text: string): string {
  return text.replaceAll(' ', '\u00a0');
}
