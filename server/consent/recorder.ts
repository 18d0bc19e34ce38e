import type { NewAuditEvent } from '../audit/event.ts';
import { type AuditSource, systemSource } from '../audit/source.ts';
import { recordEvents } from '../audit/store.ts';
import { invalidValues, Problem } from '../http/problem.ts';
import { clockSkew, requirePast } from '../http/schemas.ts';
import type { PrivateHasher } from '../installation/secrets.ts';
import { ByteCache } from '../storage/cache.ts';
import type { Queries } from '../storage/database.ts';
import { newId } from '../storage/ids.ts';
import type { Outcome, UnitOfWork } from '../storage/unit-of-work.ts';
import {
  type CapturableNotice,
  type CaptureInput,
  checkChoices,
  type EarlierRecord,
  findGranting,
  findRepeated,
  keepOthers,
  requireNotice,
  requireOrigin,
  requirePublished,
  stateAfter,
} from './decide.ts';
import { findStates } from './notice-store.ts';
import type { VersionCache } from './published-notices.ts';
import type { ConsentRecord, PurposeChoices, PurposeStates, RecordDraft } from './record.ts';
import { describeRecord, describeVisits, emitRecords } from './record-events.ts';
import { appendRecords, findLatestRecords, findNewest, listNewestRecords, type SubjectPlace } from './record-store.ts';

/** A capture on its way to the ledger. */
export interface CaptureRequest extends CaptureInput {
  /** The caller; null for a visitor, whose page must belong to the site of the notice. */
  readonly caller: AuditSource | null;
  readonly origin: string | undefined;
  /** The person's address and user agent, to be kept as keyed hashes. */
  readonly ip: string | null;
  readonly userAgent: string | null;
  /** The version that the person saw; null for the current one. */
  readonly noticeVersion: number | null;
  /** Called when the record is about to be appended, again when the transaction runs again. @throws {Problem} to refuse it. */
  countAppend?(): void;
  /** The path of the choice about a purpose in the request; default: `body.purposes.<key>`. */
  pathOf?(purpose: string): string;
}

/** A request that its notice allows. */
export interface Capture {
  readonly request: CaptureRequest;
  /** The notice as it was then. */
  readonly notice: CapturableNotice;
  readonly published: NonNullable<CapturableNotice['published']>;
}

/** A capture that was admitted: it appends a draft, or repeats a record that is there already. */
interface Admitted {
  readonly request: CaptureRequest;
  readonly draft: RecordDraft | null;
  readonly repeats: EarlierRecord | null;
}

type Outcomes = Map<CaptureRequest, Outcome<ConsentRecord>>;

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
    const passed = seen === undefined ? null : await this.#check(queries, seen, request, now);
    if (passed !== null && !(passed instanceof Problem)) return passed;
    const notices = await this.#loadNotices(queries, [request]);
    const checked = await this.#check(queries, notices.get(request.noticeId), request, now);
    if (checked instanceof Problem) throw checked;
    return checked;
  }

  /** Appends a record for each capture, or finds the record that it repeats. */
  async append(captures: readonly Capture[], work: UnitOfWork): Promise<readonly Outcome<ConsentRecord>[]> {
    const outcomes: Outcomes = new Map();
    await this.#append(work, await this.#admit(work, captures, outcomes), outcomes);
    return captures.map(({ request }) => outcomes.get(request) as Outcome<ConsentRecord>);
  }

  /** What a request may be recorded against, or why it may not. */
  async #check(
    queries: Queries,
    seen: CapturableNotice | undefined,
    request: CaptureRequest,
    now: string,
  ): Promise<Capture | Problem> {
    try {
      const notice = requireNotice(seen, request.caller?.tenantId ?? null);
      if (request.caller === null) requireOrigin(notice, request.origin);
      const current = requirePublished(notice);
      const isCurrent = request.noticeVersion === null || request.noticeVersion === current.version;
      const published = isCurrent ? current : await this.#findVersion(queries, request, current.version);
      checkChoices(published.content.purposes, request.purposes, request.caller === null, request.pathOf);
      if (request.capturedAt !== null) requirePast('body.capturedAt', request.capturedAt, now, clockSkew);
      return { request, notice, published };
    } catch (error) {
      // A failure of the database concerns all requests, and in a transaction ends it.
      if (!(error instanceof Problem)) throw error;
      return error;
    }
  }

  /** Checks each request whose notice has changed, now that it is locked, and compares all with the subjects' records. */
  async #admit(
    { transaction: queries, now }: UnitOfWork,
    captures: readonly Capture[],
    outcomes: Outcomes,
  ): Promise<readonly Admitted[]> {
    const notices = await this.#loadNotices(
      queries,
      captures.map(({ request }) => request),
    );
    const places = new Map<Capture, SubjectPlace>();
    for (const before of captures) {
      const { request } = before;
      const notice = notices.get(request.noticeId);
      const checked = before.notice === notice ? before : await this.#check(queries, notice, request, now);
      if (checked instanceof Problem) outcomes.set(request, { error: checked });
      else places.set(checked, placeOf(checked));
    }
    const histories = await loadHistories(queries, places);
    const admitted: Admitted[] = [];
    for (const [{ request, published }, place] of places) {
      const history = histories.get(nameOf(place)) ?? [];
      const repeats = findRepeated(history, request) ?? null;
      if (repeats !== null) {
        admitted.push({ request, draft: null, repeats });
        continue;
      }
      try {
        request.countAppend?.();
      } catch (error) {
        if (!(error instanceof Problem)) throw error;
        outcomes.set(request, { error });
        continue;
      }
      // Most subjects are new, and without a decision nothing can be withdrawn.
      const state = stateAfter(history[0]);
      const withdrawsRecordId =
        history.length > 0 ? await findWithdrawn(queries, place.noticeId, state, request.purposes, history) : null;
      const draft = this.#draft(place, published, request, state, withdrawsRecordId, now);
      histories.set(nameOf(place), [draft, ...history]);
      admitted.push({ request, draft, repeats: null });
    }
    return admitted;
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
      const content = (await this.#versions.find(queries, notice.id, version)) ?? null;
      const published = content && { version, content, contentHash: content.contentHash };
      const capturable = { ...notice, published };
      notices.set(notice.id, capturable);
      this.#seen.set(notice.id, capturable, seenLength);
    }
    return notices;
  }

  /** The earlier version that the person saw and the request names. */
  async #findVersion(queries: Queries, { noticeId, noticeVersion }: CaptureRequest, current: number) {
    // A number beyond the latest need not be looked up, and may be more than the column holds.
    const seen =
      noticeVersion !== null && noticeVersion < current
        ? await this.#versions.find(queries, noticeId, noticeVersion)
        : undefined;
    if (seen !== undefined) return { version: seen.version, content: seen, contentHash: seen.contentHash };
    throw invalidValues([{ path: 'body.noticeVersion', issue: 'is not a published version of the notice' }]);
  }

  #draft(
    { tenantId, noticeId, space }: SubjectPlace,
    published: Capture['published'],
    request: CaptureRequest,
    state: PurposeStates,
    withdrawsRecordId: string | null,
    now: string,
  ): RecordDraft {
    return {
      id: newId(),
      tenantId,
      noticeId,
      noticeVersion: published.version,
      noticeContentHash: published.contentHash,
      subjectId: request.subjectId,
      subjectChannel: request.subjectChannel,
      kind: withdrawsRecordId === null ? 'capture' : 'withdrawal',
      withdrawsRecordId,
      method: request.method,
      purposes: request.purposes,
      otherPurposes: keepOthers(state, request.purposes),
      source: request.source,
      space,
      ipHash: this.#hasher.hash(tenantId, request.ip),
      uaHash: this.#hasher.hash(tenantId, request.userAgent),
      capturedAt: request.capturedAt ?? now,
    };
  }

  async #append(work: UnitOfWork, admitted: readonly Admitted[], outcomes: Outcomes): Promise<void> {
    const drafts = admitted.flatMap(({ draft }) => (draft === null ? [] : [draft]));
    const records = drafts.length === 0 ? [] : await appendRecords(work, drafts);
    const byId = new Map<string, ConsentRecord>(records.map((record) => [record.id, record]));
    const events = describeCaptures(admitted, records, byId);
    if (events.length > 0) await recordEvents(work, events);
    for (const [tenantId, ofTenant] of Map.groupBy(records, (_, index) => (drafts[index] as RecordDraft).tenantId))
      await emitRecords(work, tenantId, ofTenant);
    for (const { request, draft, repeats } of admitted)
      outcomes.set(request, { result: byId.get(draft?.id ?? repeats?.id ?? '') ?? (repeats as ConsentRecord) });
  }
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

function placeOf({ request, notice }: Capture): SubjectPlace {
  return {
    tenantId: notice.tenantId,
    noticeId: request.noticeId,
    subjectId: request.subjectId,
    space: request.source,
  };
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
    if (request.source !== 'public' || request.capturedAt === null) continue;
    const history = histories.get(nameOf(place));
    if (history?.length !== 1 || findRepeated(history, request) !== undefined) continue;
    histories.set(nameOf(place), await listNewestRecords(queries, place, mostLookedBack));
  }
  return histories;
}

/** A page sends a decision again within its next few: a retry, or what its queue kept while it was offline. */
const mostLookedBack = 50;

function nameOf({ noticeId, space, subjectId }: Omit<SubjectPlace, 'tenantId'>): string {
  return `${noticeId} ${space} ${subjectId}`;
}

/** The audit events of a group: one for each record of a caller, one for all records of a notice's visitors. */
function describeCaptures(
  admitted: readonly Admitted[],
  records: readonly ConsentRecord[],
  byId: ReadonlyMap<string, ConsentRecord>,
): readonly { readonly source: AuditSource; readonly event: NewAuditEvent }[] {
  const events: { source: AuditSource; event: NewAuditEvent }[] = [];
  const tenants = new Map<string, string>();
  for (const { request, draft } of admitted) {
    if (draft === null) continue;
    tenants.set(draft.noticeId, draft.tenantId);
    if (request.caller === null) continue;
    events.push({ source: request.caller, event: describeRecord(byId.get(draft.id) as ConsentRecord) });
  }
  const visits = Map.groupBy(
    records.filter(({ source }) => source === 'public'),
    ({ noticeId }) => noticeId,
  );
  for (const [noticeId, ofNotice] of visits) {
    events.push({ source: systemSource(tenants.get(noticeId) as string), event: describeVisits(noticeId, ofNotice) });
  }
  return events;
}
