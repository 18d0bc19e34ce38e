import { z } from 'zod';
import { namedObject } from '../http/schemas.ts';
import type { AssessedControl } from './assess-control.ts';
import { catalogue } from './catalogue/catalogue.ts';
import { Control, Count } from './control.ts';
import { ScheduledRun, scheduleRun } from './control-test.ts';
import type { ResultStatus } from './status.ts';
import type { TenantControls } from './store.ts';

/** spec.md "Control list payload". */
export const ControlList = z
  .strictObject({
    summary: namedObject('ControlSummary', {
      catalogControls: Count.meta({ description: 'Controls in the catalogue.' }),
      tenantControls: Count.meta({ description: 'Controls of the tenant: the items.' }),
      implemented: Count.meta({ description: 'Items that are implemented or accepted.' }),
      needsEvidence: Count.meta({ description: 'Items that apply and whose evidence is not current.' }),
      failing: Count.meta({ description: 'Items that apply and whose latest result is fail.' }),
      frameworks: Count.meta({ description: 'Adopted frameworks.' }),
    }),
    items: z.array(Control),
  })
  .meta({ id: 'ControlList' });

/** The control list with its counts. */
export function summarizeControls({ controls, adopted }: TenantControls): z.output<typeof ControlList> {
  const items = controls.map(({ control }) => control);
  const applicable = items.filter(({ status }) => status !== 'not_applicable');
  return {
    summary: {
      catalogControls: catalogue.controls.length,
      tenantControls: items.length,
      implemented: items.filter(({ status }) => status === 'implemented' || status === 'accepted').length,
      needsEvidence: applicable.filter(({ evidenceFreshness }) => evidenceFreshness !== 'current').length,
      failing: applicable.filter(({ latestResultStatus }) => latestResultStatus === 'fail').length,
      frameworks: adopted.length,
    },
    items,
  };
}

const Score = z.int().min(0).max(100).meta({ description: 'Percentage of the applicable controls that are accepted.' });

const ReadinessGroup = namedObject('ReadinessGroup', {
  total: Count.meta({ description: 'Controls that apply.' }),
  accepted: Count,
  submitted: Count.meta({ description: 'Controls whose evidence was submitted and is not accepted yet.' }),
  open: Count.meta({ description: 'Requests for evidence that are open, overdue ones included.' }),
  overdue: Count,
  score: Score,
});

/** spec.md "Readiness". */
export const Readiness = namedObject('Readiness', {
  score: Score,
  totalControls: Count.meta({ description: 'Controls that apply.' }),
  acceptedControls: Count,
  openEvidenceRequests: Count.meta({ description: 'Overdue ones included.' }),
  overdueEvidenceRequests: Count,
  frameworkReadiness: z
    .record(z.string(), ReadinessGroup)
    .meta({ description: 'By the code of each adopted framework.' }),
  domainReadiness: z.record(z.string(), ReadinessGroup).meta({ description: 'By the name of each domain.' }),
});

/** The readiness of a tenant; each group counts its controls that apply. score = floor(100 × accepted / total), or 0. */
export function rateReadiness({ controls, adopted }: TenantControls): z.output<typeof Readiness> {
  const items = controls.map(({ control }) => control);
  const whole = countGroup(items);
  const frameworks = adopted.map(({ code }) => {
    const mapped = items.filter(({ mappedFrameworks }) =>
      mappedFrameworks.some((framework) => framework.code === code),
    );
    return [code, countGroup(mapped)] as const;
  });
  const domains = [...Map.groupBy(items, ({ domain }) => domain)].map(([name, group]) => [name, countGroup(group)]);
  // Object.fromEntries makes own properties of any names, also of `__proto__`.
  return {
    score: whole.score,
    totalControls: whole.total,
    acceptedControls: whole.accepted,
    openEvidenceRequests: whole.open,
    overdueEvidenceRequests: whole.overdue,
    frameworkReadiness: Object.fromEntries(frameworks),
    domainReadiness: Object.fromEntries(domains),
  };
}

function countGroup(controls: readonly Control[]): z.output<typeof ReadinessGroup> {
  const count = (...statuses: readonly Control['status'][]) =>
    controls.filter(({ status }) => statuses.includes(status)).length;
  const total = controls.length - count('not_applicable');
  const accepted = count('accepted');
  return {
    total,
    accepted,
    submitted: count('evidence_submitted'),
    open: count('evidence_requested', 'overdue'),
    overdue: count('overdue'),
    score: total === 0 ? 0 : Math.floor((100 * accepted) / total),
  };
}

/** spec.md "Test health": of the controls that apply. */
export const TestHealth = z
  .strictObject({
    summary: namedObject('TestHealthSummary', {
      totalControls: Count.meta({ description: 'Controls that apply: the items.' }),
      failing: Count,
      warning: Count,
      passing: Count,
      unknown: Count.meta({ description: 'No result yet, or a result that needs human judgement.' }),
      currentEvidence: Count,
      staleEvidence: Count,
      expiredEvidence: Count,
      missingEvidence: Count,
      needsEvidence: Count.meta({ description: 'All but those with current evidence.' }),
      missingTests: Count.meta({ description: 'Controls without a test.' }),
      dueTests: Count.meta({ description: 'Tests, not controls.' }),
    }),
    items: z.array(
      Control.omit({ description: true, cadence: true, ownerUserId: true, nextReviewAt: true, mappedFrameworks: true })
        .extend({ dueTests: Count, scheduledRuns: z.array(ScheduledRun) })
        .meta({ id: 'ControlHealth' }),
    ),
  })
  .meta({ id: 'TestHealth' });

/**
 * The state of tests and evidence. Each control is counted once by its worst latest result (failing + warning + passing +
 * unknown = total) and once by its evidence (current + stale + expired + missing = total).
 */
export function rateTestHealth(controls: readonly AssessedControl[], now: string): z.output<typeof TestHealth> {
  const applicable = controls.filter(({ control }) => control.status !== 'not_applicable');
  const items = applicable.map(({ control, tests }) => {
    const { description, cadence, ownerUserId, nextReviewAt, mappedFrameworks, ...shown } = control;
    const scheduledRuns = tests.map((test) => scheduleRun(test, cadence, now));
    return { ...shown, dueTests: scheduledRuns.filter(({ isDue }) => isDue).length, scheduledRuns };
  });
  const withResult = (...statuses: readonly (ResultStatus | null)[]) =>
    items.filter((item) => statuses.includes(item.latestResultStatus)).length;
  const withEvidence = (freshness: Control['evidenceFreshness']) =>
    items.filter((item) => item.evidenceFreshness === freshness).length;
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
