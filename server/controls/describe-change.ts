import { canonicalize, type Json } from '../ledger/canonical.ts';
import type { NewWebhookEvent } from '../webhooks/deliveries/event.ts';
import type { AssessedControl } from './assessed-control.ts';

type Told = Readonly<Record<string, Json>>;

/**
 * From which status to which a change led: as they followed from the dates. Where time had brought the new one already
 * and somebody set it now, from the one that was set before. Null when the status stays.
 */
function findMove(
  before: AssessedControl,
  after: AssessedControl,
): { readonly from: string; readonly to: string } | null {
  const to = after.control.status;
  if (before.control.status !== to) return { from: before.control.status, to };
  return before.row.status === after.row.status ? null : { from: before.row.status, to };
}

/** What the audit log is told of a change: what it was before and after. */
export function describeDiff(before: AssessedControl, after: AssessedControl): Readonly<Record<string, Json>> {
  const status = findMove(before, after)?.from ?? before.control.status;
  const [old, now] = [{ ...tell(before), status }, tell(after)] as readonly [Told, Told];
  const changed = Object.keys(now).filter(
    (name) => canonicalize(old[name] ?? null) !== canonicalize(now[name] ?? null),
  );
  return { before: pick(old, changed), after: pick(now, changed) };
}

/** The reason is left out: it stands in the event by itself. */
function tell({ row, control, definition }: AssessedControl): Told {
  return {
    status: control.status,
    cadence: control.cadence,
    ownerUserId: control.ownerUserId,
    exceptionEndsAt: row.exception_ends_at,
    evidenceDueAt: row.evidence_due_at,
    reviewedAt: row.reviewed_at,
    ...(row.definition !== null && {
      title: definition.title,
      description: definition.description,
      domain: definition.domain,
      mappings: definition.mappings,
    }),
  };
}

function pick(told: Told, names: readonly string[]): Told {
  return Object.fromEntries(names.map((name) => [name, told[name] as Json]));
}

/**
 * The event for webhooks when a change made the status another one; none otherwise. Moves by time alone happen while
 * nobody asks and are told by no event: the next one says from which status the control came by then.
 */
export function describeMove(before: AssessedControl, after: AssessedControl): readonly NewWebhookEvent[] {
  const { controlId, code } = after.control;
  const move = findMove(before, after);
  if (move === null) return [];
  return [{ tenantId: after.row.tenant_id, type: 'control.status_changed', data: { controlId, code, ...move } }];
}
