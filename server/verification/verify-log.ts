import { checkLeaves } from '../ledger/installation-log.ts';
import { installationLog } from '../ledger/tree-store.ts';
import { ProofCheck } from '../ledger/verify-checkpoints.ts';
import type { Queries } from '../storage/database.ts';
import type { Findings } from './findings.ts';
import type { Progress, VerifyKeys } from './verify-tenant.ts';

/** What was verified of the log of the installation. */
export interface VerifiedLog {
  readonly leaves: number;
  readonly checkpoints: number;
  readonly faults: readonly string[];
}

/** Compares the log of the installation with the checkpoints of the ledgers, and its own checkpoints with its leaves. */
export async function verifyLog(
  queries: Queries,
  keys: VerifyKeys | null,
  progress: Progress,
  findings: Findings,
): Promise<VerifiedLog> {
  const check = await ProofCheck.open(queries, installationLog);
  let leaves = 0;
  const wrong = await checkLeaves(queries, (hash) => {
    leaves += 1;
    check.take(hash);
  });
  const proof = await check.finish(keys?.verifier ?? null, true);
  const faults = [
    ...wrong,
    ...proof.faults.map(({ size, issue }) => `${size === null ? 'proofs' : `checkpoint of ${size} leaves`}: ${issue}`),
  ];
  for (const issue of faults) findings.add('tampered', 'log', `log of the installation: ${issue}`);
  const unsigned = proof.signatures ? '' : ' (signatures not checked)';
  if (faults.length === 0 && leaves > 0)
    progress.say(`✓ log of the installation: ${leaves} checkpoints in ${proof.checkpoints} states${unsigned}`);
  return { leaves, checkpoints: proof.checkpoints, faults };
}
