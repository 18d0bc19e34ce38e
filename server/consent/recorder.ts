import { isIP } from 'node:net';
import { basisIn } from '../../packages/consent-banner/src/decision/region.ts';
import type { AuditSource } from '../http/principal.ts';
import { invalidValues, notFound, Problem } from '../http/problem.ts';
import { clockSkew, requirePast } from '../http/schemas.ts';
import { type NewAuditEvent, recordEvents, systemSource } from '../ledger/audit/store.ts';
import { lockHeads } from '../ledger/entry.ts';
import type { Outcome, Transaction } from '../storage/database.ts';
import type { Queries } from '../storage/queries.ts';
import { newId } from '../storage/rows.ts';
import type { PrivateHasher } from '../storage/secrets.ts';
import { emitWanted, findSubscribers } from '../webhooks/deliveries/outbox.ts';
import type { NoticeVersion } from './notice.ts';
import {
  findState,
  findVersionOfText,
  type KnownVersion,
  listPublished,
  lockStates,
  type NoticeCache,
  type NoticeState,
  nameNotice,
} from './notice-store.ts';
import {
  type CaptureBody,
  type ConsentRecord,
  checkChoices,
  type consentRecordEvents,
  type EarlierRecord,
  findGranting,
  findRepeated,
  keepOthers,
  presentEventData,
  type RecordDraft,
  stateAfter,
  unverified,
} from './record.ts';
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

/** The facts about the text that a visitor was shown, as a record stores them. */
type Shown = Pick<ConsentRecord, 'language' | 'shownHash' | 'region' | 'basis'>;

/** A request that its notice allows. */
export interface Capture {
  readonly request: CaptureRequest;
  /** The notice as it was then. */
  readonly notice: NoticeState;
  readonly published: NoticeVersion;
  /** Null for a caller, whose subject may have seen anything. */
  readonly shown: Shown | null;
  readonly place: SubjectPlace;
}

/** Appends consent records with their audit and webhook events. */
export class ConsentRecorder {
  readonly #hasher: PrivateHasher;
  readonly #notices: NoticeCache;

  constructor(hasher: PrivateHasher, notices: NoticeCache) {
    this.#hasher = hasher;
    this.#notices = notices;
  }

  /**
   * Checks a request before a transaction is opened: refusing must not keep the only writer busy. A notice as it was last
   * seen can only let a request pass, which is checked again if the notice has changed.
   * @throws {Problem} `not_found`, `consent_origin_not_allowed`, `consent_notice_not_published`, `validation_failed`.
   */
  async prepare(queries: Queries, request: CaptureRequest, now: string): Promise<Capture> {
    const { noticeId, caller } = request;
    const name = nameNotice(caller?.tenantId, noticeId);
    const seen = this.#notices.findSeen(name);
    try {
      if (seen !== undefined) return await this.#check(queries, seen, request, now);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
    }
    const state = await findState(queries, noticeId, caller?.tenantId);
    return this.#check(queries, state && this.#notices.see(name, state), request, now);
  }

  /** Lists the published notices of a tenant that ask for a purpose. */
  async listAsking(queries: Queries, tenantId: string, purpose: string): Promise<readonly string[]> {
    const asking: string[] = [];
    for (const notice of await listPublished(queries, tenantId)) {
      const latest = await this.#notices.findVersion(queries, notice, notice.version);
      if (latest?.purposes.some(({ key }) => key === purpose)) asking.push(notice.id);
    }
    return asking;
  }

  /** Finds the version that a request is recorded against. @throws {Problem} if the request is not allowed. */
  async #check(
    queries: Queries,
    notice: NoticeState | undefined,
    request: CaptureRequest,
    now: string,
  ): Promise<Capture> {
    const { caller, origin, body } = request;
    const { subjectId, purposes, capturedAt } = body;
    if (notice === undefined || (caller !== null && notice.tenant_id !== caller.tenantId))
      throw notFound('consent notice');
    const { id: noticeId, tenant_id: tenantId, status, version } = notice;
    const latest = await this.#notices.findVersion(queries, notice, version);
    if (caller === null && !originMatches(origin, latest?.domain ?? notice.domain))
      throw new Problem(
        'consent_origin_not_allowed',
        origin === undefined
          ? 'The request carries no Origin; records of visitors are accepted only from pages of the site.'
          : 'The Origin of the request does not belong to the domain of the notice.',
      );
    if (status !== 'published' || latest === undefined)
      throw new Problem('consent_notice_not_published', `The notice is ${status}; publish it to capture records.`, {
        fields: { requiredStatus: 'published', actualStatus: status },
      });
    const published = await this.#findVersion(queries, notice, latest, body);
    checkChoices(published.purposes, purposes, caller === null, request.pathOf);
    if (capturedAt !== undefined) requirePast('body.capturedAt', capturedAt, now, clockSkew);
    const place = { tenantId, noticeId, subjectId, space: caller === null ? 'public' : 'api' } as const;
    const shown = caller === null ? readShown(published, body) : null;
    return { request, notice, published, shown, place };
  }

  /** The version that a request names by its number or by what was shown of it; else the latest. @throws {Problem} */
  async #findVersion(
    queries: Queries,
    notice: NoticeState,
    latest: KnownVersion,
    { noticeVersion, shownHash = unverified }: CaptureBody,
  ): Promise<KnownVersion> {
    const named =
      noticeVersion ?? (shownHash === unverified || latest.languages.has(shownHash) ? latest.version : null);
    if (named === latest.version) return latest;
    const number = named ?? (await findVersionOfText(queries, notice.tenant_id, notice.id, shownHash));
    if (number === undefined)
      throw invalidValues([{ path: 'body.shownHash', issue: 'belongs to no published version of the notice' }]);
    // A number beyond the latest need not be looked up, and may be more than the column holds.
    const found = number < latest.version ? await this.#notices.findVersion(queries, notice, number) : undefined;
    if (found !== undefined) return found;
    throw invalidValues([{ path: 'body.noticeVersion', issue: 'is not a published version of the notice' }]);
  }

  /**
   * Appends a record for each capture, or finds the record that it repeats.
   * @param present makes the result of a record.
   */
  async append<Result>(
    captures: readonly Capture[],
    tx: Transaction,
    present: (record: ConsentRecord) => Result,
  ): Promise<readonly Outcome<Result>[]> {
    const { queries, now } = tx;
    // Locks the notices: what has changed since then is checked again.
    const known = new Map<string, NoticeState>();
    for (const { notice } of captures) known.set(nameNotice(notice.tenant_id, notice.id), notice);
    const locked = new Map<string, NoticeState>();
    const [states, latest] = await Promise.all([
      lockStates(queries, [...known.values()]),
      findLatestRecords(queries, captures),
    ]);
    for (const state of states) locked.set(nameNotice(state.tenant_id, state.id), state);
    const checked: Outcome<Capture>[] = [];
    const allowed: Capture[] = [];
    for (const capture of captures) {
      const { request, notice } = capture;
      const state = locked.get(nameNotice(notice.tenant_id, notice.id));
      const current = state && this.#notices.see(nameNotice(request.caller?.tenantId, request.noticeId), state);
      const outcome =
        notice === current
          ? { result: capture }
          : await this.#check(queries, current, request, now).then(toResult, toProblem);
      checked.push(outcome);
      if ('result' in outcome) allowed.push(outcome.result);
    }
    const histories = await loadHistories(queries, allowed, latest);
    const drafts = new Map<RecordDraft, AuditSource | null>();
    const decided: Outcome<EarlierRecord>[] = [];
    for (const one of checked) {
      if ('error' in one) decided.push(one);
      else decided.push(await this.#decide(queries, one.result, histories, drafts, now).then(toResult, toProblem));
    }
    const records = new Map<string, ConsentRecord>();
    if (drafts.size > 0) for (const record of await recordDrafts(tx, drafts)) records.set(record.id, record);
    return decided.map((one) => {
      if ('error' in one) return one;
      return { result: present(records.get(one.result.id) ?? (one.result as ConsentRecord)) };
    });
  }

  /**
   * Compares a request with the records of its subject, those that the group appends included.
   * @param histories of the subjects; a draft is added to its own.
   * @param drafts gets the draft of a new record.
   * @returns the draft, or the record or draft that the request repeats.
   */
  async #decide(
    queries: Queries,
    { request, published, shown, place }: Capture,
    histories: Map<string, readonly EarlierRecord[]>,
    drafts: Map<RecordDraft, AuditSource | null>,
    now: string,
  ): Promise<EarlierRecord> {
    const name = nameOf(place);
    const history = histories.get(name) ?? [];
    const repeated = mayRepeat(request) ? findRepeated(history, request.body) : undefined;
    if (repeated !== undefined) return repeated;
    request.countAppend?.();
    const { ip = null, ua = null, capturedAt = now, ...said } = request.body;
    const draft = await draftRecord(queries, place, published, history, {
      // A field of a request is absent, never undefined.
      ...(said as Pick<RecordDraft, 'purposes'>),
      ...shown,
      id: newId(),
      source: place.space,
      ipHash: this.#hasher.hash(place.tenantId, ip),
      uaHash: this.#hasher.hash(place.tenantId, ua),
      capturedAt,
    });
    histories.set(name, [draft, ...history]);
    drafts.set(draft, request.caller);
    return draft;
  }
}

const toResult = <Result>(result: Result): Outcome<Result> => ({ result });

/** The outcome of a rejected request. A failure that is no problem concerns all, and ends their transaction. */
function toProblem(error: unknown): Outcome<never> {
  if (error instanceof Problem) return { error };
  throw error;
}

/**
 * Checks the text that a visitor was shown of a version.
 * @throws {Problem} `validation_failed` if the version never had it.
 */
function readShown(published: KnownVersion, { language, ...body }: CaptureBody): Shown {
  const { version, languages, shown } = published;
  const [shownHash, region] = [body.shownHash ?? null, body.region ?? null];
  const basis = Object.fromEntries(published.purposes.map((purpose) => [purpose.key, basisIn(purpose, region)]));
  if (shownHash === null || shownHash === unverified) {
    if (language !== undefined && !Object.hasOwn(shown, language))
      throw invalidValues([{ path: 'body.language', issue: `is not a language of version ${version} of the notice` }]);
    return { language: language ?? null, shownHash, region, basis };
  }
  const tag = languages.get(shownHash);
  if (tag === undefined)
    throw invalidValues([{ path: 'body.shownHash', issue: `does not belong to version ${version} of the notice` }]);
  if (language !== undefined && language !== tag)
    throw invalidValues([{ path: 'body.language', issue: `must be ${tag}, the language of what \`shownHash\` names` }]);
  return { language: tag, shownHash, region, basis };
}

/** An origin as browsers serialise it: lower-case ASCII host, a port only where it is not the default. */
const webOrigin = /^https?:\/\/([a-z0-9._-]{1,253})(?::\d{1,5})?$/;

/** The host of an origin without its port; undefined for any other text, such as `null`. */
export function hostOfOrigin(origin: string | undefined): string | undefined {
  return origin === undefined ? undefined : webOrigin.exec(origin)?.[1];
}

/**
 * True if a page of this origin may use a notice of this domain: the host is the domain or a subdomain.
 * The scheme must be http or https; the port does not matter. `null`, no origin and look-alikes do not match.
 */
export function originMatches(origin: string | undefined, domain: string): boolean {
  const host = hostOfOrigin(origin);
  if (host === undefined) return false;
  return host === domain || (host.endsWith(`.${domain}`) && isIP(domain) === 0);
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
  captures: readonly Capture[],
  latest: readonly ConsentRecord[],
): Promise<Map<string, readonly EarlierRecord[]>> {
  const histories = new Map<string, readonly EarlierRecord[]>();
  for (const record of latest) histories.set(nameOf(record), [record]);
  for (const { request, place } of captures) {
    if (!mayRepeat(request)) continue;
    const history = histories.get(nameOf(place));
    if (history?.length !== 1 || findRepeated(history, request.body) !== undefined) continue;
    histories.set(nameOf(place), await listNewestRecords(queries, { ...place, limit: mostLookedBack }));
  }
  return histories;
}

/** A page sends a decision again within its next few: a retry, or what its queue kept while it was offline. */
const mostLookedBack = 50;

function nameOf({ noticeId, space, subjectId }: Pick<ConsentRecord, 'noticeId' | 'space' | 'subjectId'>): string {
  return `${noticeId} ${space} ${subjectId}`;
}

/**
 * The draft of what a subject decided: a withdrawal if it turns off what an earlier record granted.
 * @param history earlier records of the subject there, newest first: at least the newest, if there is one.
 */
export async function draftRecord(
  queries: Queries,
  place: SubjectPlace,
  published: NoticeVersion,
  history: readonly EarlierRecord[],
  decided: Pick<RecordDraft, 'id' | 'purposes' | 'source' | 'capturedAt'> & Partial<RecordDraft>,
): Promise<RecordDraft> {
  const { purposes } = decided;
  const state = stateAfter(history[0]);
  // A withdrawal turns off the newest of the records that grant what is refused now.
  const granting = findGranting(state, purposes);
  const recent = history.find(({ id }) => granting.has(id));
  const [only = null, ...more] = granting;
  const withdrawsRecordId =
    recent?.id ?? (more.length === 0 ? only : await findNewest(queries, place.tenantId, place.noticeId, [...granting]));
  return {
    ...decided,
    ...place,
    noticeVersion: published.version,
    noticeContentHash: published.contentHash,
    kind: withdrawsRecordId === null ? 'capture' : 'withdrawal',
    withdrawsRecordId,
    otherPurposes: keepOthers(state, purposes),
  };
}

/**
 * Appends records with their audit and webhook events.
 * @param drafts each with its caller; null for a visitor.
 * @returns the records, in order.
 */
export async function recordDrafts(
  tx: Transaction,
  drafts: ReadonlyMap<RecordDraft, AuditSource | null>,
): Promise<readonly ConsentRecord[]> {
  const records = await appendRecords(tx, [...drafts.keys()]);
  // An event for each record of a caller, and one for all records of a notice's visitors.
  const events: { readonly source: AuditSource; readonly event: NewAuditEvent }[] = [];
  const visits = new Map<string, { readonly tenantId: string; readonly records: ConsentRecord[] }>();
  const byTenant = new Map<string, { readonly record: ConsentRecord; readonly caller: AuditSource | null }[]>();
  let index = 0;
  for (const [{ tenantId }, caller] of drafts) {
    const record = records[index++] as ConsentRecord;
    const ofTenant = byTenant.get(tenantId);
    if (ofTenant === undefined) byTenant.set(tenantId, [{ record, caller }]);
    else ofTenant.push({ record, caller });
    const name = nameNotice(tenantId, record.noticeId);
    const ofNotice = visits.get(name);
    if (caller !== null) events.push({ source: caller, event: describeRecord(record) });
    else if (ofNotice === undefined) visits.set(name, { tenantId, records: [record] });
    else ofNotice.records.push(record);
  }
  for (const { tenantId, records } of visits.values())
    events.push({ source: systemSource(tenantId), event: describeVisits(records) });
  const [heads, subscribers] = await Promise.all([
    lockHeads(
      tx,
      'audit',
      events.map(({ source }) => source),
    ),
    findSubscribers(tx, byTenant.keys()),
  ]);
  await recordEvents(tx, events, heads);
  for (const [tenantId, ofTenant] of byTenant) {
    // An event that no endpoint wants is not written, unlike others: the ledger has the record anyway.
    await emitWanted(tx, tenantId, subscribers.get(tenantId) ?? [], () =>
      ofTenant.map(({ record, caller }) => ({
        type: actionOf(record),
        data: presentEventData(record),
        traceParent: caller?.traceParent,
      })),
    );
  }
  return records;
}

/** The audit event of one record that a caller made. */
function describeRecord(record: ConsentRecord): NewAuditEvent {
  return {
    module: 'consent',
    action: actionOf(record),
    targetId: record.id,
    targetRef: record.noticeId,
    diff: { sequence: record.sequence, purposes: record.purposes, ledgerHash: record.ledgerHash },
  };
}

function actionOf({ kind }: ConsentRecord): keyof typeof consentRecordEvents {
  return kind === 'withdrawal' ? 'consent.withdrawn' : 'consent.recorded';
}

/**
 * The audit event of all that visitors decided on a notice in one group: it names the span of the ledger and its last
 * hash, and so ties the two chains together.
 */
function describeVisits(visits: readonly ConsentRecord[]): NewAuditEvent {
  const { noticeId, sequence: firstSequence } = visits[0] as ConsentRecord;
  const { sequence: lastSequence, ledgerHash } = visits.at(-1) as ConsentRecord;
  let withdrawals = 0;
  for (const { kind } of visits) if (kind === 'withdrawal') withdrawals += 1;
  return {
    module: 'consent',
    action: 'consent.recorded',
    targetId: noticeId,
    targetRef: null,
    diff: { records: visits.length, withdrawals, firstSequence, lastSequence, ledgerHash },
  };
}
