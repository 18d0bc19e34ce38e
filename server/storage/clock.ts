/** Returns the time as RFC 3339 in UTC with milliseconds. Tests pass their own. */
export type Clock = () => string;

/** The time of the machine. */
export const systemClock: Clock = () => new Date().toISOString();

export const dayMilliseconds = 24 * 60 * 60 * 1000;

/** The time a number of milliseconds after another, or before it if negative (RFC 3339, UTC, milliseconds). */
export function addTime(time: string, milliseconds: number): string {
  return new Date(Date.parse(time) + milliseconds).toISOString();
}
