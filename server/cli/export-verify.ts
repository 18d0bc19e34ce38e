import { createReadStream, readFileSync } from 'node:fs';
import {
  LedgerVerificationError,
  type OpenedCheckpoint,
  openCheckpoint,
  type VerifiedExport,
  verifyExport,
} from '../../packages/node-sdk/src/ledger/index.ts';
import { type Command, UsageError } from './command.ts';
import { exitCodeHelp, Findings } from './exit-codes.ts';
import { isFile, readNote } from './kept-checkpoint.ts';
import { readTime } from './options.ts';

export const exportVerify: Command = {
  name: 'export verify',
  summary: 'verify an exported ledger offline, with only the public key',
  description: `Checks that the file has every entry of its range, unchanged, and that a signed checkpoint covers them. With
--checkpoint, a checkpoint that you kept, it also checks that no entry from before it was changed, removed, reordered or
inserted since, even if the whole chain was recomputed.

The key is the line that the server returns at /.well-known/svc-ledger-key; keep it with the first checkpoint. Needs no
database and no network.

${exitCodeHelp}`,
  options: {
    file: { type: 'string', meaning: 'the export (JSON Lines)', required: true },
    key: { type: 'string', meaning: 'the public key, or a file that contains it', required: true },
    checkpoint: { type: 'string', meaning: 'a file with a checkpoint (the signed note) that you kept', value: 'file' },
    from: { type: 'string', meaning: 'the start of the range that you requested', value: 'time' },
    to: { type: 'string', meaning: 'its end', value: 'time' },
  },
  async run({ options, json, say, result }) {
    const file = String(options.file);
    if (!isFile(file)) throw new UsageError(`There is no file ${file}.`);
    const publicKey = readText(String(options.key));
    const note = options.checkpoint === undefined ? null : readNote(String(options.checkpoint));
    const findings = new Findings((line) => say(toPrintable(line)));
    const [from, to] = [readTime('from', options.from) ?? undefined, readTime('to', options.to) ?? undefined];
    const isShown = !json && process.stderr.isTTY;
    const onProgress = (entries: number) => {
      if (isShown) process.stderr.write(`\r\x1b[K${entries} entries …`);
    };
    let kept: OpenedCheckpoint | null = null;
    let verified: VerifiedExport | null = null;
    let fault: ExportFault | null = null;
    try {
      kept = note === null ? null : await openKept(note, publicKey);
      if (note !== null && kept === null)
        findings.add(
          'unchecked',
          'kept_checkpoint',
          `${options.checkpoint} is not a checkpoint that was signed with this key, so nothing was compared with it.`,
        );
      const checkpoint = kept === null ? undefined : (note ?? undefined);
      verified = await verifyExport(createReadStream(file), { publicKey, checkpoint, from, to, onProgress });
    } catch (error) {
      if (LedgerVerificationError.isInstance(error)) {
        if (error.code === 'key_invalid') throw new UsageError('--key: this is no public key of a ledger (svc-…+…+…).');
        fault = { line: error.line ?? 1, issue: error.message };
        findings.add('tampered', 'export', `${file}, line ${fault.line}: ${fault.issue}`);
      } else if (error instanceof Error && 'syscall' in error)
        findings.add('unreadable', 'file', `${file} cannot be read: ${error.message}`);
      else throw error;
    } finally {
      if (isShown) process.stderr.write('\r\x1b[K');
    }
    if (verified !== null) for (const line of describeExport(verified, kept)) say(toPrintable(line));
    const { exitCode, list } = findings;
    const intact = exitCode === 0;
    result({ intact, exitCode, findings: list, ...writeReport(verified, kept !== null), fault });
    return exitCode;
  },
};

/** The first fault of an export. */
interface ExportFault {
  /** The line of the file, from 1. */
  readonly line: number;
  readonly issue: string;
}

/** The kept checkpoint; null when it is not signed with the key. */
async function openKept(note: string, publicKey: string): Promise<OpenedCheckpoint | null> {
  try {
    return await openCheckpoint(note, publicKey);
  } catch (error) {
    if (LedgerVerificationError.isInstance(error) && error.code === 'checkpoint_not_signed') return null;
    throw error;
  }
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
  const lines = [
    `✓ ${entries} entries, numbers ${first} to ${last}, are covered by the checkpoint in the file.`,
    `✓ They are all entries of the ledger from ${from ?? 'the first'} until ${until}, and their neighbours.`,
    `✓ ${checkpoint.origin}: signed at ${checkpoint.at} for ${checkpoint.size} entries`,
  ];
  if (clockFalls > 0)
    lines.push(
      `! The clock was set back ${clockFalls} times: order the entries by their numbers, not by their times, and do not rely on a range of time.`,
    );
  if (newer > 0)
    lines.push(`  According to the file, the ledger has ${newer} more entries, newer than the checkpoint.`);
  lines.push(
    kept === null
      ? '  Not compared with a checkpoint that you kept (--checkpoint): anyone with the signing key could have rewritten all of it.'
      : `✓ No entry that the earlier checkpoint (${kept.size} entries, ${kept.at}) covers was changed.`,
  );
  return lines;
}

/** Text from a file, safe to print: control characters are escaped. */
function toPrintable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
}

/** The text itself, or that of the file that it names. */
function readText(text: string): string {
  return isFile(text) ? readFileSync(text, 'utf8') : text;
}
