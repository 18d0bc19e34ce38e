import { recordErasure, systemSource } from '../../ledger/audit/store.ts';
import type { Erased, ErasureLine } from '../../ledger/erasure-log.ts';
import { hasErasure } from '../../ledger/erasure-store.ts';
import { countEvents } from '../../ledger/erasures.ts';
import { clearOpenings, findOpened } from '../../ledger/opening-store.ts';
import { type Database, runTransaction } from '../../storage/database.ts';
import type { SecretBox } from '../../storage/secrets.ts';
import { continueErasure, eraseAgain, restoredReason } from './erase.ts';
import { type ErasureCounts, noCounts } from './erasure.ts';
import { findSubjects } from './store.ts';
import { erasables } from './texts-store.ts';
import { continueUserErasure, eraseUserAgain } from './user-store.ts';

/** The counts of values that a restore erased again. */
export type ReplayCounts = ErasureCounts & { readonly subjects: number; readonly users: number };

/**
 * Repeats in a restored database the erasures that were made before the restore. Each line names the places of the
 * values; the values are found there, if the backup has them, and erased everywhere, with audit events as for the first
 * time. Values that the backup lacks, or that its history has in other entries, are left unchanged.
 */
export async function replayErasures(
  database: Database,
  box: SecretBox,
  lines: Iterable<ErasureLine & { readonly line: string }>,
  now: string,
): Promise<ReplayCounts> {
  const counts = { ...noCounts, subjects: 0, users: 0 };
  const add = (more: Partial<ReplayCounts>) => {
    for (const [name, count] of Object.entries(more)) counts[name as keyof ReplayCounts] += count;
  };
  for (const line of lines) {
    // A person who was erased before the backup may be a member again, and a request may have new texts.
    if (await hasErasure(database.kysely, line)) continue;
    const { tenantId, erased } = line;
    if (erased.kind === 'subject') {
      const { records, requests } = erased;
      for (const target of await findSubjects(database.kysely, tenantId, records))
        add({ subjects: 1, ...(await eraseAgain(database, now, tenantId, { kind: 'subject', target }, requests)) });
    } else if (erased.kind === 'evidence')
      add(await eraseAgain(database, now, tenantId, { kind: erased.kind, target: erased.id }));
    else if (erased.kind === 'user') add(await replayUser(database, box, now, tenantId, erased));
    else if (erased.kind === 'texts') add(await replayTexts(database, now, tenantId, erased));
    else if (erased.kind === 'openings') add({ auditEvents: await replayOpenings(database, now, tenantId, erased) });
    else throw new UnknownErasure((erased as { readonly kind: unknown }).kind);
  }
  // Those that the backup was made during.
  while (await continueErasure(database, now));
  while (await continueUserErasure(database, box, now));
  return counts;
}

/** A newer version wrote the log. */
export class UnknownErasure extends Error {
  override readonly name = 'UnknownErasure';

  constructor(kind: unknown) {
    super(`A newer version of Svc erased something of the kind "${kind}"; restore with that version.`);
  }
}

async function replayUser(
  database: Database,
  box: SecretBox,
  now: string,
  tenantId: string,
  user: Extract<Erased, { kind: 'user' }>,
): Promise<Partial<ReplayCounts>> {
  const erased = await runTransaction(database, now, (tx) => eraseUserAgain(tx, box, tenantId, user));
  if (erased === null) return {};
  const { sessions: _, invitations: _invitations, ...counts } = erased.counts;
  return { users: 1, ...counts };
}

async function replayTexts(
  database: Database,
  now: string,
  tenantId: string,
  { table, ids }: Extract<Erased, { kind: 'texts' }>,
): Promise<ErasureCounts> {
  const kind = (['dsr', 'breach'] as const).find((one) => erasables[one].kind.table === table);
  if (kind === undefined) throw new UnknownErasure(table);
  return eraseAgain(database, now, tenantId, { kind, target: ids.join(' ') });
}

async function replayOpenings(
  database: Database,
  now: string,
  tenantId: string,
  { openings }: Extract<Erased, { kind: 'openings' }>,
): Promise<number> {
  const event = {
    module: 'ledger',
    action: 'openings.erased',
    targetId: null,
    targetRef: null,
    reason: restoredReason,
  } as const;
  let events = 0;
  for (const value of await findOpened(database.kysely, tenantId, openings))
    for (let isDone = false; !isDone; )
      await runTransaction(database, now, async (tx) => {
        const { openings: cleared, hasMore } = await clearOpenings(tx, tenantId, value);
        if (cleared.length > 0) await recordErasure(tx, systemSource(tenantId), { audit: cleared }, event);
        events += countEvents(cleared);
        isDone = !hasMore;
      });
  return events;
}
