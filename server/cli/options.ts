import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Time } from '../http/schemas.ts';
import type { Settings } from '../settings.ts';
import type { Queries } from '../storage/database.ts';
import { findTenant } from '../tenants/store.ts';
import type { Tenant } from '../tenants/tenant.ts';
import { type OptionValues, UsageError } from './command.ts';

/** The option that names a tenant; `requireTenant` reads it. */
export const tenantOption = { type: 'string', meaning: 'id or slug of the tenant', required: true } as const;

/**
 * Finds the tenant that an option names.
 * @param option the name of the option, if its message should begin with it.
 * @throws {UsageError}
 */
export async function requireTenant(queries: Queries, value: OptionValues[string], option?: string): Promise<Tenant> {
  const tenant = await findTenant(queries, String(value));
  if (tenant !== undefined) return tenant;
  throw new UsageError(
    option === undefined ? `There is no tenant ${value}.` : `--${option}: there is no tenant ${value}.`,
  );
}

/**
 * Reads an option that is a time, in RFC 3339.
 * @returns UTC with milliseconds; null if the option was not given.
 * @throws {UsageError}
 */
export function readTime(name: string, value: OptionValues[string]): string | null {
  if (value === undefined) return null;
  const time = Time.safeParse(value);
  if (time.success) return time.data;
  throw new UsageError(`--${name}: must be a time such as 2027-01-31T00:00:00Z`);
}

/** The SQLite file of a data folder. */
export function databaseFile(dataDir: string): string {
  return join(dataDir, 'svc.sqlite');
}

/** For commands that must not create a database. @throws {UsageError} if there is none. */
export function requireDatabase({ databaseUrl, dataDir }: Settings): void {
  if (databaseUrl !== null || existsSync(databaseFile(dataDir))) return;
  throw new UsageError(`There is no database in ${dataDir}. Name one with SVC_DATA_DIR or DATABASE_URL.`);
}
