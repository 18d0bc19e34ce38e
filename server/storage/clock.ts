/** Returns the time as RFC 3339 in UTC with milliseconds. Tests pass their own. */
export type Clock = () => string;

let written = { at: Number.NaN, text: '' };

/** The time of the machine, formatted at most once per millisecond. */
export const systemClock: Clock = () => {
  const now = Date.now();
  if (now !== written.at) written = { at: now, text: new Date(now).toISOString() };
  return written.text;
};
