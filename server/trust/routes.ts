import { hash } from 'node:crypto';
import { z } from 'zod';
import { callSource } from '../audit/source.ts';
import { findOwnAddress } from '../http/own-address.ts';
import { invalidValues, notFound } from '../http/problem.ts';
import { defineRoute, type PrincipalCall, ReadyAnswer, type Route } from '../http/route.ts';
import type { Queries } from '../storage/database.ts';
import { findTenant } from '../tenants/store.ts';
import type { Tenant } from '../tenants/tenant.ts';
import type { TrustServices } from './services.ts';
import { findTrustCenter } from './store.ts';
import { type TrustCenter, trustPath } from './trust-center.ts';
import { replaceTrustCenter } from './trust-changes.ts';
import { emptyContent, TrustCenterInput } from './trust-content.ts';
import { describeWidget, TrustCenterView, TrustWidget } from './trust-view.ts';

/** The operations on the trust center of the caller's tenant, and what the badge reads. */
export function trustRoutes({ database, hasher, baseUrl, publishedTrust }: TrustServices): readonly Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/v1/trust',
      operationId: 'getTrustCenter',
      tag: 'Trust center',
      summary: 'Get the trust center',
      scope: 'trust:read',
      status: 200,
      result: TrustCenterView,
      async handle(call) {
        const locate = requireLocate(baseUrl, call);
        const tenant = await requireTenant(database.kysely, call);
        return view(tenant, await findTrustCenter(database.kysely, tenant.id), locate);
      },
    }),
    defineRoute({
      method: 'PUT',
      path: '/v1/trust',
      operationId: 'replaceTrustCenter',
      tag: 'Trust center',
      summary: 'Replace the trust center; publish or unpublish it',
      description:
        'What is left out is emptied. All texts are plain text: markup in them is shown as it is written. Nothing happens when nothing changed. The limits of all fields together are more than the 64 KiB that a body may have.',
      scope: 'trust:write',
      body: TrustCenterInput,
      status: 200,
      result: TrustCenterView,
      async change(call, work) {
        const locate = requireLocate(baseUrl, call);
        const tenant = await requireTenant(work.transaction, call);
        work.afterCommit(() => publishedTrust.forget(tenant.slug));
        const center = await replaceTrustCenter(work, callSource(call, hasher), tenant.slug, call.body);
        return view(tenant, center, locate);
      },
    }),
    defineRoute({
      auth: 'public',
      method: 'GET',
      path: '/v1/public/trust/{slug}/widget',
      operationId: 'getPublicTrustWidget',
      tag: 'Public',
      summary: 'Get the data of the trust badge',
      description:
        'Answers 404 unless the trust center is published. Send the `ETag` back as `If-None-Match` to get a 304 while the data has not changed.',
      // Any text, so that what is no slug at all is not found either.
      params: z.strictObject({ slug: z.string() }),
      status: 200,
      headers: ['ETag', 'Cache-Control'],
      result: TrustWidget,
      async handle({ params, now }) {
        const center = await publishedTrust.find(params.slug);
        if (center === undefined) throw notFound('published trust center');
        const body = JSON.stringify({ data: describeWidget(center, now) });
        return new ReadyAnswer(200, body, { ETag: `"${hash('sha256', body).slice(0, 16)}"`, 'Cache-Control': caching });
      },
    }),
  ];
}

/** Quick on every page of a site, and a minute after a trust center is taken back no badge shows it any more. */
const caching = 'public, max-age=30, stale-while-revalidate=30';

type Locate = (path: string) => string;

/** @throws {Problem} `validation_failed` for a Host that cannot be one. */
function requireLocate(baseUrl: string | null, { client }: PrincipalCall): Locate {
  const address = findOwnAddress(baseUrl, client);
  if (address === null) throw invalidValues([{ path: 'header.Host', issue: 'must be a host and a port' }]);
  return (path) => address + path;
}

async function requireTenant(queries: Queries, { principal: { tenantId } }: PrincipalCall): Promise<Tenant> {
  const tenant = await findTenant(queries, tenantId);
  if (tenant === undefined) throw notFound('tenant');
  return tenant;
}

function view({ slug, name }: Tenant, center: TrustCenter | undefined, locate: Locate) {
  const { content, publishedAt, updatedAt } = center ?? { content: emptyContent, publishedAt: null, updatedAt: null };
  return {
    slug,
    name,
    url: locate(trustPath(slug)),
    published: publishedAt !== null,
    ...content,
    publishedAt,
    updatedAt,
  };
}
