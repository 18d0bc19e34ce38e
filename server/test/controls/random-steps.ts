import fc from 'fast-check';
import { adoptFrameworks } from '../../controls/adoption.ts';
import { catalogue } from '../../controls/catalogue/catalogue.ts';
import { NewControl } from '../../controls/control.ts';
import { createControl, editControl, retireControl } from '../../controls/control-changes.ts';
import { NewEvidence } from '../../controls/evidence.ts';
import { addEvidence, addTest, recordResult, retireTest, withdrawEvidence } from '../../controls/part-changes.ts';
import {
  type ControlStatus,
  cadences,
  resultStatuses,
  type SettableStatus,
  transitions,
} from '../../controls/status.ts';
import { Problem } from '../../http/problem.ts';
import { systemSource } from '../../ledger/audit/store.ts';
import { runTransaction, type Transaction } from '../../storage/database.ts';
import type { TestServer } from '../harness.ts';
import { readStored, recountControls, type StoredControls } from './recount.ts';
import { ownControl } from './samples.ts';

const hour = 60 * 60_000;
const day = 24 * hour;

/** Counts round the things that there are; a few of them see most of what happens. */
const target = fc.nat(11);
const days = fc.oneof(fc.nat(40), fc.nat(500));
const cadence = fc.constantFrom(...cadences);
const codes = fc.subarray(catalogue.frameworks.map(({ code }) => code));
/** Some are names that every object has already. */
const domain = fc.constantFrom('Reception', catalogue.controls[0]?.domain as string, '__proto__', 'constructor');
/** Counts round the statuses that the control may go to, and any. */
const to = fc.nat(11);
const status = fc.constantFrom(...resultStatuses);

const kinds = {
  adopt: fc.record({ kind: fc.constant('adopt' as const), codes }),
  create: fc.record({ kind: fc.constant('create' as const), cadence, domain, codes }),
  move: fc.record({ kind: fc.constant('move' as const), target, to, days }),
  cadence: fc.record({ kind: fc.constant('cadence' as const), target, cadence }),
  remove: fc.record({ kind: fc.constant('remove' as const), target }),
  evidence: fc.record({ kind: fc.constant('evidence' as const), target, days, lasts: fc.option(days) }),
  withdraw: fc.record({ kind: fc.constant('withdraw' as const), target }),
  test: fc.record({ kind: fc.constant('test' as const), target, cadence: fc.option(cadence) }),
  retire: fc.record({ kind: fc.constant('retire' as const), target }),
  result: fc.record({ kind: fc.constant('result' as const), target, status, days }),
  wait: fc.record({ kind: fc.constant('wait' as const), hours: fc.integer({ min: 1, max: 60 * 24 }) }),
};

const step = fc.oneof(
  { weight: 1, arbitrary: kinds.adopt },
  { weight: 2, arbitrary: kinds.create },
  { weight: 24, arbitrary: kinds.move },
  { weight: 2, arbitrary: kinds.cadence },
  { weight: 1, arbitrary: kinds.remove },
  { weight: 12, arbitrary: kinds.evidence },
  { weight: 2, arbitrary: kinds.withdraw },
  { weight: 5, arbitrary: kinds.test },
  { weight: 2, arbitrary: kinds.retire },
  { weight: 12, arbitrary: kinds.result },
  { weight: 6, arbitrary: kinds.wait },
);
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never;

/** Steps of a tenant over some years. */
export const steps = fc
  .tuple(fc.array(kinds.create, { minLength: 3, maxLength: 6 }), fc.array(step, { minLength: 60, maxLength: 120 }))
  .map(([first, more]) => [...first, ...more]);

/** Does what a step says; what is refused changes nothing. */
export async function takeStep({ installation, clock }: TestServer, tenantId: string, step: Step): Promise<void> {
  if (step.kind === 'wait') return clock.advance(step.hours * hour);
  const stored = await readStored(installation.database, tenantId);
  const change = chooseChange(step, stored, tenantId, clock.milliseconds());
  try {
    if (change !== null) await runTransaction(installation.database, clock.now(), change);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
  }
}

/** @returns null where there is nothing to do it to. */
function chooseChange(
  step: Exclude<Step, { readonly kind: 'wait' }>,
  stored: StoredControls,
  tenantId: string,
  now: number,
): ((tx: Transaction) => Promise<unknown>) | null {
  const source = systemSource(tenantId);
  const inDays = (count: number) => new Date(now + count * day).toISOString();
  if (step.kind === 'adopt') return (tx) => adoptFrameworks(tx, source, step.codes);
  if (step.kind === 'create') {
    const first = (code: string) => catalogue.frameworks.find((one) => one.code === code)?.requirements[0]?.code;
    const mappings = Object.fromEntries(step.codes.map((code) => [code, [first(code)]]));
    const control = NewControl.parse(ownControl({ cadence: step.cadence, domain: step.domain, mappings }));
    return (tx) => createControl(tx, source, control);
  }
  const things = { withdraw: stored.evidence, retire: stored.tests, result: stored.tests };
  const from = step.kind in things ? things[step.kind as 'retire'] : stored.controls;
  const thing = from[step.target % from.length];
  if (thing === undefined) return null;
  const id = thing.id as string;
  const ofControl = thing.tenant_control_id as string;
  switch (step.kind) {
    case 'move': {
      const status = recountControls(stored, inDays(0)).controls.find((one) => one.id === id)?.status ?? 'in_progress';
      const choices = [...transitions[status as ControlStatus], 'accepted', 'needs_review'] as const;
      const to = choices[step.to % choices.length] as SettableStatus;
      const move = {
        status: to,
        ...((to === 'excepted' || to === 'not_applicable') && { reason: 'There is one' }),
        ...(to === 'excepted' && { exceptionEndsAt: inDays(step.days + 1) }),
        ...(to === 'evidence_requested' && { evidenceDueAt: inDays(step.days + 1) }),
      };
      return (tx) => editControl(tx, source, id, move);
    }
    case 'cadence':
      return (tx) => editControl(tx, source, id, { cadence: step.cadence });
    case 'remove':
      return (tx) => retireControl(tx, source, id);
    case 'evidence': {
      const expiresAt = step.lasts === null ? null : inDays(step.lasts + 1 - step.days);
      const dates = { collectedAt: inDays(-step.days), expiresAt };
      const item = NewEvidence.parse({ title: 'A list', kind: 'log', ...dates });
      return (tx) => addEvidence(tx, source, id, item);
    }
    case 'withdraw':
      return (tx) => withdrawEvidence(tx, source, { controlId: ofControl, evidenceId: id }, 'Wrong list');
    case 'test':
      return (tx) => addTest(tx, source, id, { title: 'Look', procedure: null, cadence: step.cadence });
    case 'retire':
      return (tx) => retireTest(tx, source, { controlId: ofControl, testId: id });
    case 'result': {
      const result = { status: step.status, notes: null, url: null, testedAt: inDays(-step.days) };
      return (tx) => recordResult(tx, source, { controlId: ofControl, testId: id }, result);
    }
  }
}
