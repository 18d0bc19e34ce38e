import { isIP } from 'node:net';
import type {
  ConsentDecision,
  ConsentDecisionInput,
  ConsentRecord,
  ConsentRecordInput,
  ConsentWithdrawalInput,
  Notice,
  NoticeVersion,
  PublicConsentRecord,
  PublicConsentRecordInput,
  Purpose,
  PurposeState,
} from '../types/api.ts';
import type { Notices } from './notices.ts';
import { invalidValues, notFound, Refusal, requirePast } from './refusal.ts';
import type { PurposeChoices, Sent } from './rules.ts';
import type { Detail } from './validate.ts';
import { type Call, type Handlers, hashPrivately, newId, pageOf, slicePage, type World } from './world.ts';

type Draft = Omit<ConsentRecord, 'recordedAt' | 'sequence' | 'ledgerHash' | 'prevLedgerHash'>;

/** The consent ledger of the tenant. */
export class Records {
  readonly #world: World;
  readonly #notices: Notices;
  /** Newest first. */
  #records: readonly ConsentRecord[] = [];

  constructor(world: World, notices: Notices) {
    this.#world = world;
    this.#notices = notices;
  }

  /** The operations on records, and those of the developer overview. */
  handlers(): Handlers {
    return {
      listConsentRecords: ({ params, query }) => {
        const { id } = this.#notices.require(params.id);
        const records = this.#records.filter(({ noticeId }) => noticeId === id);
        return pageOf(records, (record) => record.id, ['records', id], query);
      },
      captureConsentRecord: (call: Call<Sent<ConsentRecordInput>>) => {
        const { subjectChannel = null, ip, ua } = call.body;
        return this.#capture(call, call.params.id, call.body, { subjectChannel, ip, ua });
      },
      getConsentRecord: ({ params }) => this.#require(params.id, params.recordId),
      withdrawConsentRecord: (call: Call<Sent<ConsentWithdrawalInput>>) => this.#withdraw(call),
      recordConsentDecision: (call: Call<Sent<ConsentDecisionInput>>) => this.#decide(call),
      getConsent: (call) => this.#notices.find(call.params.id) ?? this.#listSubject(call, call.params.id),
      getSubjectLedger: (call) => this.#listSubject(call, call.params.subjectId),
      capturePublicConsentRecord: (call: Call<Sent<PublicConsentRecordInput>>) => {
        const origins = { ip: call.address, ua: call.userAgent };
        return presentPublic(this.#capture(call, call.params.noticeId, call.body, origins));
      },
    };
  }

  #listSubject({ query }: Call, subject = ''): object {
    const records = this.#records.filter(({ subjectId }) => subjectId === subject);
    // An odd cursor is named before an unknown subject.
    const page = slicePage(records, ({ sequence }) => sequence, ['subject', subject], query);
    if (records.length === 0) throw notFound('consent notice or subject');
    const noticeIds = [...new Set(records.map(({ noticeId }) => noticeId))].sort().reverse();
    const statesIn = (space: ConsentRecord['space']) =>
      noticeIds.flatMap((noticeId) => {
        const latest = records.find((one) => one.noticeId === noticeId && one.space === space);
        return latest === undefined ? [] : [{ noticeId, purposes: stateAfter(latest) }];
      });
    const truncated = { api: false, public: false };
    return { state: { api: statesIn('api'), public: statesIn('public'), truncated }, ...page };
  }

  #require(noticeId: string | undefined, id: string | undefined): ConsentRecord {
    const found = this.#records.find((record) => record.noticeId === noticeId && record.id === id);
    if (found === undefined) throw notFound('consent record');
    return found;
  }

  #recordsIn(noticeId: string, subjectId: string, space: ConsentRecord['space']): readonly ConsentRecord[] {
    return this.#records.filter(
      (one) => one.noticeId === noticeId && one.subjectId === subjectId && one.space === space,
    );
  }

  #capture(
    call: Call,
    noticeId: string | undefined,
    input: Omit<Sent<ConsentRecordInput & PublicConsentRecordInput>, 'method'> & {
      readonly method?: string | undefined;
    },
    told: {
      readonly subjectChannel?: ConsentRecord['subjectChannel'];
      readonly ip?: string | null | undefined;
      readonly ua?: string | null | undefined;
    },
    pathOf?: (purpose: string) => string,
  ): ConsentRecord {
    const notice = this.#notices.require(noticeId);
    const isPublic = call.keyId === null;
    const published = this.#notices.versionsOf(notice.id);
    if (isPublic) requireOrigin(call.origin, published[0]?.domain ?? notice.domain);
    const version = pickVersion(notice, published, input.noticeVersion);
    const { subjectId, purposes, method = null } = input;
    checkChoices(version.purposes, purposes, isPublic, pathOf);
    requireCaptureTime(call, input.capturedAt);
    const space = isPublic ? 'public' : 'api';
    const history = this.#recordsIn(notice.id, subjectId, space);
    if (isPublic && input.capturedAt !== undefined) {
      const repeated = history
        .slice(0, 50)
        .find(
          (one) =>
            one.source === 'public' &&
            one.capturedAt === input.capturedAt &&
            one.method === method &&
            sameChoices(one.purposes, purposes),
        );
      if (repeated !== undefined) return repeated;
    }
    const state = stateAfter(history[0]);
    const withdrawsRecordId = findWithdrawn(state, purposes);
    return this.#append(call, {
      id: newId(),
      noticeId: notice.id,
      noticeVersion: version.version,
      noticeContentHash: version.contentHash,
      subjectId,
      subjectChannel: told.subjectChannel ?? null,
      kind: withdrawsRecordId === null ? 'capture' : 'withdrawal',
      withdrawsRecordId,
      method,
      purposes,
      otherPurposes: keepOthers(state, purposes),
      source: space,
      space,
      ipHash: hashPrivately(told.ip),
      uaHash: hashPrivately(told.ua),
      capturedAt: input.capturedAt ?? call.now,
    });
  }

  #withdraw(call: Call<Sent<ConsentWithdrawalInput>>): ConsentRecord {
    const { params, body } = call;
    requireCaptureTime(call, body.capturedAt);
    const original = this.#require(params.id, params.recordId);
    const version = this.#notices.versionsOf(original.noticeId).find((one) => one.version === original.noticeVersion);
    const keys = pickPurposes(original.purposes, version?.purposes ?? [], body.purposes);
    const history = this.#recordsIn(original.noticeId, original.subjectId, original.space);
    const state = stateAfter(history[0]);
    const later = history.filter(({ sequence }) => sequence > original.sequence);
    const isEnded = (key: string) => later.some(({ purposes }) => purposes[key] === false);
    const granted = keys.filter((key) => state[key]?.granted === true && !isEnded(key));
    if (granted.length === 0) {
      const message = 'Everything that this record granted and that can be withdrawn is withdrawn.';
      throw new Refusal(409, 'consent_already_withdrawn', message);
    }
    const purposes = Object.fromEntries(granted.map((key) => [key, false]));
    return this.#append(call, {
      id: newId(),
      noticeId: original.noticeId,
      noticeVersion: original.noticeVersion,
      noticeContentHash: original.noticeContentHash,
      subjectId: original.subjectId,
      subjectChannel: original.subjectChannel,
      kind: 'withdrawal',
      withdrawsRecordId: original.id,
      method: body.method ?? null,
      purposes,
      otherPurposes: keepOthers(state, purposes),
      source: 'api',
      space: original.space,
      ipHash: null,
      uaHash: null,
      capturedAt: body.capturedAt ?? call.now,
    });
  }

  #decide(call: Call<Sent<ConsentDecisionInput>>): ConsentDecision {
    const { subjectId, purpose, granted, evidence, noticeId } = call.body;
    const id = noticeId ?? this.#findNotice(purpose);
    const input = { subjectId, purposes: { [purpose]: granted } };
    const record = this.#capture(call, id, input, evidence ?? {}, () => 'body.purpose');
    const { recordedAt, ledgerHash, noticeVersion: version } = record;
    return { id: record.id, subjectId, purpose, granted, recordedAt, ledgerHash, version };
  }

  #findNotice(purpose: string): string {
    const [notice, ...more] = this.#notices.askingFor(purpose);
    if (notice === undefined)
      throw invalidValues([{ path: 'body.purpose', issue: 'is asked for by no published notice' }]);
    if (more.length === 0) return notice.id;
    const message = `${more.length + 1} published notices ask for this purpose; name one with noticeId.`;
    throw new Refusal(409, 'conflict', message);
  }

  #append(call: Call, draft: Draft): ConsentRecord {
    const { tenantId } = this.#world;
    const { sequence, at, hash, prevHash } = this.#world.ledgers.consent.append(call.now, (place) => ({
      ...draft,
      tenantId,
      recordedAt: place.at,
      sequence: place.sequence,
    }));
    const prevLedgerHash = prevHash === null ? null : `sha256:${prevHash}`;
    const record = { ...draft, recordedAt: at, sequence, ledgerHash: `sha256:${hash}`, prevLedgerHash };
    this.#records = [record, ...this.#records];
    this.#notices.countRecord(record.noticeId);
    this.#world.record(call, describe(record, call.keyId === null));
    this.#world.emit(record.kind === 'capture' ? 'consent.recorded' : 'consent.withdrawn', tell(record), call.now);
    return record;
  }
}

function describe(record: ConsentRecord, isPublic: boolean) {
  const { id, noticeId, kind, sequence, purposes, ledgerHash } = record;
  const withdrawals = kind === 'withdrawal' ? 1 : 0;
  return isPublic
    ? {
        module: 'consent',
        action: 'consent.recorded',
        targetId: noticeId,
        targetRef: null,
        diff: { records: 1, withdrawals, firstSequence: sequence, lastSequence: sequence, ledgerHash },
      }
    : {
        module: 'consent',
        action: withdrawals === 1 ? 'consent.withdrawn' : 'consent.recorded',
        targetId: id,
        targetRef: noticeId,
        diff: { sequence, purposes, ledgerHash },
      };
}

/** What a receiver gets to know: nothing of the device. */
function tell(record: ConsentRecord): Readonly<Record<string, unknown>> {
  const { id, subjectChannel: _channel, noticeContentHash: _content, ipHash: _ip, uaHash: _ua, ...rest } = record;
  const { prevLedgerHash: _previous, otherPurposes: _others, ...told } = rest;
  return { recordId: id, ...told };
}

/** What a visitor gets to keep: nothing of the device, and nothing that the page does not know. */
function presentPublic(record: ConsentRecord): PublicConsentRecord {
  const { id, noticeId, noticeVersion, noticeContentHash, subjectId, method, purposes, capturedAt } = record;
  const { recordedAt, ledgerHash, prevLedgerHash } = record;
  return {
    ...{ id, noticeId, noticeVersion, noticeContentHash, subjectId, method, purposes, capturedAt, recordedAt },
    ...{ ledgerHash, prevLedgerHash },
  };
}

function requireOrigin(origin: string | undefined, domain: string): void {
  const host = origin && /^https?:\/\/([a-z0-9._-]{1,253})(?::\d{1,5})?$/.exec(origin)?.[1];
  if (host && (host === domain || (host.endsWith(`.${domain}`) && isIP(domain) === 0))) return;
  const message =
    origin === undefined
      ? 'The request carries no Origin; records of visitors are taken from pages of the site alone.'
      : 'The Origin of the request does not belong to the domain of the notice.';
  throw new Refusal(403, 'consent_origin_not_allowed', message);
}

function pickVersion(notice: Notice, published: readonly NoticeVersion[], wanted: number | undefined): NoticeVersion {
  const { status } = notice;
  const [latest] = published;
  if (status !== 'published' || latest === undefined) {
    const message = `The notice is ${status}; publish it to capture records.`;
    const fields = { requiredStatus: 'published', actualStatus: status };
    throw new Refusal(409, 'consent_notice_not_published', message, { fields });
  }
  const found = wanted === undefined ? latest : published.find(({ version }) => version === wanted);
  if (found !== undefined) return found;
  throw invalidValues([{ path: 'body.noticeVersion', issue: 'is no published version of the notice' }]);
}

/** None unknown, no required one refused; from a visitor every one. */
function checkChoices(
  purposes: readonly Purpose[],
  choices: PurposeChoices,
  isComplete: boolean,
  pathOf = (purpose: string) => `body.purposes.${purpose}`,
): void {
  const details: Detail[] = [];
  for (const { key, required } of purposes) {
    const choice = Object.hasOwn(choices, key) ? choices[key] : undefined;
    const path = pathOf(key);
    if (choice === undefined && isComplete)
      details.push({ path, issue: 'is missing: name every purpose of the notice' });
    if (required && choice === false) details.push({ path, issue: 'is required and cannot be refused' });
  }
  const named = Object.keys(choices);
  const unknown = named.filter((key) => !purposes.some((purpose) => purpose.key === key));
  details.push(...unknown.map((key) => ({ path: pathOf(key), issue: 'is not a purpose of the notice' })));
  if (named.length === 0 && !isComplete)
    details.push({ path: 'body.purposes', issue: 'must name at least one purpose' });
  if (details.length > 0) throw invalidValues(details);
}

function requireCaptureTime({ now }: Call, capturedAt: string | undefined): void {
  if (capturedAt !== undefined) requirePast('body.capturedAt', capturedAt, now, 5 * 60_000);
}

type States = Readonly<Record<string, PurposeState>>;

/** What holds after the latest record of a subject on a notice in one space. */
function stateAfter(latest: ConsentRecord | undefined): States {
  if (latest === undefined) return {};
  const named = Object.entries(latest.purposes).map(([key, granted]) => [key, { granted, recordId: latest.id }]);
  return { ...latest.otherPurposes, ...Object.fromEntries(named) };
}

function keepOthers(state: States, choices: PurposeChoices): States {
  return Object.fromEntries(Object.entries(state).filter(([key]) => !Object.hasOwn(choices, key)));
}

/** The newest record that grants what is refused now. */
function findWithdrawn(state: States, choices: PurposeChoices): string | null {
  const granting = Object.entries(state).filter(([key, { granted }]) => granted && choices[key] === false);
  const ids = granting.map(([, { recordId }]) => recordId);
  return ids.sort().at(-1) ?? null;
}

function pickPurposes(
  choices: PurposeChoices,
  purposes: readonly Purpose[],
  wanted: readonly string[] | undefined,
): readonly string[] {
  const isRequired = (key: string) => purposes.some((purpose) => purpose.key === key && purpose.required);
  if (wanted === undefined) return Object.keys(choices).filter((key) => choices[key] && !isRequired(key));
  const details = wanted.flatMap((key, index): readonly Detail[] => {
    const path = `body.purposes.${index}`;
    if (!Object.hasOwn(choices, key) || !choices[key])
      return [{ path, issue: `${key} was not granted by this record` }];
    return isRequired(key) ? [{ path, issue: `${key} is required and cannot be withdrawn` }] : [];
  });
  if (details.length > 0) throw invalidValues(details);
  return [...new Set(wanted)];
}

function sameChoices(one: PurposeChoices, other: PurposeChoices): boolean {
  const keys = Object.keys(one);
  return keys.length === Object.keys(other).length && keys.every((key) => one[key] === other[key]);
}
