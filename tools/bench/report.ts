import type { Budget, Finding } from './benchmark.ts';
import type { Comparison } from './slices.ts';

/** Operations a second of processor time. */
export function perCpuSecond(microseconds: number): string {
  return `${Math.round(1e6 / microseconds).toLocaleString('en')} /cpu s`;
}

/**
 * Finding of a comparison of processor time: the speed relative to the floor where the budget is a minimum, else the
 * cost.
 */
export function judgeCpu(what: string, { ours, floor, speed, cost }: Comparison, budget: Budget): Finding {
  const value = 'atLeast' in budget ? speed : cost;
  return { what, ours: perCpuSecond(ours), floor: perCpuSecond(floor), value, unit: '×', budget };
}

/** A figure with what it must be. */
type Judged = Pick<Finding, 'value' | 'unit' | 'budget'>;

/** True if a figure is within its budget. */
export function isMet({ value, budget }: Pick<Finding, 'value' | 'budget'>): boolean {
  return 'atLeast' in budget ? value.median >= budget.atLeast : value.median <= budget.atMost;
}

/** A figure, where half of them lie, and its budget, as people read them. */
export function describeFigure({ value, unit, budget }: Judged) {
  return {
    figure: format(value.median, unit),
    spread: `${format(value.low, '')}–${format(value.high, '')}`,
    budget: formatBudget(budget, unit),
  } as const;
}

/** The findings as a table for people. */
export function formatTable(findings: readonly Finding[]): string {
  const lines = findings.map((finding) => {
    const { figure, spread, budget } = describeFigure(finding);
    return [finding.what, finding.ours, finding.floor, figure, spread, budget, isMet(finding) ? 'met' : 'MISSED'];
  });
  const table = [['what / floor', 'ours', 'floor', 'figure', 'middle half', 'budget', ''], ...lines];
  const widths = (table[0] as string[]).map((_, column) => Math.max(...table.map((line) => line[column]?.length ?? 0)));
  const notes = findings.flatMap(({ what, note }) => (note === undefined ? [] : [`${what}: ${note}`]));
  const rows = table.map((line) =>
    line
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  ')
      .trimEnd(),
  );
  return [...rows, ...(notes.length > 0 ? ['', ...notes] : [])].join('\n');
}

function formatBudget(budget: Budget, unit: Finding['unit']): string {
  return 'atLeast' in budget ? `≥ ${format(budget.atLeast, unit)}` : `≤ ${format(budget.atMost, unit)}`;
}

function format(figure: number, unit: Finding['unit'] | ''): string {
  const text = figure >= 100 ? figure.toFixed(0) : figure.toFixed(2);
  return unit === '' ? text : `${text} ${unit}`;
}
