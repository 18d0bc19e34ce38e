import { z } from 'zod';
import { callSource } from '../audit/source.ts';
import { readCursor, writeCursor } from '../http/cursor.ts';
import { notFound } from '../http/problem.ts';
import { defineRoute, type Route } from '../http/route.ts';
import { Cursor, Id, pageOf, queryInteger } from '../http/schemas.ts';
import { BreachChange, BreachInput, BreachSeverity, BreachStatusName, BreachView, viewBreach } from './breach.ts';
import { editBreach, reportBreach } from './breach-changes.ts';
import { findBreach, listBreaches } from './breach-store.ts';
import type { PrivacyServices } from './services.ts';

const tag = 'Breaches';
const BreachParams = z.strictObject({ id: Id });

/** The operations on breaches of personal data. */
export function breachRoutes({ database, hasher }: PrivacyServices): readonly Route[] {
  return [
    defineRoute({
      method: 'POST',
      path: '/v1/breach',
      operationId: 'reportBreach',
      tag,
      summary: 'Report a breach of personal data',
      description:
        'The authority must be notified within 72 hours of the discovery (GDPR Article 33(1)). Emits `breach.reported`.',
      scope: 'breach:write',
      body: BreachInput,
      status: 201,
      result: BreachView,
      change: async (call, work) => viewBreach(await reportBreach(work, callSource(call, hasher), call.body), work.now),
    }),
    defineRoute({
      method: 'GET',
      path: '/v1/breach',
      operationId: 'listBreaches',
      tag,
      summary: 'List breaches, newest first',
      scope: 'breach:read',
      query: z.strictObject({
        status: BreachStatusName.optional(),
        severity: BreachSeverity.optional(),
        cursor: Cursor,
        limit: queryInteger(1, 100, 25),
      }),
      status: 200,
      result: pageOf(BreachView),
      errors: ['invalid_cursor'],
      async handle({ query, principal: { tenantId }, now }) {
        const { cursor = null, limit, status, severity } = query;
        const list = ['breach', tenantId, status, severity];
        const before = cursor === null ? null : readCursor(list, cursor, 'string');
        const filter = { status, severity };
        const { breaches, total, next } = await listBreaches(database.kysely, tenantId, filter, before, limit);
        const nextCursor = next === null ? null : writeCursor(list, next);
        return { data: breaches.map((breach) => viewBreach(breach, now)), page: { cursor, nextCursor, limit, total } };
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/v1/breach/{id}',
      operationId: 'getBreach',
      tag,
      summary: 'Get a breach',
      scope: 'breach:read',
      params: BreachParams,
      status: 200,
      result: BreachView,
      async handle({ params, principal, now }) {
        const breach = await findBreach(database.kysely, principal.tenantId, params.id);
        if (breach === undefined) throw notFound('breach');
        return viewBreach(breach, now);
      },
    }),
    defineRoute({
      method: 'PATCH',
      path: '/v1/breach/{id}',
      operationId: 'editBreach',
      tag,
      summary: 'Edit a breach: its status, its notifications, its details',
      description: `What is left out stays as it is. An open incident can become contained or closed, a contained one closed, and a closed one open again.

\`notificationReason\` is required to close an incident that the authority was not notified of, and where it was notified after the 72 hours. Emits \`breach.updated\`; an edit that changes nothing emits nothing.`,
      scope: 'breach:write',
      params: BreachParams,
      body: BreachChange,
      status: 200,
      result: BreachView,
      errors: ['breach_transition_not_allowed'],
      change: async (call, work) =>
        viewBreach(await editBreach(work, callSource(call, hasher), call.params.id, call.body), work.now),
    }),
  ];
}
