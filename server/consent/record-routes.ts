import { z } from 'zod';
import { ReadyAnswer } from '../http/answer.ts';
import { Problem, requireFound } from '../http/problem.ts';
import { clientBucket, limitAddress } from '../http/request.ts';
import { defineRoute, type Route, readCursor, writeCursor } from '../http/route.ts';
import { Cursor, Id, optionalInteger, queryInteger, Time } from '../http/schemas.ts';
import type { Database } from '../storage/database.ts';
import type { BannerUsage } from './banner-usage.ts';
import { Language } from './language.ts';
import { findNotice, findVersion, type NoticeCache, pickForm } from './notice-store.ts';
import { PublicNotice } from './public-notice.ts';
import { ConsentReceipt, makeReceipt } from './receipt.ts';
import {
  ConsentRecord,
  ConsentRecordPage,
  PublicRecord,
  PublicRecordInput,
  presentPublicRecord,
  RecordInput,
  RecordKind,
  RecordSource,
  SubjectId,
  WithdrawalInput,
} from './record.ts';
import { findRecord, findRecordById, listRecords } from './record-store.ts';
import type { ConsentRecorder } from './recorder.ts';
import { isRegion } from './regions.ts';
import { withdrawRecord } from './withdraw.ts';

/** The services and settings of the consent operations. */
export interface ConsentServices {
  readonly database: Database;
  readonly recorder: ConsentRecorder;
  readonly noticeCache: NoticeCache;
  readonly usage: BannerUsage;
  /** Captures a minute. */
  readonly limits: { readonly captureNotice: number; readonly captureClient: number };
  /** The headers of requests from which the region of a visitor follows. */
  readonly regionHeaders: readonly string[];
}

const appending = {
  tag: 'Consent records',
  scope: 'consent:write',
  idempotencyKey: 'required',
  status: 201,
  result: ConsentRecord,
} as const;

const recordFilters = {
  subjectId: SubjectId.optional(),
  kind: RecordKind.optional(),
  source: RecordSource.optional(),
  version: optionalInteger(1, 999_999_999).meta({ description: 'Of the notice.' }),
  from: Time.optional().meta({ description: 'Records at this time or later.' }),
  to: Time.optional().meta({ description: 'Records before this time.' }),
};

/** The operations on the records of a notice. */
export function recordRoutes({ database, recorder }: ConsentServices): readonly Route[] {
  return [
    defineRoute('GET /v1/consent/{id}/records', {
      operationId: 'listConsentRecords',
      reads: 'replica',
      sdkMethod: 'consent.records.list',
      tag: 'Consent records',
      summary: 'List the records of a notice, newest first',
      scope: 'consent:read',
      params: z.strictObject({ id: Id }),
      description:
        'A page with a filter reads at most 2,000 records: it may have fewer than `limit`, or none, and still a `nextCursor`. Those of a subject and of a span of time are found without reading the others.',
      query: z.strictObject({
        ...recordFilters,
        cursor: Cursor,
        limit: queryInteger(1, 200, 50),
      }),
      result: ConsentRecordPage,
      errors: ['invalid_cursor'],
      async handle({ params, query: { cursor = null, limit, ...filter }, queries, principal: { tenantId } }) {
        const notice = requireFound(await findNotice(queries, tenantId, params.id), 'consent notice');
        const isFiltered = Object.keys(filter).length > 0;
        const list = ['records', tenantId, params.id, ...(isFiltered ? [filter] : [])];
        const before = cursor === null ? null : readCursor(list, cursor, 'number');
        const { rows, next } = await listRecords(queries, tenantId, params.id, filter, before, limit);
        const nextCursor = next === null ? null : writeCursor(list, next);
        return { data: rows, page: { cursor, nextCursor, limit, total: isFiltered ? null : notice.recordCount } };
      },
    }),
    defineRoute('POST /v1/consent/{id}/records', {
      operationId: 'captureConsentRecord',
      sdkMethod: 'consent.records.capture',
      ...appending,
      summary: 'Capture a consent record against a published notice',
      description:
        'Appends to the ledger. A record that turns off what the subject granted before is stored as a withdrawal of it.',
      params: z.strictObject({ id: Id }),
      body: RecordInput,
      errors: ['consent_notice_not_published'],
      prepare(call) {
        const request = { noticeId: call.params.id, caller: call.source(), body: call.body };
        return recorder.prepare(database.kysely, request, call.now);
      },
      writeMany: (captures, tx) => recorder.append(captures, tx, (record) => record),
    }),
    defineRoute('GET /v1/consent/{id}/records/{recordId}', {
      operationId: 'getConsentRecord',
      sdkMethod: 'consent.records.retrieve',
      tag: 'Consent records',
      summary: 'Get one consent record',
      scope: 'consent:read',
      params: z.strictObject({ id: Id, recordId: Id }),
      result: ConsentRecord,
      handle: async ({ params: { id, recordId }, principal }) =>
        requireFound(await findRecord(database.kysely, principal.tenantId, id, recordId), 'consent record'),
    }),
    defineRoute('GET /v1/consent/records/{recordId}', {
      operationId: 'findConsentRecord',
      sdkMethod: 'consent.records.find',
      tag: 'Consent records',
      summary: 'Find a consent record by its id',
      description: 'For a record whose notice you do not know.',
      scope: 'consent:read',
      params: z.strictObject({ recordId: Id }),
      result: ConsentRecord,
      handle: async ({ params: { recordId }, principal }) =>
        requireFound(await findRecordById(database.kysely, principal.tenantId, recordId), 'consent record'),
    }),
    defineRoute('GET /v1/consent/records/{recordId}/receipt', {
      operationId: 'getConsentReceipt',
      sdkMethod: 'consent.records.retrieveReceipt',
      tag: 'Consent records',
      summary: 'Get the receipt of a consent record as JSON-LD',
      description:
        'Follows the profile of ISO/IEC TS 27560:2023 in the Data Privacy Vocabulary (DPV). It has one consent record for each purpose that the record decided and that needed consent (`basis`), in the words of the `language` of the record, with the earlier grant and the later decisions of the subject. What the version of the notice does not state is left out; where the profile requires it, `missing` names it and the receipt does not claim to follow the profile.',
      scope: 'consent:read',
      params: z.strictObject({ recordId: Id }),
      isBare: true,
      answerType: 'application/ld+json',
      result: ConsentReceipt,
      async handle({ params: { recordId }, principal: { tenantId }, now }) {
        const { kysely } = database;
        const record = requireFound(await findRecordById(kysely, tenantId, recordId), 'consent record');
        const { noticeId, noticeVersion } = record;
        const version = requireFound(
          await findVersion(kysely, tenantId, noticeId, noticeVersion),
          'version of the notice',
        );
        return makeReceipt(kysely, tenantId, record, version, now);
      },
    }),
    defineRoute('POST /v1/consent/{id}/records/{recordId}/withdrawals', {
      operationId: 'withdrawConsentRecord',
      sdkMethod: 'consent.records.withdraw',
      ...appending,
      summary: 'Withdraw purposes that a record granted',
      description:
        'Appends a new record that names the original; the original stays as it is. Works on archived notices too.',
      params: z.strictObject({ id: Id, recordId: Id }),
      body: WithdrawalInput,
      errors: ['consent_already_withdrawn', 'record_erased'],
      write: (call, tx) => withdrawRecord(tx, call.source(), call.params.id, call.params.recordId, call.body),
    }),
  ];
}

/** Any text, so that an invalid id is answered with 404, too. */
const NoticeParams = z.strictObject({ noticeId: z.string().toLowerCase() });

/** The operations of visitors: spec.md "Public endpoints". */
export function publicConsentRoutes({
  database,
  recorder,
  noticeCache,
  usage,
  limits,
  regionHeaders,
}: ConsentServices): readonly Route[] {
  const varying = regionHeaders.length === 0 ? {} : { Vary: regionHeaders.join(', ') };
  return [
    defineRoute('GET /v1/public/consent/{noticeId}', {
      auth: 'public',
      operationId: 'getPublicConsentNotice',
      sdkMethod: 'public.consent.retrieveNotice',
      tag: 'Public',
      summary: 'Get a published consent notice',
      description:
        'The latest published version, in one language. Each version has fixed bytes in each of its languages; `shown` of the version has their hashes. Send the `ETag` back as `If-None-Match` to get a 304 while it has not changed. `Svc-Region` has the region of the visitor where the server knows it from its proxy; the body does not depend on it.',
      params: NoticeParams,
      query: z.strictObject({
        language: Language.optional().meta({
          description:
            'BCP 47. Without it, and where no language of the notice fits, the answer is in the own language of the notice. `Accept-Language` has no effect.',
        }),
      }),
      headers: ['ETag', 'Cache-Control', 'Svc-Region', 'Vary'],
      result: PublicNotice,
      async handle({ params, query: { language }, client, now }) {
        const forms = requireFound(await noticeCache.findForms(params.noticeId), 'published consent notice');
        const { tenantId, domain } = forms;
        usage.seen({ tenantId, ...params, domain }, client.origin ?? client.referer, now);
        const { body, etag } = pickForm(forms, language);
        // Browsers revalidate each time with a cheap 304, so that no visitor decides on an old version.
        const region = client.region !== null && isRegion(client.region) ? { 'Svc-Region': client.region } : {};
        return new ReadyAnswer(200, body, { ETag: etag, 'Cache-Control': 'no-cache', ...varying, ...region });
      },
    }),
    defineRoute('POST /v1/public/consent/{noticeId}/records', {
      auth: 'public',
      operationId: 'capturePublicConsentRecord',
      sdkMethod: 'public.consent.capture',
      tag: 'Public',
      summary: 'Record the decision of a visitor',
      description:
        'The Origin must belong to the domain of the notice. The same decision sent again (same subject, time, method and choices) gives the record that is there already, if it is among the latest 50 of the subject.',
      params: NoticeParams,
      body: PublicRecordInput,
      status: 201,
      result: PublicRecord,
      errors: ['consent_origin_not_allowed', 'consent_notice_not_published'],
      limits: ({ client }) => limitAddress(client, { policy: 'client', limit: limits.captureClient }),
      prepare({ params: { noticeId }, body, client, now, takeLimit }) {
        const request = {
          noticeId,
          caller: null,
          origin: client.origin,
          body: { ...body, ip: client.address ?? undefined, ua: client.userAgent ?? undefined },
          // Only what is appended counts: requests that are refused or repeat a record must not silence a notice.
          countAppend: () =>
            takeLimit({
              policy: 'notice',
              bucket: `notice ${noticeId}`,
              limit: limits.captureNotice,
              network: clientBucket(client, 48),
            }),
        };
        return recorder.prepare(database.kysely, request, now).catch((error: unknown) => {
          if (error instanceof Problem && error.code === 'consent_origin_not_allowed')
            usage.refused(noticeId, client.origin, now);
          throw error;
        });
      },
      tenantOf: ({ place }) => place.tenantId,
      writeMany(captures, tx) {
        tx.afterCommit(() => {
          for (const { request, published, place } of captures)
            usage.captured({ ...place, domain: published.domain }, request.origin, tx.now);
        });
        return recorder.append(captures, tx, presentPublicRecord);
      },
    }),
  ];
}
