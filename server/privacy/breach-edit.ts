import { invalidValues, type ProblemDetail } from '../http/problem.ts';
import { findPastFault } from '../http/schemas.ts';
import type { Breach, BreachChange } from './breach.ts';
import { wasNotifiedLate } from './breach-deadline.ts';
import { requireBreachMove } from './breach-status.ts';

/** What an edit makes of an incident. */
export interface BreachEdit {
  readonly breach: Breach;
  /** The names of the fields that are now different, in the order of the incident. */
  readonly changed: readonly (keyof Breach)[];
}

/**
 * Works out an edit of an incident.
 * @throws {Problem} `breach_transition_not_allowed`, or `validation_failed` where the incident would break a rule.
 */
export function applyChange(before: Breach, change: BreachChange, now: string): BreachEdit {
  const given = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
  const wanted: Breach = { ...before, ...given };
  requireBreachMove(before.status, wanted.status);
  const details = [...checkTimes(before, change, now), ...checkReason(wanted)];
  if (details.length > 0) throw invalidValues(details);
  const breach = { ...wanted, closedAt: closedAt(before, wanted, now) };
  const names = Object.keys(before) as (keyof Breach)[];
  return { breach, changed: names.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(breach[name])) };
}

function closedAt(before: Breach, { status }: Breach, now: string): string | null {
  if (status !== 'closed') return null;
  return before.status === 'closed' ? before.closedAt : now;
}

/** Nobody is told before there is something to tell, nor in advance. */
function checkTimes({ discoveredAt }: Breach, change: BreachChange, now: string): readonly ProblemDetail[] {
  return (['authorityNotifiedAt', 'subjectsNotifiedAt'] as const).flatMap((name) => {
    const time = change[name] ?? null;
    if (time === null) return [];
    const path = `body.${name}`;
    const issue = findPastFault(time, now);
    if (issue !== null) return [{ path, issue }];
    return time < discoveredAt ? [{ path, issue: 'must not be before the incident was discovered' }] : [];
  });
}

/** The two cases in which a tenant must be able to say why (GDPR Article 33(1) and (5)). */
function checkReason(wanted: Breach): readonly ProblemDetail[] {
  if (wanted.notificationReason !== null) return [];
  const path = 'body.notificationReason';
  if (wasNotifiedLate(wanted))
    return [{ path, issue: 'is required when the authority was notified later than 72 hours after the discovery' }];
  if (wanted.status === 'closed' && wanted.authorityNotifiedAt === null)
    return [{ path, issue: 'is required to close an incident that the authority was not notified of' }];
  return [];
}
