import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { anchorFile } from '../ledger/anchor-log.ts';
import { openCheckpoint, readCheckpoint } from '../ledger/checkpoint.ts';
import type { StoredCheckpoint } from '../ledger/checkpoint-store.ts';
import type { LedgerOf } from '../ledger/tree-store.ts';
import { nameNote, type ReadAnchors, type RootClaim, readLedgerName, readNoteNames } from '../ledger/verify-anchors.ts';
import { type CommandContext, UsageError } from './command.ts';
import type { Findings } from './findings.ts';
import type { VerifyKeys } from './verify-keys.ts';
import type { Owner } from './verify-tenant.ts';

/** Whether a path names a file. */
export function isFile(path: string): boolean {
  return existsSync(path) && statSync(path).isFile();
}

/**
 * Reads the signed note of a checkpoint that the caller kept: the note itself, or a response of the API that contains it.
 * @throws {UsageError}
 */
export function readNote(file: string): string {
  if (!isFile(file)) throw new UsageError(`--checkpoint: there is no file ${file}.`);
  // Mail programs and editors add byte order marks, white space and CRLF; the signature covers none of them.
  const text = readFileSync(file, 'utf8')
    .replace(/^\uFEFF/, '')
    .replaceAll('\r\n', '\n')
    .trim();
  if (!text.startsWith('{')) return `${text}\n`;
  try {
    const answer = JSON.parse(text);
    const { note } = answer.data ?? answer;
    if (typeof note === 'string') return note;
  } catch {
    // Reported below.
  }
  throw new UsageError(`--checkpoint: ${file} contains no checkpoint.`);
}

/** The root of a ledger in a kept checkpoint; its place is the file. */
export interface KeptClaim extends RootClaim {
  readonly of: LedgerOf;
}

/** The roots in the notes of kept checkpoints whose signatures are valid; without keys, in all of them. */
export function readClaims(
  notes: ReadonlyMap<string, string>,
  keys: VerifyKeys | null,
  findings: Findings,
): readonly KeptClaim[] {
  return [...notes].flatMap(([place, note]) => {
    const text = note.slice(0, note.lastIndexOf('\n\n') + 1);
    const checkpoint = keys === null ? readCheckpoint(text) : openCheckpoint(note, keys.verifier);
    const of = checkpoint && readLedgerName(checkpoint.origin.slice(checkpoint.origin.indexOf('/') + 1));
    if (checkpoint !== null && of !== null) {
      const { size, at, rootHash } = checkpoint;
      return [{ of, size, at, rootHash, place, note: null }];
    }
    const issue = `${place} is no checkpoint that this installation signed, so nothing was compared with it.`;
    findings.add('unchecked', 'kept_checkpoint', issue);
    return [];
  });
}

/** Ledgers are never removed: every ledger in an anchor must exist. */
export function reportStrayAnchors({ claims }: ReadAnchors, owners: readonly Owner[], findings: Findings): void {
  for (const [name, [first]] of claims) {
    const of = readLedgerName(name);
    if (of !== null && owners.some(({ id }) => id === of.tenantId)) continue;
    const issue = 'is missing: the tenant was removed, or the database was replaced by an older one';
    findings.add('tampered', 'anchor', `${first?.place}: the ledger ${name} ${issue}`, of?.tenantId ?? null);
  }
}

/** The checkpoints that the database has of a ledger. */
export interface StoredCheckpoints {
  readonly of: LedgerOf;
  readonly slug: string;
  readonly checkpoints: readonly StoredCheckpoint[];
}

/** A server appends each checkpoint at once, and those of other servers within a minute. */
const appendedWithin = 5 * 60_000;

/** Reports checkpoints that the log lacks: it was cut or replaced, or no server ran here since. */
export function reportUnanchored(
  stored: readonly StoredCheckpoints[],
  { isThere }: ReadAnchors,
  { settings: { dataDir }, clock }: CommandContext,
  findings: Findings,
): void {
  if (!isThere) {
    const issue = `${anchorFile} is missing in ${dataDir}: a roll-back of the database to an earlier state cannot be detected. Restore the file from a backup; a server that starts without it creates a new one from the database.`;
    if (stored.some(({ checkpoints }) => checkpoints.length > 0)) findings.add('unchecked', 'anchor', issue);
    return;
  }
  const names = readNoteNames(join(dataDir, anchorFile));
  const now = Date.parse(clock());
  // Even if the clock is behind, a checkpoint far in the future is not recent.
  const isRecent = (at: unknown) => Math.abs(now - Date.parse(String(at))) < appendedWithin;
  for (const { of, slug, checkpoints } of stored) {
    const sizes = checkpoints
      .filter(({ note, at }) => !names.has(nameNote(String(note))) && !isRecent(at))
      .map(({ size }) => size);
    if (sizes.length === 0) continue;
    const which = `${sizes.slice(0, 3).join(', ')}${sizes.length > 3 ? ' …' : ''}`;
    const issue = `${slug}: ${of.ledger} checkpoints of ${which} entries are not in ${anchorFile}: it lacks records, so it does not show whether the database was rolled back. A server that starts here appends them.`;
    findings.add('unchecked', 'anchor', issue, of.tenantId);
  }
}
