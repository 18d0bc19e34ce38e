import { z } from 'zod';
import { defineRoute, listRoute, type Route } from '../http/route.ts';
import { cursorPageOf, Id } from '../http/schemas.ts';
import type { Installation } from '../installation/installation.ts';
import { mapPage } from '../storage/rows.ts';
import { BreachChange, BreachInput, BreachView, breachFilters, viewBreach } from './breach.ts';
import { DsrCompletion, DsrExtension, DsrInput, DsrView, dsrFilters, viewDsr } from './dsr.ts';
import {
  completeDsr,
  createDsr,
  editBreach,
  extendDsr,
  listBreaches,
  listDsrs,
  reportBreach,
  requireBreach,
  requireDsr,
} from './store.ts';

const readingDsr = { tag: 'Data-subject requests', scope: 'dsr:read' } as const;
const writingDsr = { tag: 'Data-subject requests', scope: 'dsr:write', result: DsrView } as const;
const readingBreach = { tag: 'Breaches', scope: 'breach:read' } as const;
const writingBreach = { tag: 'Breaches', scope: 'breach:write', result: BreachView } as const;
const params = z.strictObject({ id: Id });
const pages = { limit: { most: 100, usual: 25 }, place: 'string' } as const;

/** The operations on data-subject requests and breaches of personal data. */
export function privacyRoutes({ database }: Pick<Installation, 'database'>): readonly Route[] {
  return [
    defineRoute('POST /v1/dsr', {
      operationId: 'createDsr',
      ...writingDsr,
      summary: 'Open a data-subject request',
      description:
        'It is due after `dsrDays` days of 24 hours, a setting of the tenant; later changes of that setting do not move the due date. Emits `dsr.created`.',
      body: DsrInput,
      status: 201,
      change: async (call, work) => viewDsr(await createDsr(work, call.source(), call.body), work.now),
    }),
    listRoute('/v1/dsr', {
      operationId: 'listDsrs',
      ...readingDsr,
      ...pages,
      summary: 'List data-subject requests, newest first',
      filters: dsrFilters,
      result: cursorPageOf(DsrView),
      find: async ({ query, principal: { tenantId }, now }, start) =>
        mapPage(await listDsrs(database.kysely, tenantId, query, now, start), (row) => viewDsr(row, now)),
    }),
    defineRoute('GET /v1/dsr/{id}', {
      operationId: 'getDsr',
      ...readingDsr,
      summary: 'Get a data-subject request',
      params,
      result: DsrView,
      handle: async ({ params, principal, now }) =>
        viewDsr(await requireDsr(database.kysely, principal.tenantId, params.id), now),
    }),
    defineRoute('POST /v1/dsr/{id}/extend', {
      operationId: 'extendDsr',
      ...writingDsr,
      summary: 'Extend the period of a data-subject request, once',
      description:
        'Allowed while the period runs. The period triples, up to 90 days after the receipt: 30 days become 90, and so do 45. Repeating the request with the same reason changes nothing.',
      params,
      body: DsrExtension,
      errors: ['dsr_already_completed', 'dsr_extension_not_allowed'],
      change: async (call, work) => viewDsr(await extendDsr(work, call.source(), call.params.id, call.body), work.now),
    }),
    defineRoute('POST /v1/dsr/{id}/complete', {
      operationId: 'completeDsr',
      ...writingDsr,
      summary: 'Complete a data-subject request',
      description:
        'Emits `dsr.completed`. Repeating the request with the same outcome and reason changes nothing and emits nothing.',
      params,
      body: DsrCompletion,
      errors: ['dsr_already_completed'],
      change: async (call, work) =>
        viewDsr(await completeDsr(work, call.source(), call.params.id, call.body), work.now),
    }),
    defineRoute('POST /v1/breach', {
      operationId: 'reportBreach',
      ...writingBreach,
      summary: 'Report a breach of personal data',
      description:
        'The authority must be notified within 72 hours of the discovery (GDPR Article 33(1)). Emits `breach.reported`.',
      body: BreachInput,
      status: 201,
      change: async (call, work) => viewBreach(await reportBreach(work, call.source(), call.body), work.now),
    }),
    listRoute('/v1/breach', {
      operationId: 'listBreaches',
      ...readingBreach,
      ...pages,
      summary: 'List breaches, newest first',
      filters: breachFilters,
      result: cursorPageOf(BreachView),
      find: async ({ query, principal: { tenantId }, now }, start) =>
        mapPage(await listBreaches(database.kysely, tenantId, query, start), (row) => viewBreach(row, now)),
    }),
    defineRoute('GET /v1/breach/{id}', {
      operationId: 'getBreach',
      ...readingBreach,
      summary: 'Get a breach',
      params,
      result: BreachView,
      handle: async ({ params, principal, now }) =>
        viewBreach(await requireBreach(database.kysely, principal.tenantId, params.id), now),
    }),
    defineRoute('PATCH /v1/breach/{id}', {
      operationId: 'editBreach',
      ...writingBreach,
      summary: 'Edit a breach: its status, its notifications, its details',
      description: `Omitted fields keep their values. An open breach can become contained or closed, a contained one closed, and a closed one can be reopened.

\`notificationReason\` is required to close a breach that the authority was not notified of, and if it was notified after the 72 hours. Emits \`breach.updated\`; an edit that changes nothing emits nothing.`,
      params,
      body: BreachChange,
      errors: ['breach_transition_not_allowed'],
      change: async (call, work) =>
        viewBreach(await editBreach(work, call.source(), call.params.id, call.body), work.now),
    }),
  ];
}
