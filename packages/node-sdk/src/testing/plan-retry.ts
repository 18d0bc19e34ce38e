/** When attempts are due, in seconds after the first one, which is among them. */
const usualOffsets = [0, 5, 30, 120, 480, 1200, 2700, 5400, 10_800, 21_600, 43_200, 86_400];
const minute = 60_000;
const window = 24 * 60 * minute;
/** What a server that was down has missed is not made up for, one attempt after the other. */
const longestRest = 1000;

export interface FailedAttempt {
  /** The times of the webhook's own; null for the usual ones. */
  readonly retrySchedule: readonly number[] | null;
  /** How many attempts were made, with this one. */
  readonly attempts: number;
  readonly firstAttemptAt: string;
  readonly now: string;
  /** What the receiver asked for, in seconds; null where it asked for nothing. */
  readonly retryAfter: number | null;
}

/**
 * When the next attempt is due: at the next time of the schedule that has not passed; where all have, as long after this one
 * as the schedule has between the two; and not before the receiver said.
 * @returns null where all attempts were made, or the 24 hours have no time for another one.
 */
export function planRetry({ retrySchedule, attempts, firstAttemptAt, now, retryAfter }: FailedAttempt): string | null {
  const offsets = (retrySchedule === null ? usualOffsets : [0, ...retrySchedule]).map((seconds) => seconds * 1000);
  const [first, present] = [Date.parse(firstAttemptAt), Date.parse(now)];
  const last = first + window - minute;
  if (attempts >= offsets.length || present >= last - 10 * minute) return null;
  const gapBefore = (index: number) => (offsets[index] as number) - (offsets[index - 1] ?? 0);
  const planned = offsets
    .map((offset, index) => ({
      time: Math.min(first + offset, last),
      rest: Math.min(longestRest, gapBefore(index) / 4),
    }))
    .slice(attempts)
    .find(({ time, rest }) => time >= present + rest)?.time;
  const delayed = offsets.at(-1) === window ? last : present + gapBefore(attempts);
  const asked = retryAfter === null ? 0 : present + retryAfter * 1000;
  return new Date(Math.min(Math.max(planned ?? delayed, asked), last)).toISOString();
}

/** Whether a delivery that is due may still be tried. */
export function isWithinWindow(firstAttemptAt: string | null, now: string): boolean {
  return firstAttemptAt === null || Date.parse(now) <= Date.parse(firstAttemptAt) + window;
}
