import type { Selectable } from 'kysely';
import { z } from 'zod';
import { Id, namedObject, Time, textLine, UtcTime, viewRow, visibleText, WebAddress } from '../http/schemas.ts';
import type { Tables } from '../storage/tables.ts';
import { CadenceName, type Control, ControlParams, Count, ResultStatusName } from './control.ts';
import { addCadence, type Cadence, type ResultStatus, resultStatuses } from './status.ts';

export type TestRow = Selectable<Tables['control_tests']>;

export const TestParams = ControlParams.extend({ testId: Id });
export type TestParams = z.output<typeof TestParams>;

/** A test to add to a control. */
export const NewTest = namedObject('ControlTestInput', {
  title: textLine(200),
  procedure: visibleText(2000).nullable().default(null).meta({ description: 'How to test, and when it passes.' }),
  cadence: CadenceName.nullable()
    .default(null)
    .meta({ description: 'How often it runs; null for the cadence of the control.' }),
});
export type NewTest = z.output<typeof NewTest>;

/** A test of a control, with its latest result and its next run. */
export const ControlTest = z
  .strictObject({
    id: Id,
    controlId: Id,
    title: z.string(),
    procedure: z.string().nullable(),
    cadence: CadenceName.nullable().meta({ description: 'Null for the cadence of the control.' }),
    latestResult: namedObject('LatestTestResult', { id: Id, status: ResultStatusName, testedAt: UtcTime }).nullable(),
    resultCount: Count,
    nextRunAt: UtcTime.nullable().meta({ description: 'Null for a retired test, too.' }),
    isDue: z.boolean(),
    createdAt: UtcTime,
    retiredAt: UtcTime.nullable(),
  })
  .meta({ id: 'ControlTest' });
export type ControlTest = z.output<typeof ControlTest>;

/** The result of one run of a test. */
export const NewResult = namedObject('TestResultInput', {
  status: ResultStatusName,
  notes: visibleText(2000).nullable().default(null),
  url: WebAddress.nullable().default(null).meta({ description: 'Where the output is kept; http or https.' }),
  testedAt: Time.optional().meta({ description: 'Default: now; not in the future, and not before 2000.' }),
});
export type NewResult = z.output<typeof NewResult>;

export const TestResult = namedObject('TestResult', {
  id: Id,
  testId: Id,
  status: ResultStatusName,
  notes: z.string().nullable(),
  url: z.string().nullable(),
  testedAt: UtcTime,
  createdAt: UtcTime,
});
export type TestResult = z.output<typeof TestResult>;

/** A test as the API returns it. @param now the time that `isDue` is computed for. */
export function viewTest(row: ListedTest, { controlId, cadence }: Control, now: string): ControlTest {
  const isInUse = row.retired_at === null;
  const { nextRunAt, isDue } = scheduleRun(row, cadence, now);
  const { result_id: id, status, tested_at: testedAt } = row;
  return viewRow(ControlTest, row, {
    controlId,
    latestResult: id === null ? null : ({ id, status, testedAt } as ControlTest['latestResult']),
    nextRunAt: isInUse ? nextRunAt : null,
    isDue: isInUse && isDue,
  });
}

export function viewResult(row: Selectable<Tables['control_test_results']>): TestResult {
  return viewRow(TestResult, row, {});
}

/** A test with its latest result: the one with the latest time; of several with the same time, the one recorded last. */
export interface TestFacts extends Pick<TestRow, 'id' | 'tenant_control_id' | 'title' | 'cadence' | 'created_at'> {
  readonly result_id: string | null;
  readonly status: string | null;
  readonly tested_at: string | null;
  readonly result_count: number;
}

/** A test with what only its own view shows. */
export type ListedTest = TestFacts & Pick<TestRow, 'procedure' | 'retired_at'>;

export const ScheduledRun = namedObject('ScheduledRun', {
  testId: Id,
  title: z.string(),
  lastRunAt: UtcTime.nullable(),
  nextRunAt: UtcTime.nullable().meta({
    description: 'One cadence after the last run; before the first, when it was created; null with `event_driven`.',
  }),
  isDue: z.boolean(),
});

/**
 * When a test runs next: one cadence after its last run, at once if it never ran, and never again with the cadence
 * `event_driven`. It is due from that moment on.
 * @param ofControl the cadence of the control.
 */
export function scheduleRun(test: TestFacts, ofControl: Cadence, now: string): z.output<typeof ScheduledRun> {
  const { id: testId, title, tested_at: lastRunAt, created_at: createdAt } = test;
  const cadence = test.cadence as Cadence | null;
  const nextRunAt = lastRunAt === null ? createdAt : addCadence(lastRunAt, cadence ?? ofControl);
  return { testId, title, lastRunAt, nextRunAt, isDue: nextRunAt !== null && nextRunAt <= now };
}

/** The worst of the latest results of tests; null without any. */
export function findWorstResult(tests: readonly TestFacts[]): ResultStatus | null {
  return resultStatuses.find((worst) => tests.some(({ status }) => status === worst)) ?? null;
}

/** The time of the last run of any of these tests; null without any. */
export function findLastRun(tests: readonly TestFacts[]): string | null {
  const times = tests.map(({ tested_at }) => tested_at).filter((time) => time !== null);
  return times.sort().at(-1) ?? null;
}
