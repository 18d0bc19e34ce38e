import { requireActiveMember } from '../accounts/members/membership-store.ts';
import type { AuditSource } from '../http/principal.ts';
import { invalidValues, Problem, type ProblemDetail } from '../http/problem.ts';
import { controlRows } from '../ledger/audit/rows.ts';
import { diffFields, recordChange } from '../ledger/audit/store.ts';
import { canonicalize, type Json } from '../ledger/canonical.ts';
import { addTime, dayMilliseconds, type Transaction } from '../storage/database.ts';
import { insertRow, newId, updateRow } from '../storage/rows.ts';
import { emitEvents } from '../webhooks/deliveries/outbox.ts';
import { type AssessedControl, viewDetail } from './assess-control.ts';
import { type ControlChange, type ControlRow, definitionNames, type NewControl } from './control.ts';
import { rateFreshness } from './evidence.ts';
import { addCadence, type Cadence, type ControlStatus, isReview, type SettableStatus, transitions } from './status.ts';
import { listControlRows, requireControl } from './store.ts';

/** The maximum number of custom controls of a tenant. */
const maximumCustomControls = 1000;

/** Reads a control to change it; other changes of the tenant wait until the transaction ends. */
export async function lockControl(tx: Transaction, { tenantId }: AuditSource, id: string): Promise<AssessedControl> {
  await tx.lockTenant(tenantId);
  return requireControl(tx.queries, tenantId, id, tx.now);
}

/**
 * Creates a custom control.
 * @throws {Problem} `conflict` for a code in use or too many controls, `validation_failed` for an owner who cannot sign in.
 */
export async function createControl(tx: Transaction, source: AuditSource, input: NewControl) {
  const { cadence, ownerUserId, ...definition } = input;
  const { now, queries } = tx;
  const { tenantId } = source;
  await tx.lockTenant(tenantId);
  const texts = (await listControlRows(queries, { tenantId, now })).flatMap((row) => row.definition ?? []);
  if (texts.length >= maximumCustomControls)
    throw new Problem('conflict', `A tenant may have at most ${maximumCustomControls} custom controls.`);
  // Without case; codes of the catalogue have another form.
  if (texts.some((text) => JSON.parse(text).code.toLowerCase() === definition.code.toLowerCase()))
    throw new Problem('conflict', `The code ${definition.code} is already in use.`);
  if (ownerUserId !== null) await requireActiveMember(queries, tenantId, ownerUserId, 'body.ownerUserId');
  const id = newId();
  const row = await insertRow(queries, 'tenant_controls', {
    ...newControlRow(tx, tenantId, id, cadence),
    id,
    owner_user_id: ownerUserId,
    definition: canonicalize(definition as unknown as Json),
  });
  await recordChange(tx, source, controlRows, row, { verb: 'created', targetRef: definition.code });
  return requireControl(queries, tenantId, id, now);
}

/**
 * Changes a control; a change that alters nothing is not recorded.
 * @throws {Problem} `not_found`, `validation_failed`, and as `decideChange`.
 */
export async function editControl(tx: Transaction, source: AuditSource, id: string, change: ControlChange) {
  const before = await lockControl(tx, source, id);
  const columns = decideChange(before, change, tx.now);
  const { ownerUserId } = change;
  if (ownerUserId && ownerUserId !== before.row.owner_user_id)
    await requireActiveMember(tx.queries, source.tenantId, ownerUserId, 'body.ownerUserId');
  return saveControl(tx, source, before, columns, change.reason);
}

/** The time to submit requested evidence, unless the request sets another. */
const defaultEvidenceTime = 30 * dayMilliseconds;

/**
 * Decides which columns a change of a control sets. A requested status is set even if the control already has it by time
 * only; setting `implemented` or `accepted` again is another review.
 * @returns the columns to set, without those of the status if it is not set.
 * @throws {Problem} `control_transition_not_allowed`, `control_evidence_missing`, `control_test_failing`, or
 *   `validation_failed` for fields that do not belong to the status that the control will have.
 */
function decideChange(before: AssessedControl, change: ControlChange, now: string): Partial<ControlRow> {
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
  const details = checkFields(change, from, isSet, now);
  if (before.template !== null)
    for (const name of redefined)
      details.push({ path: `body.${name}`, issue: 'is defined by the catalogue and cannot be changed' });
  if (details.length > 0) throw invalidValues(details);
  const definition = { ...before.definition, ...Object.fromEntries(redefined.map((name) => [name, change[name]])) };
  const { reason, exceptionEndsAt, evidenceDueAt, ownerUserId, cadence } = change;
  if (isSet) requireGuards(before, to, cadence ?? before.control.cadence, now);
  const ofStatus = isSet && {
    status: to,
    reason: null,
    exception_ends_at: null,
    evidence_due_at: to === 'evidence_requested' ? addTime(now, defaultEvidenceTime) : null,
    ...(isReview(to) && { reviewed_at: now }),
  };
  const given = {
    reason: keepsReason(to) ? reason : undefined,
    exception_ends_at: exceptionEndsAt,
    evidence_due_at: evidenceDueAt,
    owner_user_id: ownerUserId,
    cadence,
    definition: redefined.length > 0 ? canonicalize(definition as unknown as Json) : undefined,
  };
  return { ...ofStatus, ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) };
}

/** True if a control of this status keeps the reason for the status. */
function keepsReason(status: ControlStatus): boolean {
  return status === 'excepted' || status === 'not_applicable';
}

/**
 * Requires the evidence and test results that a status needs.
 * @param cadence the one that the control will have.
 * @throws {Problem} `control_evidence_missing`, `control_test_failing`.
 */
function requireGuards({ row, control }: AssessedControl, to: ControlStatus, cadence: Cadence, now: string): void {
  if ((to === 'evidence_submitted' || to === 'accepted') && row.latest_evidence === null)
    throw new Problem(
      'control_evidence_missing',
      `A control needs an item of evidence that is neither withdrawn nor expired to become ${to}.`,
    );
  if (to === 'accepted' && rateFreshness(row, cadence, now) !== 'current')
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

/** Checks the fields that belong to a status. @param isSet true if the change sets the status. */
function checkFields(change: ControlChange, from: ControlStatus, isSet: boolean, now: string): ProblemDetail[] {
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

/** Stores columns of a control, its event and its webhook event; nothing if no column changes and it is no review. */
export async function saveControl(
  tx: Transaction,
  source: AuditSource,
  before: AssessedControl,
  columns: Partial<ControlRow>,
  reason?: string,
): Promise<AssessedControl> {
  const names = Object.keys(columns) as (keyof ControlRow)[];
  const isReview = columns.reviewed_at !== undefined;
  if (!isReview && names.every((name) => columns[name] === before.row[name])) return before;
  const row = await updateControl(tx, before, columns);
  // A control in force stays in force: neither the frameworks nor its definition in the catalogue changed.
  const after = await requireControl(tx.queries, source.tenantId, row.id, tx.now);
  const moves = describeMove(before, after);
  const status = moves[0]?.data.from ?? before.control.status;
  await recordChange(tx, source, controlRows, row, {
    verb: moves.length > 0 ? 'status_changed' : isReview ? 'reviewed' : 'edited',
    targetRef: after.control.code,
    diff: diffFields({ ...describeState(before), status }, describeState(after)),
    ...(reason !== undefined && { reason }),
  });
  await emitEvents(tx, moves);
  return after;
}

/** The fields that the event of a change compares. The reason is left out: the event has it in a separate field. */
const auditedFields = [
  ...(['status', 'cadence', 'ownerUserId', 'exceptionEndsAt', 'evidenceDueAt', 'reviewedAt'] as const),
  ...definitionNames,
];

function describeState(control: AssessedControl): Readonly<Record<string, Json>> {
  const detail = viewDetail(control);
  return Object.fromEntries(auditedFields.map((name) => [name, detail[name]]));
}

/**
 * The webhook event of a change of the status, as derived from the dates; none if it stays. If the control already had the
 * new one by time only, the event has the status that was set last. A status that changes by time only has no event: the
 * next one says which status the control had by then.
 */
export function describeMove(before: AssessedControl, after: AssessedControl) {
  const { controlId, code, status: to } = after.control;
  const isByTime = before.control.status === to;
  if (isByTime && before.row.status === after.row.status) return [];
  const from = isByTime ? (before.row.status as ControlStatus) : before.control.status;
  const data = { controlId, code, from, to };
  return [{ tenantId: after.row.tenant_id, type: 'control.status_changed' as const, data }];
}

/**
 * Retires a custom control: it is kept with its history, and its code becomes free.
 * @throws {Problem} `not_found`, `conflict` for a control of the catalogue.
 */
export async function retireControl(tx: Transaction, source: AuditSource, id: string): Promise<void> {
  const before = await lockControl(tx, source, id);
  const { code } = before.control;
  if (before.template !== null)
    throw new Problem(
      'conflict',
      `${code} is a control of the catalogue and cannot be removed; set it to not_applicable instead.`,
    );
  const row = await updateControl(tx, before, { retired_at: tx.now });
  const diff = { retiredAt: tx.now };
  await recordChange(tx, source, controlRows, row, { verb: 'retired', targetRef: code, diff });
}

async function updateControl(tx: Transaction, { row }: AssessedControl, columns: Partial<ControlRow>) {
  const match = { tenant_id: row.tenant_id, id: row.id };
  return updateRow(tx.queries, 'tenant_controls', match, { ...columns, updated_at: tx.now });
}

/** The row of a control of the catalogue that is not started. */
export function newControlRow({ now }: Transaction, tenantId: string, controlId: string, cadence: Cadence): ControlRow {
  return {
    id: newId(),
    tenant_id: tenantId,
    control_id: controlId,
    definition: null,
    cadence,
    status: 'not_started',
    owner_user_id: null,
    reason: null,
    exception_ends_at: null,
    evidence_due_at: null,
    reviewed_at: null,
    created_at: now,
    updated_at: now,
    retired_at: null,
  };
}
