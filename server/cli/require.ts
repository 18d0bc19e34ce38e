import { existsSync } from 'node:fs';
import { z } from 'zod';
import { findTenant, requireIntactTenants } from '../accounts/tenants/store.ts';
import type { Tenant } from '../accounts/tenants/tenant.ts';
import { databaseFile } from '../installation/installation.ts';
import type { Settings } from '../settings.ts';
import type { Queries } from '../storage/queries.ts';
import { UsageError } from './command.ts';

/** The option that names a tenant; `requireTenant` reads it. */
export const tenantOption = { schema: z.string(), meaning: 'id or slug of the tenant' };

/** Finds a tenant by id or slug. @param place begins the message. @throws {UsageError} @throws {BrokenSeal} */
export async function requireTenant(queries: Queries, name: string, place = 'There'): Promise<Tenant> {
  const tenant = await findTenant(queries, name);
  if (tenant !== undefined) return tenant;
  // A changed row is not missing, and a changed slug hides it.
  await requireIntactTenants(queries);
  throw new UsageError(`${place} is no tenant ${name}.`);
}

/** For commands that must not create a database. @throws {UsageError} if there is none. */
export function requireDatabase({ databaseUrl, dataDir }: Settings): void {
  if (databaseUrl !== null || existsSync(databaseFile(dataDir))) return;
  throw new UsageError(`There is no database in ${dataDir}. Name one with SVC_DATA_DIR or DATABASE_URL.`);
}
