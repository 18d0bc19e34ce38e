import { recordChange } from '../audit/row-state.ts';
import type { AuditSource } from '../audit/source.ts';
import { invalidValues, notFound, Problem, type ProblemDetail } from '../http/problem.ts';
import { findPastFault, requirePast } from '../http/schemas.ts';
import { lockChain } from '../ledger/append.ts';
import type { UnitOfWork } from '../storage/unit-of-work.ts';
import type { EventType } from '../webhooks/deliveries/event.ts';
import { emitEvents } from '../webhooks/deliveries/outbox.ts';
import { type Breach, type BreachChange, type BreachInput, notificationDue, wasNotifiedLate } from './breach.ts';
import { breachRows, findBreach, insertBreach, readBreach, updateBreach } from './store.ts';

/** The status that a breach may move to from each status; a closed one can be reopened. */
export const breachMoves: Readonly<Record<Breach['status'], readonly Breach['status'][]>> = {
  open: ['contained', 'closed'],
  contained: ['closed'],
  closed: ['open'],
};

/** Fields whose values are audited: titles, descriptions and reasons may name people, and the log cannot be erased. */
const auditedFields = ['severity', 'status', 'authorityNotifiedAt', 'subjectsNotifiedAt', 'closedAt'] as const;

/**
 * Stores, audits and emits a new breach.
 * @throws {Problem} `validation_failed` if `discoveredAt` is in the future or before 2000.
 */
export async function reportBreach(work: UnitOfWork, source: AuditSource, input: BreachInput): Promise<Breach> {
  const { discoveredAt, severity } = input;
  requirePast('body.discoveredAt', discoveredAt, work.now);
  const row = await insertBreach(work, source.tenantId, input);
  await recordChange(work, source, breachRows, row, {
    verb: 'reported',
    targetRef: null,
    diff: { severity, discoveredAt, notificationDueAt: notificationDue(discoveredAt) },
  });
  const breach = readBreach(row);
  await emit(work, source, 'breach.reported', breach);
  return breach;
}

/**
 * Edits a breach. An edit that changes nothing is neither audited nor emitted.
 * @throws {Problem} `not_found`, `breach_transition_not_allowed`, `validation_failed`.
 */
export async function editBreach(
  work: UnitOfWork,
  source: AuditSource,
  id: string,
  change: BreachChange,
): Promise<Breach> {
  // Serializes concurrent edits: the second reads what the first wrote.
  await lockChain(work.transaction, source.tenantId, 'audit');
  const before = await findBreach(work.transaction, source.tenantId, id);
  if (before === undefined) throw notFound('breach');
  const { breach: after, changed } = applyChange(before, change, work.now);
  if (changed.length === 0) return before;
  const row = await updateBreach(work, source.tenantId, after);
  const audited = auditedFields.filter((name) => changed.includes(name));
  const pick = (breach: Breach) => Object.fromEntries(audited.map((name) => [name, breach[name]]));
  await recordChange(work, source, breachRows, row, {
    verb: 'updated',
    targetRef: null,
    diff: { changed, before: pick(before), after: pick(after) },
  });
  const breach = readBreach(row);
  await emit(work, source, 'breach.updated', breach);
  return breach;
}

/** The event has no texts: the receiver fetches the breach if it may. */
async function emit(
  work: UnitOfWork,
  { tenantId }: AuditSource,
  type: EventType & `breach.${string}`,
  { id, severity, status, discoveredAt }: Breach,
): Promise<void> {
  const data = { breachId: id, severity, status, notificationDueAt: notificationDue(discoveredAt) };
  await emitEvents(work, [{ tenantId, type, data }]);
}

/**
 * Computes an edit of a breach, without writing it.
 * @returns the breach after the edit, and the names of the fields that differ.
 * @throws {Problem} `breach_transition_not_allowed`; `validation_failed` if the edited breach is invalid.
 */
export function applyChange(
  before: Breach,
  change: BreachChange,
  now: string,
): { readonly breach: Breach; readonly changed: readonly (keyof Breach)[] } {
  const given = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
  const wanted: Breach = { ...before, ...given };
  requireMove(before.status, wanted.status);
  const details = [...checkTimes(before, change, now), ...checkReason(wanted)];
  if (details.length > 0) throw invalidValues(details);
  const breach = { ...wanted, closedAt: wanted.status === 'closed' ? (before.closedAt ?? now) : null };
  const names = Object.keys(before) as (keyof Breach)[];
  return { breach, changed: names.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(breach[name])) };
}

function requireMove(from: Breach['status'], to: Breach['status']): void {
  const allowed = breachMoves[from];
  if (from === to || allowed.includes(to)) return;
  throw new Problem(
    'breach_transition_not_allowed',
    `A breach that is ${from} cannot become ${to}; it can become ${allowed.join(' or ')}.`,
    { fields: { from, to, allowed } },
  );
}

/** Notifications happen after the discovery and in the past. */
function checkTimes({ discoveredAt }: Breach, change: BreachChange, now: string): readonly ProblemDetail[] {
  return (['authorityNotifiedAt', 'subjectsNotifiedAt'] as const).flatMap((name) => {
    const time = change[name] ?? null;
    if (time === null) return [];
    const path = `body.${name}`;
    const issue = findPastFault(time, now);
    if (issue !== null) return [{ path, issue }];
    return time < discoveredAt ? [{ path, issue: 'must not be before discoveredAt' }] : [];
  });
}

/** The two cases in which the tenant must document its reasons (GDPR Article 33(1) and (5)). */
function checkReason(wanted: Breach): readonly ProblemDetail[] {
  if (wanted.notificationReason !== null) return [];
  const path = 'body.notificationReason';
  if (wasNotifiedLate(wanted))
    return [{ path, issue: 'is required if the authority was notified later than 72 hours after the discovery' }];
  if (wanted.status === 'closed' && wanted.authorityNotifiedAt === null)
    return [{ path, issue: 'is required to close a breach that the authority was not notified of' }];
  return [];
}
