import { z } from 'zod';
import { keyEnvironments } from '../accounts/credentials.ts';
import { createApiKey } from '../accounts/keys/api-key-store.ts';
import { rotateScimToken } from '../accounts/keys/scim-token.ts';
import { findIntactAccount, updatePassword } from '../accounts/members/account-store.ts';
import { Email, readTypedEmail } from '../accounts/members/email.ts';
import { createUser } from '../accounts/members/invitations.ts';
import { changeMembers, findAnyMembership, memberStatus } from '../accounts/members/membership.ts';
import { listMembershipsOf } from '../accounts/members/membership-store.ts';
import { disableSecondFactor } from '../accounts/mfa/second-factor.ts';
import { createPasswordReset } from '../accounts/sign-in/password-reset.ts';
import { endSessions } from '../accounts/sign-in/session-store.ts';
import { createTenant, findTenant } from '../accounts/tenants/store.ts';
import { TenantName, TenantSlug } from '../accounts/tenants/tenant.ts';
import { Problem } from '../http/problem.ts';
import { isScope, platformRoles, roleIds, scopes } from '../http/roles.ts';
import { openInstallation } from '../installation/installation.ts';
import { randomText } from '../installation/token.ts';
import { systemSource } from '../ledger/audit/store.ts';
import type { UserErasure } from '../privacy/erasure/user-erasure.ts';
import { continueUserErasure, eraseUser, listTenantsWith } from '../privacy/erasure/user-store.ts';
import { dashboardPath } from '../site/serve-dashboard.ts';
import { systemClock } from '../storage/clock.ts';
import { runTransaction } from '../storage/database.ts';
import { removeRemains } from '../storage/erased-remains.ts';
import { defineCommand, flag, time, UsageError, withMessage } from './command.ts';
import { requireTenant, tenantOption } from './require.ts';
import { findServerAddress } from './server-address.ts';

export const tenantCreate = defineCommand({
  options: {
    slug: { schema: TenantSlug, meaning: 'short name in URLs: lower-case letters, digits, hyphens' },
    name: { schema: withMessage(TenantName, 'must have 1 to 200 characters'), meaning: 'display name' },
  },
  async run({ settings, options: { slug, name }, say, result }) {
    await using installation = await openInstallation(settings);
    const { database, clock } = installation;
    if ((await findTenant(database.kysely, slug)) !== undefined)
      throw new UsageError(`The tenant ${slug} already exists.`);
    const { id, apiVersion, createdAt } = await runTransaction(database, clock(), (tx) =>
      createTenant(tx, { slug, name }),
    );
    say(`Created tenant ${slug} (${id}).`);
    say(`Next: svc key create --tenant ${slug} --name "first key" --scopes consent:read,consent:write`);
    result({ id, slug, name, apiVersion, createdAt });
  },
});

const memberRoles = [...roleIds, ...platformRoles] as const;

const GivenName = z.string().trim().max(200, 'must have at most 200 characters').optional();

export const userCreate = defineCommand({
  description: `Roles: ${roleIds.join(', ')}. Only this command gives the roles of the operator's people: dpco_principal, which can read
every tenant of which the user is a member in this role, and platform_admin, an administrator of the tenant who also creates
tenants and sees the state of this server.
A user who already has a password on this server keeps it, and gets an invitation to accept with that password.`,
  options: {
    tenant: tenantOption,
    email: {
      schema: withMessage(Email, 'must be an e-mail address, such as name@example.com'),
      meaning: 'e-mail address, used to sign in',
    },
    role: {
      schema: z.enum(memberRoles, `must be one of: ${memberRoles.join(', ')}`),
      meaning: 'the role of the user in the tenant',
    },
    'given-name': { schema: GivenName, meaning: 'given name', value: 'name' },
    'family-name': { schema: GivenName, meaning: 'family name', value: 'name' },
  },
  async run({ settings, options, say, result }) {
    await using installation = await openInstallation(settings);
    const { database, clock, passwords } = installation;
    const tenant = await requireTenant(database.kysely, options.tenant);
    const { email, role } = options;
    const password = randomText(24);
    const wanted = {
      email,
      role,
      passwordHash: await passwords.hash(password),
      givenName: options['given-name'] || null,
      familyName: options['family-name'] || null,
    };
    const created = await runTransaction(database, clock(), (tx) => createUser(tx, systemSource(tenant.id), wanted));
    if (created === undefined) throw new UsageError(`${email} is already a member of ${tenant.slug}.`);
    const { userId, isPasswordSet, invitationToken } = created;
    say(`${email} is a member of ${tenant.slug} with the role ${role}.`);
    if (isPasswordSet) say(`Password (shown only once):\n${password}`);
    else if (invitationToken === null) say('They sign in with their existing password.');
    else
      say(
        `They already have a password, and must accept the invitation with it. Invitation (shown only once), to be sent with that
password to /v1/auth/invitations/accept within a week:\n${invitationToken}`,
      );
    result({ id: userId, tenantId: tenant.id, email, role, ...(isPasswordSet && { password }), invitationToken });
  },
});

export const userReset = defineCommand({
  description: `For users whom no administrator can help: the last administrator of a tenant, or a member of several tenants.
Records the reset in the audit log of each of their tenants. A reset ends every session of the user; a link does when it is used.`,
  options: {
    email: { schema: z.string(), meaning: 'e-mail address of the user' },
    link: { schema: flag, meaning: 'print a link with which the user sets a new password, once, within a day' },
    password: { schema: flag, meaning: 'set a new password; it is shown only once' },
    'second-factor': { schema: flag, meaning: 'turn the second factor off' },
  },
  async run({ settings, options, say, result }) {
    const {
      link: linksReset = false,
      password: resetsPassword = false,
      'second-factor': resetsFactor = false,
    } = options;
    if (linksReset === resetsPassword && (linksReset || !resetsFactor))
      throw new UsageError('Name what to reset: --link or --password, --second-factor, or one of them and the other');
    await using installation = await openInstallation(settings);
    const { database, clock, passwords } = installation;
    const account = await findIntactAccount(database.kysely, readTypedEmail(options.email) ?? '');
    if (account === undefined) throw new UsageError(`There is no user ${options.email}.`);
    const { id, email } = account;
    const password = resetsPassword ? randomText(24) : null;
    const hash = password === null ? null : await passwords.hash(password);
    const reason = 'Reset by the operator';
    const { isFactorReset, reset } = await runTransaction(database, clock(), async (tx) => {
      await tx.lockAccount(id);
      if (hash !== null) await updatePassword(tx, systemSource, id, hash, reason);
      const isFactorReset = resetsFactor && (await disableSecondFactor(tx, systemSource, id, 'reset', reason));
      if (resetsPassword || resetsFactor) await endSessions(tx.queries, { userIds: [id] });
      if (!linksReset) return { isFactorReset, reset: null };
      const accepted = (await listMembershipsOf(tx.queries, id)).filter(({ accepted_at }) => accepted_at !== null);
      const creators = accepted.map(({ tenant_id }) => systemSource(tenant_id));
      return { isFactorReset, reset: await createPasswordReset(tx, creators, { id, name: email }, null) };
    });
    const link = reset && `${findServerAddress(settings)}${dashboardPath}/reset#${reset.token}`;
    if (link !== null) say(`Link with which ${email} sets a new password, once, until ${reset?.expiresAt}:\n${link}`);
    if (password !== null) say(`New password of ${email} (shown only once):\n${password}`);
    if (resetsFactor) say(isFactorReset ? 'The second factor is off.' : 'There was no second factor to turn off.');
    result({ id, email, ...(password !== null && { password }), ...(link !== null && { link }), isFactorReset });
  },
});

export const userReactivate = defineCommand({
  description: `For users whom no administrator can reactivate: a platform_admin, or the last administrator of a tenant. Reactivates them in
every tenant that suspended them, or in one. A user who was removed is added again with svc user create.`,
  options: {
    email: { schema: z.string(), meaning: 'e-mail address of the user' },
    tenant: { schema: z.string().optional(), meaning: 'id or slug of the only tenant to reactivate them in' },
  },
  async run({ settings, options, say, result }) {
    await using installation = await openInstallation(settings);
    const { database, clock } = installation;
    const only = options.tenant === undefined ? null : await requireTenant(database.kysely, options.tenant);
    const account = await findIntactAccount(database.kysely, readTypedEmail(options.email) ?? '');
    if (account === undefined) throw new UsageError(`There is no user ${options.email}.`);
    const { id, email } = account;
    const tenantIds = await runTransaction(database, clock(), async (tx) => {
      await tx.lockAccount(id);
      const memberships = (await listMembershipsOf(tx.queries, id)).map(({ tenant_id }) => tenant_id);
      await tx.lockTenant(...memberships);
      const suspended = (await listMembershipsOf(tx.queries, id)).filter(
        (member) => memberStatus(member) === 'suspended' && (only === null || member.tenant_id === only.id),
      );
      for (const { tenant_id } of suspended)
        await changeMembers(tx, systemSource(tenant_id), [id], { isActivated: true }, 'Reactivated by the operator');
      return suspended.map(({ tenant_id }) => tenant_id);
    });
    if (tenantIds.length === 0)
      throw new UsageError(`${email} is not suspended${only === null ? ' in any tenant' : ` in ${only.slug}`}.`);
    say(`Reactivated ${email} in ${tenantIds.length === 1 ? '1 tenant' : `${tenantIds.length} tenants`}.`);
    result({ id, email, tenantIds });
  },
});

export const userErase = defineCommand({
  description: `Removes the user and clears their e-mail address and names in every tenant, or in one, also after they were removed
or when they were only invited. The account is deleted with the last tenant. The audit log keeps what they did, without their
address, and verifies as before; API keys stay. Cannot be undone.`,
  options: {
    email: { schema: z.string(), meaning: 'e-mail address of the user' },
    tenant: { schema: z.string().optional(), meaning: 'id or slug of the only tenant to erase them in' },
    reason: {
      schema: withMessage(z.string().trim().min(1).max(2000), 'must have 1 to 2,000 characters').default(
        'Erased by the operator',
      ),
      meaning: 'for the audit log; do not name the user in it',
    },
  },
  async run({ settings, options, say, result }) {
    await using installation = await openInstallation(settings);
    const { database, clock, box } = installation;
    const only = options.tenant === undefined ? null : await requireTenant(database.kysely, options.tenant);
    const email = readTypedEmail(options.email) ?? '';
    const erased = await runTransaction(database, clock(), async (tx) => {
      const { queries } = tx;
      const account = await findIntactAccount(queries, email);
      if (account !== undefined) await tx.lockAccount(account.id);
      const found = await listTenantsWith(queries, email);
      const tenantIds = only === null ? found : found.filter((id) => id === only.id);
      await tx.lockTenant(...tenantIds);
      const erasures: (UserErasure & { readonly tenantId: string })[] = [];
      for (const tenantId of tenantIds) {
        const member = (account && (await findAnyMembership(queries, tenantId, account.id))) ?? null;
        try {
          const source = systemSource(tenantId);
          const erasure = await eraseUser(tx, box, source, { member, email }, options.reason);
          erasures.push({ tenantId, ...erasure });
        } catch (error) {
          if (!(error instanceof Problem)) throw error;
          if (error.code === 'validation_failed') throw new UsageError('--reason must not name the user.');
          const tenant = await findTenant(queries, tenantId);
          throw new UsageError(`${tenant?.slug ?? tenantId}: ${error.message} Nothing was erased.`);
        }
      }
      return erasures;
    });
    if (erased.length === 0)
      throw new UsageError(`There is no user ${options.email}${only ? ` in ${only.slug}` : ''}.`);
    while (await continueUserErasure(database, box, clock()));
    const isForgotten = await removeRemains(database);
    const isAccountErased = (await findIntactAccount(database.kysely, email)) === undefined;
    say(`Erased ${options.email} in ${erased.length === 1 ? '1 tenant' : `${erased.length} tenants`}.`);
    if (!isAccountErased) say('Other tenants have this user, so the account stays.');
    if (!isForgotten)
      say('Copies are left in the files of the database, which others use: a running server removes them in minutes.');
    result({ email: options.email, isAccountErased, tenants: erased.map(({ status: _, ...erasure }) => erasure) });
  },
});

const Words = z.string().transform((text) => (text === '' ? [] : text.split(',').map((word) => word.trim())));

const Scopes = z
  .string()
  .transform((text) => (text === 'all' ? [...scopes] : Words.parse(text)))
  .refine((words) => words.length > 0, 'must name at least one scope')
  .superRefine((words, context) => {
    const unknown = words.filter((word) => !isScope(word));
    if (unknown.length > 0) context.addIssue(`: unknown ${unknown.join(', ')}. Known: ${scopes.join(', ')}`);
  })
  .transform((words) => [...new Set(words.filter(isScope))]);

export const keyCreate = defineCommand({
  description: `Scopes: ${scopes.join(', ')}`,
  options: {
    tenant: tenantOption,
    name: {
      schema: withMessage(z.string().trim().min(1).max(200), 'must have 1 to 200 characters'),
      meaning: 'what the key is for',
    },
    scopes: { schema: Scopes, meaning: 'comma-separated scopes, or: all', value: 'list' },
    environment: {
      schema: z.enum(keyEnvironments, 'must be live or test').default('live'),
      meaning: 'live (default) or test',
    },
    expires: {
      schema: time.refine((at) => at > systemClock(), 'must be in the future').optional(),
      meaning: 'when it expires, such as 2027-01-31T00:00:00Z',
      value: 'time',
    },
    'other-tenants': {
      schema: Words.default([]),
      meaning: 'comma-separated ids or slugs of other tenants that it may act for',
      value: 'list',
    },
  },
  async run({ settings, options, say, result }) {
    await using installation = await openInstallation(settings);
    const { database, clock } = installation;
    const { id: tenantId, slug } = await requireTenant(database.kysely, options.tenant);
    const others = new Set<string>();
    for (const name of options['other-tenants']) {
      const { id } = await requireTenant(database.kysely, name, '--other-tenants: there');
      if (id === tenantId) throw new UsageError(`--other-tenants: ${name} is the tenant of the key itself.`);
      others.add(id);
    }
    const { name, environment, scopes, expires: expiresAt = null } = options;
    const wanted = { tenantId, name, environment, scopes, expiresAt, otherTenantIds: [...others] };
    const { row, key } = await runTransaction(database, clock(), (tx) => createApiKey(tx, wanted));
    say(`API key for ${slug} (shown only once):\n${key}`);
    result({ id: row.id, key, ...wanted });
  },
});

export const scimTokenCreate = defineCommand({
  description: 'The previous token stops working at once.',
  options: { tenant: tenantOption },
  async run({ settings, options, say, result }) {
    await using installation = await openInstallation(settings);
    const { database, clock } = installation;
    const { id: tenantId, slug } = await requireTenant(database.kysely, options.tenant);
    const { row, token } = await runTransaction(database, clock(), (tx) => rotateScimToken(tx, systemSource(tenantId)));
    say(`SCIM token for ${slug} (shown only once; the previous one no longer works):\n${token}`);
    result({ id: row.id, token, tenantId, displayPrefix: row.display_prefix, createdAt: row.created_at });
  },
});
