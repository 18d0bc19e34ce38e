import { type Actor, systemActor } from '../access/principal.ts';
import type { PrivateHasher } from '../access/private-hash.ts';
import type { PrincipalCall } from '../http/route.ts';

/** Who did it, from where: keyed hashes of the address and the user agent, null where there are none. */
export interface AuditSource {
  readonly tenantId: string;
  readonly actor: Actor;
  readonly ipHash: string | null;
  readonly userAgentHash: string | null;
}

/** The caller of an operation. */
export function callSource({ principal, client }: PrincipalCall, hasher: PrivateHasher): AuditSource {
  const { tenantId, actor } = principal;
  return {
    tenantId,
    actor,
    ipHash: hasher.hash(tenantId, client.address),
    userAgentHash: hasher.hash(tenantId, client.userAgent),
  };
}

/** The server itself, for a tenant. */
export function systemSource(tenantId: string): AuditSource {
  return { tenantId, actor: systemActor, ipHash: null, userAgentHash: null };
}
