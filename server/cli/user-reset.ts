import { endSessions } from '../access/session-store.ts';
import { systemSource } from '../audit/source.ts';
import { accountRows, findAccount, recordAccountChange, updatePassword } from '../identity/account-store.ts';
import { normalizeEmail } from '../identity/email.ts';
import { disableSecondFactor } from '../identity/mfa/changes.ts';
import { openInstallation } from '../installation/installation.ts';
import { randomText } from '../installation/token.ts';
import { runUnitOfWork } from '../storage/unit-of-work.ts';
import { type Command, UsageError } from './command.ts';

export const userReset: Command = {
  name: 'user reset',
  summary: 'set a new password for a user, or reset their second factor',
  description: `For users whom no administrator can help: the last administrator of a tenant, or a member of several tenants.
Ends every session of the user, and records the reset in the audit log of each of their tenants.`,
  options: {
    email: { type: 'string', meaning: 'e-mail address of the user', required: true },
    password: { type: 'boolean', meaning: 'set a new password; it is shown only once' },
    'second-factor': { type: 'boolean', meaning: 'turn the second factor off' },
  },
  async run({ settings, options, say, result }) {
    if (!options.password && !options['second-factor'])
      throw new UsageError('Name what to reset: --password, --second-factor, or both');
    await using installation = await openInstallation(settings);
    const { database, clock, passwords } = installation;
    const account = await findAccount(database.kysely, normalizeEmail(String(options.email).trim()) ?? '');
    if (account === undefined) throw new UsageError(`There is no user ${options.email}.`);
    const password = options.password ? randomText(24) : null;
    const hash = password === null ? null : await passwords.hash(password);
    const reason = 'Reset by the operator';
    const isFactorReset = await runUnitOfWork(database, clock(), async (work) => {
      await work.lockAccount(account.id);
      if (hash !== null) {
        const row = await updatePassword(work, account.id, hash);
        await recordAccountChange(work, systemSource, accountRows, account.id, row, {
          verb: 'password_changed',
          reason,
        });
      }
      const isReset =
        options['second-factor'] === true &&
        (await disableSecondFactor(work, systemSource, account.id, 'reset', reason));
      await endSessions(work.transaction, { userIds: [account.id] });
      return isReset;
    });
    if (password !== null) say(`New password of ${account.email} (shown only once):\n${password}`);
    if (options['second-factor'])
      say(isFactorReset ? 'The second factor is off.' : 'There was no second factor to turn off.');
    result({ id: account.id, email: account.email, ...(password !== null && { password }), isFactorReset });
    return 0;
  },
};
