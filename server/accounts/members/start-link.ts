import { isIPv4 } from 'node:net';
import { Problem } from '../../http/problem.ts';
import type { Installation } from '../../installation/installation.ts';
import { runTransaction } from '../../storage/database.ts';
import { isSecondFactorEnabled } from '../mfa/second-factor.ts';
import {
  createOneTimeToken,
  endOneTimeTokens,
  findOneTimeToken,
  spendOneTimeToken,
} from '../sign-in/one-time-token-store.ts';
import { lockSignIn, type OpenedSession, openSession, type SignInServices, type Visitor } from '../sign-in/sign-in.ts';
import { findTenant } from '../tenants/store.ts';
import { findAccount } from './account-store.ts';
import { canSignIn } from './membership.ts';
import { findMember } from './membership-store.ts';

const lifetime = 15 * 60_000;

/**
 * Creates the token of the link with which the user who started a server on this machine signs in; earlier ones of the user end.
 * @returns null if the user cannot sign in to the tenant, or has a second factor, which the link must not replace.
 */
export async function createStartToken(
  { database, clock }: Installation,
  { tenant: slug, email }: { readonly tenant: string; readonly email: string },
): Promise<string | null> {
  const { kysely } = database;
  const [tenant, account] = [await findTenant(kysely, slug), await findAccount(kysely, email)];
  if (tenant === undefined || account === undefined) return null;
  const member = await findMember(kysely, tenant.id, account.id);
  if (member === undefined || !canSignIn(member) || (await isSecondFactorEnabled(kysely, account.id))) return null;
  const owner = { userId: account.id, tenantId: tenant.id };
  return runTransaction(database, clock(), async (tx) => {
    await tx.lockAccount(account.id);
    await endOneTimeTokens(tx.queries, 'start', account.id);
    return (await createOneTimeToken(tx, 'start', owner, lifetime)).token;
  });
}

/**
 * Signs in with the link that a server printed when it was started; only from the machine that it runs on.
 * @throws {Problem} `forbidden` from elsewhere, `not_found` for a link that is unknown, used or expired.
 */
export async function startSession(services: SignInServices, token: string, visitor: Visitor): Promise<OpenedSession> {
  const { database } = services;
  if (!isLoopback(visitor.client.address))
    throw new Problem('forbidden', 'This link works only on the machine that the server runs on.');
  const link = await findOneTimeToken(database, 'start', token, visitor.now);
  if (link === undefined || link.user_id === null || link.tenant_id === null) throw linkIsOver();
  const wanted = { user_id: link.user_id, tenant_id: link.tenant_id };
  return runTransaction(database, visitor.now, async (tx) => {
    const target = await lockSignIn(tx, services, wanted, visitor);
    if (target === undefined || (await isSecondFactorEnabled(tx.queries, wanted.user_id))) throw linkIsOver();
    if (link.password_changed_at !== target.account.password_changed_at) throw linkIsOver();
    if (!(await spendOneTimeToken(tx, link))) throw linkIsOver();
    return openSession(tx, services, target, { challengeId: null, method: 'start_link' }, visitor);
  });
}

function isLoopback(address: string | null): boolean {
  return address !== null && (address === '::1' || (isIPv4(address) && address.startsWith('127.')));
}

function linkIsOver(): Problem {
  return new Problem(
    'not_found',
    'This link is unknown, used or expired. Sign in with the password, or restart the server for a new link.',
  );
}
