import { createReadStream, readFileSync } from 'node:fs';
import { type Checkpoint, openCheckpoint } from '../ledger/checkpoint.ts';
import { readLines } from '../ledger/export-lines.ts';
import { readVerifierKey } from '../ledger/signed-note.ts';
import { type ExportFault, type ExportReport, verifyExport } from '../ledger/verify-export.ts';
import { type Command, UsageError } from './command.ts';
import { exitCodeHelp, Findings } from './exit-codes.ts';
import { isFile, readNote } from './kept-checkpoint.ts';
import { readTime } from './read-time.ts';

export const exportVerify: Command = {
  name: 'export verify',
  summary: 'verify an exported ledger offline, with the public key alone',
  description: `Checks that the file holds every entry of its range as it was written, and that a signed checkpoint speaks of them.
With --checkpoint, a checkpoint that you kept, it also shows that nothing of what was there then was changed, removed,
reordered or inserted since, even if the whole chain was computed anew.

The key is the line that the server shows at /.well-known/svc-ledger-key; keep it with the first checkpoint. Needs no
database and no network.

${exitCodeHelp}`,
  options: {
    file: { type: 'string', meaning: 'the export (JSON Lines)', required: true },
    key: { type: 'string', meaning: 'the public key, or a file that holds it', required: true },
    checkpoint: { type: 'string', meaning: 'a file with a checkpoint (the signed note) that you kept', value: 'file' },
    from: { type: 'string', meaning: 'the beginning of the range that you asked for', value: 'time' },
    to: { type: 'string', meaning: 'its end', value: 'time' },
  },
  async run({ options, json, say, result }) {
    const file = String(options.file);
    if (!isFile(file)) throw new UsageError(`There is no file ${file}.`);
    const verifier = readVerifierKey(readText(String(options.key)));
    if (verifier === null) throw new UsageError('--key: this is no public key of a ledger (svc-…+…+…).');
    const note = options.checkpoint === undefined ? null : readNote(String(options.checkpoint));
    const earlier = note === null ? null : openCheckpoint(note, verifier);
    const wanted = { from: readTime('from', options.from), to: readTime('to', options.to) };
    const findings = new Findings((line) => say(toPrintable(line)));
    if (note !== null && earlier === null)
      findings.add(
        'unchecked',
        'kept_checkpoint',
        `${options.checkpoint} is no checkpoint that was signed with this key, so that nothing was compared with it.`,
      );
    const isShown = !json && process.stderr.isTTY;
    const report = await verifyExport(readLines(createReadStream(file)), verifier, earlier && note, (entries) => {
      if (isShown) process.stderr.write(`\r\x1b[K${entries} entries …`);
    }).catch((error: unknown) => {
      if (!(error instanceof Error && 'syscall' in error)) throw error;
      findings.add('unreadable', 'file', `${file} cannot be read: ${error.message}`);
      return null;
    });
    if (isShown) process.stderr.write('\r\x1b[K');
    const fault = report === null ? null : (report.fault ?? compareRange(report.range, wanted));
    if (fault !== null) findings.add('tampered', 'export', `${file}, line ${fault.line}: ${fault.issue}`);
    else if (report !== null) for (const line of describeReport(report, earlier)) say(toPrintable(line));
    const { exitCode, list } = findings;
    result({ intact: exitCode === 0, exitCode, findings: list, ...report, fault });
    return exitCode;
  },
};

/** What an export without a fault shows, and what it does not. */
function describeReport(
  { entries, range, checkpoint, clockFalls }: ExportReport,
  earlier: Checkpoint | null,
): readonly string[] {
  const lines = [
    `✓ ${entries} entries, numbers ${range?.first} to ${range?.last}, are those that the checkpoint in the file speaks of.`,
    `✓ They are all that the ledger had from ${range?.from ?? 'the first'} until ${range?.until}, and their neighbours.`,
    `✓ ${checkpoint?.origin}: signed at ${checkpoint?.at} for ${checkpoint?.size} entries`,
  ];
  if (clockFalls > 0)
    lines.push(
      `! The clock was set back ${clockFalls} times: order the entries by their numbers, not by their times, and do not rely on a range of time.`,
    );
  if (range !== null && range.newer > 0)
    lines.push(`  The ledger is said to have ${range.newer} more, newer than the checkpoint.`);
  lines.push(
    earlier === null
      ? '  Not compared with a checkpoint that you kept (--checkpoint): whoever has the key could have written all of it anew.'
      : `✓ Nothing that the earlier checkpoint (${earlier.size} entries, ${earlier.at}) spoke of was changed.`,
  );
  return lines;
}

/** Whether the file is about the range that was asked for, as far as that was said. */
function compareRange(
  range: ExportReport['range'],
  wanted: { readonly from: string | null; readonly to: string | null },
): ExportFault | null {
  for (const edge of ['from', 'to'] as const) {
    if (wanted[edge] !== null && range?.[edge] !== wanted[edge])
      return { line: 1, issue: `the file is about ${edge} ${range?.[edge] ?? 'no time'}, not ${wanted[edge]}` };
  }
  return null;
}

/** Text from a file as it may stand on a screen: what steers a terminal is shown, not obeyed. */
function toPrintable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
}

/** The text itself, or that of the file that it names. */
function readText(text: string): string {
  return isFile(text) ? readFileSync(text, 'utf8') : text;
}
