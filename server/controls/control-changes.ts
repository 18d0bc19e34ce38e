import { recordChange } from '../audit/row-state.ts';
import type { AuditSource } from '../audit/source.ts';
import { invalidValues, Problem } from '../http/problem.ts';
import { canSignIn } from '../identity/membership.ts';
import { findMember } from '../identity/membership-store.ts';
import { canonicalize, type Json } from '../ledger/canonical.ts';
import type { UnitOfWork } from '../storage/database.ts';
import { insertRow, newId, updateRow } from '../storage/rows.ts';
import { emitEvents } from '../webhooks/deliveries/outbox.ts';
import type { AssessedControl } from './assess-control.ts';
import { decideChange, describeDiff, describeMove } from './change-rules.ts';
import type { ControlChange, ControlRow, NewControl } from './control.ts';
import type { Cadence } from './status.ts';
import { assessRow, controlRows, listCustomDefinitions, requireControl } from './store.ts';

/** The maximum number of custom controls of a tenant. */
export const maximumCustomControls = 1000;

/** Reads a control to change it; other changes of the tenant wait until the unit of work ends. */
export async function lockControl(work: UnitOfWork, { tenantId }: AuditSource, id: string): Promise<AssessedControl> {
  await work.lockTenant(tenantId);
  return requireControl(work.transaction, tenantId, id, work.now);
}

/**
 * Creates a custom control.
 * @throws {Problem} `conflict` for a code in use or too many controls, `validation_failed` for an owner who cannot sign in.
 */
export async function createControl(
  work: UnitOfWork,
  source: AuditSource,
  { cadence, ownerUserId, ...definition }: NewControl,
): Promise<AssessedControl> {
  const { tenantId } = source;
  await work.lockTenant(tenantId);
  const customs = await listCustomDefinitions(work.transaction, tenantId);
  if (customs.length >= maximumCustomControls)
    throw new Problem('conflict', `A tenant may have at most ${maximumCustomControls} custom controls.`);
  // Without case; codes of the catalogue have a form of their own.
  if (customs.some(({ code }) => code.toLowerCase() === definition.code.toLowerCase()))
    throw new Problem('conflict', `The code ${definition.code} is already in use.`);
  if (ownerUserId !== null) await requireOwner(work, tenantId, ownerUserId);
  const id = newId();
  const row = await insertRow(work.transaction, 'tenant_controls', {
    ...newControlRow(work, tenantId, id, cadence),
    id,
    owner_user_id: ownerUserId,
    definition: canonicalize(definition as unknown as Json),
  });
  await recordChange(work, source, controlRows, row, { verb: 'created', targetRef: definition.code });
  return requireControl(work.transaction, tenantId, id, work.now);
}

/**
 * Changes a control; a change that alters nothing is not recorded.
 * @throws {Problem} `not_found`, `validation_failed`, and as `decideChange`.
 */
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

/** Stores columns of a control, its event and its webhook event; nothing if no column changes and it is no review. */
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
  const row = await updateControl(work, before, columns);
  // A control in force stays in force: neither the frameworks nor its definition in the catalogue changed.
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

/**
 * Retires a custom control: it is kept with its history, and its code becomes free.
 * @throws {Problem} `not_found`, `conflict` for a control of the catalogue.
 */
export async function retireControl(work: UnitOfWork, source: AuditSource, id: string): Promise<void> {
  const before = await lockControl(work, source, id);
  const { code } = before.control;
  if (before.template !== null)
    throw new Problem(
      'conflict',
      `${code} is a control of the catalogue and cannot be removed; set it to not_applicable instead.`,
    );
  const row = await updateControl(work, before, { retired_at: work.now });
  const diff = { retiredAt: work.now };
  await recordChange(work, source, controlRows, row, { verb: 'retired', targetRef: code, diff });
}

async function updateControl(work: UnitOfWork, { row }: AssessedControl, columns: Partial<ControlRow>) {
  const match = { tenant_id: row.tenant_id, id: row.id };
  return updateRow(work.transaction, 'tenant_controls', match, { ...columns, updated_at: work.now });
}

/** The row of a control of the catalogue that is not started. */
export function newControlRow({ now }: UnitOfWork, tenantId: string, controlId: string, cadence: Cadence): ControlRow {
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

/** @throws {Problem} `validation_failed`, the same for everyone who cannot own a control of the tenant. */
async function requireOwner(work: UnitOfWork, tenantId: string, userId: string): Promise<void> {
  const member = await findMember(work.transaction, tenantId, userId);
  if (member === undefined || !canSignIn(member))
    throw invalidValues([{ path: 'body.ownerUserId', issue: 'is not a member of the tenant who can sign in' }]);
}
