import type { Selectable } from 'kysely';
import { z } from 'zod';
import { Id, namedObject, visibleText } from '../../http/schemas.ts';
import type { Tables } from '../../storage/tables.ts';

export const ErasureInput = namedObject('ErasureInput', {
  reason: visibleText(2000).meta({ description: 'For the audit log, which keeps it: do not name the person in it.' }),
});

export const Count = z.int().min(0);

/** How many rows had the values. */
export const ErasureCounts = namedObject('ErasureCounts', {
  records: Count.meta({ description: 'Consent records.' }),
  requests: Count.meta({ description: 'Completed data-subject requests.' }),
  breaches: Count.meta({ description: 'Closed breaches.' }),
  evidence: Count.meta({ description: 'Items of evidence.' }),
  files: Count.meta({ description: 'Evidence files.' }),
  auditEvents: Count.meta({ description: 'Events of the audit log.' }),
  events: Count.meta({ description: 'Webhook events.' }),
  deliveries: Count.meta({ description: 'Pending deliveries of these events, which were canceled.' }),
  responses: Count.meta({ description: 'Responses that are kept for retries.' }),
});
export type ErasureCounts = z.output<typeof ErasureCounts>;

const ErasureStatus = z.enum(['running', 'done']).meta({
  id: 'ErasureStatus',
  description: '`running`: the rest follows in the background; of a data subject, `subject.erased` at the end.',
});

export const Erasure = namedObject('Erasure', {
  erasureId: Id,
  status: ErasureStatus,
  counts: ErasureCounts.meta({ description: 'What was erased so far.' }),
});
export type Erasure = z.output<typeof Erasure>;

const SubjectErased = namedObject('SubjectErasedEventData', { erasureId: Id, counts: ErasureCounts });

/** The data of the webhook events about erasures. */
export const erasureEvents = { 'subject.erased': SubjectErased };

const countNames = ErasureCounts.keyof().options;

export const noCounts = Object.fromEntries(countNames.map((name) => [name, 0])) as ErasureCounts;

/** The sum of two counts. */
export function addCounts(one: ErasureCounts, other: ErasureCounts): ErasureCounts {
  return Object.fromEntries(countNames.map((name) => [name, one[name] + other[name]])) as ErasureCounts;
}

/** True if anything was erased. */
export function hasErased(counts: Readonly<Record<string, number>>): boolean {
  return Object.values(counts).some((count) => count > 0);
}

/**
 * True if a text names a person by this id: as a separate word, so that no word that only contains a short id counts.
 */
export function namesSubject(reason: string, subject: string): boolean {
  const [text, subjectId] = [reason.toLowerCase(), subject.toLowerCase()];
  for (let at = text.indexOf(subjectId); at >= 0; at = text.indexOf(subjectId, at + 1)) {
    const [before, after] = [text.slice(0, at), text.slice(at + subjectId.length)];
    if (!/[\p{L}\p{N}]$/u.test(before) && !/^[\p{L}\p{N}]/u.test(after)) return true;
  }
  return false;
}

/**
 * The target of an erasure: a subject, or data-subject requests, breaches or an item of evidence by their ids,
 * separated by spaces.
 */
export interface Target {
  readonly kind: 'subject' | 'dsr' | 'breach' | 'evidence';
  readonly target: string;
}

/** The subject, or each id. */
export function readTargets({ kind, target }: Target): readonly string[] {
  return kind === 'subject' ? [target] : target.split(' ');
}

/** An erasure, and how far it is. */
export type Job = Selectable<Tables['erasure_jobs']> & Target;

/** The fields about a person, or texts about one, that the API shows in the object about the target. */
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
  'title',
  'description',
  'dataCategories',
  'notificationReason',
  'url',
  'file',
  'withdrawalReason',
]);

/** The fields of an object that say what it is about. */
const targetNames = { subject: ['subjectId'], dsr: ['id', 'dsrId'], breach: ['id'], evidence: ['id'] } as const;

/**
 * The erased form of a JSON text: of each object about the target, the values that identify a person are null, and lists of
 * texts empty.
 * @param requests the ids of the requests of the subject: they may have named it otherwise before they were edited.
 * @param later the ids of objects that stay as they are.
 * @returns null for a text that has none of these values, because it is not about the target or was erased before.
 */
export function eraseJson(
  text: string,
  target: Target,
  requests: ReadonlySet<unknown>,
  later: ReadonlySet<unknown>,
  erasedAt: string,
): string | null {
  const targets = readTargets(target);
  if (requests.size === 0 && !targets.some((one) => text.includes(JSON.stringify(one)))) return null;
  let isFound = false;
  const erased = JSON.stringify(JSON.parse(text), (_, value) => {
    if (typeof value !== 'object' || value === null) return value;
    const isOfRequest = targetNames.dsr.some((name) => requests.has(value[name]));
    const isOfTarget = targetNames[target.kind].some((name) => targets.includes(value[name])) && !later.has(value.id);
    if (!isOfRequest && !isOfTarget) return value;
    if (!Object.entries(value).some(([name, one]) => personalNames.has(name) && hasContent(name, one))) return value;
    isFound = true;
    const kept = Object.entries(value).map(([name, one]) => {
      if (name === 'erasedAt') return [name, erasedAt];
      if (!personalNames.has(name)) return [name, one];
      return [name, eraseValue(name, one)];
    });
    return Object.fromEntries(kept);
  });
  return isFound ? erased : null;
}

function hasContent(name: string, value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  return value !== null && (name !== 'file' || (value as NamedFile).name !== null);
}

/** Of an evidence file, the size and the type stay. */
function eraseValue(name: string, value: unknown): unknown {
  if (Array.isArray(value)) return [];
  return name === 'file' && value !== null ? { ...(value as NamedFile), name: null } : null;
}

interface NamedFile {
  readonly name?: unknown;
}
