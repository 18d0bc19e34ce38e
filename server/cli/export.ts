import { createReadStream, readFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { z } from 'zod';
import {
  LedgerVerificationError,
  type OpenedCheckpoint,
  openCheckpoint,
  type VerifiedExport,
  verifyExport,
} from '../../packages/node-sdk/src/ledger/index.ts';
import { openInstallation } from '../installation/installation.ts';
import { type LedgerName, ledgerTables } from '../ledger/append.ts';
import { signCheckpoint } from '../ledger/checkpoint-store.ts';
import { ImpossibleRange, prepareExport } from '../ledger/export.ts';
import { growTree } from '../ledger/tree-store.ts';
import { inTransaction, runUnitOfWork, systemClock } from '../storage/database.ts';
import { lockFolder } from '../storage/folder-lock.ts';
import { Findings } from '../verification/findings.ts';
import {
  defineCommand,
  explainUncreated,
  requireDatabase,
  requireTenant,
  tenantOption,
  time,
  UsageError,
  withMessage,
} from './command.ts';
import { exitCodeHelp, isFile, readNote } from './kept-note.ts';

const ledgers = Object.keys(ledgerTables) as [LedgerName, ...LedgerName[]];

const Size = z
  .string()
  .regex(/^\d{1,15}$/)
  .transform(Number);

export const exportCreate = defineCommand({
  name: 'export create',
  summary: 'export a ledger as JSON Lines that can be verified offline',
  description: 'Signs a checkpoint of the ledger first, so that it covers every entry. May run while the server runs.',
  options: {
    tenant: tenantOption,
    ledger: {
      schema: z.enum(ledgers, { error: ({ input }) => `: there is no ledger ${input}.` }),
      meaning: ledgers.join(' or '),
    },
    file: { schema: z.string(), meaning: 'the file to write; it must not exist' },
    from: { schema: time.optional(), meaning: 'entries at this time or later', value: 'time' },
    to: { schema: time.optional(), meaning: 'entries before this time', value: 'time' },
    since: {
      schema: withMessage(Size, ': must be a number of entries').optional(),
      meaning: 'the size of an earlier checkpoint, to prove that the ledger is a continuation of it',
      value: 'size',
    },
  },
  async run({ settings, options, say, result }) {
    const { file, from = null, to = null, since = null } = options;
    requireDatabase(settings);
    // It signs a checkpoint, which is appended to the log.
    using _ = lockFolder(settings.dataDir, 'shared');
    await using installation = await openInstallation(settings, systemClock, null);
    const { database, clock } = installation;
    const { verifierKey } = installation.signer;
    const { id: tenantId, slug } = await requireTenant(database.kysely, options.tenant);
    const of = { tenantId, ledger: options.ledger };
    await using output = await open(file, 'wx', 0o600).catch(explainUncreated);
    // A long ledger is added to its tree in steps, so that a running server does not wait for all of it.
    const grow = () => inTransaction(database, (transaction) => growTree(transaction, of, 5000));
    for (let grown = await grow(); grown.size < grown.entries; ) grown = await grow();
    const checkpoint = await runUnitOfWork(database, clock(), (work) => signCheckpoint(work, installation, of));
    const wanted = { ...of, from, to, since, checkpoint, verifierKey };
    const { header, lines } = await prepareExport(database.kysely, wanted).catch((error: unknown) => {
      throw error instanceof ImpossibleRange ? new UsageError(`--${error.option}: ${error.message}`) : error;
    });
    await pipeline(Readable.from(lines), output.createWriteStream());
    const { first, last } = header;
    const entries = last - first + 1;
    say(`${entries} entries of ${slug} are in ${file}. Verify them with:`);
    say(`svc export verify --file ${file} --key ${verifierKey}`);
    result({ file, entries, first, last, checkpoint: checkpoint.note, verifierKey });
  },
});

export const exportVerify = defineCommand({
  name: 'export verify',
  summary: 'verify an exported ledger offline, with only the public key',
  description: `Checks that the file has every entry of its range, unchanged, and that a signed checkpoint covers them. With
--checkpoint, a checkpoint that you kept, it also checks that no entry from before it was changed, removed, reordered or
inserted since, even if the whole chain was recomputed.

The key is the line that the server returns at /.well-known/svc-ledger-key; keep it with the first checkpoint. Needs no
database and no network.

${exitCodeHelp}`,
  options: {
    file: { schema: z.string(), meaning: 'the export (JSON Lines)' },
    key: { schema: z.string(), meaning: 'the public key, or a file that contains it' },
    checkpoint: {
      schema: z.string().optional(),
      meaning: 'a file with a checkpoint (the signed note) that you kept',
      value: 'file',
    },
    from: { schema: time.optional(), meaning: 'the start of the range that you requested', value: 'time' },
    to: { schema: time.optional(), meaning: 'its end', value: 'time' },
  },
  async run({ options: { file, key, checkpoint, from, to }, say, showProgress, result }) {
    if (!isFile(file)) throw new UsageError(`There is no file ${file}.`);
    const publicKey = isFile(key) ? readFileSync(key, 'utf8') : key;
    const note = checkpoint === undefined ? null : readNote(checkpoint);
    const findings = new Findings((line) => say(toPrintable(line)));
    const onProgress = (entries: number) => showProgress(`${entries} entries …`);
    let kept: OpenedCheckpoint | null = null;
    let verified: VerifiedExport | null = null;
    /** The first fault; lines count from 1. */
    let fault: { readonly line: number; readonly issue: string } | null = null;
    try {
      kept = note === null ? null : await openKept(note, publicKey);
      if (note !== null && kept === null)
        findings.add(
          'unchecked',
          'kept_checkpoint',
          `${checkpoint} is not a checkpoint that was signed with this key, so nothing was compared with it.`,
        );
      const compared = kept === null ? undefined : (note ?? undefined);
      const range = { publicKey, checkpoint: compared, from, to, onProgress };
      verified = await verifyExport(createReadStream(file), range);
    } catch (error) {
      if (LedgerVerificationError.isInstance(error)) {
        if (error.code === 'key_invalid') throw new UsageError('--key: this is no public key of a ledger (svc-…+…+…).');
        fault = { line: error.line ?? 1, issue: error.message };
        findings.add('tampered', 'export', `${file}, line ${fault.line}: ${fault.issue}`);
      } else if (error instanceof Error && 'syscall' in error)
        findings.add('unreadable', 'file', `${file} cannot be read: ${error.message}`);
      else throw error;
    } finally {
      showProgress('');
    }
    if (verified !== null) for (const line of describeExport(verified, kept)) say(toPrintable(line));
    result({ ...findings.report(), ...writeReport(verified, kept !== null), fault });
    return findings.exitCode;
  },
});

/** The kept checkpoint; null when it is not signed with the key. */
function openKept(note: string, publicKey: string): Promise<OpenedCheckpoint | null> {
  return openCheckpoint(note, publicKey).catch((error: unknown) => {
    if (LedgerVerificationError.isInstance(error) && error.code === 'checkpoint_not_signed') return null;
    throw error;
  });
}

/** The result for --json; empty for an export with a fault. */
function writeReport(verified: VerifiedExport | null, isCompared: boolean): object {
  if (verified === null) return { entries: 0, checkpoint: null, range: null, isConsistent: null, clockFalls: 0 };
  const { entries, first, last, from, to, newer, until, clockFalls } = verified;
  const { origin, size, at } = verified.checkpoint;
  const range = { first, last, from, to, newer, until };
  return { entries, checkpoint: { origin, size, at }, range, isConsistent: isCompared ? true : null, clockFalls };
}

/** What an intact export proves, and what it does not. */
function describeExport(
  { entries, first, last, from, until, newer, checkpoint, clockFalls }: VerifiedExport,
  kept: OpenedCheckpoint | null,
): readonly string[] {
  const clock = `! The clock was set back ${clockFalls} times: order the entries by their numbers, not by their times, and do not rely on a range of time.`;
  return [
    `✓ ${entries} entries, numbers ${first} to ${last}, are covered by the checkpoint in the file.`,
    `✓ They are all entries of the ledger from ${from ?? 'the first'} until ${until}, and their neighbours.`,
    `✓ ${checkpoint.origin}: signed at ${checkpoint.at} for ${checkpoint.size} entries`,
    ...(clockFalls > 0 ? [clock] : []),
    ...(newer > 0 ? [`  According to the file, the ledger has ${newer} more entries, newer than the checkpoint.`] : []),
    kept === null
      ? '  Not compared with a checkpoint that you kept (--checkpoint): anyone with the signing key could have rewritten all of it.'
      : `✓ No entry that the earlier checkpoint (${kept.size} entries, ${kept.at}) covers was changed.`,
  ];
}

/** Text from a file, safe to print: control characters are escaped. */
function toPrintable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
}
