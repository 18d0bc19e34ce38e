import { Problem } from '../http/problem.ts';
import type { Principal } from '../principal/principal.ts';
import { platformRole, scopesOf } from '../principal/roles.ts';
import type { Queries } from '../storage/database.ts';
import type { Membership } from './membership.ts';
import { hasOtherAdmin } from './membership-store.ts';

/**
 * Nobody makes others more than they are, nor changes those who are more: a role can be given, and whoever has it be
 * changed, by whoever holds every scope of it. The role of the platform is its operator's to give.
 * @throws {Problem} `forbidden`.
 */
export function requireRoleToGive({ scopes }: Principal, role: string): void {
  if (role === platformRole)
    throw new Problem(
      'forbidden',
      `Only the operator of this server gives the role ${platformRole}, or takes it up again.`,
    );
  const missing = [...scopesOf(role)].filter((scope) => !scopes.has(scope));
  if (missing.length === 0) return;
  throw new Problem('forbidden', `The role ${role} may do more than you may yourself: ${missing.join(', ')}.`);
}

/**
 * The last administrator who can sign in stays one, so that a tenant never shuts itself out. The identity provider is not
 * bound by this: it comes with a token of its own.
 * @throws {Problem} `conflict`.
 */
export async function requireAdminLeft(queries: Queries, member: Membership): Promise<void> {
  if (member.role !== 'admin' || member.status !== 'active' || !member.isAccepted) return;
  if (await hasOtherAdmin(queries, member)) return;
  throw new Problem('conflict', 'This is the last administrator who can sign in; make somebody else one first.');
}
