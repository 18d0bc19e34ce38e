import type { Selectable } from 'kysely';
import type { Tables } from '../storage/tables.ts';

/**
 * The keys of a record's entry whose values are columns of its row, in canonical order, and these columns. All other keys
 * with their values are the *frame* of the entry, which many records have in common, so that it is stored once.
 */
export const ownValues = {
  capturedAt: 'captured_at',
  id: 'id',
  ipHash: 'ip_commitment',
  noticeId: 'notice_id',
  otherPurposes: 'other_purposes',
  recordedAt: 'recorded_at',
  sequence: 'sequence',
  space: 'space',
  subjectId: 'subject_commitment',
  tenantId: 'tenant_id',
  uaHash: 'ua_commitment',
  withdrawsRecordId: 'withdraws_record_id',
} as const;

const ownKeys = Object.keys(ownValues) as (keyof typeof ownValues)[];

/** The keys whose value is always a text that needs no escaping; the frame has its quotes. */
const quotedKeys = new Set(['capturedAt', 'id', 'noticeId', 'recordedAt', 'space', 'subjectId', 'tenantId']);

/** A record's own part of its entry. */
export type OwnValues = Pick<Selectable<Tables['consent_records']>, (typeof ownValues)[keyof typeof ownValues]>;

/** The parts of a frame: the text before each value of a record, and after the last one. */
export type FrameParts = readonly string[];

/** Between the parts: canonical text has no such character. */
const gap = '\t';

/**
 * Writes a frame.
 * @param keys all keys of an entry, in canonical order.
 * @param values those that are not a record's own; null if absent.
 */
export function writeFrame(keys: readonly string[], values: Readonly<Record<string, unknown>>): string {
  const texts = keys.map((key) => {
    if (!(key in ownValues)) return `"${key}":${JSON.stringify(values[key] ?? null)}`;
    return quotedKeys.has(key) ? `"${key}":"${gap}"` : `"${key}":${gap}`;
  });
  return `{${texts.join(',')}}`;
}

export function splitFrame(text: string): FrameParts {
  return text.split(gap);
}

/** The values that all records of a stored frame have, by their keys in the entry. */
export function readFrame(text: string): Readonly<Record<string, unknown>> {
  return JSON.parse(text.replaceAll(`"${gap}"`, 'null').replaceAll(gap, 'null'));
}

/**
 * Whether the values of all columns have their places at the top level of a stored frame. Otherwise a modified frame could
 * have such a value itself, and the column any other.
 */
export function isFrame(text: string): boolean {
  const parts = splitFrame(text);
  if (parts.length !== ownKeys.length + 1) return false;
  try {
    const values = readFrame(text);
    return ownKeys.every((key, index) => {
      const isQuoted = quotedKeys.has(key);
      const fits = parts[index]?.endsWith(isQuoted ? `"${key}":"` : `"${key}":`);
      return fits && values[key] === null && parts[index + 1]?.startsWith('"') === isQuoted;
    });
  } catch {
    return false;
  }
}

/** The canonical text of an entry in pieces: the values of a record between the parts of its frame. */
export function fillFrame(parts: FrameParts, row: OwnValues): readonly string[] {
  // Written out, because a loop over the columns costs as much as reading the row.
  return [
    parts[0] as string,
    row.captured_at,
    parts[1] as string,
    row.id,
    parts[2] as string,
    quote(row.ip_commitment),
    parts[3] as string,
    row.notice_id,
    parts[4] as string,
    row.other_purposes ?? '{}',
    parts[5] as string,
    row.recorded_at,
    parts[6] as string,
    String(row.sequence),
    parts[7] as string,
    row.space,
    parts[8] as string,
    row.subject_commitment,
    parts[9] as string,
    row.tenant_id,
    parts[10] as string,
    quote(row.ua_commitment),
    parts[11] as string,
    quote(row.withdraws_record_id),
    parts[12] as string,
  ];
}

function quote(value: string | null): string {
  if (value === null) return 'null';
  return typeof value === 'string' ? `"${value}"` : value;
}
