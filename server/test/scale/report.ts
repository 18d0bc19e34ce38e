import type { ScaleReport } from './run.ts';

/** The tables of a report, and what it found. */
export function describeReport(report: ScaleReport): string {
  const { seconds, kinds, faults, errors, processorSeconds, samples } = report;
  const requests = kinds.map(({ kind, answered, perSecond, p50, p99, longest, errors }) => [
    kind,
    String(answered),
    perSecond.toFixed(1),
    p50.toFixed(1),
    p99.toFixed(1),
    longest.toFixed(0),
    describeErrors(errors),
  ]);
  const done = Object.entries(errors).map(([name, ofPhase]) => {
    const times = faults.filter((fault) => fault.name === name).map((fault) => fault.seconds);
    const longest = times.length === 0 ? '' : Math.max(...times).toFixed(1);
    return [name, times.length === 0 ? '' : String(times.length), longest, describeErrors(ofPhase)];
  });
  const parts = Object.entries(processorSeconds ?? {});
  return [
    writeTable(['Requests', 'answered', 'a second', 'p50 ms', 'p99 ms', 'longest', 'errors'], requests),
    writeTable(['What was done', 'times', 'recovered after s', 'errors meanwhile'], done),
    parts.length === 0
      ? 'This system does not report the processor time of other processes.'
      : writeTable(
          ['Processor time', 'seconds', '% of a processor'],
          parts.map(([name, used]) => [name, used.toFixed(1), ((used / seconds) * 100).toFixed(0)]),
        ),
    Object.entries(samples)
      .map(([name, text]) => `${name}: ${text}`)
      .join('\n'),
    `${report.records} decisions acknowledged, ${report.repeated} of them sent again; ${report.entries} entries of the consent ledgers verified; ` +
      `${report.users} users created and suspended; ${report.delivered} deliveries to slow receivers, ${report.duplicates} of them came again; ` +
      `to broken ones ${report.dead} dead letters and ${report.pending} pending.`,
    report.passed
      ? 'Nothing acknowledged was lost, and every chain is intact.'
      : ['Something is wrong:', ...report.wrong.slice(0, 50)].join('\n'),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

function describeErrors(errors: Readonly<Record<string, number>>): string {
  return Object.entries(errors)
    .map(([name, count]) => `${count} × ${name}`)
    .join(', ');
}

/** Columns of text; the first and the last are aligned to the left. */
function writeTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  const isLeft = (column: number) => column === 0 || (column === head.length - 1 && head.length > 3);
  return all
    .map((row) =>
      row
        .map((cell, column) => (isLeft(column) ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
