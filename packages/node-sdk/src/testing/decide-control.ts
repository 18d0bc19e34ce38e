import type { ControlCadence, ControlChange, ControlStatus, SettableControlStatus } from '../types/api.ts';
import { addCadence, rateFreshness, transitions } from './control-rules.ts';
import type { AssessedControl, Definition, StoredControl } from './control-state.ts';
import { invalidValues, Refusal } from './refusal.ts';
import type { Sent } from './rules.ts';
import type { Detail } from './validate.ts';

const evidenceDays = 30;
const definitionNames = ['title', 'description', 'domain', 'mappings'] as const;

const keepsReason = (status: ControlStatus): boolean => status === 'excepted' || status === 'not_applicable';
const isReview = (status: ControlStatus): boolean => status === 'implemented' || status === 'accepted';

/** What a change makes of a control. */
export function decideChange(
  before: AssessedControl,
  change: Sent<ControlChange>,
  now: string,
): Partial<StoredControl> {
  const from = before.control.status;
  const to = change.status ?? from;
  const isSet = change.status !== undefined && (to !== from || to !== before.stored.status || isReview(to));
  if (to !== from) requireTransition(from, to as SettableControlStatus);
  const details = [...checkFields(change, from, isSet, now), ...checkDefinition(before, change)];
  if (details.length > 0) throw invalidValues(details);
  const cadence = change.cadence ?? before.control.cadence;
  if (isSet) requireGuards(before, to, cadence, now);
  const definition = redefine(before, change);
  return {
    ...(isSet ? moveTo(to as SettableControlStatus, change, now) : stayAt(change)),
    ...(change.ownerUserId !== undefined && { ownerUserId: change.ownerUserId }),
    ...(change.cadence !== undefined && { cadence }),
    ...(definition !== null && { definition }),
  };
}

function requireTransition(from: ControlStatus, to: SettableControlStatus): void {
  const allowed = transitions[from];
  if (allowed.includes(to)) return;
  const message = `A control that is ${from} cannot become ${to}; it can become ${allowed.join(', ')}.`;
  throw new Refusal(409, 'control_transition_not_allowed', message, { fields: { from, to, allowed } });
}

function requireGuards(
  { control, latestEvidence }: AssessedControl,
  to: ControlStatus,
  cadence: ControlCadence,
  now: string,
) {
  const refuse = (message: string) => new Refusal(409, 'control_evidence_missing', message);
  if ((to === 'evidence_submitted' || to === 'accepted') && latestEvidence === null)
    throw refuse(`A control needs an item of evidence that is neither withdrawn nor expired to become ${to}.`);
  if (to !== 'accepted') return;
  if (rateFreshness(control.evidenceCount, latestEvidence, cadence, now) !== 'current')
    throw refuse(
      `A control needs current evidence to become accepted; with its cadence (${cadence}), the latest item is too old.`,
    );
  if (control.latestResultStatus === 'fail')
    throw new Refusal(
      409,
      'control_test_failing',
      'The latest result of a test of this control is fail; run the test again before you accept the control.',
    );
}

function checkFields(
  { status, reason, exceptionEndsAt, evidenceDueAt }: Sent<ControlChange>,
  from: ControlStatus,
  isSet: boolean,
  now: string,
): readonly Detail[] {
  const to = status ?? from;
  const details: Detail[] = [];
  const refuse = (name: string, issue: string) => details.push({ path: `body.${name}`, issue });
  if (isSet && keepsReason(to) && reason === undefined) refuse('reason', `is needed for ${to}`);
  if (reason !== undefined && !isSet && !keepsReason(to))
    refuse('reason', 'goes with another status, with a review, or with a control that is excepted or not applicable');
  if (exceptionEndsAt !== undefined) {
    if (to !== 'excepted') refuse('exceptionEndsAt', 'belongs to the status excepted');
    else if (exceptionEndsAt <= now) refuse('exceptionEndsAt', 'must be in the future');
    else if (exceptionEndsAt > (addCadence(now, 'annual', 2) ?? ''))
      refuse('exceptionEndsAt', 'must be two years ahead at most');
  } else if (isSet && to === 'excepted') refuse('exceptionEndsAt', 'is needed for excepted');
  if (evidenceDueAt !== undefined) {
    if (to !== 'evidence_requested') refuse('evidenceDueAt', 'belongs to the status evidence_requested');
    else if (evidenceDueAt <= now) refuse('evidenceDueAt', 'must be in the future');
    else if (evidenceDueAt > (addCadence(now, 'annual', 2) ?? ''))
      refuse('evidenceDueAt', 'must be two years ahead at most');
  } else if (from === 'overdue' && to === 'evidence_requested')
    refuse('evidenceDueAt', 'is needed: the day that was set has passed');
  return details;
}

function checkDefinition({ template }: AssessedControl, change: Sent<ControlChange>): readonly Detail[] {
  if (template === null) return [];
  return definitionNames
    .filter((name) => change[name] !== undefined)
    .map((name) => ({ path: `body.${name}`, issue: 'is what the catalogue says, and cannot be changed' }));
}

function moveTo(to: SettableControlStatus, change: Sent<ControlChange>, now: string): Partial<StoredControl> {
  const defaultDue = new Date(Date.parse(now) + evidenceDays * 86_400_000).toISOString();
  return {
    status: to,
    reason: keepsReason(to) ? (change.reason ?? null) : null,
    exceptionEndsAt: to === 'excepted' ? (change.exceptionEndsAt ?? null) : null,
    evidenceDueAt: to === 'evidence_requested' ? (change.evidenceDueAt ?? defaultDue) : null,
    ...(isReview(to) && { reviewedAt: now }),
  };
}

function stayAt({ status, reason, exceptionEndsAt, evidenceDueAt }: Sent<ControlChange>): Partial<StoredControl> {
  return {
    ...(reason !== undefined && (status === undefined || keepsReason(status)) && { reason }),
    ...(exceptionEndsAt !== undefined && { exceptionEndsAt }),
    ...(evidenceDueAt !== undefined && { evidenceDueAt }),
  };
}

function redefine({ stored }: AssessedControl, change: Sent<ControlChange>): Definition | null {
  const given = definitionNames.filter((name) => change[name] !== undefined);
  if (stored.definition === null || given.length === 0) return null;
  return { ...stored.definition, ...Object.fromEntries(given.map((name) => [name, change[name]])) };
}
