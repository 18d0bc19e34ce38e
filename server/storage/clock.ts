/** Tells the time as RFC 3339 in UTC with milliseconds. Tests hand in their own. */
export type Clock = () => string;

/** The time of the machine. */
export const systemClock: Clock = () => new Date().toISOString();
