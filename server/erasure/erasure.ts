import { z } from 'zod';
import { Id, visibleText } from '../http/schemas.ts';

export const ErasureInput = z
  .strictObject({
    reason: visibleText(2000).meta({ description: 'For the audit log; do not name the person in it.' }),
  })
  .meta({ id: 'ErasureInput' });

const Count = z.int().min(0);

/** How many rows had the values. */
export const ErasureCounts = z
  .strictObject({
    records: Count.meta({ description: 'Consent records.' }),
    requests: Count.meta({ description: 'Completed data-subject requests.' }),
    events: Count.meta({ description: 'Webhook events.' }),
    deliveries: Count.meta({ description: 'Pending deliveries of these events, which were canceled.' }),
    responses: Count.meta({ description: 'Responses that are kept for retries.' }),
  })
  .meta({ id: 'ErasureCounts' });
export type ErasureCounts = z.output<typeof ErasureCounts>;

export const Erasure = z
  .strictObject({
    erasureId: Id,
    status: z.enum(['running', 'done']).meta({
      id: 'ErasureStatus',
      description: '`running`: the rest follows in the background, and `subject.erased` at the end.',
    }),
    counts: ErasureCounts.meta({ description: 'What was erased so far.' }),
  })
  .meta({ id: 'Erasure' });
export type Erasure = z.output<typeof Erasure>;

const SubjectErased = z.strictObject({ erasureId: Id, counts: ErasureCounts }).meta({ id: 'SubjectErasedEventData' });

/** The data of the webhook events about erasures. */
export const erasureEvents = { 'subject.erased': SubjectErased };

export const noCounts: ErasureCounts = { records: 0, requests: 0, events: 0, deliveries: 0, responses: 0 };

/** The sum of two counts. */
export function addCounts(one: ErasureCounts, other: ErasureCounts): ErasureCounts {
  const names = Object.keys(noCounts) as (keyof ErasureCounts)[];
  return Object.fromEntries(names.map((name) => [name, one[name] + other[name]])) as ErasureCounts;
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
