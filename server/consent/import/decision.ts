import { z } from 'zod';
import { Problem } from '../../http/problem.ts';
import { findRepeatedName } from '../../http/repeated-name.ts';
import { findUnstorable } from '../../http/request.ts';
import { clockSkew, findPastFault } from '../../http/schemas.ts';
import type { NoticeVersion } from '../notice.ts';
import { checkChoices, type PurposeChoices, SubjectChannel } from '../record.ts';
import { type ImportField, type RawDecision, UnreadableLine } from './formats.ts';

function text(maximum: number) {
  return z
    .string('must be a string')
    .max(maximum, { abort: true, error: `must have at most ${maximum} characters` })
    .min(1, 'must not be empty')
    .superRefine((value, context) => {
      const issue = findUnstorable(value);
      if (issue !== null) context.addIssue({ code: 'custom', message: issue });
    });
}

/** A number counts as its digits: ids of other tools are often numbers. */
const Key = z.preprocess((value) => (typeof value === 'number' ? String(value) : value), text(256));

/** Milliseconds or seconds since 1970, as digits, or a time with an offset; read as UTC with milliseconds. */
const ImportTime = z.union([z.string(), z.number()], 'must be a time').transform((given, context) => {
  const time = readTime(String(given).trim());
  if (time !== null) return time;
  context.addIssue('must be a time with its offset, such as 2026-01-31T09:30:00Z or 2026-01-31 09:30:00+01:00');
  return z.NEVER;
});

function readTime(given: string): string | null {
  if (given.length > 64) return null;
  if (/^\d{9,10}$/.test(given)) return new Date(Number(given) * 1000).toISOString();
  if (/^\d{12,13}$/.test(given)) return new Date(Number(given)).toISOString();
  const time = given
    .toUpperCase()
    .replace(/^(\d{4}-\d\d-\d\d) /, '$1T')
    .replace(/ ?(?:UTC|GMT)$/, 'Z');
  if (!rfc3339.safeParse(time).success) return null;
  return new Date(time).toISOString();
}

const rfc3339 = z.iso.datetime({ offset: true });

const Fields = z.object({
  id: Key,
  subjectId: Key,
  capturedAt: ImportTime,
  subjectChannel: z.enum(SubjectChannel.options, `must be one of ${SubjectChannel.options.join(', ')}`).nullish(),
  method: text(64).nullish(),
  ip: text(256).nullish(),
  ua: text(4096).nullish(),
});

/** A decision of the file, checked against the version of the notice. */
export type ImportedDecision = z.output<typeof Fields> & { readonly purposes: PurposeChoices };

/** How the names of a file become purposes of the notice. */
export interface PurposeMapping {
  /** The key of the purpose, by the name in the file. */
  readonly keys: ReadonlyMap<string, string>;
  readonly ignored: ReadonlySet<string>;
  /** True if a required purpose that a line does not name counts as granted. */
  readonly addsRequired: boolean;
}

/**
 * Checks the decision of a line. @returns the decision, or the reasons against importing it: with the fields, and
 * without their values.
 * @param now the time of the server: later times are faults.
 */
export function checkDecision(
  raw: RawDecision,
  { purposes }: Pick<NoticeVersion, 'purposes'>,
  mapping: PurposeMapping,
  now: string,
): ImportedDecision | { readonly issues: readonly string[] } {
  const issues: string[] = [];
  const read = Fields.safeParse(raw);
  if (!read.success)
    for (const { path, message } of read.error.issues) {
      const field = path[0] as ImportField;
      issues.push(`${field}: ${(raw[field] ?? null) === null ? 'is missing' : message}`);
    }
  const fault = read.success ? findPastFault(read.data.capturedAt, now, clockSkew) : null;
  if (fault !== null) issues.push(`capturedAt: ${fault}`);
  const choices: Record<string, boolean> = Object.create(null);
  const names = new Set<string>();
  for (const [name, value] of raw.choices) {
    if (mapping.ignored.has(name) || value === null || value === undefined) continue;
    const key = mapping.keys.get(name) ?? name;
    const choice = readChoice(value);
    if (choice === null) issues.push(`${describeName(name)}: must be true or false`);
    else if (names.has(name)) issues.push(`${describeName(name)}: is given more than once`);
    else if (choices[key] !== undefined && choices[key] !== choice)
      issues.push(`${describeName(name)}: contradicts another name of the same purpose`);
    else choices[key] = choice;
    names.add(name);
  }
  for (const { key, required } of purposes) {
    if (choices[key] !== undefined) continue;
    if (required && mapping.addsRequired) choices[key] = true;
    else if (required) issues.push(`purposes.${key}: is required but missing`);
    else if (raw.isComplete) choices[key] = false;
  }
  try {
    checkChoices(purposes, choices, false, describeName);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const { details = [] } = error.options;
    issues.push(...details.map(({ path, issue }) => `${path.replace(/^body\./, '')}: ${issue}`));
  }
  return read.success && issues.length === 0 ? { ...read.data, purposes: { ...choices } } : { issues };
}

/** A name of the file as a message has it: short, and on one line. */
function describeName(name: string): string {
  return `purposes.${name.slice(0, 64).replace(/[^\p{L}\p{N} _.-]/gu, '?')}`;
}

const words: ReadonlyMap<string, boolean> = new Map([
  ...['true', '1', 'yes', 'on', 'granted', 'accepted', 'allow'].map((word) => [word, true] as const),
  ...['false', '0', 'no', 'off', 'denied', 'refused', 'rejected', 'withdrawn', 'deny'].map(
    (word) => [word, false] as const,
  ),
]);

function readChoice(value: unknown): boolean | null {
  if (typeof value === 'boolean') return value;
  if (typeof value !== 'string' && typeof value !== 'number') return null;
  return words.get(String(value).trim().toLowerCase()) ?? null;
}

/** Reads a line of JSON. @throws {UnreadableLine} */
export function readJson(line: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw new UnreadableLine('is not JSON');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new UnreadableLine('is not a JSON object');
  if (findRepeatedName(line, value) !== null) throw new UnreadableLine('has the same key twice in an object');
  return value as Record<string, unknown>;
}
