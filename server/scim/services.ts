import type { PrincipalCall } from '../http/route.ts';
import type { Installation } from '../installation/installation.ts';
import type { Queries } from '../storage/database.ts';
import { findTenant } from '../tenants/store.ts';
import type { Tenant } from '../tenants/tenant.ts';

/** What the SCIM operations work with. */
export interface ScimServices extends Pick<Installation, 'database' | 'hasher'> {
  /** The public address of this server, which locations begin with; null to take the Host that was asked. */
  readonly baseUrl: string | null;
}

/** The tenant of a call, whose token was just recognised. */
export async function readTenant(queries: Queries, { principal: { tenantId } }: PrincipalCall): Promise<Tenant> {
  const tenant = await findTenant(queries, tenantId);
  if (tenant === undefined) throw new Error(`the tenant ${tenantId} of a SCIM token is gone`);
  return tenant;
}
