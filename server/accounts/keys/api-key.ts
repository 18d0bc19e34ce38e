import type { Selectable } from 'kysely';
import { z } from 'zod';
import { readScopes, scopes } from '../../http/roles.ts';
import { Id, list, namedObject, refuseRepeated, Time, UtcTime, viewRow, visibleText } from '../../http/schemas.ts';
import { displayPrefix, generateToken } from '../../installation/token.ts';
import { addTime } from '../../storage/database.ts';
import type { Tables } from '../../storage/tables.ts';
import { type KeyEnvironment, keyEnvironments, otherTenantsOf } from '../credentials.ts';

export type ApiKeyRow = Selectable<Tables['api_keys']>;

/** Generates an API key: `svc_<env>_` and a random part with a checksum. */
export function generateApiKey(environment: KeyEnvironment): string {
  return generateToken(`svc_${environment}_`);
}

/** The part of a key that can be shown later: its prefix and four characters of the secret. */
export function displayApiKey(key: string): string {
  return displayPrefix('svc_live_', key);
}

export const KeyStatus = z.enum(['active', 'expired', 'revoked']).meta({ id: 'ApiKeyStatus' });
export type KeyStatus = z.output<typeof KeyStatus>;

const KeyEnvironmentName = z.enum(keyEnvironments).meta({ id: 'ApiKeyEnvironment' });
const ScopeName = z.enum(scopes).meta({ id: 'Scope' });

export const ApiKey = namedObject('ApiKey', {
  id: Id,
  tenantId: Id.meta({
    description: 'The tenant that the key belongs to; another tenant when the key can only act for this one.',
  }),
  name: z.string(),
  environment: KeyEnvironmentName,
  displayPrefix: z.string().meta({ description: 'The first characters of the key, to identify it.' }),
  scopes: z.array(ScopeName),
  otherTenantIds: z
    .array(Id)
    .meta({ description: 'The other tenants that Svc-Tenant can name; another tenant sees only itself.' }),
  createdAt: UtcTime,
  expiresAt: UtcTime.nullable(),
  revokedAt: UtcTime.nullable(),
  lastUsedAt: UtcTime.nullable().meta({ description: 'Written every few seconds.' }),
  replacedById: Id.nullable().meta({ description: 'The key that replaced it in a rotation; only for its own tenant.' }),
  status: KeyStatus,
});
export type ApiKey = z.output<typeof ApiKey>;

export const CreatedApiKey = ApiKey.extend({
  key: z.string().meta({ description: 'The key itself, shown only once.' }),
}).meta({ id: 'CreatedApiKey' });

export const WantedApiKey = namedObject('ApiKeyInput', {
  name: visibleText(200),
  environment: KeyEnvironmentName.default('live'),
  scopes: list(ScopeName, scopes.length)
    .min(1)
    .superRefine(refuseRepeated('must not name a scope twice'))
    .meta({ description: 'Each must be a scope of the caller.' }),
  expiresAt: Time.nullable().default(null).meta({ description: 'When it expires; null for never.' }),
  otherTenantIds: list(Id, 100)
    .superRefine(refuseRepeated('must not name a tenant twice'))
    .default([])
    .meta({ description: 'Other tenants that Svc-Tenant can name; the caller must be able to create keys in each.' }),
});

/** @param tenantId the tenant of the key, or one that it can act for, which sees no further tenants. */
export function viewApiKey(row: ApiKeyRow, tenantId: string, now: string): ApiKey {
  const isOwn = row.tenant_id === tenantId;
  return viewRow(ApiKey, row, {
    environment: environmentOf(row),
    scopes: [...readScopes(row.scopes)],
    otherTenantIds: otherTenantsOf(row).filter((other) => isOwn || other === tenantId),
    replacedById: isOwn ? row.replaced_by : null,
    status: statusOf(row, now),
  });
}

export function statusOf(row: Pick<ApiKeyRow, 'revoked_at' | 'expires_at'>, now: string): KeyStatus {
  if (row.revoked_at !== null) return 'revoked';
  return row.expires_at !== null && row.expires_at <= now ? 'expired' : 'active';
}

/** The environment of a key, read from its first characters. */
export function environmentOf({ display_prefix }: Pick<ApiKeyRow, 'display_prefix'>): KeyEnvironment {
  return display_prefix.startsWith('svc_test_') ? 'test' : 'live';
}

export function writeOtherTenants(tenantIds: readonly string[]): string | null {
  return tenantIds.length === 0 ? null : tenantIds.join(' ');
}

/** The latest time with a four-digit year; times are compared as text. */
const endOfTime = Date.parse('9999-12-31T23:59:59.999Z');

/** When the replacement of a key expires: it has the lifetime that the old key had when it was created. */
export function successorEnd({ created_at, expires_at }: Pick<ApiKeyRow, 'created_at' | 'expires_at'>, now: string) {
  if (expires_at === null) return null;
  const lifetime = Date.parse(expires_at) - Date.parse(created_at);
  return new Date(Math.min(Date.parse(now) + lifetime, endOfTime)).toISOString();
}

/** The end of some hours from now, but not later than the key expires. */
export function expiryAfter({ expires_at }: Pick<ApiKeyRow, 'expires_at'>, hours: number, now: string): string {
  const end = addTime(now, hours * 3_600_000);
  return expires_at !== null && expires_at < end ? expires_at : end;
}
