import { z } from 'zod';
import { clientBucket } from '../http/client.ts';
import { notFound } from '../http/problem.ts';
import { defineRoute, ReadyAnswer, type Route } from '../http/route.ts';
import { PublicNotice } from './notice.ts';
import { type ConsentRecord, PublicRecord, PublicRecordInput } from './record.ts';
import type { CaptureRequest } from './recorder.ts';
import type { ConsentServices } from './services.ts';

/** Any text, so that what is no id at all is not found either. */
const NoticeParams = z.strictObject({ noticeId: z.string().toLowerCase() });

/** The operations of visitors: spec.md "Public endpoints". */
export function publicConsentRoutes({ database, recorder, publicNotices, limits }: ConsentServices): readonly Route[] {
  return [
    defineRoute('GET /v1/public/consent/{noticeId}', {
      auth: 'public',
      operationId: 'getPublicConsentNotice',
      tag: 'Public',
      summary: 'Get a published consent notice',
      description:
        'The latest published version. Send the `ETag` back as `If-None-Match` to get a 304 while it has not changed.',
      params: NoticeParams,
      headers: ['ETag', 'Cache-Control'],
      result: PublicNotice,
      async handle({ params }) {
        const answer = await publicNotices.find(params.noticeId);
        if (answer === undefined) throw notFound('published consent notice');
        // Browsers revalidate each time with a cheap 304, so that no visitor decides on an old version.
        return new ReadyAnswer(200, answer.body, { ETag: answer.etag, 'Cache-Control': 'no-cache' });
      },
    }),
    defineRoute('POST /v1/public/consent/{noticeId}/records', {
      auth: 'public',
      operationId: 'capturePublicConsentRecord',
      tag: 'Public',
      summary: 'Record the decision of a visitor',
      description:
        'The Origin must belong to the domain of the notice. The same decision sent again (same subject, time, method and choices) gives the record that is there already, if it is among the latest 50 of the subject.',
      params: NoticeParams,
      body: PublicRecordInput,
      status: 201,
      result: PublicRecord,
      errors: ['consent_origin_not_allowed', 'consent_notice_not_published'],
      limits: ({ client }) => [
        { policy: 'client', bucket: `client ${clientBucket(client)}`, limit: limits.captureClient },
      ],
      prepare({ params, body, client, now, takeLimit }) {
        const request: CaptureRequest = {
          caller: null,
          // Only what is appended counts: requests that are refused or repeat a record must not silence a notice.
          countAppend: () =>
            takeLimit({ policy: 'notice', bucket: `notice ${params.noticeId}`, limit: limits.captureNotice }),
          origin: client.origin,
          noticeId: params.noticeId,
          noticeVersion: body.noticeVersion ?? null,
          subjectId: body.subjectId,
          subjectChannel: null,
          method: body.method ?? null,
          purposes: body.purposes,
          capturedAt: body.capturedAt ?? null,
          source: 'public',
          ip: client.address,
          userAgent: client.userAgent,
        };
        return recorder.prepare(database.kysely, request, now);
      },
      changeEach: async (captures, work) =>
        (await recorder.append(captures, work)).map((outcome) =>
          'error' in outcome ? outcome : { result: presentPublicRecord(outcome.result) },
        ),
    }),
  ];
}

function presentPublicRecord(record: ConsentRecord): z.output<typeof PublicRecord> {
  return {
    id: record.id,
    noticeId: record.noticeId,
    noticeVersion: record.noticeVersion,
    subjectId: record.subjectId,
    method: record.method,
    purposes: record.purposes,
    capturedAt: record.capturedAt,
    recordedAt: record.recordedAt,
    noticeContentHash: record.noticeContentHash,
    ledgerHash: record.ledgerHash,
    prevLedgerHash: record.prevLedgerHash,
  };
}
