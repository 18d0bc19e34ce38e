import { z } from 'zod';
import { readCursor, writeCursor } from '../http/cursor.ts';
import { notFound } from '../http/problem.ts';
import { defineRoute, type Route } from '../http/route.ts';
import { Cursor, cursorPageOf, queryInteger, Time, text } from '../http/schemas.ts';
import { actorTypes } from '../principal/principal.ts';
import type { Database } from '../storage/database.ts';
import { AuditEvent, AuditEventDetail } from './event.ts';
import { findEvent, listEvents } from './store.ts';

/** The operations of spec.md "Audit". */
export function auditRoutes(database: Database): readonly Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/v1/audit',
      operationId: 'listAuditEvents',
      tag: 'Audit',
      summary: 'List audit events, newest first',
      scope: 'audit:read',
      query: z.strictObject({
        module: text(64).min(1).optional(),
        actor: z.enum(actorTypes).optional(),
        from: Time.optional().meta({ description: 'Events at this time or later.' }),
        to: Time.optional().meta({ description: 'Events before this time.' }),
        cursor: Cursor,
        limit: queryInteger(1, 200, 50),
      }),
      status: 200,
      result: cursorPageOf(AuditEvent),
      errors: ['invalid_cursor'],
      async handle({ query, principal: { tenantId } }) {
        const { cursor, limit, ...filter } = query;
        const list = ['audit', tenantId, filter.module, filter.actor, filter.from, filter.to];
        const before = cursor === undefined ? null : readCursor(list, cursor, 'number');
        const { items, next } = await listEvents(database.kysely, tenantId, filter, before, limit);
        return { items, nextCursor: next === null ? null : writeCursor(list, next) };
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/v1/audit/{id}',
      operationId: 'getAuditEvent',
      tag: 'Audit',
      summary: 'Get one audit event with its details',
      scope: 'audit:read',
      params: z.strictObject({ id: z.string().min(1) }),
      status: 200,
      result: AuditEventDetail,
      async handle({ params, principal }) {
        const event = await findEvent(database.kysely, principal.tenantId, params.id);
        if (event === undefined) throw notFound('audit event');
        return event;
      },
    }),
  ];
}
