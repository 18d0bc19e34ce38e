import { z } from 'zod';
import { Id, visibleText } from '../http/schemas.ts';

export const ErasureInput = z
  .strictObject({
    reason: visibleText(2000).meta({ description: 'For the audit log, which keeps it: do not name the person in it.' }),
  })
  .meta({ id: 'ErasureInput' });

const Count = z.int().min(0);

/** How many rows had the values. */
export const ErasureCounts = z
  .strictObject({
    records: Count.meta({ description: 'Consent records.' }),
    requests: Count.meta({ description: 'Completed data-subject requests.' }),
    auditEvents: Count.meta({ description: 'Events of the audit log.' }),
    events: Count.meta({ description: 'Webhook events.' }),
    deliveries: Count.meta({ description: 'Pending deliveries of these events, which were canceled.' }),
    responses: Count.meta({ description: 'Responses that are kept for retries.' }),
  })
  .meta({ id: 'ErasureCounts' });
export type ErasureCounts = z.output<typeof ErasureCounts>;

export const ErasureStatus = z.enum(['running', 'done']).meta({
  id: 'ErasureStatus',
  description: '`running`: the rest follows in the background; of a data subject, `subject.erased` at the end.',
});

export const Erasure = z
  .strictObject({
    erasureId: Id,
    status: ErasureStatus,
    counts: ErasureCounts.meta({ description: 'What was erased so far.' }),
  })
  .meta({ id: 'Erasure' });
export type Erasure = z.output<typeof Erasure>;

const SubjectErased = z.strictObject({ erasureId: Id, counts: ErasureCounts }).meta({ id: 'SubjectErasedEventData' });

/** The data of the webhook events about erasures. */
export const erasureEvents = { 'subject.erased': SubjectErased };

export const noCounts: ErasureCounts = {
  records: 0,
  requests: 0,
  auditEvents: 0,
  events: 0,
  deliveries: 0,
  responses: 0,
};

/** The sum of two counts. */
export function addCounts(one: ErasureCounts, other: ErasureCounts): ErasureCounts {
  const names = Object.keys(noCounts) as (keyof ErasureCounts)[];
  return Object.fromEntries(names.map((name) => [name, one[name] + other[name]])) as ErasureCounts;
}

/** Whether anything was erased. */
export function hasErased(counts: ErasureCounts): boolean {
  return Object.values(counts).some((count) => count > 0);
}

/** Whether a text names a person by this id: as a part of its own, so that no word that only contains a short id counts. */
export function namesSubject(text: string, subjectId: string): boolean {
  for (let at = text.indexOf(subjectId); at >= 0; at = text.indexOf(subjectId, at + 1)) {
    const [before, after] = [text.slice(0, at), text.slice(at + subjectId.length)];
    if (!/[\p{L}\p{N}]$/u.test(before) && !/^[\p{L}\p{N}]/u.test(after)) return true;
  }
  return false;
}

/** What the API shows of a person beside the subject, in the same object. */
const personalNames: ReadonlySet<string> = new Set([
  'subjectId',
  'ipHash',
  'uaHash',
  'salt',
  'notes',
  'reason',
  'extensionReason',
  'identityCheck',
  'requesterEmail',
  'requesterName',
  'message',
]);

/**
 * The erased form of a JSON text: of each object about the subject, the values that identify a person are null.
 * @returns null for a text without the subject.
 */
export function eraseJson(text: string, subjectId: string, erasedAt: string): string | null {
  if (!text.includes(JSON.stringify(subjectId))) return null;
  let isFound = false;
  const erased = JSON.stringify(JSON.parse(text), (_, value) => {
    if (typeof value !== 'object' || value === null || value.subjectId !== subjectId) return value;
    isFound = true;
    const kept = Object.entries(value).map(([name, one]) => {
      if (name === 'erasedAt') return [name, erasedAt];
      return [name, personalNames.has(name) ? null : one];
    });
    return Object.fromEntries(kept);
  });
  return isFound ? erased : null;
}
