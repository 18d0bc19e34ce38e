import type { Client } from '../http/client.ts';
import type { PrincipalCall } from '../http/route.ts';
import type { PrivateHasher } from '../installation/secrets.ts';
import { type Actor, systemActor } from '../principal/principal.ts';

/** The actor of a change, with keyed hashes of the address and the user agent; null where there are none. */
export interface AuditSource {
  readonly tenantId: string;
  readonly actor: Actor;
  readonly ipHash: string | null;
  readonly userAgentHash: string | null;
}

/** The actor of a change, for each tenant that records it: hashes use the key of the tenant. */
export type SourceOf = (tenantId: string) => AuditSource;

/** The caller of an operation. */
export function callSource(call: PrincipalCall, hasher: PrivateHasher): AuditSource {
  return clientSource(call.principal.actor, call.client, hasher)(call.principal.tenantId);
}

/** An actor at a client, for any tenant. */
export function clientSource(actor: Actor, client: Client, hasher: PrivateHasher): SourceOf {
  return (tenantId) => ({
    tenantId,
    actor,
    ipHash: hasher.hash(tenantId, client.address),
    userAgentHash: hasher.hash(tenantId, client.userAgent),
  });
}

/** The server itself, for a tenant. */
export function systemSource(tenantId: string): AuditSource {
  return { tenantId, actor: systemActor, ipHash: null, userAgentHash: null };
}
