import type { PrivateHasher } from '../access/private-hash.ts';
import type { NewAuditEvent } from '../audit/event.ts';
import { type AuditSource, systemSource } from '../audit/source.ts';
import { recordEvents } from '../audit/store.ts';
import type { Clock } from '../clock.ts';
import { claimKey, type IdempotencyClaim, releaseKey, storeAnswer } from '../http/idempotency.ts';
import { invalidValues, Problem } from '../http/problem.ts';
import { ReadyAnswer, replay } from '../http/route.ts';
import { rest } from '../http/surface.ts';
import { newId } from '../ids.ts';
import { GroupCommit, type Outcome } from '../ledger/group-commit.ts';
import { blamesRow, type Database, type Queries } from '../storage/database.ts';
import { runUnitOfWork, type UnitOfWork } from '../storage/unit-of-work.ts';
import {
  type CapturableNotice,
  type CaptureInput,
  checkChoices,
  type EarlierRecord,
  findRepeated,
  findWithdrawn,
  latestSuffices,
  requireNotice,
  requireOrigin,
  requirePublished,
  tellsOfRefusals,
} from './decide.ts';
import { describeRecord, describeVisits } from './describe-record.ts';
import { findStates } from './notice-store.ts';
import type { VersionCache } from './published-notices.ts';
import type { ConsentRecord, RecordDraft } from './record.ts';
import { emitRecords } from './record-events.ts';
import { appendRecords, findLatestRecords, listHistory } from './record-store.ts';

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
  readonly idempotency: IdempotencyClaim | null;
  /** Where the choice about a purpose stands in the request; default: `body.purposes.<key>`. */
  pathOf?(purpose: string): string;
  /** The payload of the answer. */
  present(record: ConsentRecord): unknown;
}

/** A request that was admitted: it appends a draft, or repeats a record that is there already. */
interface Admitted {
  readonly request: CaptureRequest;
  readonly draft: RecordDraft | null;
  readonly repeats: EarlierRecord | null;
}

/**
 * Takes captures and writes them in groups: the records, their audit events and their idempotent answers in one
 * transaction for all that wait.
 */
export class ConsentRecorder {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #hasher: PrivateHasher;
  readonly #versions: VersionCache;
  readonly #commits: GroupCommit<CaptureRequest, ReadyAnswer>;

  constructor(options: {
    readonly database: Database;
    readonly clock: Clock;
    readonly hasher: PrivateHasher;
    readonly versions: VersionCache;
  }) {
    this.#database = options.database;
    this.#clock = options.clock;
    this.#hasher = options.hasher;
    this.#versions = options.versions;
    this.#commits = new GroupCommit((requests) => this.#write(requests), blamesRow);
  }

  /** Captures a record; the answer comes when the record is on the disk. */
  capture(request: CaptureRequest): Promise<ReadyAnswer> {
    return this.#commits.submit(request);
  }

  /** Resolves when every capture taken so far is written. */
  drain(): Promise<void> {
    return this.#commits.drain();
  }

  #write(requests: readonly CaptureRequest[]): Promise<readonly Outcome<ReadyAnswer>[]> {
    return runUnitOfWork(this.#database, this.#clock(), async (work) => {
      const { transaction: queries, now } = work;
      const outcomes = new Map<CaptureRequest, Outcome<ReadyAnswer>>();
      const waiting = await claimKeys(queries, requests, now, outcomes);
      const admitted = await this.#admit(queries, waiting, now, outcomes);
      await this.#append(work, admitted, outcomes);
      return requests.map((request) => outcomes.get(request) as Outcome<ReadyAnswer>);
    });
  }

  /** Checks each request against its notice and the subject's earlier records. */
  async #admit(
    queries: Queries,
    requests: readonly CaptureRequest[],
    now: string,
    outcomes: Map<CaptureRequest, Outcome<ReadyAnswer>>,
  ): Promise<readonly Admitted[]> {
    const notices = await this.#loadNotices(queries, requests);
    const histories = await loadHistories(queries, requests, notices);
    const admitted: Admitted[] = [];
    for (const request of requests) {
      try {
        const notice = requireNotice(notices.get(request.noticeId), request.caller?.tenantId ?? null);
        if (request.caller === null) requireOrigin(notice, request.origin);
        const published = await this.#pickVersion(queries, notice, request);
        checkChoices(published.content.purposes, request.purposes, request.caller === null, request.pathOf);
        const history = histories.get(subjectName(request)) ?? [];
        const repeats = findRepeated(history, request) ?? null;
        if (repeats !== null) {
          admitted.push({ request, draft: null, repeats });
          continue;
        }
        const draft = this.#draft(notice, published, request, findWithdrawn(history, request.purposes), now);
        histories.set(subjectName(request), [draft, ...history]);
        admitted.push({ request, draft, repeats: null });
      } catch (error) {
        // A failure of the database concerns the whole transaction, which is over then.
        if (!(error instanceof Problem)) throw error;
        if (request.idempotency !== null) await releaseKey(queries, request.idempotency);
        outcomes.set(request, { error });
      }
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
      const content = (await this.#versions.find(queries, notice.id, version)) ?? null;
      const published = content && { version, content, contentHash: content.contentHash };
      notices.set(notice.id, { ...notice, published });
    }
    return notices;
  }

  /** The version that the person saw: the current one, or an earlier one that the request names. */
  async #pickVersion(queries: Queries, notice: CapturableNotice, request: CaptureRequest) {
    const published = requirePublished(notice);
    if (request.noticeVersion === null || request.noticeVersion === published.version) return published;
    // A number beyond the latest need not be looked up, and may be more than the column holds.
    const seen =
      request.noticeVersion < published.version
        ? await this.#versions.find(queries, notice.id, request.noticeVersion)
        : undefined;
    if (seen !== undefined) return { version: seen.version, content: seen, contentHash: seen.contentHash };
    throw invalidValues([{ path: 'body.noticeVersion', issue: 'is no published version of the notice' }]);
  }

  #draft(
    notice: CapturableNotice,
    published: NonNullable<CapturableNotice['published']>,
    request: CaptureRequest,
    withdrawsRecordId: string | null,
    now: string,
  ): RecordDraft {
    return {
      id: newId(),
      tenantId: notice.tenantId,
      noticeId: notice.id,
      noticeVersion: published.version,
      noticeContentHash: published.contentHash,
      subjectId: request.subjectId,
      subjectChannel: request.subjectChannel,
      kind: withdrawsRecordId === null ? 'capture' : 'withdrawal',
      withdrawsRecordId,
      method: request.method,
      purposes: request.purposes,
      source: request.source,
      ipHash: this.#hasher.hash(notice.tenantId, request.ip),
      uaHash: this.#hasher.hash(notice.tenantId, request.userAgent),
      capturedAt: request.capturedAt ?? now,
    };
  }

  async #append(
    work: UnitOfWork,
    admitted: readonly Admitted[],
    outcomes: Map<CaptureRequest, Outcome<ReadyAnswer>>,
  ): Promise<void> {
    const { transaction: queries, now } = work;
    const drafts = admitted.flatMap(({ draft }) => (draft === null ? [] : [draft]));
    const records = drafts.length === 0 ? [] : await appendRecords(queries, now, drafts);
    const byId = new Map<string, ConsentRecord>(records.map((record) => [record.id, record]));
    const events = describeCaptures(admitted, records, byId);
    if (events.length > 0) await recordEvents(queries, now, events);
    const tenants = new Map(drafts.map(({ id, tenantId }) => [id, tenantId]));
    for (const [tenantId, ofTenant] of Map.groupBy(records, ({ id }) => tenants.get(id) as string))
      await emitRecords(work, tenantId, ofTenant);
    for (const { request, draft, repeats } of admitted) {
      const record = byId.get(draft?.id ?? repeats?.id ?? '') ?? (repeats as ConsentRecord);
      const answer = new ReadyAnswer(201, rest.present(request.present(record)));
      if (request.idempotency !== null) await storeAnswer(queries, request.idempotency, answer);
      outcomes.set(request, { result: answer });
    }
  }
}

/** Takes the Idempotency-Keys; what was answered before, or with another request, is settled at once. */
async function claimKeys(
  queries: Queries,
  requests: readonly CaptureRequest[],
  now: string,
  outcomes: Map<CaptureRequest, Outcome<ReadyAnswer>>,
): Promise<readonly CaptureRequest[]> {
  const waiting = new Set<CaptureRequest>();
  // In the order of the keys: two servers that claim the same ones cannot wait for each other.
  for (const request of requests.toSorted(compareKeys)) {
    try {
      const earlier = request.idempotency && (await claimKey(queries, request.idempotency, now));
      if (earlier === null) waiting.add(request);
      else outcomes.set(request, { result: replay(earlier) });
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      outcomes.set(request, { error });
    }
  }
  return requests.filter((request) => waiting.has(request));
}

function compareKeys(one: CaptureRequest, other: CaptureRequest): number {
  const [a, b] = [one.idempotency?.key ?? '', other.idempotency?.key ?? ''];
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Each subject's records on its notice, newest first: the latest one, and more where that does not decide. */
async function loadHistories(
  queries: Queries,
  requests: readonly CaptureRequest[],
  notices: ReadonlyMap<string, CapturableNotice>,
): Promise<Map<string, readonly EarlierRecord[]>> {
  const subjects = requests.flatMap(({ noticeId, subjectId }) => {
    const tenantId = notices.get(noticeId)?.tenantId;
    return tenantId === undefined ? [] : [{ tenantId, noticeId, subjectId }];
  });
  const histories = new Map<string, readonly EarlierRecord[]>();
  for (const record of await findLatestRecords(queries, subjects)) histories.set(subjectName(record), [record]);
  for (const request of requests) {
    const [latest] = histories.get(subjectName(request)) ?? [];
    const tenantId = notices.get(request.noticeId)?.tenantId;
    if (latest === undefined || tenantId === undefined || latestSuffices(latest, request)) continue;
    const { noticeId, subjectId, purposes } = request;
    const enough = (history: readonly EarlierRecord[]) => tellsOfRefusals(history, purposes);
    const history = await listHistory(queries, { tenantId, noticeId, subjectId }, enough);
    // Two requests of one subject may need to look back differently far.
    if (history.length > (histories.get(subjectName(request)) ?? []).length)
      histories.set(subjectName(request), history);
  }
  return histories;
}

function subjectName({ noticeId, subjectId }: { readonly noticeId: string; readonly subjectId: string }): string {
  return `${noticeId} ${subjectId}`;
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
