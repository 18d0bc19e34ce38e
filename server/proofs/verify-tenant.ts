import { verifyFiles } from '../controls/file-store.ts';
import { changingRows } from '../ledger/audit/rows.ts';
import { nameTree } from '../ledger/checkpoint.ts';
import type { LedgerOf } from '../ledger/entry.ts';
import { isSealed, ledgerNames, readHead } from '../ledger/entry.ts';
import type { NoteVerifier } from '../ledger/signed-note.ts';
import type { TreeOf } from '../ledger/tree-store.ts';
import type { Settings } from '../settings.ts';
import type { Queries } from '../storage/queries.ts';
import type { RowSeal, SecretBox } from '../storage/secrets.ts';
import type { Findings } from './findings.ts';
import type { ReadAnchors, RootClaim } from './verify-anchors.ts';
import { type ValidRow, verifyChain } from './verify-chain.ts';
import { ProofCheck } from './verify-checkpoints.ts';
import { ErasureCheck } from './verify-erasures.ts';
import { ShownCheck, verifyVersions } from './verify-notices.ts';
import { OpeningCheck } from './verify-openings.ts';
import { RowStates, verifyRows } from './verify-rows.ts';

/** The names of the tables whose rows may change, for people. */
export const changingTables = changingRows.map(({ table }) => table).join(', ');

/** The keys for the signatures and seals of an installation. */
export interface VerifyKeys {
  readonly verifier: NoteVerifier;
  readonly seal: RowSeal;
  readonly box: SecretBox;
}

/** The root of a ledger, or of the log, in a checkpoint that the caller kept; its place is the file. */
export interface KeptClaim extends RootClaim {
  readonly of: TreeOf;
}

/** Reports the progress of a verification. */
export interface Progress {
  /** A line for people: what holds. */
  say(line: string): void;
  /** How far it is; an empty text clears it. */
  showProgress(text: string): void;
}

/** The input of a verification, the material to compare with, and where the results go. */
export interface Scene {
  readonly queries: Queries;
  readonly settings: Settings;
  readonly now: string;
  /** Null if the secret of the database is unknown. */
  readonly keys: VerifyKeys | null;
  readonly anchors: ReadAnchors;
  /** The checkpoints that the caller kept. */
  readonly claims: readonly KeptClaim[];
  /** Where keys of the installation followed each other. */
  readonly rotations: readonly KeptClaim[];
  readonly progress: Progress;
  readonly findings: Findings;
}

/**
 * Checks the ledgers, notice versions and rows of a tenant.
 * @returns the report, and the checkpoints that the database has of each ledger.
 */
export async function verifyTenant(scene: Scene, { id, slug }: { readonly id: string; readonly slug: string }) {
  const { progress, queries } = scene;
  const kept = scene.claims.filter(({ of }) => of.tenantId === id);
  /** Prints what was checked, or reports the faults. */
  const report = <Fault>(about: string, what: string, faults: readonly Fault[], describe: (fault: Fault) => string) => {
    if (faults.length === 0) progress.say(`✓ ${slug}: ${what}`);
    for (const fault of faults) scene.findings.add('tampered', about, `${slug}: ${describe(fault)}`, id);
  };
  const states = new RowStates();
  const openings = new OpeningCheck();
  const erasures = new ErasureCheck();
  const shown = new ShownCheck();
  const readRow = (row: ValidRow) => {
    if ('entry' in row) {
      states.read(row.entry);
      erasures.read(row.entry);
      openings.read(row);
    } else {
      erasures.note(row);
      shown.note(row);
    }
  };
  const noteMissing = (sequence: number, path: string) => openings.add(sequence, path);
  const ledgers = [];
  for (const ledger of ledgerNames) {
    const verified = await verifyLedger(scene, slug, { tenantId: id, ledger }, kept, readRow, noteMissing);
    const { isHeadBroken } = verified;
    const { entries, fault } = verified.chain;
    // If only the head of a chain is wrong, there is no row to name.
    report(isHeadBroken ? 'head' : 'chain', `${ledger} chain, ${entries} entries`, fault ? [fault] : [], (found) => {
      const { sequence, id, issue } = found;
      return `${ledger} chain, ${isHeadBroken ? `head, after ${sequence} rows` : `row ${sequence} (${id ?? 'missing'})`}: ${issue}`;
    });
    ledgers.push(verified);
  }
  const erased = await erasures.finish(queries, id);
  report('opening', `${erased.records} erased records`, erased.faults, ({ sequence, issue }) => {
    return `consent chain, row ${sequence}: ${issue}`;
  });
  const closed = await openings.finish(queries, id);
  const audited = 'values that identify a person in audit events, missing exactly where they were erased';
  report('opening', audited, closed, ({ sequence, issue }) => `audit chain, row ${sequence}: ${issue}`);
  for (const { proof } of ledgers) {
    const unsigned = proof.signatures ? '' : ' (signatures not checked)';
    const what = `${proof.ledger} checkpoints, ${proof.checkpoints}${unsigned}`;
    report('checkpoint', what, proof.faults, ({ size, issue }) => {
      return `${proof.ledger} ${size === null ? 'proofs' : `checkpoint of ${size} entries`}: ${issue}`;
    });
  }
  for (const { proof, point, reach } of ledgers) {
    const what = `${proof.ledger} anchors, ${point.anchors}: ${reach}`;
    report('anchor', what, proof.claimFaults, ({ size, at, place, issue }) => {
      return `${proof.ledger} checkpoint of ${size} entries (${at}, ${place}): ${issue}`;
    });
  }
  const disproved = new Set(ledgers.flatMap(({ proof }) => proof.claimFaults.map(({ place }) => place)));
  for (const { place, of, size } of kept)
    if (!disproved.has(place)) progress.say(`✓ ${slug}: ${of.ledger} ledger contains the ${size} entries of ${place}`);
  const versions = await verifyVersions(queries, id);
  const notices = { ...versions, faults: [...versions.faults, ...(await shown.finish(queries, id))] };
  report('notice', `${notices.versions} published notice versions`, notices.faults, ({ noticeId, version, issue }) => {
    return `notice ${noticeId} version ${version}: ${issue}`;
  });
  const rows = await verifyRows(queries, changingRows, id, states, scene.keys?.box ?? null);
  report('row', `${rows.checked} rows of ${changingTables}`, rows.faults, ({ table, id: row, issue }) => {
    return `${table} ${row}: ${issue}`;
  });
  const files = await verifyFiles(queries, id);
  const checked = `${files.checked} evidence files${files.erased > 0 ? `, ${files.erased} erased` : ''}`;
  report('file', checked, files.faults, ({ evidenceId, name, issue }) => {
    return `file ${JSON.stringify(name)} of evidence ${evidenceId}: ${issue}`;
  });
  const [chains, proofs] = [ledgers.map(({ chain }) => chain), ledgers.map(({ proof }) => proof)];
  const anchors = ledgers.map(({ point }) => point);
  const stored = ledgers.map(({ of, checkpoints }) => ({ of, slug, checkpoints }));
  return { report: { tenantId: id, slug, chains, openings: closed, proofs, anchors, notices, rows, files }, stored };
}

export type VerifiedTenant = Awaited<ReturnType<typeof verifyTenant>>;

/** Walks one chain, and compares it with its head, its checkpoints and the checkpoints outside of the database. */
async function verifyLedger(
  { progress, queries, keys, anchors, rotations }: Scene,
  slug: string,
  of: LedgerOf,
  kept: readonly KeptClaim[],
  readRow: (row: ValidRow) => void,
  noteMissing: (sequence: number, path: string) => void,
) {
  const { tenantId, ledger } = of;
  const anchored = anchors.claims.get(nameTree(of)) ?? [];
  const isOf = (claim: KeptClaim) => nameTree(claim.of) === nameTree(of);
  const claims = [...anchored, ...[...kept, ...rotations].filter(isOf)];
  const check = await ProofCheck.open(queries, of, claims);
  const showProgress = (entries: number) => progress.showProgress(`${slug} ${ledger}: ${entries} …`);
  const take = (row: ValidRow) => {
    readRow(row);
    check.take(row.hash);
  };
  const chain = await verifyChain(queries, ledger, tenantId, showProgress, take, noteMissing);
  const proof = await check.finish(keys?.verifier ?? null, chain.fault === null);
  progress.showProgress('');
  const newest = findNewest(anchored);
  let isHeadBroken = false;
  if (chain.fault === null && keys !== null) {
    const head = await readHead(queries, of);
    isHeadBroken = head === undefined || !isSealed(keys.seal, head);
  }
  const fault = isHeadBroken ? { ledger, tenantId, sequence: chain.entries, id: null, issue: brokenSeal } : chain.fault;
  return {
    of,
    chain: { ...chain, fault },
    isHeadBroken,
    proof: { ledger, ...proof },
    /** The point before which a roll-back is detected. */
    point: { ledger, anchors: anchored.length, size: newest?.size ?? null, at: newest?.at ?? null },
    reach: describeReach(anchored),
    checkpoints: check.checkpoints,
  };
}

function findNewest(anchored: readonly RootClaim[]): RootClaim | null {
  return anchored.reduce<RootClaim | null>((one, other) => (one && other.size < one.size ? one : other), null);
}

/** The point before which a roll-back is detected, for people. */
export function describeReach(anchored: readonly RootClaim[], entries = 'entries'): string {
  const newest = findNewest(anchored);
  return newest?.size
    ? `a roll-back to fewer than ${newest.size} ${entries} (${newest.at}) is detected`
    : 'no roll-back can be detected yet';
}

const brokenSeal =
  'the seal of the head does not fit: something other than Svc wrote it, so the newest entries may be missing or forged';
