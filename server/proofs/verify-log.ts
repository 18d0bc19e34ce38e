import { type Attestation, readAttestations } from '../ledger/attestation-store.ts';
import { verifyAttestation } from '../ledger/attestations.ts';
import { nameTree } from '../ledger/checkpoint.ts';
import type { StoredCheckpoint } from '../ledger/checkpoint-store.ts';
import { checkLeaves, nameLogKey } from '../ledger/installation-log.ts';
import { installationLog, type TreeOf } from '../ledger/tree-store.ts';
import { type Outside, readOutside } from '../proofs/outside-sources.ts';
import { type Settings, SettingsError } from '../settings.ts';
import { areWithin, dayMilliseconds } from '../storage/database.ts';
import type { Findings } from './findings.ts';
import { ProofCheck } from './verify-checkpoints.ts';
import { describeReach, type Scene } from './verify-tenant.ts';

/** The result of verifying the log of the installation. */
export interface VerifiedLog {
  /** The key of the log for witnesses; null if the secret is unknown. */
  readonly verifierKey: string | null;
  /** How many ledger checkpoints it has. */
  readonly leaves: number;
  readonly checkpoints: number;
  /** How many of its checkpoints `checkpoints.log` has. */
  readonly anchors: number;
  /** Valid timestamps of the configured authority, and cosignatures of the witnesses in the policy. */
  readonly timestamps: number;
  readonly cosignatures: number;
  /** How many of its checkpoints lack such a timestamp, or the cosignature of a witness, by its name. */
  readonly gaps: Readonly<Record<string, number>>;
  readonly faults: readonly string[];
}

/** The checkpoints of a ledger, or of the log, in the database. */
export interface StoredState {
  readonly of: TreeOf;
  /** The tenant, to print. */
  readonly slug: string;
  readonly checkpoints: readonly StoredCheckpoint[];
}

const logName = 'log of the installation';

/**
 * Compares the log of the installation with the checkpoints of the ledgers, its own checkpoints with its leaves, those
 * outside the database with the log, and the timestamps and cosignatures with these checkpoints.
 */
export async function verifyLog(scene: Scene): Promise<{ readonly report: VerifiedLog; readonly stored: StoredState }> {
  const { queries, keys, settings, progress, findings } = scene;
  // Read first: a running server only adds to them.
  const attestations = await readAttestations(queries);
  const anchored = scene.anchors.claims.get(nameTree(installationLog)) ?? [];
  const kept = scene.claims.filter(({ of }) => of.ledger === installationLog.ledger);
  const rotations = scene.rotations.filter(({ of }) => of.ledger === installationLog.ledger);
  const check = await ProofCheck.open(queries, installationLog, [...anchored, ...kept, ...rotations]);
  let leaves = 0;
  const wrong = await checkLeaves(queries, (hash) => {
    leaves += 1;
    check.take(hash);
  });
  const proof = await check.finish(keys?.verifier ?? null, true);
  const outside = findOutside(settings, findings);
  const checkpoints = new Map(check.checkpoints.map((one) => [one.size, { ...one, note: String(one.note) }]));
  const faults = [
    ...wrong,
    ...proof.faults.map(
      ({ size, issue }) => `${size === null ? 'proofs' : `log checkpoint of size ${size}`}: ${issue}`,
    ),
  ];
  const authorities = outside?.authority?.certificates ?? null;
  const trust = { authorities, witnesses: new Set(outside?.policy?.witnesses.map(({ vkey }) => vkey)) };
  const [valid, untrusted]: [Attestation[], Attestation[]] = [[], []];
  for (const attestation of attestations) {
    const { kind, size } = attestation;
    const checkpoint = checkpoints.get(size);
    const verified =
      checkpoint === undefined
        ? ({ result: 'invalid', issue: 'there is no such checkpoint' } as const)
        : await verifyAttestation(checkpoint, attestation, trust);
    if (verified.result === 'invalid') faults.push(`${kind} of the log checkpoint of size ${size}: ${verified.issue}`);
    else (verified.result === 'valid' ? valid : untrusted).push(attestation);
  }
  for (const issue of faults) findings.add('tampered', 'log', `${logName}: ${issue}`);
  for (const { size, at, place, issue } of proof.claimFaults)
    findings.add('tampered', 'anchor', `${logName}: log checkpoint of size ${size} (${at}, ${place}): ${issue}`);
  const unsigned = proof.signatures ? '' : ' (signatures not checked)';
  const isWhole = faults.length + proof.claimFaults.length === 0 && leaves > 0;
  const sayHolds = (what: string) => progress.say(`✓ ${logName}: ${what}`);
  if (isWhole) {
    sayHolds(`${leaves} ledger checkpoints, ${proof.checkpoints} signed log checkpoints${unsigned}`);
    sayHolds(`${anchored.length} anchors: ${describeReach(anchored, 'ledger checkpoints')}`);
  }
  const disproved = new Set(proof.claimFaults.map(({ place }) => place));
  for (const { place, size } of kept)
    if (!disproved.has(place)) sayHolds(`contains the ${size} ledger checkpoints of ${place}`);
  const count = (kind: string) => valid.filter((one) => one.kind === kind).length;
  const [timestamps, cosignatures] = [count('timestamp'), count('cosignature')];
  if (isWhole && timestamps + cosignatures > 0) sayHolds(`${timestamps} timestamps, ${cosignatures} cosignatures`);
  reportUntrusted(untrusted, authorities !== null, findings);
  const gaps = findGaps([...checkpoints.keys()], valid, outside);
  for (const [name, missing] of Object.entries(gaps))
    if (missing > 0) progress.say(`• ${logName}: ${missing} of its checkpoints have no ${name}`);
  reportLacking(scene, check.checkpoints, valid, outside);
  const verifierKey = keys === null ? null : nameLogKey(keys.verifier);
  const counts = { leaves, checkpoints: proof.checkpoints, anchors: anchored.length, timestamps, cosignatures };
  return {
    report: { verifierKey, ...counts, gaps, faults },
    stored: { of: installationLog, slug: installationLog.tenantId, checkpoints: check.checkpoints },
  };
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

/** Reports attestations that are intact, but whose authority or witness is not configured. */
function reportUntrusted(untrusted: readonly Attestation[], hasAuthorities: boolean, findings: Findings): void {
  const { timestamp: timestamps = [], cosignature: cosignatures = [] } = Object.groupBy(untrusted, ({ kind }) => kind);
  if (timestamps.length > 0) {
    const issue = hasAuthorities
      ? `It is not checked who signed ${timestamps.length} timestamps: they do not lead to a certificate in SVC_TIMESTAMP_CA. If the authority was changed, keep the certificates of the former one in this file.`
      : 'It is not checked who signed the timestamps: set SVC_TIMESTAMP_CA to the certificates that you trust.';
    findings.add('unchecked', 'timestamp', issue);
  }
  for (const [key, { length }] of Map.groupBy(cosignatures, ({ source }) => source)) {
    const issue = `It is not checked who made ${length} cosignatures with the key ${key}: it is not in SVC_WITNESS_POLICY. If this was your witness, keep it in the policy, without an address.`;
    findings.add('unchecked', 'witness', issue);
  }
}

/** For this long, a checkpoint may lack a timestamp or the quorum: the authority or a witness may be unreachable. */
const attestedWithin = dayMilliseconds;

/** Reports that the log has no current timestamp, or no current quorum of cosignatures. */
function reportLacking(
  { now, progress, findings }: Scene,
  checkpoints: readonly StoredCheckpoint[],
  valid: readonly Attestation[],
  outside: Outside | null,
): void {
  const report = (about: string, what: string, isMet: (of: readonly Attestation[]) => boolean) => {
    const bySize = Map.groupBy(valid, ({ size }) => size);
    // A later checkpoint covers all leaves of those before it.
    const reached = checkpoints.findLastIndex(({ size }) => isMet(bySize.get(size) ?? []));
    const oldest = checkpoints[reached + 1];
    if (oldest === undefined) return;
    const issue = `${logName}: its checkpoints since ${oldest.at} have no ${what}`;
    if (areWithin(attestedWithin, now, oldest.at)) progress.say(`• ${issue}`);
    else findings.add('unchecked', about, `${issue}. Find out why: the system page of the dashboard shows it.`);
  };
  if (outside?.authority?.url) report('timestamp', 'timestamp', (of) => of.some(({ kind }) => kind === 'timestamp'));
  const policy = outside?.policy;
  if (policy)
    report('witness', 'quorum of cosignatures', (of) =>
      policy.isMet(new Set(of.filter(({ kind }) => kind === 'cosignature').map(({ source }) => source))),
    );
}

/** Counts the checkpoints that lack a timestamp, and for each witness of the policy those that lack its cosignature. */
function findGaps(
  sizes: readonly number[],
  valid: readonly Attestation[],
  outside: Outside | null,
): VerifiedLog['gaps'] {
  const gaps: Record<string, number> = {};
  const count = (name: string, isOne: (attestation: Attestation) => boolean) => {
    const attested = new Set(valid.filter(isOne).map(({ size }) => size));
    gaps[name] = sizes.filter((size) => !attested.has(size)).length;
  };
  if (outside?.authority) count('timestamp', ({ kind }) => kind === 'timestamp');
  for (const { vkey, name } of outside?.policy?.witnesses ?? [])
    count(`cosignature of ${name}`, ({ kind, source }) => kind === 'cosignature' && source === vkey);
  return gaps;
}
