import { z } from 'zod';
import { actorTypes } from '../../http/principal.ts';
import { requireFound } from '../../http/problem.ts';
import { defineRoute, listRoute, type Route } from '../../http/route.ts';
import { cursorPageOf, Time, text } from '../../http/schemas.ts';
import type { Database } from '../../storage/database.ts';
import { AuditEvent, AuditEventDetail, findEvent, listEvents } from './events.ts';

/** The operations of spec.md "Audit". */
export function auditRoutes(database: Database): readonly Route[] {
  return [
    listRoute('/v1/audit', {
      operationId: 'listAuditEvents',
      reads: 'replica',
      sdkMethod: 'audit.list',
      tag: 'Audit',
      summary: 'List audit events, newest first',
      description:
        'With two or more of `module`, `actor`, `action`, `actorId` and `targetId`, a page reads at most 2,000 events: it may have fewer items than `limit`, or none, and still a `nextCursor`.',
      scope: 'audit:read',
      filters: {
        module: text(64).min(1).optional(),
        actor: z.enum(actorTypes).optional(),
        action: text(64).min(1).optional().meta({ description: 'Exactly this action: `consent_notice.published`.' }),
        actorId: text(256).min(1).optional().meta({ description: 'The user or the API key that acted.' }),
        targetId: text(256).min(1).optional().meta({ description: 'What was changed.' }),
        from: Time.optional().meta({ description: 'Events at this time or later.' }),
        to: Time.optional().meta({ description: 'Events before this time.' }),
      },
      limit: { most: 200, usual: 50 },
      result: cursorPageOf(AuditEvent),
      place: 'number',
      find: ({ query, queries, principal: { tenantId } }, { after, limit }) =>
        listEvents(queries, tenantId, query, after, limit),
    }),
    defineRoute('GET /v1/audit/{id}', {
      operationId: 'getAuditEvent',
      sdkMethod: 'audit.retrieve',
      tag: 'Audit',
      summary: 'Get one audit event with its details',
      scope: 'audit:read',
      params: z.strictObject({ id: z.string().min(1) }),
      result: AuditEventDetail,
      handle: async ({ params, principal }) =>
        requireFound(await findEvent(database.kysely, principal.tenantId, params.id), 'audit event'),
    }),
  ];
}
