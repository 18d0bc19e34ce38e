import type { AuditSource } from '../audit/source.ts';
import { recordEvent } from '../audit/store.ts';
import { Problem } from '../http/problem.ts';
import type { LedgerName } from '../ledger/append.ts';
import { type Anchoring, RewrittenLedger } from '../ledger/checkpoint-anchors.ts';
import { isBehindCheckpoint, type StoredCheckpoint, signCheckpoint } from '../ledger/checkpoint-store.ts';
import { countMissing } from '../ledger/tree-store.ts';
import type { UnitOfWork } from '../storage/unit-of-work.ts';
import { isBusy } from './explain-incomplete.ts';

const refusal =
  'The ledger does not contain a checkpoint that was signed before, so no new checkpoint is signed. The operator of the server must run: svc verify.';

/** Adding this many entries takes about 0.1 s. */
const mostMissing = 20_000;

/**
 * Signs a checkpoint on demand, or returns the latest if nothing was added since. If many entries are missing from the
 * tree, it rejects the request instead of waiting: the background work adds them first.
 * @throws {Problem} `rate_limited` while the tree lacks many entries; `conflict`.
 */
export async function requestCheckpoint(
  work: UnitOfWork,
  source: AuditSource,
  anchoring: Anchoring,
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
  return signCheckpoint(work, anchoring, of).catch((error: unknown) => {
    throw error instanceof RewrittenLedger ? new Problem('conflict', refusal) : error;
  });
}
