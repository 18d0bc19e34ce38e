import { addCadence, type Cadence } from './cadence.ts';

/** spec.md "Control", `latestResultStatus`: the worst first. */
export const resultStatuses = ['fail', 'warning', 'unknown', 'manual', 'pass'] as const;
export type ResultStatus = (typeof resultStatuses)[number];

/** A test of a control that is in use, with what is known of its results. */
export interface TestFacts {
  readonly id: string;
  readonly title: string;
  /** Null for the cadence of the control. */
  readonly cadence: Cadence | null;
  readonly createdAt: string;
  /** The result with the latest time, of those with the same time the one recorded last; null before the first. */
  readonly latest: { readonly id: string; readonly status: ResultStatus; readonly testedAt: string } | null;
  readonly resultCount: number;
}

/** When a test ran and is to run again. */
export interface ScheduledRun {
  readonly testId: string;
  readonly title: string;
  readonly lastRunAt: string | null;
  readonly nextRunAt: string | null;
  readonly isDue: boolean;
}

/**
 * When a test is to run: one cadence after its last run, at once when it never ran, and never again where only an event
 * makes it due. It is due from that moment on.
 */
export function scheduleRun(test: TestFacts, ofControl: Cadence, now: string): ScheduledRun {
  const lastRunAt = test.latest?.testedAt ?? null;
  const nextRunAt = lastRunAt === null ? test.createdAt : addCadence(lastRunAt, test.cadence ?? ofControl);
  return { testId: test.id, title: test.title, lastRunAt, nextRunAt, isDue: nextRunAt !== null && nextRunAt <= now };
}

/** The worst of the latest results of tests; null when none has a result. */
export function findWorstResult(tests: readonly TestFacts[]): ResultStatus | null {
  return resultStatuses.find((status) => tests.some(({ latest }) => latest?.status === status)) ?? null;
}

/** The time of the last run of any of these tests; null when none ran. */
export function findLastRun(tests: readonly TestFacts[]): string | null {
  return tests.reduce<string | null>((last, { latest }) => {
    const time = latest?.testedAt ?? null;
    return time !== null && (last === null || time > last) ? time : last;
  }, null);
}
