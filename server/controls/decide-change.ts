import { invalidValues, Problem, type ProblemDetail } from '../http/problem.ts';
import { canonicalize, type Json } from '../ledger/canonical.ts';
import type { AssessedControl, ControlRow } from './assessed-control.ts';
import { addCadence, type Cadence } from './cadence.ts';
import { type ControlChange, definitionNames } from './control.ts';
import { rateFreshness } from './freshness.ts';
import { type ControlStatus, type SettableStatus, transitions } from './status.ts';

const day = 24 * 60 * 60 * 1000;
/** How long whoever is asked for evidence has, unless the request says more. */
const evidenceDays = 30;

/**
 * Decides what a change makes of a control. A status that is asked for is set, also where time has brought it already;
 * `implemented` or `accepted` once more is another review.
 * @returns the columns to set; those of the status stay away when it is not set.
 * @throws {Problem} `control_transition_not_allowed`, `control_evidence_missing`, `control_test_failing`, or
 *   `validation_failed` for fields that do not belong to the status that the control will have.
 */
export function decideChange(before: AssessedControl, change: ControlChange, now: string): Partial<ControlRow> {
  const from = before.control.status;
  const to = change.status ?? from;
  const isSet = change.status !== undefined && (to !== from || to !== before.row.status || isReview(to));
  if (to !== from) requireTransition(from, to as SettableStatus);
  const details = [...checkFields(change, from, isSet, now), ...checkDefinition(before, change)];
  if (details.length > 0) throw invalidValues(details);
  if (isSet) requireGuards(before, to, change.cadence ?? before.control.cadence, now);
  return {
    ...(isSet ? moveTo(to as SettableStatus, change, now) : stayAt(change)),
    ...(change.ownerUserId !== undefined && { owner_user_id: change.ownerUserId }),
    ...(change.cadence !== undefined && { cadence: change.cadence }),
    ...redefine(before, change),
  };
}

/** Whether a control of this status says why. */
function keepsReason(status: ControlStatus): boolean {
  return status === 'excepted' || status === 'not_applicable';
}

/** Whether somebody has looked at a control who gives it this status. */
function isReview(status: ControlStatus): boolean {
  return status === 'implemented' || status === 'accepted';
}

function requireTransition(from: ControlStatus, to: SettableStatus): void {
  const allowed = transitions[from];
  if (allowed.includes(to)) return;
  throw new Problem(
    'control_transition_not_allowed',
    `A control that is ${from} cannot become ${to}; it can become ${allowed.join(', ')}.`,
    { fields: { from, to, allowed } },
  );
}

/**
 * What a status claims must be there.
 * @param cadence the one that the control will have.
 * @throws {Problem} `control_evidence_missing`, `control_test_failing`.
 */
function requireGuards({ evidence, control }: AssessedControl, to: ControlStatus, cadence: Cadence, now: string): void {
  if ((to === 'evidence_submitted' || to === 'accepted') && evidence.latest === null)
    throw new Problem(
      'control_evidence_missing',
      `A control needs an item of evidence that is neither withdrawn nor expired to become ${to}.`,
    );
  if (to === 'accepted' && rateFreshness(evidence, cadence, now) !== 'current')
    throw new Problem(
      'control_evidence_missing',
      `A control needs current evidence to become accepted; with its cadence (${cadence}), the latest item is too old.`,
    );
  if (to === 'accepted' && control.latestResultStatus === 'fail')
    throw new Problem(
      'control_test_failing',
      'The latest result of a test of this control is fail; run the test again before you accept the control.',
    );
}

/** What is wrong with the fields that go with a status. */
function checkFields(
  { status, reason, exceptionEndsAt, evidenceDueAt }: ControlChange,
  from: ControlStatus,
  isSet: boolean,
  now: string,
): readonly ProblemDetail[] {
  const to = status ?? from;
  const details: ProblemDetail[] = [];
  const refuse = (name: string, issue: string) => details.push({ path: `body.${name}`, issue });
  if (isSet && keepsReason(to) && reason === undefined) refuse('reason', `is needed for ${to}`);
  if (reason !== undefined && !isSet && !keepsReason(to))
    refuse('reason', 'goes with another status, with a review, or with a control that is excepted or not applicable');
  if (exceptionEndsAt !== undefined) {
    if (to !== 'excepted') refuse('exceptionEndsAt', 'belongs to the status excepted');
    else if (exceptionEndsAt <= now) refuse('exceptionEndsAt', 'must be in the future');
    else if (exceptionEndsAt > twoYearsLater(now)) refuse('exceptionEndsAt', 'must be two years ahead at most');
  } else if (isSet && to === 'excepted') refuse('exceptionEndsAt', 'is needed for excepted');
  if (evidenceDueAt !== undefined) {
    if (to !== 'evidence_requested') refuse('evidenceDueAt', 'belongs to the status evidence_requested');
    else if (evidenceDueAt <= now) refuse('evidenceDueAt', 'must be in the future');
    else if (evidenceDueAt > twoYearsLater(now)) refuse('evidenceDueAt', 'must be two years ahead at most');
  } else if (from === 'overdue' && to === 'evidence_requested')
    refuse('evidenceDueAt', 'is needed: the day that was set has passed');
  return details;
}

function twoYearsLater(now: string): string {
  return addCadence(now, 'annual', 2) as string;
}

function checkDefinition({ template }: AssessedControl, change: ControlChange): readonly ProblemDetail[] {
  if (template === null) return [];
  return definitionNames
    .filter((name) => change[name] !== undefined)
    .map((name) => ({ path: `body.${name}`, issue: 'is what the catalogue says, and cannot be changed' }));
}

/** The columns of another status; what belonged to the one before is gone, but for the time of the last review. */
function moveTo(to: SettableStatus, change: ControlChange, now: string): Partial<ControlRow> {
  const defaultDue = new Date(Date.parse(now) + evidenceDays * day).toISOString();
  return {
    status: to,
    reason: keepsReason(to) ? (change.reason ?? null) : null,
    exception_ends_at: to === 'excepted' ? (change.exceptionEndsAt ?? null) : null,
    evidence_due_at: to === 'evidence_requested' ? (change.evidenceDueAt ?? defaultDue) : null,
    ...(isReview(to) && { reviewed_at: now }),
  };
}

/** What may become of a control whose status stays. */
function stayAt({ status, reason, exceptionEndsAt, evidenceDueAt }: ControlChange): Partial<ControlRow> {
  return {
    ...(reason !== undefined && (status === undefined || keepsReason(status)) && { reason }),
    ...(exceptionEndsAt !== undefined && { exception_ends_at: exceptionEndsAt }),
    ...(evidenceDueAt !== undefined && { evidence_due_at: evidenceDueAt }),
  };
}

function redefine({ row }: AssessedControl, change: ControlChange): Partial<ControlRow> {
  const given = definitionNames.filter((name) => change[name] !== undefined);
  if (row.definition === null || given.length === 0) return {};
  const definition = {
    ...JSON.parse(row.definition),
    ...Object.fromEntries(given.map((name) => [name, change[name]])),
  };
  return { definition: canonicalize(definition as Json) };
}
