import { type Actor, type AuditSource, systemActor } from '../../http/principal.ts';
import type { Client } from '../../http/request.ts';
import type { PrivateHasher } from '../../storage/secrets.ts';

export type { AuditSource } from '../../http/principal.ts';

/** The actor of a change, for each tenant that records it: hashes use the key of the tenant. */
export type SourceOf = (tenantId: string) => AuditSource;

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
