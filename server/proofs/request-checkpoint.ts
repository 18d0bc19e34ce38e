import type { AuditSource } from '../audit/source.ts';
import { recordEvent } from '../audit/store.ts';
import type { LedgerName } from '../ledger/append.ts';
import { isBehindCheckpoint, type StoredCheckpoint, signCheckpoint } from '../ledger/checkpoint-store.ts';
import type { NoteSigner } from '../ledger/signed-note.ts';
import { countMissing } from '../ledger/tree-store.ts';
import type { UnitOfWork } from '../storage/unit-of-work.ts';
import { isBusy } from './explain-incomplete.ts';

/** So many entries take up a tenth of a second. */
const mostMissing = 20_000;

/**
 * Signs a checkpoint on demand; when nothing was added since the latest, that one is the answer. Nobody must wait while a
 * long ledger is read: the background work takes it up first.
 * @throws {Problem} `rate_limited` while the tree lacks many entries.
 */
export async function requestCheckpoint(
  work: UnitOfWork,
  source: AuditSource,
  signer: NoteSigner,
  ledger: LedgerName,
): Promise<StoredCheckpoint> {
  const of = { tenantId: source.tenantId, ledger };
  if ((await countMissing(work.transaction, of)) > mostMissing) throw isBusy();
  if (await isBehindCheckpoint(work.transaction, of))
    await recordEvent(work, source, {
      module: 'ledger',
      action: 'checkpoint.requested',
      targetId: ledger,
      targetRef: null,
    });
  return signCheckpoint(work, signer, of);
}
