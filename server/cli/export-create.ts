import { open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { openInstallation } from '../installation/installation.ts';
import { type LedgerName, ledgerTables } from '../ledger/append.ts';
import { signCheckpoint } from '../ledger/checkpoint-store.ts';
import { ImpossibleRange, prepareExport } from '../ledger/export.ts';
import { growTree, type LedgerOf } from '../ledger/tree-store.ts';
import { systemClock } from '../storage/clock.ts';
import { type Database, inTransaction } from '../storage/database.ts';
import { lockFolder } from '../storage/folder-lock.ts';
import { runUnitOfWork } from '../storage/unit-of-work.ts';
import { type Command, type OptionValues, UsageError } from './command.ts';
import { readTime, requireDatabase, requireTenant, tenantOption } from './options.ts';

export const exportCreate: Command = {
  name: 'export create',
  summary: 'export a ledger as JSON Lines that can be verified offline',
  description: 'Signs a checkpoint of the ledger first, so that it covers every entry. May run while the server runs.',
  options: {
    tenant: tenantOption,
    ledger: { type: 'string', meaning: Object.keys(ledgerTables).join(' or '), required: true },
    file: { type: 'string', meaning: 'the file to write; it must not exist', required: true },
    from: { type: 'string', meaning: 'entries at this time or later', value: 'time' },
    to: { type: 'string', meaning: 'entries before this time', value: 'time' },
    since: {
      type: 'string',
      meaning: 'the size of an earlier checkpoint, to prove that the ledger is a continuation of it',
      value: 'size',
    },
  },
  async run({ settings, options, say, result }) {
    const ledger = String(options.ledger);
    if (!Object.hasOwn(ledgerTables, ledger)) throw new UsageError(`--ledger: there is no ledger ${ledger}.`);
    const [from, to] = [readTime('from', options.from), readTime('to', options.to)];
    const since = readSize(options.since);
    requireDatabase(settings);
    // It signs a checkpoint, which is appended to the log.
    using _ = lockFolder(settings.dataDir, 'shared');
    await using installation = await openInstallation(settings, systemClock, null);
    const { database, signer, clock } = installation;
    const tenant = await requireTenant(database.kysely, options.tenant);
    const of = { tenantId: tenant.id, ledger: ledger as LedgerName };
    const file = String(options.file);
    await using output = await open(file, 'wx', 0o600).catch(explainUnwritable);
    await growWhole(database, of);
    const checkpoint = await runUnitOfWork(database, clock(), (work) => signCheckpoint(work, installation, of));
    const { verifierKey } = signer;
    const wanted = { ...of, from, to, since, checkpoint, verifierKey };
    const { header, lines } = await prepareExport(database.kysely, wanted).catch(explainWrong);
    await pipeline(Readable.from(lines), output.createWriteStream());
    const entries = header.last - header.first + 1;
    say(`${entries} entries of ${tenant.slug} are in ${file}. Verify them with:`);
    say(`svc export verify --file ${file} --key ${verifierKey}`);
    result({ file, entries, first: header.first, last: header.last, checkpoint: checkpoint.note, verifierKey });
    return 0;
  },
};

function readSize(value: OptionValues[string]): number | null {
  if (value === undefined) return null;
  if (/^\d{1,15}$/.test(String(value))) return Number(value);
  throw new UsageError('--since: must be a number of entries');
}

/** Adds the entries of a long ledger to its tree in steps, so that a running server does not wait for all of them. */
async function growWhole(database: Database, of: LedgerOf): Promise<void> {
  for (;;) {
    const { size, entries } = await inTransaction(database, (transaction) => growTree(transaction, of, stepEntries));
    if (size >= entries) return;
  }
}

const stepEntries = 5000;

function explainWrong(error: unknown): never {
  throw error instanceof ImpossibleRange ? new UsageError(`--${error.option}: ${error.message}`) : error;
}

function explainUnwritable(error: NodeJS.ErrnoException): never {
  if (error.code === 'EEXIST') throw new UsageError(`${error.path} already exists; it was not changed.`);
  if (error.code === 'ENOENT') throw new UsageError(`There is no folder for ${error.path}.`);
  throw error;
}
