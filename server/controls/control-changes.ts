import { recordChange } from '../audit/row-state.ts';
import type { AuditSource } from '../audit/source.ts';
import { invalidValues, Problem } from '../http/problem.ts';
import { canSignIn } from '../identity/membership.ts';
import { findMember } from '../identity/membership-store.ts';
import { lockChain } from '../ledger/append.ts';
import { canonicalize, type Json } from '../ledger/canonical.ts';
import { newId } from '../storage/ids.ts';
import type { UnitOfWork } from '../storage/unit-of-work.ts';
import { emitEvents } from '../webhooks/deliveries/outbox.ts';
import type { AssessedControl, ControlRow } from './assessed-control.ts';
import type { ControlChange, NewControl } from './control.ts';
import { controlRows, insertControls, listOwnDefinitions, updateControl } from './control-store.ts';
import { decideChange } from './decide-change.ts';
import { describeDiff, describeMove } from './describe-change.ts';
import { assessRow, requireControl } from './read-controls.ts';

/** The most controls of its own that a tenant may have. */
export const mostOwnControls = 1000;

/** Reads a control to change it; other changes of the tenant wait until the unit of work ends. */
export async function lockControl(work: UnitOfWork, { tenantId }: AuditSource, id: string): Promise<AssessedControl> {
  await lockChain(work.transaction, tenantId, 'audit');
  return requireControl(work.transaction, tenantId, id, work.now);
}

/** Creates a control of the tenant's own. */
export async function createControl(
  work: UnitOfWork,
  source: AuditSource,
  { cadence, ownerUserId, ...definition }: NewControl,
): Promise<AssessedControl> {
  const { tenantId } = source;
  await lockChain(work.transaction, tenantId, 'audit');
  await requireFreeCode(work, tenantId, definition.code);
  if (ownerUserId !== null) await requireOwner(work, tenantId, ownerUserId);
  const row = { ...newControlRow(work, tenantId), cadence, owner_user_id: ownerUserId };
  const own = { ...row, control_id: row.id, definition: canonicalize(definition as unknown as Json) };
  await insertControls(work, [own]);
  await recordChange(work, source, controlRows, own, { verb: 'created', targetRef: definition.code });
  return requireControl(work.transaction, tenantId, own.id, work.now);
}

/** Changes a control, as far as its status and the transitions allow; what is as it shall be already stays untold. */
export async function editControl(
  work: UnitOfWork,
  source: AuditSource,
  id: string,
  change: ControlChange,
): Promise<AssessedControl> {
  const before = await lockControl(work, source, id);
  const columns = decideChange(before, change, work.now);
  const { ownerUserId } = change;
  if (ownerUserId && ownerUserId !== before.row.owner_user_id) await requireOwner(work, source.tenantId, ownerUserId);
  return saveControl(work, source, before, columns, change.reason);
}

/** Stores what was decided, and tells the audit log and webhooks; nothing when the row is so already and nobody looked. */
export async function saveControl(
  work: UnitOfWork,
  source: AuditSource,
  before: AssessedControl,
  columns: Partial<ControlRow>,
  reason?: string,
): Promise<AssessedControl> {
  const names = Object.keys(columns) as (keyof ControlRow)[];
  const isReview = columns.reviewed_at !== undefined;
  if (!isReview && names.every((name) => columns[name] === before.row[name])) return before;
  const row = await updateControl(work, before.row, columns);
  // A control in force stays in force: neither the frameworks nor what it is by the catalogue was changed.
  const after = (await assessRow(work.transaction, row, work.now)) as AssessedControl;
  const moves = describeMove(before, after);
  await recordChange(work, source, controlRows, row, {
    verb: moves.length > 0 ? 'status_changed' : isReview ? 'reviewed' : 'edited',
    targetRef: after.control.code,
    diff: describeDiff(before, after),
    ...(reason !== undefined && { reason }),
  });
  await emitEvents(work, moves);
  return after;
}

/** Tells webhooks when evidence or a test has just changed what follows of the status; the row stays as it is. */
export async function tellMove(work: UnitOfWork, before: AssessedControl): Promise<void> {
  const after = await assessRow(work.transaction, before.row, work.now);
  if (after !== null) await emitEvents(work, describeMove(before, after));
}

/** Takes a control of the tenant's own out of use: it is kept with its history, and its code is free again. */
export async function retireControl(work: UnitOfWork, source: AuditSource, id: string): Promise<void> {
  const { row, control, template } = await lockControl(work, source, id);
  if (template !== null)
    throw new Problem(
      'conflict',
      `${control.code} is a control of the catalogue and cannot be removed; set it to not_applicable instead.`,
    );
  const retired = await updateControl(work, row, { retired_at: work.now });
  await recordChange(work, source, controlRows, retired, {
    verb: 'retired',
    targetRef: control.code,
    diff: { retiredAt: work.now },
  });
}

/** A control that nobody has done anything about, as all begin. */
export function newControlRow(
  { now }: UnitOfWork,
  tenantId: string,
): Omit<ControlRow, 'control_id' | 'definition' | 'cadence'> {
  return {
    id: newId(),
    tenant_id: tenantId,
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

/** Codes are told apart without case, as people read them; those of the catalogue have a form of theirs. @throws {Problem} `conflict`. */
async function requireFreeCode(work: UnitOfWork, tenantId: string, code: string): Promise<void> {
  const own = await listOwnDefinitions(work.transaction, tenantId);
  if (own.length >= mostOwnControls)
    throw new Problem('conflict', `A tenant may have at most ${mostOwnControls} controls of its own.`);
  const folded = code.toLowerCase();
  if (own.some((other) => other.code.toLowerCase() === folded))
    throw new Problem('conflict', `There is a control with the code ${code} already.`);
}

/** @throws {Problem} `validation_failed`, the same for everybody who cannot own a control here. */
async function requireOwner(work: UnitOfWork, tenantId: string, userId: string): Promise<void> {
  const member = await findMember(work.transaction, tenantId, userId);
  if (member === undefined || !canSignIn(member))
    throw invalidValues([{ path: 'body.ownerUserId', issue: 'is no member of the tenant who may sign in' }]);
}
