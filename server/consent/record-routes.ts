import { z } from 'zod';
import { callSource } from '../audit/source.ts';
import { readCursor, writeCursor } from '../http/list-route.ts';
import { notFound } from '../http/problem.ts';
import { defineRoute, type Route } from '../http/route.ts';
import { Cursor, Id, queryInteger } from '../http/schemas.ts';
import { findNotice } from './notice-store.ts';
import { ConsentRecord, ConsentRecordPage, RecordInput, WithdrawalInput } from './record.ts';
import { findRecord, listRecords } from './record-store.ts';
import type { CaptureRequest } from './recorder.ts';
import type { ConsentServices } from './services.ts';
import { withdrawRecord } from './withdraw.ts';

/** The operations on the records of a notice. */
export function recordRoutes({ database, hasher, recorder }: ConsentServices): readonly Route[] {
  return [
    defineRoute('GET /v1/consent/{id}/records', {
      operationId: 'listConsentRecords',
      tag: 'Consent records',
      summary: 'List the records of a notice, newest first',
      scope: 'consent:read',
      params: z.strictObject({ id: Id }),
      query: z.strictObject({ cursor: Cursor, limit: queryInteger(1, 200, 50) }),
      result: ConsentRecordPage,
      errors: ['invalid_cursor'],
      async handle({ params, query: { cursor = null, limit }, principal: { tenantId } }) {
        const notice = await findNotice(database.kysely, tenantId, params.id);
        if (notice === undefined) throw notFound('consent notice');
        const list = ['records', tenantId, params.id];
        const before = cursor === null ? null : readCursor(list, cursor, 'number');
        const { rows, next } = await listRecords(database.kysely, tenantId, params.id, before, limit);
        const nextCursor = next === null ? null : writeCursor(list, next);
        return { data: rows, page: { cursor, nextCursor, limit, total: notice.recordCount } };
      },
    }),
    defineRoute('POST /v1/consent/{id}/records', {
      operationId: 'captureConsentRecord',
      tag: 'Consent records',
      summary: 'Capture a consent record against a published notice',
      description:
        'Appends to the ledger. A record that turns off what the subject granted before is stored as a withdrawal of it.',
      scope: 'consent:write',
      idempotencyKey: 'required',
      params: z.strictObject({ id: Id }),
      body: RecordInput,
      status: 201,
      result: ConsentRecord,
      errors: ['consent_notice_not_published'],
      prepare(call) {
        const { params, body, now } = call;
        const request: CaptureRequest = {
          caller: callSource(call, hasher),
          origin: undefined,
          noticeId: params.id,
          noticeVersion: null,
          subjectId: body.subjectId,
          subjectChannel: body.subjectChannel ?? null,
          method: body.method ?? null,
          purposes: body.purposes,
          capturedAt: body.capturedAt ?? null,
          source: 'api',
          ip: body.ip ?? null,
          userAgent: body.ua ?? null,
        };
        return recorder.prepare(database.kysely, request, now);
      },
      changeEach: (captures, work) => recorder.append(captures, work),
    }),
    defineRoute('GET /v1/consent/{id}/records/{recordId}', {
      operationId: 'getConsentRecord',
      tag: 'Consent records',
      summary: 'Get one consent record',
      scope: 'consent:read',
      params: z.strictObject({ id: Id, recordId: Id }),
      result: ConsentRecord,
      async handle({ params, principal }) {
        const record = await findRecord(database.kysely, principal.tenantId, params.id, params.recordId);
        if (record === undefined) throw notFound('consent record');
        return record;
      },
    }),
    defineRoute('POST /v1/consent/{id}/records/{recordId}/withdrawals', {
      operationId: 'withdrawConsentRecord',
      tag: 'Consent records',
      summary: 'Withdraw purposes that a record granted',
      description:
        'Appends a new record that names the original; the original stays as it is. Works on archived notices too.',
      scope: 'consent:write',
      idempotencyKey: 'required',
      params: z.strictObject({ id: Id, recordId: Id }),
      body: WithdrawalInput,
      status: 201,
      result: ConsentRecord,
      errors: ['consent_already_withdrawn'],
      change: (call, work) =>
        withdrawRecord(work, callSource(call, hasher), call.params.id, call.params.recordId, call.body),
    }),
  ];
}
