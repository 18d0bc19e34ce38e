import { z } from 'zod';
import { requireFound } from '../http/problem.ts';
import { defineRoute, type Route } from '../http/route.ts';
import { Id, listOf, queryInteger } from '../http/schemas.ts';
import { addTime, dayMilliseconds } from '../storage/database.ts';
import { findNotice } from './notice-store.ts';
import type { ConsentServices } from './record-routes.ts';
import { listDays, listSightings, mostHosts, NoticeDay, NoticeSighting } from './statistics-store.ts';

const params = z.strictObject({ id: Id });

const ofNotice = { tag: 'Consent notices', scope: 'consent:read', params } as const;

/** What became of a notice: what was decided on it, and where it was seen. */
export function statisticsRoutes({ database: { kysely } }: ConsentServices): readonly Route[] {
  return [
    defineRoute('GET /v1/consent/{id}/statistics', {
      operationId: 'getConsentNoticeStatistics',
      ...ofNotice,
      summary: 'Count the decisions on a notice by day and purpose, newest first',
      description: 'A day without reads and records is absent. The counts of records are exact.',
      query: z.strictObject({ days: queryInteger(1, 366, 30) }),
      result: listOf(NoticeDay),
      async handle({ params: { id }, query: { days }, principal: { tenantId }, now }) {
        requireFound(await findNotice(kysely, tenantId, id), 'consent notice');
        const first = addTime(now, (1 - days) * dayMilliseconds).slice(0, 10);
        return { items: await listDays(kysely, id, first), nextCursor: null };
      },
    }),
    defineRoute('GET /v1/consent/{id}/sightings', {
      operationId: 'listConsentNoticeSightings',
      ...ofNotice,
      summary: 'List the hosts whose pages show a notice, the latest seen first',
      description: `Written every five seconds. Only hosts of the domain of the notice, and at most ${mostHosts}: a new one takes the place of one that was not seen for a day. Any client can claim to be a page of a host, so this is no evidence.`,
      result: listOf(NoticeSighting),
      async handle({ params: { id }, principal: { tenantId } }) {
        requireFound(await findNotice(kysely, tenantId, id), 'consent notice');
        return { items: await listSightings(kysely, id), nextCursor: null };
      },
    }),
  ];
}
