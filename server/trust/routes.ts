import { hash } from 'node:crypto';
import { z } from 'zod';
import { ReadyAnswer } from '../http/answer.ts';
import { requireFound } from '../http/problem.ts';
import { readOwnAddress } from '../http/request.ts';
import { defineRoute, type PrincipalCall, type Route } from '../http/route.ts';
import type { Installation } from '../installation/installation.ts';
import { requireTenant } from '../tenants/store.ts';
import type { Tenant } from '../tenants/tenant.ts';
import { findTrustCenter, type PublishedTrust, readContent, replaceTrustCenter, type TrustCenterRow } from './store.ts';
import { listAchievements, TrustCenterInput, TrustCenterView, TrustWidget, trustPath } from './trust-center.ts';

/** The operations on the trust center of the caller's tenant, and the data of the badge. */
export function trustRoutes(
  { database, settings: { baseUrl } }: Pick<Installation, 'database' | 'settings'>,
  publishedTrust: PublishedTrust,
): readonly Route[] {
  /** @throws {Problem} `validation_failed` for an invalid Host. */
  const view = ({ client }: PrincipalCall, { slug, name }: Tenant, row: TrustCenterRow | undefined) => {
    const publishedAt = row?.published_at ?? null;
    const url = readOwnAddress(baseUrl, client) + trustPath(slug);
    const published = publishedAt !== null;
    return { slug, name, url, published, ...readContent(row), publishedAt, updatedAt: row?.updated_at ?? null };
  };
  return [
    defineRoute('GET /v1/trust', {
      operationId: 'getTrustCenter',
      tag: 'Trust center',
      summary: 'Get the trust center',
      scope: 'trust:read',
      result: TrustCenterView,
      async handle(call) {
        const tenant = await requireTenant(database.kysely, call.principal.tenantId);
        return view(call, tenant, await findTrustCenter(database.kysely, tenant.id));
      },
    }),
    defineRoute('PUT /v1/trust', {
      operationId: 'replaceTrustCenter',
      tag: 'Trust center',
      summary: 'Replace the trust center; publish or unpublish it',
      description:
        'Omitted fields become empty. All texts are plain text: markup in them is shown as text. If nothing changes, nothing is written. The limits of all fields together exceed the maximum body of 64 KiB.',
      scope: 'trust:write',
      body: TrustCenterInput,
      result: TrustCenterView,
      async change(call, work) {
        const tenant = await requireTenant(work.transaction, call.principal.tenantId);
        work.afterCommit(() => publishedTrust.forget(tenant.slug));
        return view(call, tenant, await replaceTrustCenter(work, call.source(), tenant.slug, call.body));
      },
    }),
    defineRoute('GET /v1/public/trust/{slug}/widget', {
      auth: 'public',
      operationId: 'getPublicTrustWidget',
      tag: 'Public',
      summary: 'Get the data of the trust badge',
      description:
        'Answers 404 unless the trust center is published. Send the `ETag` back as `If-None-Match` to get a 304 while the data has not changed.',
      // Any text, so that an invalid slug returns 404 too.
      params: z.strictObject({ slug: z.string() }),
      headers: ['ETag', 'Cache-Control'],
      result: TrustWidget,
      async handle({ params, now }) {
        const center = await publishedTrust.find(params.slug);
        const { name, slug, content, updatedAt } = requireFound(center, 'published trust center');
        const achievedFrameworks = listAchievements(content, now).map(({ framework }) => framework.name);
        const body = JSON.stringify({ data: { name, slug, achievedFrameworks, updatedAt } });
        return new ReadyAnswer(200, body, { ETag: `"${hash('sha256', body).slice(0, 16)}"`, 'Cache-Control': caching });
      },
    }),
  ];
}

/** Cached for the pages of a site, and at most a minute old after a trust center is unpublished. */
const caching = 'public, max-age=30, stale-while-revalidate=30';
