import { isPassed, type SequenceReport, type StepReport } from './play.ts';
import type { Sequence } from './transcript.ts';

/** One line for a step that is as it must be, more for one that is not. */
export function formatStep({ does, request, status, differences }: StepReport): string {
  const mark = differences.length === 0 ? 'ok  ' : 'FAIL';
  const asked = request === '' ? '' : ` (${decode(request)} → ${status})`;
  return [`  ${mark} ${does}${asked}`, ...differences.map((difference) => `       ${difference}`)].join('\n');
}

/** Ids and filters are long, and people read them without escapes. */
function decode(request: string): string {
  const shown = decodeURIComponent(request.replaceAll('+', ' '));
  return shown.length > 140 ? `${shown.slice(0, 140)}…` : shown;
}

export function nameSequence({ name, setting }: Sequence): string {
  return `${name} (${setting})`;
}

/** The results as a table for people. */
export function formatTable(reports: readonly SequenceReport[], skipped: readonly Sequence[]): string {
  const lines = [
    ['provider', 'setting', 'steps', 'as they must be', 'members', ''],
    ...reports.map((report) => [
      report.sequence.name,
      report.sequence.setting,
      String(report.steps.length),
      String(report.steps.filter(({ differences }) => differences.length === 0).length),
      report.outcome.length === 0 ? 'right' : 'WRONG',
      isPassed(report) ? 'passed' : 'FAILED',
    ]),
    ...skipped.map(({ name, setting }) => [name, setting, '-', '-', '-', 'not played']),
  ];
  const widths = (lines[0] as string[]).map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
