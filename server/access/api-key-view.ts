import { z } from 'zod';
import { Id, list, Time, UtcTime, visibleText } from '../http/schemas.ts';
import { readScopes, scopes } from '../principal/scopes.ts';
import { type KeyEnvironment, keyEnvironments } from './api-key.ts';
import { type ApiKeyRow, otherTenantsOf } from './api-key-store.ts';

const keyStatuses = ['active', 'expired', 'revoked'] as const;
export const KeyStatus = z.enum(keyStatuses).meta({ id: 'ApiKeyStatus' });
export type KeyStatus = z.output<typeof KeyStatus>;

const KeyEnvironmentName = z.enum(keyEnvironments).meta({ id: 'ApiKeyEnvironment' });
const ScopeName = z.enum(scopes).meta({ id: 'Scope' });
const KeyName = visibleText(200);

const fields = {
  id: Id,
  tenantId: Id.meta({ description: 'The tenant that the key belongs to: another one where it may only act for this.' }),
  name: z.string(),
  environment: KeyEnvironmentName,
  displayPrefix: z.string().meta({ description: 'The first characters of the key, to tell keys apart.' }),
  scopes: z.array(ScopeName),
  otherTenantIds: z
    .array(Id)
    .meta({ description: 'The tenants besides its own that Svc-Tenant may name; to another tenant, that one alone.' }),
  createdAt: UtcTime,
  expiresAt: UtcTime.nullable(),
  revokedAt: UtcTime.nullable(),
  lastUsedAt: UtcTime.nullable().meta({ description: 'A few seconds old at most.' }),
  replacedById: Id.nullable().meta({
    description: 'The key that a rotation made in its place; its own tenant is told alone.',
  }),
  status: KeyStatus,
};

/** An API key as it may be shown at any time. */
export const ApiKey = z.strictObject(fields).meta({ id: 'ApiKey' });
export type ApiKey = z.output<typeof ApiKey>;

/** An API key at the moment that it is made. */
export const CreatedApiKey = z
  .strictObject({ ...fields, key: z.string().meta({ description: 'The key itself: shown this once.' }) })
  .meta({ id: 'CreatedApiKey' });

/** What a new key is to be. */
export const WantedApiKey = z
  .strictObject({
    name: KeyName,
    environment: KeyEnvironmentName.default('live'),
    scopes: list(ScopeName, scopes.length)
      .min(1)
      .refine(isSet, 'must not name a scope twice')
      .meta({ description: 'Each must be a scope of the caller.' }),
    expiresAt: Time.nullable().default(null).meta({ description: 'When it ends; null for never.' }),
    otherTenantIds: list(Id, 100)
      .refine(isSet, 'must not name a tenant twice')
      .default([])
      .meta({ description: 'Tenants that Svc-Tenant may name; the caller must be able to create keys in each.' }),
  })
  .meta({ id: 'ApiKeyInput' });

function isSet(values: readonly string[]): boolean {
  return new Set(values).size === values.length;
}

/**
 * A key as it may be shown to a tenant: its own, or one that it may act for, which learns nothing of further tenants.
 * @param now decides whether it has expired.
 */
export function viewApiKey(row: ApiKeyRow, tenantId: string, now: string): ApiKey {
  const isOwn = row.tenant_id === tenantId;
  return {
    id: row.id,
    tenantId: row.tenant_id,
    name: row.name,
    environment: environmentOf(row),
    displayPrefix: row.display_prefix,
    scopes: [...readScopes(row.scopes)],
    otherTenantIds: otherTenantsOf(row).filter((other) => isOwn || other === tenantId),
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
    lastUsedAt: row.last_used_at,
    replacedById: isOwn ? row.replaced_by : null,
    status: statusOf(row, now),
  };
}

export function statusOf(row: Pick<ApiKeyRow, 'revoked_at' | 'expires_at'>, now: string): KeyStatus {
  if (row.revoked_at !== null) return 'revoked';
  return row.expires_at !== null && row.expires_at <= now ? 'expired' : 'active';
}

/** The environment of a key, which its first characters tell. */
export function environmentOf({ display_prefix }: Pick<ApiKeyRow, 'display_prefix'>): KeyEnvironment {
  return display_prefix.startsWith('svc_test_') ? 'test' : 'live';
}
