/** How often a control is reviewed and tested (spec.md, Control, `cadence`). */
export const cadences = ['monthly', 'quarterly', 'semi_annual', 'annual', 'event_driven'] as const;

export type Cadence = (typeof cadences)[number];

const monthsOf = { monthly: 1, quarterly: 3, semi_annual: 6, annual: 12, event_driven: null } as const;

/** The last time that RFC 3339 can express: its years have four digits (RFC 3339 section 5.6). */
const lastTime = '9999-12-31T23:59:59.999Z';

/**
 * The time one or several cadences later, in calendar months of UTC. The time of day stays; a day that the month lacks
 * becomes its last day. Several cadences are added in one step, so that a short month between them drops no days. At most
 * the end of the year 9999.
 * @param time RFC 3339, UTC.
 * @returns RFC 3339, UTC, milliseconds; null for `event_driven`, where only an event makes it due.
 */
export function addCadence(time: string, cadence: Cadence, count = 1): string | null {
  const months = monthsOf[cadence];
  if (months === null) return null;
  const date = new Date(time);
  const dayOfMonth = date.getUTCDate();
  date.setUTCMonth(date.getUTCMonth() + count * months);
  // A day that the month lacks is counted into the month after it, whose day 0 is the last of the month before.
  if (date.getUTCDate() !== dayOfMonth) date.setUTCDate(0);
  return date.getUTCFullYear() > 9999 ? lastTime : date.toISOString();
}
