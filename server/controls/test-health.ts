import { z } from 'zod';
import { Id, UtcTime } from '../http/schemas.ts';
import type { AssessedControl } from './assessed-control.ts';
import { Control, Count } from './control.ts';
import { listApplicable } from './control-list.ts';
import type { Freshness } from './freshness.ts';
import { type ResultStatus, scheduleRun } from './test-schedule.ts';

export const ScheduledRun = z
  .strictObject({
    testId: Id,
    title: z.string(),
    lastRunAt: UtcTime.nullable(),
    nextRunAt: UtcTime.nullable().meta({
      description: 'One cadence after the last run; at once before the first; null where only an event makes it due.',
    }),
    isDue: z.boolean(),
  })
  .meta({ id: 'ScheduledRun' });

const { id, controlId, code, title, domain, status, evidenceFreshness, latestResultStatus, lastTestedAt } =
  Control.shape;
const { evidenceCount, testCount, resultCount } = Control.shape;

/** spec.md "Test health": of the controls that apply. */
export const TestHealth = z
  .strictObject({
    summary: z
      .strictObject({
        totalControls: Count.meta({ description: 'Controls that apply: the items.' }),
        failing: Count,
        warning: Count,
        passing: Count,
        unknown: Count.meta({ description: 'No result yet, or only people can tell.' }),
        currentEvidence: Count,
        staleEvidence: Count,
        expiredEvidence: Count,
        missingEvidence: Count,
        needsEvidence: Count.meta({ description: 'All but those with current evidence.' }),
        missingTests: Count.meta({ description: 'Controls without a test.' }),
        dueTests: Count.meta({ description: 'Tests, not controls.' }),
      })
      .meta({ id: 'TestHealthSummary' }),
    items: z.array(
      z
        .strictObject({
          ...{ id, controlId, code, title, domain, status, evidenceFreshness, latestResultStatus, lastTestedAt },
          ...{ evidenceCount, testCount, resultCount },
          dueTests: Count,
          scheduledRuns: z.array(ScheduledRun),
        })
        .meta({ id: 'ControlHealth' }),
    ),
  })
  .meta({ id: 'TestHealth' });
export type TestHealth = z.output<typeof TestHealth>;

/**
 * How the tests and the evidence of the controls stand. Each control is counted once by its worst latest result
 * (failing + warning + passing + unknown = total) and once by its evidence (current + stale + expired + missing = total).
 */
export function rateTestHealth(controls: readonly AssessedControl[], now: string): TestHealth {
  const items = listApplicable(controls).map((control) => viewHealth(control, now));
  const withResult = (...statuses: readonly (ResultStatus | null)[]) =>
    items.filter((item) => statuses.includes(item.latestResultStatus)).length;
  const withEvidence = (freshness: Freshness) => items.filter((item) => item.evidenceFreshness === freshness).length;
  const currentEvidence = withEvidence('current');
  return {
    summary: {
      totalControls: items.length,
      failing: withResult('fail'),
      warning: withResult('warning'),
      passing: withResult('pass'),
      unknown: withResult('unknown', 'manual', null),
      currentEvidence,
      staleEvidence: withEvidence('stale'),
      expiredEvidence: withEvidence('expired'),
      missingEvidence: withEvidence('missing'),
      needsEvidence: items.length - currentEvidence,
      missingTests: items.filter(({ testCount }) => testCount === 0).length,
      dueTests: items.reduce((sum, { dueTests }) => sum + dueTests, 0),
    },
    items,
  };
}

function viewHealth({ control, tests }: AssessedControl, now: string): TestHealth['items'][number] {
  const scheduledRuns = tests.map((test) => scheduleRun(test, control.cadence, now));
  return {
    id: control.id,
    controlId: control.controlId,
    code: control.code,
    title: control.title,
    domain: control.domain,
    status: control.status,
    evidenceFreshness: control.evidenceFreshness,
    latestResultStatus: control.latestResultStatus,
    lastTestedAt: control.lastTestedAt,
    evidenceCount: control.evidenceCount,
    testCount: control.testCount,
    resultCount: control.resultCount,
    dueTests: scheduledRuns.filter(({ isDue }) => isDue).length,
    scheduledRuns,
  };
}
