import { unauthenticated } from '../../http/authorize.ts';
import { Problem } from '../../http/problem.ts';
import { staffRole } from '../../http/roles.ts';
import type { UserCall } from '../../http/route.ts';
import { recordEvents } from '../../ledger/audit/store.ts';
import type { Transaction } from '../../storage/database.ts';
import { updateRow } from '../../storage/rows.ts';
import { canSignIn } from '../members/membership.ts';
import { findMember } from '../members/membership-store.ts';
import { findTenant } from '../tenants/store.ts';
import { moveSession } from './session-store.ts';
import { sessionEvent } from './sign-in.ts';

/**
 * Moves the session of a call to another tenant that its user can sign in to. The token changes and the lifetime does not.
 * @param wanted the id or slug of the tenant.
 * @throws {Problem} `tenant_not_allowed`, the same for a tenant that does not exist; `unauthenticated` if the session ended.
 */
export async function switchTenant({ principal, source }: UserCall, wanted: string, tx: Transaction) {
  const { tenantId, actor, credential } = principal;
  const tenant = await findTenant(tx.queries, wanted);
  if (tenant === undefined) throw notAllowed();
  await tx.lockAccount(actor.id);
  await tx.lockTenant(tenantId, tenant.id);
  const membership = await findMember(tx.queries, tenant.id, actor.id);
  if (membership === undefined || !canSignIn(membership)) throw notAllowed();
  const session = await moveSession(tx, { userId: actor.id, session: credential }, tenant.id);
  if (session === undefined) throw unauthenticated('The session has ended; sign in again.');
  if (tenant.id === tenantId) return { membership, session };
  const match = { tenant_id: tenant.id, user_id: actor.id };
  await updateRow(tx.queries, 'memberships', match, { last_signed_in_at: tx.now });
  const type = membership.role === staffRole ? 'staff' : 'user';
  const sessionId = session.id;
  // Neither tenant learns of the other.
  const left = { ...sessionEvent('ended', actor.id, actor.email, { sessionId }), reason: 'Switched to another tenant' };
  const entered = sessionEvent('created', actor.id, membership.user_name, { sessionId, method: 'tenant_switch' });
  await recordEvents(tx, [
    { source: source(), event: left },
    { source: { ...source(tenant.id), actor: { ...actor, type } }, event: entered },
  ]);
  return { membership, session };
}

function notAllowed(): Problem {
  return new Problem('tenant_not_allowed', 'You cannot sign in to this tenant.');
}
