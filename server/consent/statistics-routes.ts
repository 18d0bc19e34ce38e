import { z } from 'zod';
import { requireFound } from '../http/problem.ts';
import { defineRoute, type Route } from '../http/route.ts';
import { Id, listOf, queryInteger } from '../http/schemas.ts';
import { addTime, dayMilliseconds } from '../storage/database.ts';
import { findNotice, findVersion } from './notice-store.ts';
import { originMatches } from './recorder.ts';
import { listDays, listSightings, mostHosts, mostRefusedHosts, NoticeDay, NoticeSighting } from './statistics-store.ts';

const params = z.strictObject({ id: Id });

const ofNotice = { tag: 'Consent notices', scope: 'consent:read', params } as const;

/** Statistics of a notice: the decisions on it, and the hosts where it was seen. */
export function statisticsRoutes(): readonly Route[] {
  return [
    defineRoute('GET /v1/consent/{id}/statistics', {
      operationId: 'getConsentNoticeStatistics',
      reads: 'replica',
      sdkMethod: 'consent.notices.statistics',
      ...ofNotice,
      summary: 'Count the decisions on a notice by day and purpose, newest first',
      description: 'A day without reads and records is absent. The counts of records are exact.',
      query: z.strictObject({ days: queryInteger(1, 366, 30) }),
      result: listOf(NoticeDay),
      async handle({ params: { id }, query: { days }, queries, principal: { tenantId }, now }) {
        requireFound(await findNotice(queries, tenantId, id), 'consent notice');
        const first = addTime(now, (1 - days) * dayMilliseconds).slice(0, 10);
        return { items: await listDays(queries, tenantId, id, first), nextCursor: null };
      },
    }),
    defineRoute('GET /v1/consent/{id}/sightings', {
      operationId: 'listConsentNoticeSightings',
      reads: 'replica',
      sdkMethod: 'consent.notices.listSightings',
      ...ofNotice,
      summary: 'List the hosts whose pages show a notice, the latest seen first',
      description: `Written every five seconds. At most ${mostHosts} hosts of the domain of the notice, and at most ${mostRefusedHosts} others, whose decisions were refused (\`lastRefusedAt\`): a new one takes the place of one of its kind that was not seen for a day. Any client can claim to be a page of a host, so this is no evidence.`,
      result: listOf(NoticeSighting),
      async handle({ params: { id }, queries, principal: { tenantId } }) {
        const { version, ...draft } = requireFound(await findNotice(queries, tenantId, id), 'consent notice');
        const { domain } = (await findVersion(queries, tenantId, id, version ?? 0)) ?? draft;
        // A host that belongs to the domain by now is refused no longer, and listed again when it is next seen.
        const isCurrent = ({ host, lastRefusedAt }: NoticeSighting) =>
          lastRefusedAt === null || !originMatches(`https://${host}`, domain);
        return { items: (await listSightings(queries, tenantId, id)).filter(isCurrent), nextCursor: null };
      },
    }),
  ];
}
