import type { AuditSource } from '../../http/principal.ts';
import { Problem } from '../../http/problem.ts';
import { isPlatformRole, staffRole } from '../../http/roles.ts';
import { clientSource, type NewAuditEvent, personal, recordEvents } from '../../ledger/audit/store.ts';
import { dayMilliseconds, runTransaction, type Transaction } from '../../storage/database.ts';
import { findRow } from '../../storage/rows.ts';
import { updatePassword } from '../members/account-store.ts';
import { canSignIn } from '../members/membership.ts';
import { isAcceptedElsewhere, listMembershipsOf } from '../members/membership-store.ts';
import { createOneTimeToken, endOneTimeTokens, findOneTimeToken, spendOneTimeToken } from './one-time-token-store.ts';
import { requireStrongPassword } from './password.ts';
import { endSessions } from './session-store.ts';
import type { SignInServices, Visitor } from './sign-in.ts';

/**
 * Creates the token of a link with which a user sets a new password, and ends earlier ones of the user. Anyone who has the
 * link gets into every tenant of the user, so an administrator may create it only for an account that no other tenant
 * relies on; the operator may for everyone. Call it with the account locked.
 * @param creators where the creation is recorded: the tenant of the administrator, or every tenant of the user.
 * @param tenantId the tenant of the administrator; null for the operator.
 */
export async function createPasswordReset(
  tx: Transaction,
  creators: readonly AuditSource[],
  user: { readonly id: string; readonly name: string },
  tenantId: string | null,
): Promise<{ readonly token: string; readonly expiresAt: string }> {
  await endOneTimeTokens(tx.queries, 'password_reset', user.id);
  const created = await createOneTimeToken(tx, 'password_reset', { userId: user.id, tenantId }, dayMilliseconds);
  const diff = { expiresAt: created.expiresAt };
  const action = { module: 'identity', action: 'account.password_reset_created' } as const;
  const event: NewAuditEvent = { ...action, targetId: user.id, targetRef: personal(user.name), diff };
  const events = creators.map((source) => ({ source, event }));
  await recordEvents(tx, events);
  return created;
}

/**
 * Sets the password of the user for whom a link was created. Ends every session of the user; the second factor stays, so a
 * stolen link does not replace it.
 * @throws {Problem} `not_found` for a link that is unknown, used or expired, or whose user has left the tenant or joined
 *   another one since; `validation_failed` for a weak password; `rate_limited`, `unavailable`.
 */
export async function resetPassword(
  services: SignInServices,
  { token, password }: { readonly token: string; readonly password: string },
  { client, now }: Visitor,
): Promise<{ readonly email: string }> {
  const { database, hasher, passwords, guard } = services;
  const { kysely } = database;
  const link = await findOneTimeToken(database, 'password_reset', token, now);
  const account = link && (await findRow(kysely, 'users', { id: link.user_id ?? '' }));
  if (link === undefined || account === undefined) throw linkIsOver();
  const { id, email } = account;
  const [membership] = await listMembershipsOf(kysely, id);
  const tenantId = link.tenant_id ?? membership?.tenant_id ?? '';
  // Failed sign-ins from elsewhere must not block the user.
  const attempt = await guard.admitHolder(email, 'link', link.hash);
  return guard.check(attempt, async () => {
    await requireStrongPassword(kysely, { tenantId, userId: id, email }, 'password', password);
    const hash = await passwords.hash(attempt, password);
    return runTransaction(database, now, async (tx) => {
      const { password_changed_at } = await tx.lockAccount(id);
      if (!(await spendOneTimeToken(tx, link))) throw linkIsOver();
      // A new password ends all links; an older one was put back into the database.
      if (link.password_changed_at !== password_changed_at) throw linkIsOver();
      const memberships = (await listMembershipsOf(tx.queries, id)).filter(canSignIn);
      const own = memberships.find(({ tenant_id }) => tenant_id === link.tenant_id);
      const isForeign = link.tenant_id !== null && (await isAcceptedElsewhere(tx.queries, id, link.tenant_id));
      // The user may have got a platform role since: then only the operator may set their password.
      const isUnentitled = link.tenant_id !== null && (own === undefined || isPlatformRole(own.role));
      if (isForeign || isUnentitled) throw linkIsOver();
      const type = own?.role === staffRole ? 'staff' : 'user';
      const sourceOf = clientSource({ type, id, email }, client, hasher);
      await updatePassword(tx, sourceOf, id, hash, 'Reset with a link');
      await endSessions(tx.queries, { userIds: [id] });
      await guard.succeed(tx, attempt);
      return { email };
    });
  });
}

function linkIsOver(): Problem {
  return new Problem('not_found', 'This link is unknown, used or expired; ask for a new one.');
}
