import { type Attestation, readAttestations } from '../ledger/attestation-store.ts';
import { findStatementFault } from '../ledger/attestations.ts';
import { checkLeaves, nameLogKey } from '../ledger/installation-log.ts';
import { installationLog } from '../ledger/tree-store.ts';
import { ProofCheck } from '../ledger/verify-checkpoints.ts';
import { type Outside, readOutside } from '../proofs/outside-sources.ts';
import { type Settings, SettingsError } from '../settings.ts';
import type { Queries } from '../storage/database.ts';
import type { Findings } from './findings.ts';
import type { Progress, VerifyKeys } from './verify-tenant.ts';

/** What was verified of the log of the installation. */
export interface VerifiedLog {
  /** The key of the log for witnesses; null if the secret is unknown. */
  readonly verifierKey: string | null;
  /** How many checkpoints of ledgers it has. */
  readonly leaves: number;
  readonly checkpoints: number;
  readonly timestamps: number;
  readonly cosignatures: number;
  /** How many of its checkpoints lack a timestamp, or the cosignature of a witness, by its name. */
  readonly gaps: Readonly<Record<string, number>>;
  readonly faults: readonly string[];
}

interface Scene {
  readonly queries: Queries;
  readonly keys: VerifyKeys | null;
  readonly settings: Settings;
  readonly progress: Progress;
  readonly findings: Findings;
}

/**
 * Compares the log of the installation with the checkpoints of the ledgers, its own checkpoints with its leaves, and what
 * authorities and witnesses stated with these checkpoints.
 */
export async function verifyLog({ queries, keys, settings, progress, findings }: Scene): Promise<VerifiedLog> {
  // Read first: a running server only adds to them.
  const attestations = await readAttestations(queries);
  const check = await ProofCheck.open(queries, installationLog);
  let leaves = 0;
  const wrong = await checkLeaves(queries, (hash) => {
    leaves += 1;
    check.take(hash);
  });
  const proof = await check.finish(keys?.verifier ?? null, true);
  const outside = findOutside(settings, findings);
  const notes = new Map(check.checkpoints.map(({ size, note }) => [size, String(note)]));
  const authorities = outside?.authority?.certificates ?? null;
  const faults = [
    ...wrong,
    ...proof.faults.map(({ size, issue }) => `${size === null ? 'proofs' : `checkpoint of ${size} leaves`}: ${issue}`),
  ];
  for (const attestation of attestations) {
    const { kind, size } = attestation;
    const note = notes.get(size);
    const fault =
      note === undefined ? 'there is no such checkpoint' : await findStatementFault(note, attestation, authorities);
    if (fault !== null) faults.push(`${kind} of the checkpoint of ${size} leaves: ${fault}`);
  }
  for (const issue of faults) findings.add('tampered', 'log', `log of the installation: ${issue}`);
  const unsigned = proof.signatures ? '' : ' (signatures not checked)';
  const isWhole = faults.length === 0 && leaves > 0;
  if (isWhole)
    progress.say(`✓ log of the installation: ${leaves} checkpoints of ledgers, ${proof.checkpoints} of it${unsigned}`);
  const count = (kind: string) => attestations.filter((one) => one.kind === kind).length;
  const [timestamps, cosignatures] = [count('timestamp'), count('cosignature')];
  if (timestamps > 0 && authorities === null)
    findings.add(
      'unchecked',
      'timestamp',
      'It is not checked who signed the timestamps: set SVC_TIMESTAMP_CA to the certificates that you trust.',
    );
  const gaps = findGaps([...notes.keys()], attestations, outside);
  if (isWhole && timestamps + cosignatures > 0)
    progress.say(`✓ log of the installation: ${timestamps} timestamps, ${cosignatures} cosignatures`);
  for (const [name, missing] of Object.entries(gaps))
    if (missing > 0) progress.say(`• log of the installation: ${missing} of its checkpoints have no ${name}`);
  const newest = Math.max(...notes.keys());
  const cosigned = attestations.filter((one) => one.kind === 'cosignature' && one.size === newest);
  if (notes.size > 0 && outside?.policy?.isMet(new Set(cosigned.map(({ source }) => source))) === false)
    progress.say('• log of the installation: its newest checkpoint lacks the quorum of the policy');
  const verifierKey = keys === null ? null : nameLogKey(keys.verifier);
  return { verifierKey, leaves, checkpoints: proof.checkpoints, timestamps, cosignatures, gaps, faults };
}

function findOutside(settings: Settings, findings: Findings): Outside | null {
  try {
    return readOutside(settings);
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    findings.add('unchecked', 'timestamp', error.message);
    return null;
  }
}

/** Counts the checkpoints that lack a statement, for each source that is configured or ever stated something. */
function findGaps(
  sizes: readonly number[],
  attestations: readonly Attestation[],
  outside: Outside | null,
): VerifiedLog['gaps'] {
  const stated = new Map<string, Set<number>>();
  // Anyone can make a key with the name of a witness: only that of the policy counts as the witness.
  const witnesses = new Set(outside?.policy?.witnesses.map(({ vkey }) => vkey));
  const name = (kind: string, source: string) =>
    kind === 'timestamp' ? kind : `${kind} of ${witnesses.has(source) ? source.split('+')[0] : source}`;
  if (outside?.authority) stated.set('timestamp', new Set());
  for (const vkey of witnesses) stated.set(name('cosignature', vkey), new Set());
  for (const { kind, source, size } of attestations) {
    const known = stated.get(name(kind, source)) ?? new Set();
    stated.set(name(kind, source), known.add(size));
  }
  return Object.fromEntries([...stated].map(([key, known]) => [key, sizes.filter((size) => !known.has(size)).length]));
}
