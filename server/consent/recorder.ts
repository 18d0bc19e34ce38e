import { type AuditSource, systemSource } from '../audit/source.ts';
import { recordEvents } from '../audit/store.ts';
import { invalidValues, notFound, Problem } from '../http/problem.ts';
import { clockSkew, requirePast } from '../http/schemas.ts';
import type { PrivateHasher } from '../installation/secrets.ts';
import { ByteCache } from '../storage/cache.ts';
import type { Queries } from '../storage/database.ts';
import { newId } from '../storage/ids.ts';
import type { Outcome, UnitOfWork } from '../storage/unit-of-work.ts';
import { checkChoices, type EarlierRecord, findGranting, findRepeated, keepOthers, stateAfter } from './decide.ts';
import { type NoticeVersion, originMatches } from './notice.ts';
import { findStates, type NoticeState, type VersionCache } from './notice-store.ts';
import type { CaptureBody, ConsentRecord, PurposeChoices, PurposeStates, RecordDraft } from './record.ts';
import { describeRecord, describeVisits, emitRecords } from './record-events.ts';
import { appendRecords, findLatestRecords, findNewest, listNewestRecords, type SubjectPlace } from './record-store.ts';

/** A capture on its way to the ledger. */
export interface CaptureRequest {
  readonly noticeId: string;
  /** The caller; null for a visitor, whose page must belong to the site of the notice. */
  readonly caller: AuditSource | null;
  readonly origin?: string | undefined;
  /** The address and the user agent are those of the person, to be kept as keyed hashes. */
  readonly body: CaptureBody;
  /** Called when the record is about to be appended, again when the transaction runs again. @throws {Problem} to refuse it. */
  countAppend?(): void;
  /** The path of the choice about a purpose in the request; default: `body.purposes.<key>`. */
  pathOf?(purpose: string): string;
}

/** A notice as the capture needs it. */
interface CapturableNotice extends Omit<NoticeState, 'version'> {
  /** The latest version; null when nothing was ever published. */
  readonly published: NoticeVersion | null;
}

/** A request that its notice allows. */
export interface Capture {
  readonly request: CaptureRequest;
  /** The notice as it was then. */
  readonly notice: CapturableNotice;
  readonly published: NoticeVersion;
}

/** Appends consent records with their audit and webhook events. */
export class ConsentRecorder {
  readonly #hasher: PrivateHasher;
  readonly #versions: VersionCache;
  /** Notices as they were last seen. */
  readonly #seen = new ByteCache<CapturableNotice>();

  constructor(hasher: PrivateHasher, versions: VersionCache) {
    this.#hasher = hasher;
    this.#versions = versions;
  }

  /**
   * Checks a request before a transaction is opened: refusing must not keep the only writer busy. A notice as it was last
   * seen can only let a request pass, which is checked again if the notice has changed.
   * @throws {Problem} `not_found`, `consent_origin_not_allowed`, `consent_notice_not_published`, `validation_failed`.
   */
  async prepare(queries: Queries, request: CaptureRequest, now: string): Promise<Capture> {
    const seen = this.#seen.get(request.noticeId);
    if (seen !== undefined) {
      try {
        return await this.#check(queries, seen, request, now);
      } catch (error) {
        requireProblem(error);
      }
    }
    const notices = await this.#loadNotices(queries, [request]);
    return this.#check(queries, notices.get(request.noticeId), request, now);
  }

  /** What a request may be recorded against. @throws {Problem} */
  async #check(
    queries: Queries,
    notice: CapturableNotice | undefined,
    request: CaptureRequest,
    now: string,
  ): Promise<Capture> {
    const { caller, origin, body } = request;
    const { purposes, capturedAt } = body;
    if (notice === undefined || (caller !== null && notice.tenantId !== caller.tenantId))
      throw notFound('consent notice');
    if (caller === null && !originMatches(origin, notice.published?.domain ?? notice.draftDomain))
      throw new Problem(
        'consent_origin_not_allowed',
        origin === undefined
          ? 'The request carries no Origin; records of visitors are accepted only from pages of the site.'
          : 'The Origin of the request does not belong to the domain of the notice.',
      );
    if (notice.status !== 'published' || notice.published === null)
      throw new Problem(
        'consent_notice_not_published',
        `The notice is ${notice.status}; publish it to capture records.`,
        {
          fields: { requiredStatus: 'published', actualStatus: notice.status },
        },
      );
    const { version } = notice.published;
    const { noticeVersion = version } = body;
    const isCurrent = noticeVersion === version;
    const published = isCurrent
      ? notice.published
      : await this.#findVersion(queries, notice.id, noticeVersion, version);
    checkChoices(published.purposes, purposes, caller === null, request.pathOf);
    if (capturedAt !== undefined) requirePast('body.capturedAt', capturedAt, now, clockSkew);
    return { request, notice, published };
  }

  /**
   * Appends a record for each capture, or finds the record that it repeats.
   * @param present makes the result of a record.
   */
  async append<Result>(
    captures: readonly Capture[],
    work: UnitOfWork,
    present: (record: ConsentRecord) => Result,
  ): Promise<readonly Outcome<Result>[]> {
    const outcomes = new Map<CaptureRequest, Outcome<EarlierRecord>>();
    const drafts = await this.#decide(work, captures, outcomes);
    const byId = new Map<string, ConsentRecord>();
    if (drafts.size > 0) {
      const records = await appendRecords(work, [...drafts.keys()]);
      const captured = [...drafts].map(([{ tenantId }, { caller }], index) => {
        return { caller, tenantId, record: records[index] as ConsentRecord };
      });
      for (const record of records) byId.set(record.id, record);
      await recordEvents(work, describeCaptures(captured));
      for (const [tenantId, ofTenant] of Map.groupBy(captured, (one) => one.tenantId)) {
        const ofOne = ofTenant.map(({ record }) => record);
        await emitRecords(work, tenantId, ofOne);
      }
    }
    return captures.map(({ request }) => {
      const outcome = outcomes.get(request) as Outcome<EarlierRecord>;
      if ('error' in outcome) return outcome;
      return { result: present(byId.get(outcome.result.id) ?? (outcome.result as ConsentRecord)) };
    });
  }

  /**
   * Checks each request whose notice has changed, now that it is locked, and compares all with the subjects' records.
   * @param outcomes gets the draft, the record or draft that is repeated, or the error, of each request.
   * @returns the drafts to append.
   */
  async #decide(
    { transaction: queries, now }: UnitOfWork,
    captures: readonly Capture[],
    outcomes: Map<CaptureRequest, Outcome<EarlierRecord>>,
  ): Promise<ReadonlyMap<RecordDraft, CaptureRequest>> {
    const notices = await this.#loadNotices(
      queries,
      captures.map(({ request }) => request),
    );
    const places = new Map<Capture, SubjectPlace>();
    for (const before of captures) {
      const { request } = before;
      const notice = notices.get(request.noticeId);
      try {
        const checked = before.notice === notice ? before : await this.#check(queries, notice, request, now);
        places.set(checked, placeOf(checked));
      } catch (error) {
        outcomes.set(request, { error: requireProblem(error) });
      }
    }
    const histories = await loadHistories(queries, places);
    const drafts = new Map<RecordDraft, CaptureRequest>();
    for (const [capture, place] of places) {
      const { request } = capture;
      const history = histories.get(nameOf(place)) ?? [];
      const repeated = mayRepeat(request) ? findRepeated(history, request.body) : undefined;
      if (repeated !== undefined) {
        outcomes.set(request, { result: repeated });
        continue;
      }
      try {
        request.countAppend?.();
      } catch (error) {
        outcomes.set(request, { error: requireProblem(error) });
        continue;
      }
      // Most subjects are new, and without a decision nothing can be withdrawn.
      const state = stateAfter(history[0]);
      const { purposes } = request.body;
      const withdrawsRecordId =
        history.length > 0 ? await findWithdrawn(queries, place.noticeId, state, purposes, history) : null;
      const draft = this.#draft(capture, place, state, withdrawsRecordId, now);
      histories.set(nameOf(place), [draft, ...history]);
      outcomes.set(request, { result: draft });
      drafts.set(draft, request);
    }
    return drafts;
  }

  async #loadNotices(
    queries: Queries,
    requests: readonly CaptureRequest[],
  ): Promise<ReadonlyMap<string, CapturableNotice>> {
    const notices = new Map<string, CapturableNotice>();
    const ids = [...new Set(requests.map(({ noticeId }) => noticeId))];
    if (ids.length === 0) return notices;
    for (const { version, ...notice } of await findStates(queries, ids)) {
      const seen = this.#seen.get(notice.id);
      if (seen !== undefined && isSame(seen, notice, version)) {
        notices.set(notice.id, seen);
        continue;
      }
      const published = (await this.#versions.find(queries, notice.id, version)) ?? null;
      const capturable = { ...notice, published };
      notices.set(notice.id, capturable);
      this.#seen.set(notice.id, capturable, seenLength);
    }
    return notices;
  }

  /** The earlier version that the person saw and the request names. */
  async #findVersion(queries: Queries, noticeId: string, version: number, current: number): Promise<NoticeVersion> {
    // A number beyond the latest need not be looked up, and may be more than the column holds.
    const seen = version < current ? await this.#versions.find(queries, noticeId, version) : undefined;
    if (seen !== undefined) return seen;
    throw invalidValues([{ path: 'body.noticeVersion', issue: 'is not a published version of the notice' }]);
  }

  #draft(
    { request, published }: Capture,
    { tenantId, noticeId, space }: SubjectPlace,
    state: PurposeStates,
    withdrawsRecordId: string | null,
    now: string,
  ): RecordDraft {
    const { ip = null, ua = null, capturedAt = now, ...said } = request.body;
    return {
      // A field of a request is absent, never undefined.
      ...(said as Pick<RecordDraft, 'subjectId' | 'purposes'>),
      id: newId(),
      tenantId,
      noticeId,
      noticeVersion: published.version,
      noticeContentHash: published.contentHash,
      kind: withdrawsRecordId === null ? 'capture' : 'withdrawal',
      withdrawsRecordId,
      otherPurposes: keepOthers(state, said.purposes),
      source: space,
      space,
      ipHash: this.#hasher.hash(tenantId, ip),
      uaHash: this.#hasher.hash(tenantId, ua),
      capturedAt,
    };
  }
}

/** Throws what is not a problem of one request: a failure of the database concerns all, and in a transaction ends it. */
function requireProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  throw error;
}

/**
 * The record that choices turn off: the newest of those that grant what is refused now.
 * @param history the newest records of the subject, newest first; some may not be stored yet.
 */
async function findWithdrawn(
  queries: Queries,
  noticeId: string,
  state: PurposeStates,
  choices: PurposeChoices,
  history: readonly EarlierRecord[],
): Promise<string | null> {
  const granting = findGranting(state, choices);
  if (granting.size < 2) return [...granting][0] ?? null;
  const recent = history.find(({ id }) => granting.has(id));
  return recent?.id ?? findNewest(queries, noticeId, [...granting]);
}

/** Whether a notice is as it was last seen: then it is the same object, too. */
function isSame(seen: CapturableNotice, notice: Omit<CapturableNotice, 'published'>, version: number): boolean {
  return (
    seen.status === notice.status &&
    (seen.published?.version ?? 0) === version &&
    seen.draftDomain === notice.draftDomain &&
    seen.tenantId === notice.tenantId
  );
}

/** What is kept of a notice beside its content, which the cache of the versions has. */
const seenLength = 500;

function placeOf({ request: { caller, noticeId, body }, notice: { tenantId } }: Capture): SubjectPlace {
  return { tenantId, noticeId, subjectId: body.subjectId, space: caller === null ? 'public' : 'api' };
}

/** Only a visitor's page sends a decision again, with the time at which it was made. */
function mayRepeat({ caller, body }: CaptureRequest): boolean {
  return caller === null && body.capturedAt !== undefined;
}

/**
 * The newest records of each subject in the space of its request, newest first. The latest one has the whole state; more
 * are read only to recognise a decision that is sent again, and never more than `mostLookedBack`.
 */
async function loadHistories(
  queries: Queries,
  places: ReadonlyMap<Capture, SubjectPlace>,
): Promise<Map<string, readonly EarlierRecord[]>> {
  const histories = new Map<string, readonly EarlierRecord[]>();
  for (const record of await findLatestRecords(queries, [...places.values()])) histories.set(nameOf(record), [record]);
  for (const [{ request }, place] of places) {
    if (!mayRepeat(request)) continue;
    const history = histories.get(nameOf(place));
    if (history?.length !== 1 || findRepeated(history, request.body) !== undefined) continue;
    histories.set(nameOf(place), await listNewestRecords(queries, place, mostLookedBack));
  }
  return histories;
}

/** A page sends a decision again within its next few: a retry, or what its queue kept while it was offline. */
const mostLookedBack = 50;

function nameOf({ noticeId, space, subjectId }: Omit<SubjectPlace, 'tenantId'>): string {
  return `${noticeId} ${space} ${subjectId}`;
}

/** A record that was appended. */
interface Captured {
  readonly caller: AuditSource | null;
  readonly tenantId: string;
  readonly record: ConsentRecord;
}

/** The audit events of a group: one for each record of a caller, one for all records of a notice's visitors. */
function describeCaptures(captured: readonly Captured[]) {
  const events = captured.flatMap(({ caller, record }) =>
    caller === null ? [] : [{ source: caller, event: describeRecord(record) }],
  );
  const visits = captured.filter(({ caller }) => caller === null);
  for (const [noticeId, ofNotice] of Map.groupBy(visits, ({ record }) => record.noticeId)) {
    const records = ofNotice.map(({ record }) => record);
    events.push({ source: systemSource(ofNotice[0]?.tenantId as string), event: describeVisits(noticeId, records) });
  }
  return events;
}
