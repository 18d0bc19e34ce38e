const hour = 60 * 60 * 1000;

/** What our periods of days are made of: hours that do not depend on where somebody lives. */
export const hoursPerDay = 24;

/** The end of a period of hours that begins at a time (RFC 3339, UTC, milliseconds, as the end is). */
export function addHours(time: string, hours: number): string {
  return new Date(Date.parse(time) + hours * hour).toISOString();
}

/** How many hours lie between two times. */
export function countHours(from: string, to: string): number {
  return (Date.parse(to) - Date.parse(from)) / hour;
}

/** Whether a period is over: its very end still belongs to it. Both times are UTC with milliseconds, which sort as text. */
export function isOver(end: string, now: string): boolean {
  return now > end;
}
