import type { z } from 'zod';
import { invalidValues, Problem } from '../../http/problem.ts';
import { namedObject, textLine } from '../../http/schemas.ts';
import { pastedToken } from '../../http/typed-text.ts';
import type { Installation } from '../../installation/installation.ts';
import { clientSource } from '../../ledger/audit/store.ts';
import { dayMilliseconds, runTransaction } from '../../storage/database.ts';
import { createOneTimeToken, findOneTimeToken } from '../sign-in/one-time-token-store.ts';
import { findWeakness, NewPassword } from '../sign-in/password.ts';
import { lockSignIn, openSession, type SignInServices, type Visitor } from '../sign-in/sign-in.ts';
import { createTenant, endSetup, hasTenants } from '../tenants/store.ts';
import { TenantName, TenantSlug } from '../tenants/tenant.ts';
import { findOrCreateAccount, updatePassword } from './account-store.ts';
import { Email } from './email.ts';
import { addMember } from './membership.ts';

/** How long a setup link is valid, in milliseconds. */
export const setupLifetime = dayMilliseconds;

const GivenName = textLine(200).nullable().default(null);

export const SetupInput = namedObject('SetupInput', {
  token: pastedToken(200).meta({
    description:
      'Of the link that the server printed on its terminal, or else wrote to `setup-link.txt` in its data folder.',
  }),
  organization: namedObject('SetupOrganization', {
    name: TenantName,
    slug: TenantSlug.optional().meta({ description: 'Without it, one is made from the name.' }),
  }),
  email: Email,
  givenName: GivenName,
  familyName: GivenName,
  password: NewPassword,
});

/**
 * Creates the token of the link with which a server without tenants is set up. Every server on the database adds its own;
 * the first tenant ends them all.
 * @returns null if there are tenants.
 */
export function createSetupToken({ database, clock }: Installation) {
  return runTransaction(database, clock(), async (tx) => {
    if (await hasTenants(tx.queries)) return null;
    return (await createOneTimeToken(tx, 'setup', { userId: null, tenantId: null }, setupLifetime)).token;
  });
}

/**
 * Creates the first tenant and its administrator, who also runs the server, and signs them in.
 * @throws {Problem} `not_found` for a link that is unknown, used or expired, and when there are tenants;
 *   `validation_failed` for a weak password; `rate_limited`, `unavailable`.
 */
export async function setUpServer(services: SignInServices, input: z.output<typeof SetupInput>, visitor: Visitor) {
  const { database, hasher, passwords, guard } = services;
  const { organization, email, givenName, familyName, password } = input;
  const link = await findOneTimeToken(database, 'setup', input.token, visitor.now);
  if (link === undefined) throw linkIsOver();
  const { name, slug = makeSlug(name) } = organization;
  const attempt = await guard.admitHolder(email, 'link', link.hash);
  return guard.check(attempt, async () => {
    const words = [email, name, slug, 'svc', ...[givenName, familyName].filter((word) => word !== null)];
    const weakness = await findWeakness(password, { hasSecondFactor: false, words });
    if (weakness !== null) throw invalidValues([{ path: 'body.password', issue: weakness }]);
    const hash = await passwords.hash(attempt, password);
    return runTransaction(database, visitor.now, async (tx) => {
      const { id } = await tx.lockAccount((await findOrCreateAccount(tx, email)).id);
      // Of several setups, the first ends the links; the others wait here for it. A server may have added a link since.
      const ended = await endSetup(tx.queries);
      if (!ended.includes(link.hash) || (await hasTenants(tx.queries))) throw linkIsOver();
      const sourceOf = clientSource({ type: 'user', id, email }, visitor.client, hasher);
      const tenant = await createTenant(tx, { slug, name }, sourceOf);
      const reason = 'Set up with the link of the server';
      const rights = { role: 'platform_admin', isActivated: true, isAccepted: true } as const;
      await addMember(tx, sourceOf(tenant.id), { email, givenName, familyName, ...rights }, reason);
      await updatePassword(tx, sourceOf, id, hash, reason);
      const target = await lockSignIn(tx, services, { tenant_id: tenant.id, user_id: id }, visitor);
      if (target === undefined) throw linkIsOver();
      await guard.succeed(tx, attempt);
      return openSession(tx, services, target, { challengeId: null, method: 'setup_link' }, visitor);
    });
  });
}

/** A slug with the letters and digits of a name. */
function makeSlug(name: string): string {
  const letters = name.normalize('NFKD').toLowerCase().replace(/\p{M}/gu, '');
  const slug = letters
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-/, '')
    .slice(0, 63)
    .replace(/-$/, '');
  return TenantSlug.safeParse(slug).success ? slug : 'main';
}

function linkIsOver(): Problem {
  return new Problem(
    'not_found',
    'This link is unknown, used or expired, or the server is set up already. While it is not, each start creates a new link.',
  );
}
