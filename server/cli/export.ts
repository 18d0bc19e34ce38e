import { readFileSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { z } from 'zod';
import { readKey, writeKey } from '../../packages/node-sdk/src/ledger/checkpoint.ts';
import {
  type AttestationOptions,
  type KeyOptions,
  LedgerVerificationError,
  type OpenedCheckpoint,
  openCheckpoint,
  type ShownWords,
  type VerifiedExport,
  verifyExport,
} from '../../packages/node-sdk/src/ledger/index.ts';
import { findShownText } from '../consent/notice-store.ts';
import { Id } from '../http/schemas.ts';
import { openInstallation } from '../installation/installation.ts';
import { signCheckpoint } from '../ledger/checkpoint-store.ts';
import { ledgerNames } from '../ledger/entry.ts';
import { ImpossibleRange, prepareExport } from '../ledger/export.ts';
import { sha256 } from '../ledger/merkle.ts';
import { openTimestamp } from '../ledger/timestamp.ts';
import { growTree } from '../ledger/tree-store.ts';
import { Findings } from '../proofs/findings.ts';
import { readCertificates, readPolicy } from '../proofs/outside-sources.ts';
import { SettingsError } from '../settings.ts';
import { systemClock } from '../storage/clock.ts';
import { inTransaction, runTransaction } from '../storage/database.ts';
import { lockFolder } from '../storage/folder-lock.ts';
import { defineCommand, explainUncreated, time, UsageError, withMessage } from './command.ts';
import { exitCodeHelp, isFile, readExportRotations, readNote, readRotations } from './kept-note.ts';
import { requireDatabase, requireTenant, tenantOption } from './require.ts';

const Size = z
  .string()
  .regex(/^\d{1,15}$/)
  .transform(Number);

export const exportCreate = defineCommand({
  description: 'Signs a checkpoint of the ledger first, so that it covers every entry. May run while the server runs.',
  options: {
    tenant: tenantOption,
    ledger: {
      schema: z.enum(ledgerNames, { error: ({ input }) => `: there is no ledger ${input}.` }),
      meaning: ledgerNames.join(' or '),
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
    // An incomplete export must not be mistaken for one.
    await using incomplete = new AsyncDisposableStack();
    incomplete.defer(() => rm(file));
    // A long ledger is added to its tree in steps, so that a running server does not wait for all of it.
    const grow = () => inTransaction(database, (transaction) => growTree(transaction, of, 5000));
    for (let grown = await grow(); grown.size < grown.entries; ) grown = await grow();
    const checkpoint = await runTransaction(database, clock(), (tx) => signCheckpoint(tx, installation, of));
    const findShown = (entry: Parameters<typeof findShownText>[2]) => findShownText(database.kysely, tenantId, entry);
    const wanted = { ...of, from, to, since, checkpoint, verifierKey, findShown };
    const { header, lines } = await prepareExport(database.kysely, wanted).catch((error: unknown) => {
      throw error instanceof ImpossibleRange ? new UsageError(`--${error.option}: ${error.message}`) : error;
    });
    await pipeline(Readable.from(lines), output.createWriteStream()).catch((error: unknown) => {
      // A failed write does not have the path of its file.
      throw error instanceof Error && 'syscall' in error ? Object.assign(error, { path: file }) : error;
    });
    incomplete.move();
    const { first, last } = header;
    const entries = last - first + 1;
    say(`${entries} entries of ${slug} are in ${file}. Verify them with:`);
    say(`svc export verify --file ${file} --key ${verifierKey}`);
    result({ file, entries, first, last, checkpoint: checkpoint.note, verifierKey });
  },
});

export const exportVerify = defineCommand({
  description: `Checks that the file has every entry of its range, unchanged, and that a signed checkpoint covers them. With
--checkpoint, a checkpoint that you kept, it also checks that no entry from before it was changed, removed, reordered or
inserted since, even if the whole chain was recomputed.

With --witness-policy or --timestamp-ca, it also requires the cosignatures or the timestamp of a checkpoint of the log of
the installation that covers the ledger, up to an entry that it prints.

With --record, it prints what the visitor of that record was shown, word by word, and what they decided.

The key is the line that the server returns at /.well-known/svc-ledger-key; keep it with the first checkpoint. If the key
was rotated, the export contains its rotations, and the command prints the key to keep from then on. --rotations adds newer
ones, such as for an export from before the rotation: those of another export or proof of the ledger, or, for a ledger that is
newer than the rotation, the text that the server returns at /.well-known/svc-ledger-key-rotations. Needs no database and no
network.

${exitCodeHelp}`,
  options: {
    file: { schema: z.string(), meaning: 'the export (JSON Lines)' },
    key: { schema: z.string(), meaning: 'the public key, or a file that contains it' },
    rotations: {
      schema: z.string().optional(),
      meaning: 'a file with rotations: a newer export or proof of the ledger, or the text of their address',
      value: 'file',
    },
    checkpoint: {
      schema: z.string().optional(),
      meaning: 'a file with a checkpoint (the signed note) that you kept',
      value: 'file',
    },
    from: { schema: time.optional(), meaning: 'the start of the range that you requested', value: 'time' },
    to: { schema: time.optional(), meaning: 'its end', value: 'time' },
    record: {
      schema: withMessage(Id, 'must be the id of a record').optional(),
      meaning: 'the id of a consent record whose words to print',
      value: 'id',
    },
    'witness-policy': {
      schema: z.string().optional(),
      meaning: 'a policy (C2SP tlog-policy) with the witnesses that you trust',
      value: 'file',
    },
    'timestamp-ca': {
      schema: z.string().optional(),
      meaning: 'certificates, in PEM, that the timestamp must lead to',
      value: 'file',
    },
  },
  async run({ options, say, showProgress, result }) {
    const { file, key, checkpoint, from, to, record: recordId } = options;
    if (!isFile(file)) throw new UsageError(`There is no file ${file}.`);
    const publicKey = requireKey(isFile(key) ? readFileSync(key, 'utf8') : key);
    const rotations = options.rotations === undefined ? [] : await readRotations(options.rotations);
    const note = checkpoint === undefined ? null : readNote(checkpoint);
    const attestations = requireAttestations(options['witness-policy'], options['timestamp-ca']);
    const findings = new Findings((line) => say(toPrintable(line)));
    const onProgress = (entries: number) => showProgress(`${entries} entries …`);
    let kept: OpenedCheckpoint | null = null;
    let verified: VerifiedExport | null = null;
    /** The first fault; lines count from 1. */
    let fault: { readonly line: number; readonly issue: string } | null = null;
    try {
      if (note !== null) {
        const known = [...rotations, ...((await readExportRotations(file)) ?? [])];
        kept = await openKept(note, { publicKey, rotations: known });
      }
      if (note !== null && kept === null)
        findings.add(
          'unchecked',
          'kept_checkpoint',
          `${checkpoint}: this checkpoint is not signed with the key in --key, so nothing was compared with it.`,
        );
      const compared = kept === null ? undefined : (note ?? undefined);
      const range = { publicKey, rotations, checkpoint: compared, from, to, recordId, onProgress, ...attestations };
      // Opened here, so that nothing fails later on a file that an invalid key leaves unread.
      await using opened = await open(file);
      verified = await verifyExport(opened.createReadStream({ autoClose: false }), range);
    } catch (error) {
      if (LedgerVerificationError.isInstance(error)) {
        fault = { line: error.line ?? 1, issue: error.message };
        const isUntrusted =
          unattested.has(error.code) || (error.code === 'timestamp_invalid' && error.message.endsWith(untrusted));
        const [kind, about] = isUntrusted ? (['unchecked', 'log'] as const) : (['tampered', 'export'] as const);
        findings.add(kind, about, `${file}, line ${fault.line}: ${fault.issue}`);
      } else if (error instanceof Error && 'syscall' in error)
        findings.add('unreadable', 'file', `${file} cannot be read: ${error.message}`);
      else throw error;
    } finally {
      showProgress('');
    }
    if (verified !== null) for (const line of describeExport(verified, kept, publicKey)) say(toPrintable(line));
    if (verified !== null && recordId !== undefined) {
      const { record } = verified;
      if (record === null) findings.add('unchecked', 'record', `${file} does not contain the record ${recordId}.`);
      else if (record.words === null)
        findings.add('unchecked', 'record', `The record ${recordId} does not have the hash of what was shown.`);
      else for (const line of describeWords(record.words)) say(toPrintable(line));
    }
    result({ ...findings.report(), ...writeReport(verified, kept !== null), fault });
    return findings.exitCode;
  },
});

/** Reads the attestations that the operator of the command requires of the log. @throws {UsageError} */
function requireAttestations(policyFile: string | undefined, caFile: string | undefined): AttestationOptions {
  try {
    const policy = policyFile === undefined ? null : readPolicy('--witness-policy', policyFile);
    const authorities = caFile === undefined ? null : readCertificates('--timestamp-ca', caFile);
    return {
      ...(policy && { witnesses: policy.witnesses.map(({ vkey }) => vkey), quorum: policy.isMet }),
      ...(authorities && { verifyTimestamp: (text, response) => readTime(text, response, authorities) }),
    };
  } catch (error) {
    throw error instanceof SettingsError ? new UsageError(error.message) : error;
  }
}

/** The time of a token. @throws {Error} whose message contains `untrusted` if only its authority is not trusted. */
async function readTime(text: string, response: Uint8Array, authorities: readonly string[]): Promise<string> {
  await openTimestamp(response, { text, nonce: null, authorities: null });
  const trusted = openTimestamp(response, { text, nonce: null, authorities });
  const { at } = await trusted.catch((error: unknown) => {
    throw new Error(untrusted, { cause: error });
  });
  return at;
}

const untrusted = 'it does not lead to a certificate in the file of --timestamp-ca';
/** The file is intact as far as it was checked. */
const unattested: ReadonlySet<string> = new Set(['cosignatures_missing', 'timestamp_missing']);

/** @throws {UsageError} */
function requireKey(text: string): string {
  try {
    return writeKey(readKey(sha256, text));
  } catch {
    throw new UsageError('--key: not a public key of a ledger (svc-…+…+…).');
  }
}

/** The kept checkpoint; null when it is not signed with the key. */
function openKept(note: string, keys: KeyOptions): Promise<OpenedCheckpoint | null> {
  return openCheckpoint(note, keys).catch((error: unknown) => {
    if (LedgerVerificationError.isInstance(error) && error.code === 'checkpoint_not_signed') return null;
    throw error;
  });
}

/** The result for --json; empty for an export with a fault. */
function writeReport(verified: VerifiedExport | null, isCompared: boolean): object {
  const none = { entries: 0, checkpoint: null, publicKey: null, range: null, isConsistent: null };
  if (verified === null) return { ...none, clockFalls: 0, shown: 0, log: null };
  const { entries, publicKey, first, last, from, to, newer, until, clockFalls, shown, record, log } = verified;
  const { origin, size, at } = verified.checkpoint;
  const range = { first, last, from, to, newer, until };
  const found = { shown, ...(record !== null && { words: record.words }), log };
  const signed = { checkpoint: { origin, size, at }, publicKey };
  return { entries, ...signed, range, isConsistent: isCompared || null, clockFalls, ...found };
}

/** The notice that the visitor was shown, and the decision on each purpose. */
function describeWords({ noticeVersion, language, region, title, intro, purposes }: ShownWords): readonly string[] {
  return [
    `✓ The visitor was shown version ${noticeVersion} of the notice in ${language}${region === null ? '' : `, in the region ${region}`}:`,
    `  ${title}`,
    `  ${intro}`,
    ...purposes.flatMap(({ label, description, granted, basis, trackers }) => [
      `  - ${label}: ${granted === null ? 'not decided' : granted ? 'granted' : 'refused'} (${basis})`,
      ...(description === '' ? [] : [`    ${description}`]),
      ...trackers.map(({ name, provider, lifetime }) => `    ${name}, ${provider}, ${lifetime}`),
    ]),
  ];
}

/** The facts that an intact export proves, and its limits. */
function describeExport(
  { entries, first, last, from, until, newer, checkpoint, publicKey, clockFalls, shown, log }: VerifiedExport,
  kept: OpenedCheckpoint | null,
  givenKey: string,
): readonly string[] {
  const clock = `! The clock was set back ${clockFalls} times: order the entries by their numbers, not by their times, and do not rely on a range of time.`;
  return [
    `✓ ${entries} entries, numbers ${first} to ${last}, are covered by the checkpoint in the file.`,
    `✓ They are all entries of the ledger from ${from ?? 'the first'} until ${until}, and their neighbours.`,
    `✓ ${checkpoint.origin}: signed at ${checkpoint.at} for ${checkpoint.size} entries`,
    ...(publicKey === givenKey ? [] : [`! The key in --key was rotated. Keep this one from now on: ${publicKey}`]),
    ...(shown === 0 ? [] : [`✓ ${shown} records name what was shown to a visitor: the file has these texts.`]),
    ...(log === null ? [] : describeLog(log)),
    ...(clockFalls > 0 ? [clock] : []),
    ...(newer > 0 ? [`  According to the file, the ledger has ${newer} more entries, newer than the checkpoint.`] : []),
    kept === null
      ? '  Not compared with a checkpoint that you kept (--checkpoint): anyone with the signing key could have rewritten all of it.'
      : `✓ No entry that the earlier checkpoint (${kept.size} entries, ${kept.at}) covers was changed.`,
  ];
}

/** The attestations of the log: timestamp and cosignatures. */
function describeLog({ size, log, cosignatures, timestampedAt }: NonNullable<VerifiedExport['log']>): string[] {
  return [
    `✓ The log of the installation, signed at ${log.at}, covers entries up to number ${size}.`,
    ...(timestampedAt === null ? [] : [`✓ The authority timestamped this state of the log at ${timestampedAt}.`]),
    ...cosignatures.map(({ witness, at }) => `✓ ${witness.split('+')[0]} cosigned this state of the log at ${at}.`),
  ];
}

/** Text from a file, safe to print: control characters are escaped. */
function toPrintable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
}
