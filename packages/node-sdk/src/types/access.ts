import type { Time } from './json.ts';
import type { PageParams } from './lists.ts';

/** What a credential may be allowed to do. */
export type Scope =
  | 'audit:read'
  | 'consent:read'
  | 'consent:write'
  | 'controls:read'
  | 'controls:write'
  | 'trust:read'
  | 'trust:write'
  | 'webhooks:read'
  | 'webhooks:write'
  | 'users:read'
  | 'users:write'
  | 'keys:write'
  | 'dsr:read'
  | 'dsr:write'
  | 'breach:read'
  | 'breach:write'
  | 'tenant:write';

export type ApiKeyStatus = 'active' | 'expired' | 'revoked';

/** An API key, without the key itself. */
export interface ApiKey {
  readonly id: string;
  /** The tenant that the key belongs to: another one where it may only act for this. */
  readonly tenantId: string;
  readonly name: string;
  readonly environment: 'live' | 'test';
  /** The first characters of the key, to tell keys apart. */
  readonly displayPrefix: string;
  readonly scopes: readonly Scope[];
  /** The tenants besides its own that it may act for; to another tenant, that one alone. */
  readonly otherTenantIds: readonly string[];
  readonly createdAt: string;
  readonly expiresAt: string | null;
  readonly revokedAt: string | null;
  /** A few seconds old at most. */
  readonly lastUsedAt: string | null;
  /** The key that a rotation made in its place; its own tenant is told alone. */
  readonly replacedById: string | null;
  readonly status: ApiKeyStatus;
}

/** An API key that was just made. */
export interface CreatedApiKey extends ApiKey {
  /** The key itself: shown this once. */
  readonly key: string;
}

/** Which keys are listed. */
export interface ApiKeyListParams extends PageParams {
  readonly status?: ApiKeyStatus | undefined;
}

/** A key to make. */
export interface ApiKeyInput {
  /** 1 to 200 characters. */
  readonly name: string;
  /** Default: `live`. */
  readonly environment?: 'live' | 'test' | undefined;
  /** At least one; each must be a scope of the caller. */
  readonly scopes: readonly Scope[];
  /** When it ends, RFC 3339; default, and null: never. */
  readonly expiresAt?: Time | null | undefined;
  /** Tenants that it may act for besides its own, at most 100; the caller must be able to create keys in each. */
  readonly otherTenantIds?: readonly string[] | undefined;
}

/** How a key is rotated. */
export interface ApiKeyRotation {
  /** How long the old key goes on working, 0 to 168; 0 ends it at once. Default: 24. */
  readonly overlapHours?: number | undefined;
}

/** The SCIM token of the tenant, without the token itself. */
export interface ScimToken {
  readonly id: string;
  /** The first characters of the token, to tell tokens apart. */
  readonly displayPrefix: string;
  readonly createdAt: string;
  /** A few seconds old at most. */
  readonly lastUsedAt: string | null;
}

/** A SCIM token that was just made. */
export interface CreatedScimToken extends ScimToken {
  /** The token itself: shown this once. */
  readonly token: string;
}
