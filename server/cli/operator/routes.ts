import { viewInvitation } from '../../accounts/members/invitation-routes.ts';
import { invite } from '../../accounts/members/invitations.ts';
import { createTenant } from '../../accounts/tenants/store.ts';
import { defineRoute, listRoute, type Route } from '../../http/route.ts';
import { cursorPageOf } from '../../http/schemas.ts';
import type { Services } from '../../installation/feature.ts';
import { Overview } from './overview.ts';
import { readOverview } from './overview-store.ts';
import { listPortfolio, listTenantSummaries } from './store.ts';
import { readSystemStatus, SystemStatus } from './system.ts';
import { CreatedTenant, PortfolioTenant, TenantInput, TenantSummary } from './tenant.ts';

/** The operations of the people who run the server, and the overview of a tenant. */
export function platformRoutes(services: Services): readonly Route[] {
  const common = { tag: 'Platform', auth: 'platform' } as const;
  return [
    defineRoute('GET /v1/overview', {
      operationId: 'getOverview',
      reads: 'replica',
      sdkMethod: 'tenant.overview',
      tag: 'Tenant',
      summary: 'Get what waits for the caller',
      description:
        'Every role may call it; each part of the answer needs the scope that it names, and is null without. It is what the start page of the dashboard shows.',
      scope: 'members:read',
      result: Overview,
      handle: ({ principal, now, queries }) => readOverview(queries, principal, now),
    }),
    listRoute('/v1/tenants', {
      ...common,
      operationId: 'listTenants',
      reads: 'replica',
      summary: 'List the tenants of this server, newest first',
      scope: 'tenants:read',
      limit: { most: 100, usual: 25 },
      result: cursorPageOf(TenantSummary),
      place: 'string',
      find: ({ queries }, { after, limit }) => listTenantSummaries(queries, after, limit),
    }),
    defineRoute('POST /v1/tenants', {
      ...common,
      operationId: 'createTenant',
      summary: 'Create a tenant and invite its first administrator',
      description:
        'Returns the token of the invitation, which is shown only once: give it to the user, who sends it with a password to /v1/auth/invitations/accept within a week. Answers 409 `conflict` if the slug is taken. The audit log of the new tenant records who created it, as `staff`.',
      scope: 'tenants:write',
      body: TenantInput,
      status: 201,
      result: CreatedTenant,
      showsSecret: true,
      async write({ body: { slug, name, adminEmail: email }, principal, source }, tx) {
        const actor = { ...principal.actor, type: 'staff' } as const;
        const sourceOf = (tenantId: string) => ({ ...source(tenantId), actor });
        const tenant = await createTenant(tx, { slug, name }, sourceOf);
        const wanted = { email, role: 'admin', defaultRole: 'admin' } as const;
        const { row, token } = await invite(tx, sourceOf(tenant.id), wanted);
        const { id, createdAt } = tenant;
        return {
          tenant: { id, slug, name, createdAt, members: 0, notices: 0 },
          invitation: { ...viewInvitation(row, tx.now), token },
        };
      },
    }),
    defineRoute('GET /v1/system', {
      ...common,
      operationId: 'getSystem',
      summary: 'Get the state of this server',
      description:
        'Versions, sizes and queues, for the administrator. With several servers, the process and the disk are those of the one that answers.',
      scope: 'system:read',
      result: SystemStatus,
      handle: () => readSystemStatus(services),
    }),
    listRoute('/v1/staff/tenants', {
      ...common,
      operationId: 'listPortfolio',
      reads: 'replica',
      summary: 'List the tenants of your portfolio with what is overdue, newest first',
      description:
        'The tenants in which you have the role `dpco_principal`; of those that require a second factor, only with one. To read one of them, switch the session to it (POST /v1/me/tenant) or send Svc-Tenant.',
      scope: 'portfolio:read',
      limit: { most: 50, usual: 25 },
      result: cursorPageOf(PortfolioTenant),
      place: 'string',
      find: ({ principal: { tenantId, otherTenantIds }, now, queries }, { after, limit }) =>
        listPortfolio(queries, [...new Set([tenantId, ...otherTenantIds])], now, after, limit),
    }),
  ];
}
