import { z } from 'zod';
import { answerWith } from '../http/answer.ts';
import { invalidValues, notFound, Problem } from '../http/problem.ts';
import { defineRoute, type Route, readCursor, writeCursor } from '../http/route.ts';
import { Cursor, Id, namedObject, queryInteger, text, UtcTime } from '../http/schemas.ts';
import type { Queries } from '../storage/queries.ts';
import { Notice, tagContent } from './notice.ts';
import { findNotice } from './notice-store.ts';
import { ConsentRecord, PurposeStates, type Space, SubjectId, stateAfter } from './record.ts';
import type { ConsentServices } from './record-routes.ts';
import { readSubject } from './record-store.ts';
import { listSpellings } from './spelling-store.ts';

/** spec.md "Other operations": one purpose of one subject. */
const DecisionInput = z
  .strictObject({
    subjectId: SubjectId,
    purpose: text(64).min(1),
    granted: z.boolean(),
    evidence: namedObject('ConsentEvidence', { ip: text(256).optional(), ua: text(4096).optional() })
      .optional()
      .meta({ description: 'Stored only as keyed hashes.' }),
    noticeId: Id.optional().meta({ description: 'Needed when several published notices ask for the purpose.' }),
  })
  .meta({ id: 'ConsentDecisionInput' });

const Decision = namedObject('ConsentDecision', {
  id: Id,
  subjectId: z.string().nullable().meta({ description: 'Null once erased.' }),
  purpose: z.string(),
  granted: z.boolean(),
  recordedAt: UtcTime,
  ledgerHash: z.string(),
  version: z.int().min(1).meta({ description: 'The version of the notice.' }),
});

/** The most states of notices in one answer, for each space: visitors must not push out what callers captured. */
const mostStates = 100;

/** The consent state of a subject on one notice, in one space. */
const NoticeState = namedObject('NoticeState', {
  noticeId: Id,
  purposes: PurposeStates.meta({
    description: 'Purpose key to what holds for it; a purpose never decided is absent.',
  }),
});

const SubjectState = z
  .strictObject({
    api: z
      .array(NoticeState)
      .meta({ description: 'What records captured with credentials say, the newest notice first.' }),
    public: z.array(NoticeState).meta({
      description:
        'What visitors decided on pages, the newest notice first. Anyone who knows a subject id can send such a record, so it proves less than `api`.',
    }),
    truncated: z
      .strictObject({ api: z.boolean(), public: z.boolean() })
      .meta({ id: 'TruncatedStates', description: `Whether a space has more states than the ${mostStates} listed.` }),
  })
  .meta({ id: 'SubjectState' });

const SubjectLedger = namedObject('SubjectLedger', {
  state: SubjectState,
  items: z.array(ConsentRecord),
  nextCursor: z.string().nullable(),
});
const ledgerQuery = z.strictObject({ cursor: Cursor, limit: queryInteger(1, 200, 50) });

const SubjectSearch = namedObject('SubjectSearch', { subjectId: SubjectId });

const SubjectSpelling = namedObject('SubjectSpelling', {
  subjectId: z.string().meta({ description: 'As it was given.' }),
  recordCount: z.int().min(0).meta({ description: 'The records over all notices, of callers and of visitors.' }),
});

/** More are made by visitors who want to be in the way: each page costs a look-up for each. */
const mostSpellings = 1000;

const SubjectSpellings = namedObject('SubjectSpellingList', {
  items: z.array(SubjectSpelling),
  nextCursor: z
    .null()
    .meta({ description: `Always null. Of more than ${mostSpellings}, the first: erase these, then search again.` }),
});

/** The operations of the developer overview, by purpose and by subject. */
export function overviewRoutes({ database, recorder }: ConsentServices): readonly Route[] {
  return [
    defineRoute('POST /v1/consent', {
      operationId: 'recordConsentDecision',
      sdkMethod: 'consent.decide',
      tag: 'Consent records',
      summary: 'Record the decision of a subject about one purpose',
      description:
        'The notice is the published one that asks for the purpose. If several ask for it, name one in `noticeId`, or the answer is 409 `conflict`.',
      scope: 'consent:write',
      body: DecisionInput,
      status: 201,
      result: Decision,
      errors: ['consent_notice_not_published'],
      async prepare(call) {
        const { body, principal, now } = call;
        const { subjectId, purpose, granted, evidence } = body;
        const request = {
          noticeId:
            body.noticeId ?? pickNotice(await recorder.listAsking(database.kysely, principal.tenantId, purpose)),
          caller: call.source(),
          body: { subjectId, purposes: { [purpose]: granted }, ...evidence },
          pathOf: () => 'body.purpose',
        };
        return recorder.prepare(database.kysely, request, now);
      },
      writeMany: (captures, tx) => recorder.append(captures, tx, presentDecision),
    }),
    defineRoute('GET /v1/consent/{id}', {
      operationId: 'getConsent',
      sdkMethod: 'consent.notices.retrieve',
      tag: 'Consent notices',
      summary: 'Get a consent notice, or the ledger of a subject',
      description:
        'An id that is a notice of the tenant gives the notice, with the `ETag` of its content; anything else is taken as a subject id and gives its state and its records, newest first.',
      scope: 'consent:read',
      params: z.strictObject({ id: SubjectId }),
      query: ledgerQuery,
      result: z.union([Notice, SubjectLedger]),
      headers: ['ETag'],
      errors: ['invalid_cursor'],
      async handle({ params, query, principal: { tenantId } }) {
        const notice = await findNotice(database.kysely, tenantId, params.id.toLowerCase());
        if (notice === undefined) return readLedger(database.kysely, tenantId, params.id, query);
        return answerWith(notice, { ETag: tagContent(notice) });
      },
    }),
    defineRoute('GET /v1/consent/subjects/{subjectId}', {
      operationId: 'getSubjectLedger',
      sdkMethod: 'consent.subjects.retrieve',
      tag: 'Consent records',
      summary: 'Get the current state of a subject and its records over all notices, newest first',
      description:
        'Decisions of visitors and decisions captured with credentials are two spaces: `state` has both, and a record changes only the state of its own.',
      scope: 'consent:read',
      params: z.strictObject({ subjectId: SubjectId }),
      query: ledgerQuery,
      result: SubjectLedger,
      errors: ['invalid_cursor'],
      handle: ({ params, query, principal }) =>
        readLedger(database.kysely, principal.tenantId, params.subjectId, query),
    }),
    defineRoute('POST /v1/consent/subjects/search', {
      operationId: 'searchSubjects',
      sdkMethod: 'consent.subjects.search',
      tag: 'Consent records',
      scope: 'consent:read',
      summary: 'Find the other spellings of a subject id',
      description:
        'Lists the stored ids that are the same after NFKC, case folding, and removal of invisible characters and of white space around them: `Nora.K@corp.example` for `nora.k@corp.example`. Ids are stored as they were given, and each is a subject of its own: before you erase a person, search, and erase each spelling that is theirs. A POST, so that no id is in an address; it changes nothing.',
      body: SubjectSearch,
      result: SubjectSpellings,
      // Not `handle`: like every POST, it takes an Idempotency-Key, and its answer is stored.
      async write({ body: { subjectId }, principal: { tenantId } }, { queries }) {
        const items = await listSpellings(queries, tenantId, subjectId, mostSpellings);
        return { items: [...items], nextCursor: null };
      },
    }),
  ];
}

/** @param record names only one purpose. */
function presentDecision(record: ConsentRecord): z.output<typeof Decision> {
  const { id, subjectId, purposes, recordedAt, ledgerHash, noticeVersion: version } = record;
  const [[purpose, granted]] = Object.entries(purposes) as [[string, boolean]];
  return { id, subjectId, purpose, granted, recordedAt, ledgerHash, version };
}

/** @throws {Problem} when no published notice asks for the purpose, or several do. */
function pickNotice([id, ...more]: readonly string[]): string {
  if (id === undefined) throw invalidValues([{ path: 'body.purpose', issue: 'is not in any published notice' }]);
  if (more.length === 0) return id;
  throw new Problem('conflict', `${more.length + 1} published notices ask for this purpose; name one with noticeId.`);
}

async function readLedger(
  queries: Queries,
  tenantId: string,
  subjectId: string,
  { cursor, limit }: z.output<typeof ledgerQuery>,
): Promise<z.output<typeof SubjectLedger>> {
  const list = ['subject', tenantId, subjectId];
  const before = cursor === undefined ? null : readCursor(list, cursor, 'number');
  const { latest, rows, next } = await readSubject(queries, tenantId, subjectId, mostStates + 1, before, limit);
  if (latest.length === 0) throw notFound('consent notice or subject');
  const statesIn = (space: Space) =>
    latest
      .filter((record) => record.space === space)
      .map((record) => ({ noticeId: record.noticeId, purposes: stateAfter(record) }));
  const [api, visitors] = [statesIn('api'), statesIn('public')];
  const state = {
    api: api.slice(0, mostStates),
    public: visitors.slice(0, mostStates),
    truncated: { api: api.length > mostStates, public: visitors.length > mostStates },
  };
  return { state, items: rows, nextCursor: next === null ? null : writeCursor(list, next) };
}
