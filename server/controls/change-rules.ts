import { diffFields } from '../audit/row-state.ts';
import { invalidValues, Problem, type ProblemDetail } from '../http/problem.ts';
import { canonicalize, type Json } from '../ledger/canonical.ts';
import { addTime, dayMilliseconds } from '../storage/database.ts';
import type { NewWebhookEvent } from '../webhooks/deliveries/event.ts';
import type { AssessedControl } from './assess-control.ts';
import { type ControlChange, type ControlRow, definitionNames } from './control.ts';
import { rateFreshness } from './evidence.ts';
import { addCadence, type Cadence, type ControlStatus, isReview, type SettableStatus, transitions } from './status.ts';

/** The time to submit requested evidence, unless the request sets another. */
const defaultEvidenceTime = 30 * dayMilliseconds;

/**
 * Decides which columns a change of a control sets. A requested status is set even if the control already has it by time
 * only; setting `implemented` or `accepted` again is another review.
 * @returns the columns to set, without those of the status if it is not set.
 * @throws {Problem} `control_transition_not_allowed`, `control_evidence_missing`, `control_test_failing`, or
 *   `validation_failed` for fields that do not belong to the status that the control will have.
 */
export function decideChange(before: AssessedControl, change: ControlChange, now: string): Partial<ControlRow> {
  const from = before.control.status;
  const to = change.status ?? from;
  const isSet = change.status !== undefined && (to !== from || to !== before.row.status || isReview(to));
  const allowed = transitions[from];
  if (to !== from && !allowed.includes(to as SettableStatus))
    throw new Problem(
      'control_transition_not_allowed',
      `A control that is ${from} cannot become ${to}; it can become ${allowed.join(', ')}.`,
      { fields: { from, to, allowed } },
    );
  const redefined = definitionNames.filter((name) => change[name] !== undefined);
  const fixed = before.template === null ? [] : redefined;
  const details = [
    ...checkFields(change, from, isSet, now),
    ...fixed.map((name) => ({ path: `body.${name}`, issue: 'is defined by the catalogue and cannot be changed' })),
  ];
  if (details.length > 0) throw invalidValues(details);
  const definition = { ...before.definition, ...Object.fromEntries(redefined.map((name) => [name, change[name]])) };
  const { reason, exceptionEndsAt, evidenceDueAt, ownerUserId, cadence } = change;
  if (isSet) requireGuards(before, to, cadence ?? before.control.cadence, now);
  return {
    ...(isSet
      ? {
          status: to,
          reason: keepsReason(to) ? (reason ?? null) : null,
          exception_ends_at: to === 'excepted' ? (exceptionEndsAt ?? null) : null,
          evidence_due_at: to === 'evidence_requested' ? (evidenceDueAt ?? addTime(now, defaultEvidenceTime)) : null,
          ...(isReview(to) && { reviewed_at: now }),
        }
      : {
          ...(reason !== undefined && keepsReason(to) && { reason }),
          ...(exceptionEndsAt !== undefined && { exception_ends_at: exceptionEndsAt }),
          ...(evidenceDueAt !== undefined && { evidence_due_at: evidenceDueAt }),
        }),
    ...(ownerUserId !== undefined && { owner_user_id: ownerUserId }),
    ...(cadence !== undefined && { cadence }),
    ...(redefined.length > 0 && { definition: canonicalize(definition as unknown as Json) }),
  };
}

/** Whether a control of this status keeps the reason for it. */
function keepsReason(status: ControlStatus): boolean {
  return status === 'excepted' || status === 'not_applicable';
}

/**
 * Requires the evidence and test results that a status needs.
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

/** Checks the fields that belong to a status. @param isSet whether the change sets the status. */
function checkFields(
  change: ControlChange,
  from: ControlStatus,
  isSet: boolean,
  now: string,
): readonly ProblemDetail[] {
  const { status: to = from, reason, exceptionEndsAt, evidenceDueAt } = change;
  const details: ProblemDetail[] = [];
  const refuse = (name: string, issue: string) => details.push({ path: `body.${name}`, issue });
  const checkDate = (name: 'exceptionEndsAt' | 'evidenceDueAt', date: string, status: ControlStatus) => {
    if (to !== status) refuse(name, `is allowed with the status ${status} only`);
    else if (date <= now) refuse(name, 'must be in the future');
    else if (date > (addCadence(now, 'annual', 2) as string)) refuse(name, 'must be at most two years ahead');
  };
  if (isSet && keepsReason(to) && reason === undefined) refuse('reason', `is required for ${to}`);
  if (reason !== undefined && !isSet && !keepsReason(to))
    refuse('reason', 'is allowed with another status, a review, or a control that is excepted or not applicable');
  if (exceptionEndsAt !== undefined) checkDate('exceptionEndsAt', exceptionEndsAt, 'excepted');
  else if (isSet && to === 'excepted') refuse('exceptionEndsAt', 'is required for excepted');
  if (evidenceDueAt !== undefined) checkDate('evidenceDueAt', evidenceDueAt, 'evidence_requested');
  else if (from === 'overdue' && to === 'evidence_requested')
    refuse('evidenceDueAt', 'is required: the date that was set has passed');
  return details;
}

/**
 * The statuses before and after a change, as derived from the dates. If the control already had the new one by time only,
 * the one before is the status that was set last. Null if the status stays.
 */
function findMove(
  before: AssessedControl,
  after: AssessedControl,
): { readonly from: string; readonly to: string } | null {
  const to = after.control.status;
  if (before.control.status !== to) return { from: before.control.status, to };
  return before.row.status === after.row.status ? null : { from: before.row.status, to };
}

/** The changed fields before and after, for the event of the change. */
export function describeDiff(before: AssessedControl, after: AssessedControl) {
  const status = findMove(before, after)?.from ?? before.control.status;
  return diffFields({ ...describeState(before), status }, describeState(after));
}

/** The reason is left out: the event has it in a field of its own. */
function describeState({ row, control, definition }: AssessedControl): Readonly<Record<string, Json>> {
  const { title, description, domain, mappings } = definition;
  return {
    status: control.status,
    cadence: control.cadence,
    ownerUserId: control.ownerUserId,
    exceptionEndsAt: row.exception_ends_at,
    evidenceDueAt: row.evidence_due_at,
    reviewedAt: row.reviewed_at,
    ...(row.definition !== null && { title, description, domain, mappings }),
  };
}

/**
 * The webhook event of a change of the status; none if it stays. A status that changes by time only has no event: the
 * next one says which status the control had by then.
 */
export function describeMove(before: AssessedControl, after: AssessedControl): readonly NewWebhookEvent[] {
  const { controlId, code } = after.control;
  const move = findMove(before, after);
  if (move === null) return [];
  return [{ tenantId: after.row.tenant_id, type: 'control.status_changed', data: { controlId, code, ...move } }];
}
