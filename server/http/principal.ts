import type { PlatformScope, Scope } from './roles.ts';

/** The kinds of actors that spec.md "Audit event" names. */
export const actorTypes = ['user', 'api_key', 'system', 'staff'] as const;
export type ActorType = (typeof actorTypes)[number];

/** The actor of a change, as the audit log records it. */
export interface Actor {
  readonly type: ActorType;
  readonly id: string | null;
  readonly email: string | null;
}

/** The actor for the server itself: the command line, visitors without an account. */
export const systemActor: Actor = { type: 'system', id: null, email: null };

/** The actor of a change, with keyed hashes of the address and the user agent; null where there are none. */
export interface AuditSource {
  readonly tenantId: string;
  readonly actor: Actor;
  readonly ipHash: string | null;
  readonly userAgentHash: string | null;
  /** The `traceparent` of the request, for its webhook events. It is not part of the audit log. */
  readonly traceParent?: string | null;
}

/** The credential that a caller presented. Requests are counted by it. */
export interface Credential {
  readonly kind: 'api_key' | 'session' | 'scim_token';
  readonly id: string;
  /** Its own tenant; the request may act for another one. */
  readonly tenantId: string;
}

/** The caller of a request: the actor, the tenant and the scopes. */
export interface Principal {
  readonly tenantId: string;
  readonly actor: Actor;
  readonly scopes: ReadonlySet<Scope | PlatformScope>;
  /** The tenant's pinned API version. */
  readonly apiVersion: string;
  readonly credential: Credential;
  /** The tenants besides its own that Svc-Tenant may name. */
  readonly otherTenantIds: readonly string[];
}
