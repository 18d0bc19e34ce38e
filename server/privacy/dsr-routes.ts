import { z } from 'zod';
import { callSource } from '../audit/source.ts';
import { readCursor, writeCursor } from '../http/cursor.ts';
import { notFound } from '../http/problem.ts';
import { defineRoute, type Route } from '../http/route.ts';
import { Cursor, Id, pageOf, queryInteger } from '../http/schemas.ts';
import { DsrCompletion, DsrExtension, DsrInput, DsrStatus, DsrSubjectId, DsrType, DsrView, viewDsr } from './dsr.ts';
import { completeDsr, createDsr, extendDsr } from './dsr-changes.ts';
import { findDsr, listDsrs } from './dsr-store.ts';
import type { PrivacyServices } from './services.ts';

const tag = 'Data-subject requests';
const DsrParams = z.strictObject({ id: Id });

/** The operations on requests of data subjects. */
export function dsrRoutes({ database, hasher }: PrivacyServices): readonly Route[] {
  return [
    defineRoute({
      method: 'POST',
      path: '/v1/dsr',
      operationId: 'createDsr',
      tag,
      summary: 'Open a data-subject request',
      description:
        'It is due as many days of 24 hours after its receipt as the tenant chose (`dsrDays`); a later change of that setting moves no due date. Emits `dsr.created`.',
      scope: 'dsr:write',
      body: DsrInput,
      status: 201,
      result: DsrView,
      change: async (call, work) => viewDsr(await createDsr(work, callSource(call, hasher), call.body), work.now),
    }),
    defineRoute({
      method: 'GET',
      path: '/v1/dsr',
      operationId: 'listDsrs',
      tag,
      summary: 'List data-subject requests, newest first',
      scope: 'dsr:read',
      query: z.strictObject({
        status: DsrStatus.optional(),
        type: DsrType.optional(),
        subjectId: DsrSubjectId.optional().meta({ description: 'Requests of exactly this person.' }),
        overdue: z
          .enum(['true', 'false'])
          .optional()
          .meta({ description: 'Whether they are open past their due date, at the time of the page.' }),
        cursor: Cursor,
        limit: queryInteger(1, 100, 25),
      }),
      status: 200,
      result: pageOf(DsrView),
      errors: ['invalid_cursor'],
      async handle({ query, principal: { tenantId }, now }) {
        const { cursor = null, limit, status, type, subjectId, overdue } = query;
        const list = ['dsr', tenantId, status, type, subjectId, overdue];
        const before = cursor === null ? null : readCursor(list, cursor, 'string');
        const filter = {
          status,
          type,
          subjectId,
          overdue: overdue === undefined ? undefined : { is: overdue === 'true', at: now },
        };
        const { dsrs, total, next } = await listDsrs(database.kysely, tenantId, filter, before, limit);
        const nextCursor = next === null ? null : writeCursor(list, next);
        return { data: dsrs.map((dsr) => viewDsr(dsr, now)), page: { cursor, nextCursor, limit, total } };
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/v1/dsr/{id}',
      operationId: 'getDsr',
      tag,
      summary: 'Get a data-subject request',
      scope: 'dsr:read',
      params: DsrParams,
      status: 200,
      result: DsrView,
      async handle({ params, principal, now }) {
        const dsr = await findDsr(database.kysely, principal.tenantId, params.id);
        if (dsr === undefined) throw notFound('data-subject request');
        return viewDsr(dsr, now);
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/v1/dsr/{id}/extend',
      operationId: 'extendDsr',
      tag,
      summary: 'Extend the period of a data-subject request, once',
      description:
        'Possible while the period runs. It becomes three times as long, but ends 90 days after the receipt at the latest: 30 days become 90, and 45 become 90. The same again, with the same reason, changes nothing.',
      scope: 'dsr:write',
      params: DsrParams,
      body: DsrExtension,
      status: 200,
      result: DsrView,
      errors: ['dsr_already_completed', 'dsr_extension_not_allowed'],
      change: async (call, work) =>
        viewDsr(await extendDsr(work, callSource(call, hasher), call.params.id, call.body), work.now),
    }),
    defineRoute({
      method: 'POST',
      path: '/v1/dsr/{id}/complete',
      operationId: 'completeDsr',
      tag,
      summary: 'Complete a data-subject request',
      description:
        'Emits `dsr.completed`. The same again, with the same outcome and reason, changes nothing and emits nothing.',
      scope: 'dsr:write',
      params: DsrParams,
      body: DsrCompletion,
      status: 200,
      result: DsrView,
      errors: ['dsr_already_completed'],
      change: async (call, work) =>
        viewDsr(await completeDsr(work, callSource(call, hasher), call.params.id, call.body), work.now),
    }),
  ];
}
