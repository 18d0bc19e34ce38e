import { addHours, countHours, hoursPerDay, isOver } from './deadline.ts';

/**
 * The most that an answer may take with its extension: one month and two further months (GDPR Article 12(3)), or twice 45
 * days (California Civil Code section 1798.130(a)(2)).
 */
const longestDays = 90;

/** What the deadline of a request depends on. */
export interface DsrPeriod {
  readonly status: 'open' | 'completed';
  readonly receivedAt: string;
  readonly dueAt: string;
}

/** When a request must be answered. Fixed at its creation: a later change of the setting moves no deadline. */
export function dueAfter(receivedAt: string, days: number): string {
  return addHours(receivedAt, days * hoursPerDay);
}

/**
 * When a request must be answered once its period is extended: the period and two further ones of its length, 90 days
 * after its receipt at the latest. That is 30 days and 60 more, or 45 and 45 more.
 */
export function extendDue({ receivedAt, dueAt }: DsrPeriod): string {
  const hours = Math.min(3 * countHours(receivedAt, dueAt), longestDays * hoursPerDay);
  return addHours(receivedAt, hours);
}

/** Whether a request waits for its answer longer than it may. */
export function isOverdue({ status, dueAt }: Pick<DsrPeriod, 'status' | 'dueAt'>, now: string): boolean {
  return status === 'open' && isOver(dueAt, now);
}
