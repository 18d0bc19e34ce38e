/** How often a control is reviewed and tested (spec.md, Control, `cadence`). */
export const cadences = ['monthly', 'quarterly', 'semi_annual', 'annual', 'event_driven'] as const;

export type Cadence = (typeof cadences)[number];

const monthsOf = { monthly: 1, quarterly: 3, semi_annual: 6, annual: 12, event_driven: null } as const;

/** The last time that RFC 3339 can write: its years have four digits (RFC 3339 section 5.6). */
const lastTime = '9999-12-31T23:59:59.999Z';

/**
 * The time one cadence later, or several, in calendar months of UTC: from the last days of a long month to the last day
 * of a short one, the time of day as it was. Several are one step, so that a short month between them takes no days away.
 * No later than the year 9999.
 * @param time - RFC 3339, UTC
 * @returns RFC 3339, UTC, milliseconds; null where only an event makes it due
 */
export function addCadence(time: string, cadence: Cadence, count = 1): string | null {
  const months = monthsOf[cadence];
  if (months === null) return null;
  const date = new Date(time);
  const dayOfMonth = date.getUTCDate();
  // On the first day no month is too short, so the sum cannot run into the month after.
  date.setUTCDate(1);
  date.setUTCMonth(date.getUTCMonth() + count * months);
  date.setUTCDate(Math.min(dayOfMonth, countDays(date)));
  return date.getUTCFullYear() > 9999 ? lastTime : date.toISOString();
}

/** How many days the month of this date has. */
function countDays(date: Date): number {
  const lastDay = new Date(date);
  lastDay.setUTCMonth(date.getUTCMonth() + 1, 0);
  return lastDay.getUTCDate();
}
