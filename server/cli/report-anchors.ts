import { join } from 'node:path';
import { anchorFile } from '../ledger/anchor-log.ts';
import type { StoredCheckpoint } from '../ledger/checkpoint-store.ts';
import type { LedgerOf } from '../ledger/tree-store.ts';
import { nameNote, type ReadAnchors, readLedgerName, readNoteNames } from '../ledger/verify-anchors.ts';
import type { CommandContext } from './command.ts';
import type { Findings } from './exit-codes.ts';
import type { Owner } from './verify-tenant.ts';

/** The checkpoints that the database has of a ledger. */
export interface StoredCheckpoints {
  readonly of: LedgerOf;
  readonly slug: string;
  readonly checkpoints: readonly StoredCheckpoint[];
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
    if (stored.some(({ checkpoints }) => checkpoints.length > 0))
      findings.add(
        'unchecked',
        'anchor',
        `${anchorFile} is missing in ${dataDir}: a roll-back of the database to an earlier state cannot be detected. Restore the file from a backup; a server that starts without it creates a new one from the database.`,
      );
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
    findings.add(
      'unchecked',
      'anchor',
      `${slug}: ${of.ledger} checkpoints of ${which} entries are not in ${anchorFile}: it lacks records, so it does not show whether the database was rolled back. A server that starts here appends them.`,
      of.tenantId,
    );
  }
}
