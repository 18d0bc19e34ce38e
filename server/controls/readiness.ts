import { z } from 'zod';
import type { AssessedControl } from './assessed-control.ts';
import type { Framework } from './catalogue/catalogue.ts';
import { Count } from './control.ts';
import { isApplicable } from './status.ts';

const Score = z.int().min(0).max(100).meta({ description: 'Of 100 applicable controls, how many are accepted.' });

const ReadinessGroup = z
  .strictObject({
    total: Count.meta({ description: 'Controls that apply.' }),
    accepted: Count,
    submitted: Count.meta({ description: 'Controls whose evidence was submitted and is not accepted yet.' }),
    open: Count.meta({ description: 'Requests for evidence that are open, overdue ones included.' }),
    overdue: Count,
    score: Score,
  })
  .meta({ id: 'ReadinessGroup' });
type ReadinessGroup = z.output<typeof ReadinessGroup>;

/** spec.md "Readiness". */
export const Readiness = z
  .strictObject({
    score: Score,
    totalControls: Count.meta({ description: 'Controls that apply.' }),
    acceptedControls: Count,
    openEvidenceRequests: Count.meta({ description: 'Overdue ones included.' }),
    overdueEvidenceRequests: Count,
    frameworkReadiness: z
      .record(z.string(), ReadinessGroup)
      .meta({ description: 'By the code of each adopted framework.' }),
    domainReadiness: z.record(z.string(), ReadinessGroup).meta({ description: 'By the name of each domain.' }),
  })
  .meta({ id: 'Readiness' });
export type Readiness = z.output<typeof Readiness>;

/**
 * How far a tenant is. Every group counts the same way: of the controls that apply, those accepted, those with evidence
 * submitted, and those whose evidence is asked for. score = floor(100 × accepted / total); 0 without any control.
 */
export function rateReadiness(controls: readonly AssessedControl[], adopted: readonly Framework[]): Readiness {
  const whole = countGroup(controls);
  const mappedTo = (code: string) => (one: AssessedControl) =>
    one.control.mappedFrameworks.some((framework) => framework.code === code);
  const domains = Map.groupBy(controls, ({ control }) => control.domain);
  // Object.fromEntries makes own properties of any names, also of `__proto__`.
  return {
    score: whole.score,
    totalControls: whole.total,
    acceptedControls: whole.accepted,
    openEvidenceRequests: whole.open,
    overdueEvidenceRequests: whole.overdue,
    frameworkReadiness: Object.fromEntries(
      adopted.map(({ code }) => [code, countGroup(controls.filter(mappedTo(code)))]),
    ),
    domainReadiness: Object.fromEntries([...domains].map(([domain, ofDomain]) => [domain, countGroup(ofDomain)])),
  };
}

function countGroup(controls: readonly AssessedControl[]): ReadinessGroup {
  const group = { total: 0, accepted: 0, submitted: 0, open: 0, overdue: 0 };
  for (const { control } of controls) {
    const { status } = control;
    if (isApplicable(status)) group.total += 1;
    if (status === 'accepted') group.accepted += 1;
    if (status === 'evidence_submitted') group.submitted += 1;
    if (status === 'evidence_requested' || status === 'overdue') group.open += 1;
    if (status === 'overdue') group.overdue += 1;
  }
  return { ...group, score: group.total === 0 ? 0 : Math.floor((100 * group.accepted) / group.total) };
}
