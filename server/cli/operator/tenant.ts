import { z } from 'zod';
import { Email } from '../../accounts/members/email.ts';
import { CreatedInvitation } from '../../accounts/members/invitation-routes.ts';
import { TenantReference } from '../../accounts/members/membership-store.ts';
import { TenantName, TenantSlug } from '../../accounts/tenants/tenant.ts';
import { namedObject, UtcTime } from '../../http/schemas.ts';

/** A tenant as the administrator of the server sees it: nothing of its data but how much there is. */
export const TenantSummary = namedObject('TenantSummary', {
  ...TenantReference.shape,
  createdAt: UtcTime,
  members: z.int().meta({ description: 'The number of members, suspended ones included.' }),
  notices: z.int().meta({ description: 'The number of consent notices, drafts and archived ones included.' }),
});

export const TenantInput = namedObject('TenantInput', { slug: TenantSlug, name: TenantName, adminEmail: Email });

export const CreatedTenant = namedObject('CreatedTenant', { tenant: TenantSummary, invitation: CreatedInvitation });

/** A tenant of the portfolio of the operator's staff, with what is overdue in it. */
export const PortfolioTenant = namedObject('PortfolioTenant', {
  ...TenantReference.shape,
  overdueRequests: z.int().meta({ description: 'Open data-subject requests past their due date.' }),
  overdueBreaches: z.int().meta({
    description: 'Breaches 72 hours after their discovery, without a notification of the authority or a reason.',
  }),
  overdueEvidence: z.int().meta({ description: 'Controls whose requested evidence is overdue.' }),
  dueTests: z.int().meta({ description: 'Tests of controls that are due.' }),
  failingWebhooks: z.int().meta({ description: 'Webhooks whose deliveries keep failing, or that were disabled.' }),
  readiness: z.int().nullable().meta({ description: 'The score of the readiness; null without a framework.' }),
});
