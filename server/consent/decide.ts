import { invalidValues, notFound, Problem, type ProblemDetail } from '../http/problem.ts';
import { originMatches } from './domain.ts';
import type { NoticeContent, NoticeStatus, Purpose } from './notice.ts';
import type { PurposeChoices, RecordDraft } from './record.ts';

/** A notice as the capture needs it, with the version that the record is given against. */
export interface CapturableNotice {
  readonly id: string;
  readonly tenantId: string;
  readonly status: NoticeStatus;
  /** The content that a record is given against; null when nothing was ever published. */
  readonly published: {
    readonly version: number;
    readonly content: NoticeContent;
    readonly contentHash: string;
  } | null;
  /** The site of the content under edit, for a notice that was never published. */
  readonly draftDomain: string;
}

/** What somebody decided, before it is checked against the notice. */
export interface CaptureInput {
  readonly noticeId: string;
  readonly subjectId: string;
  readonly subjectChannel: RecordDraft['subjectChannel'];
  readonly method: string | null;
  readonly purposes: PurposeChoices;
  /** RFC 3339 in UTC; null for the time of the server. */
  readonly capturedAt: string | null;
  readonly source: RecordDraft['source'];
}

/** What earlier records of a subject on the notice say; any record or draft will do. */
export type EarlierRecord = Pick<RecordDraft, 'id' | 'purposes' | 'capturedAt' | 'noticeVersion' | 'method' | 'source'>;

/** @throws {Problem} `not_found` when the tenant has no such notice. */
export function requireNotice(notice: CapturableNotice | undefined, tenantId: string | null): CapturableNotice {
  if (notice === undefined || (tenantId !== null && notice.tenantId !== tenantId)) throw notFound('consent notice');
  return notice;
}

/** @throws {Problem} `consent_origin_not_allowed` unless the page belongs to the site of the notice. */
export function requireOrigin(notice: CapturableNotice, origin: string | undefined): void {
  const domain = notice.published?.content.domain ?? notice.draftDomain;
  if (originMatches(origin, domain)) return;
  throw new Problem(
    'consent_origin_not_allowed',
    origin === undefined
      ? 'The request carries no Origin; records of visitors are taken from pages of the site alone.'
      : 'The Origin of the request does not belong to the domain of the notice.',
  );
}

/** @throws {Problem} `consent_notice_not_published` with `requiredStatus` and `actualStatus`. */
export function requirePublished(notice: CapturableNotice): NonNullable<CapturableNotice['published']> {
  if (notice.status === 'published' && notice.published !== null) return notice.published;
  throw new Problem('consent_notice_not_published', `The notice is ${notice.status}; publish it to capture records.`, {
    fields: { requiredStatus: 'published', actualStatus: notice.status },
  });
}

/**
 * Checks choices against the purposes of a notice: none unknown, no required one refused.
 * @param complete whether every purpose must be named.
 * @param pathOf where the choice about a purpose stands in the request.
 * @throws {Problem} `validation_failed` naming each wrong one.
 */
export function checkChoices(
  purposes: readonly Purpose[],
  choices: PurposeChoices,
  complete: boolean,
  pathOf: (purpose: string) => string = (purpose) => `body.purposes.${purpose}`,
): void {
  const details: ProblemDetail[] = [];
  let known = 0;
  for (const { key, required } of purposes) {
    const choice = Object.hasOwn(choices, key) ? choices[key] : undefined;
    if (choice !== undefined) known += 1;
    else if (complete) details.push({ path: pathOf(key), issue: 'is missing: name every purpose of the notice' });
    if (required && choice === false) {
      details.push({ path: pathOf(key), issue: 'is required and cannot be refused' });
    }
  }
  const named = Object.keys(choices);
  if (named.length > known) {
    const unknown = named.filter((key) => !purposes.some((purpose) => purpose.key === key));
    details.push(...unknown.map((key) => ({ path: pathOf(key), issue: 'is not a purpose of the notice' })));
  }
  if (named.length === 0 && !complete) details.push({ path: 'body.purposes', issue: 'must name at least one purpose' });
  if (details.length > 0) throw invalidValues(details);
}

/**
 * The record that choices turn off: the latest of the subject's records on the notice that granted what is refused
 * now and that no later one refused already.
 * @param history the subject's records on the notice, newest first.
 */
export function findWithdrawn(history: readonly EarlierRecord[], choices: PurposeChoices): string | null {
  const refused = new Set(Object.keys(choices).filter((key) => choices[key] === false));
  for (const record of history) {
    for (const key of refused) {
      if (record.purposes[key] === true) return record.id;
      if (record.purposes[key] === false) refused.delete(key);
    }
    if (refused.size === 0) return null;
  }
  return null;
}

/** The earlier record that a visitor's request repeats: the same choices, made at the same moment. */
export function findRepeated<Earlier extends EarlierRecord>(
  history: readonly Earlier[],
  input: CaptureInput,
): Earlier | undefined {
  if (input.source !== 'public' || input.capturedAt === null) return undefined;
  return history.find(
    (record) =>
      record.source === 'public' &&
      record.capturedAt === input.capturedAt &&
      record.method === input.method &&
      sameChoices(record.purposes, input.purposes),
  );
}

function sameChoices(one: PurposeChoices, other: PurposeChoices): boolean {
  const keys = Object.keys(one);
  return keys.length === Object.keys(other).length && keys.every((key) => one[key] === other[key]);
}

/** Whether a subject's records tell of every purpose that is refused now; older ones then change nothing. */
export function tellsOfRefusals(history: readonly EarlierRecord[], choices: PurposeChoices): boolean {
  return Object.keys(choices).every(
    (key) => choices[key] || history.some(({ purposes }) => Object.hasOwn(purposes, key)),
  );
}

/**
 * Whether the latest record alone tells what a capture turns off and whether it repeats an earlier one;
 * if not, more of the subject's history must be read.
 */
export function latestSuffices(latest: EarlierRecord, input: CaptureInput): boolean {
  if (findRepeated([latest], input) !== undefined) return true;
  // Decisions arrive in any order of their times, so any earlier record may be the one that is sent again.
  if (input.source === 'public' && input.capturedAt !== null) return false;
  return tellsOfRefusals([latest], input.purposes);
}
