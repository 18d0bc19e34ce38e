import { recordChange } from '../audit/row-state.ts';
import type { AuditSource } from '../audit/source.ts';
import { notFound } from '../http/problem.ts';
import { requirePast } from '../http/schemas.ts';
import { lockChain } from '../ledger/append.ts';
import type { UnitOfWork } from '../storage/unit-of-work.ts';
import type { EventType } from '../webhooks/deliveries/event.ts';
import { emitEvents } from '../webhooks/deliveries/outbox.ts';
import type { Breach, BreachChange, BreachInput } from './breach.ts';
import { notificationDue } from './breach-deadline.ts';
import { applyChange } from './breach-edit.ts';
import { breachRows, findBreach, insertBreach, readBreach, updateBreach } from './breach-store.ts';

/** What the audit log tells the values of: a title, a description or a reason may name persons, and it forgets nothing. */
const toldFields = ['severity', 'status', 'authorityNotifiedAt', 'subjectsNotifiedAt', 'closedAt'] as const;

/**
 * Reports an incident.
 * @throws {Problem} `validation_failed` when it is said to be discovered in the future or before 2000.
 */
export async function reportBreach(work: UnitOfWork, source: AuditSource, input: BreachInput): Promise<Breach> {
  const { discoveredAt, severity } = input;
  requirePast('body.discoveredAt', discoveredAt, work.now);
  const row = await insertBreach(work, source.tenantId, input);
  const breach = readBreach(row);
  const notificationDueAt = notificationDue(discoveredAt);
  await recordChange(work, source, breachRows, row, {
    verb: 'reported',
    targetRef: null,
    diff: { severity, discoveredAt, notificationDueAt },
  });
  await emit(work, source, 'breach.reported', breach);
  return breach;
}

/**
 * Edits an incident; an edit that changes nothing leaves no trace.
 * @throws {Problem} `not_found`, `breach_transition_not_allowed`, `validation_failed`.
 */
export async function editBreach(
  work: UnitOfWork,
  source: AuditSource,
  id: string,
  change: BreachChange,
): Promise<Breach> {
  // Two edits at once: the second reads what the first wrote.
  await lockChain(work.transaction, source.tenantId, 'audit');
  const before = await findBreach(work.transaction, source.tenantId, id);
  if (before === undefined) throw notFound('breach');
  const { breach: wanted, changed } = applyChange(before, change, work.now);
  if (changed.length === 0) return before;
  const row = await updateBreach(work, source.tenantId, wanted);
  const told = toldFields.filter((name) => changed.includes(name));
  const pick = (breach: Breach) => Object.fromEntries(told.map((name) => [name, breach[name]]));
  await recordChange(work, source, breachRows, row, {
    verb: 'updated',
    targetRef: null,
    diff: { changed, before: pick(before), after: pick(wanted) },
  });
  const breach = readBreach(row);
  await emit(work, source, 'breach.updated', breach);
  return breach;
}

/** No more than tells whoever listens that there is something to look at. */
async function emit(
  work: UnitOfWork,
  { tenantId }: AuditSource,
  type: EventType & `breach.${string}`,
  { id, severity, status, discoveredAt }: Breach,
): Promise<void> {
  const data = { breachId: id, severity, status, notificationDueAt: notificationDue(discoveredAt) };
  await emitEvents(work, [{ tenantId, type, data }]);
}
