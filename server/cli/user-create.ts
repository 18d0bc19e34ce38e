import { systemSource } from '../audit/source.ts';
import { createUser } from '../identity/create-user.ts';
import { normalizeEmail } from '../identity/email.ts';
import { openInstallation } from '../installation/installation.ts';
import { randomText } from '../installation/token.ts';
import { isRole, platformRole, roleIds } from '../principal/roles.ts';
import { runUnitOfWork } from '../storage/unit-of-work.ts';
import { type Command, type OptionValues, UsageError } from './command.ts';
import { requireTenant, tenantOption } from './options.ts';

export const userCreate: Command = {
  name: 'user create',
  summary: 'add a user to a tenant; a new password is shown only once',
  description: `Roles: ${roleIds.join(', ')}, and ${platformRole}, which can read every tenant of which the user is a member in this role.
A user who already has a password on this server keeps it, and gets an invitation to accept with that password.`,
  options: {
    tenant: tenantOption,
    email: { type: 'string', meaning: 'e-mail address, used to sign in', required: true },
    role: { type: 'string', meaning: 'the role of the user in the tenant', required: true },
    'given-name': { type: 'string', meaning: 'given name', value: 'name' },
    'family-name': { type: 'string', meaning: 'family name', value: 'name' },
  },
  async run({ settings, options, say, result }) {
    const wanted = readWanted(options);
    await using installation = await openInstallation(settings);
    const { database, clock, passwords } = installation;
    const tenant = await requireTenant(database.kysely, options.tenant);
    const password = randomText(24);
    const passwordHash = await passwords.hash(password);
    const created = await runUnitOfWork(database, clock(), (work) =>
      createUser(work, systemSource(tenant.id), { ...wanted, passwordHash }),
    );
    if (created === undefined) throw new UsageError(`${wanted.email} is already a member of ${tenant.slug}.`);
    const { userId, isPasswordSet, invitationToken } = created;
    say(`${wanted.email} is a member of ${tenant.slug} with the role ${wanted.role}.`);
    if (isPasswordSet) say(`Password (shown only once):\n${password}`);
    else if (invitationToken === null) say('They sign in with their existing password.');
    else
      say(
        `They already have a password, and must accept the invitation with it. Invitation (shown only once), to be sent with that
password to /v1/auth/invitations/accept within a week:\n${invitationToken}`,
      );
    const { email, role } = wanted;
    result({ id: userId, tenantId: tenant.id, email, role, ...(isPasswordSet && { password }), invitationToken });
    return 0;
  },
};

function readWanted(options: OptionValues) {
  const email = normalizeEmail(String(options.email).trim());
  if (email === undefined) throw new UsageError('--email must be an e-mail address, such as name@example.com');
  const role = String(options.role);
  if (!isRole(role) && role !== platformRole)
    throw new UsageError(`--role must be one of: ${roleIds.join(', ')}, ${platformRole}`);
  return {
    email,
    role,
    givenName: readName(options, 'given-name'),
    familyName: readName(options, 'family-name'),
  } as const;
}

function readName(options: OptionValues, name: string): string | null {
  const value = options[name] === undefined ? '' : String(options[name]).trim();
  if (value.length > 200) throw new UsageError(`--${name} must have at most 200 characters`);
  return value === '' ? null : value;
}
