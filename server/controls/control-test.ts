import { z } from 'zod';
import { Id, Time, UtcTime, visibleText } from '../http/schemas.ts';
import { textLine } from '../http/text-line.ts';
import { WebAddress } from '../http/web-address.ts';
import type { AssessedControl } from './assessed-control.ts';
import { CadenceName, Count, ResultStatusName } from './control.ts';

import type { ResultRow } from './result-store.ts';
import { scheduleRun, type TestFacts } from './test-schedule.ts';
import type { TestRow } from './test-store.ts';

/** A test to add to a control. */
export const NewTest = z
  .strictObject({
    title: textLine(200),
    procedure: visibleText(2000).nullable().default(null).meta({ description: 'How, and when it has passed.' }),
    cadence: CadenceName.nullable().default(null).meta({ description: 'How often it runs; null: as the control.' }),
  })
  .meta({ id: 'ControlTestInput' });
export type NewTest = z.output<typeof NewTest>;

/** What a test of a control is, and when it ran and is to run. */
export const ControlTest = z
  .strictObject({
    id: Id,
    controlId: Id,
    title: z.string(),
    procedure: z.string().nullable(),
    cadence: CadenceName.nullable().meta({ description: 'Null for the cadence of the control.' }),
    latestResult: z
      .strictObject({ id: Id, status: ResultStatusName, testedAt: UtcTime })
      .meta({ id: 'LatestTestResult' })
      .nullable(),
    resultCount: Count,
    nextRunAt: UtcTime.nullable().meta({ description: 'Null for a retired test too.' }),
    isDue: z.boolean(),
    createdAt: UtcTime,
    retiredAt: UtcTime.nullable(),
  })
  .meta({ id: 'ControlTest' });
export type ControlTest = z.output<typeof ControlTest>;

/** How a test went. */
export const NewResult = z
  .strictObject({
    status: ResultStatusName,
    notes: visibleText(2000).nullable().default(null),
    url: WebAddress.nullable().default(null).meta({ description: 'Where the output is kept; http or https.' }),
    testedAt: Time.optional().meta({ description: 'Default: now; not in the future, and not before 2000.' }),
  })
  .meta({ id: 'TestResultInput' });
export type NewResult = z.output<typeof NewResult>;

export const TestResult = z
  .strictObject({
    id: Id,
    testId: Id,
    status: ResultStatusName,
    notes: z.string().nullable(),
    url: z.string().nullable(),
    testedAt: UtcTime,
    createdAt: UtcTime,
  })
  .meta({ id: 'TestResult' });
export type TestResult = z.output<typeof TestResult>;

/** A test as it is shown. @param now decides whether it is due. */
export function viewTest(row: TestRow, facts: TestFacts, { control }: AssessedControl, now: string): ControlTest {
  const isRetired = row.retired_at !== null;
  const { nextRunAt, isDue } = scheduleRun(facts, control.cadence, now);
  return {
    id: row.id,
    controlId: control.controlId,
    title: row.title,
    procedure: row.procedure,
    cadence: facts.cadence,
    latestResult: facts.latest,
    resultCount: facts.resultCount,
    nextRunAt: isRetired ? null : nextRunAt,
    isDue: isDue && !isRetired,
    createdAt: row.created_at,
    retiredAt: row.retired_at,
  };
}

export function viewResult(row: ResultRow): TestResult {
  return {
    id: row.id,
    testId: row.test_id,
    status: row.status as TestResult['status'],
    notes: row.notes,
    url: row.url,
    testedAt: row.tested_at,
    createdAt: row.created_at,
  };
}
