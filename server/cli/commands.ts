import type { Command, CommandName } from './command.ts';

/** A command of `svc`. It is loaded to run or to print its help: most commands need a part of the server. */
export interface NamedCommand extends CommandName {
  load(): Promise<Command>;
}

/** Every command, in the order of the help. */
export const commands: readonly NamedCommand[] = [
  {
    name: 'serve',
    summary: 'start the server',
    load: async () => (await import('./serve.ts')).serve,
  },
  {
    name: 'demo',
    summary: 'start the server, with a demo tenant if the database is empty',
    load: async () => (await import('./serve.ts')).demo,
  },
  {
    name: 'demo remove',
    summary: 'remove the demo tenant, before the server is used in earnest',
    load: async () => (await import('./serve.ts')).demoRemove,
  },
  {
    name: 'migrate',
    summary: 'bring the database schema up to date',
    load: async () => (await import('./serve.ts')).migrateCommand,
  },
  {
    name: 'health',
    summary: 'check whether the server on this machine is ready',
    load: async () => (await import('./health.ts')).health,
  },
  {
    name: 'tenant create',
    summary: 'create a tenant',
    load: async () => (await import('./administer.ts')).tenantCreate,
  },
  {
    name: 'user create',
    summary: 'add a user to a tenant; a new password is shown only once',
    load: async () => (await import('./administer.ts')).userCreate,
  },
  {
    name: 'user reset',
    summary: 'reset the password or the second factor of a user',
    load: async () => (await import('./administer.ts')).userReset,
  },
  {
    name: 'user reactivate',
    summary: 'give a suspended user access again',
    load: async () => (await import('./administer.ts')).userReactivate,
  },
  {
    name: 'user erase',
    summary: 'erase what identifies a user',
    load: async () => (await import('./administer.ts')).userErase,
  },
  {
    name: 'key create',
    summary: 'create an API key; it is shown only once',
    load: async () => (await import('./administer.ts')).keyCreate,
  },
  {
    name: 'scim-token create',
    summary: 'create the SCIM token of a tenant; it is shown once',
    load: async () => (await import('./administer.ts')).scimTokenCreate,
  },
  {
    name: 'backup',
    summary: 'copy the database, its secret, checkpoints and erasures, even while the server runs',
    load: async () => (await import('./backup.ts')).backup,
  },
  {
    name: 'backup list',
    summary: 'list the backups at the target in the settings, newest first',
    load: async () => (await import('./backup.ts')).backupList,
  },
  {
    name: 'restore',
    summary: 'put a backup into an empty data folder',
    load: async () => (await import('./restore.ts')).restore,
  },
  {
    name: 'import',
    summary: 'import decisions that were made with another consent tool',
    load: async () => (await import('./import.ts')).importCommand,
  },
  {
    name: 'move',
    summary: 'move the data from SQLite to PostgreSQL, or back',
    load: async () => (await import('./move.ts')).move,
  },
  {
    name: 'verify',
    summary: 'recompute every hash chain and report the rows that were changed',
    load: async () => (await import('./verify.ts')).verify,
  },
  {
    name: 'export create',
    summary: 'export a ledger as JSON Lines that can be verified offline',
    load: async () => (await import('./export.ts')).exportCreate,
  },
  {
    name: 'export verify',
    summary: 'verify an exported ledger offline, with only the public key',
    load: async () => (await import('./export.ts')).exportVerify,
  },
  {
    name: 'proof create',
    summary: 'write a proof that others verify offline (C2SP tlog-proof)',
    load: async () => (await import('./proof.ts')).proofCreate,
  },
  {
    name: 'secret rotate',
    summary: 'replace the secret of the installation',
    load: async () => (await import('./secret.ts')).secretRotate,
  },
  {
    name: 'widgets',
    summary: 'print the tags of the consent banner and the trust badge, ready to paste',
    load: async () => (await import('./widgets.ts')).widgets,
  },
];
