import { RowStates, verifyRows } from '../audit/verify-rows.ts';
import { verifyVersions } from '../consent/verify-notices.ts';
import { nameLedger } from '../ledger/anchor-log.ts';
import { isSealed, type LedgerName, ledgerTables, readHead } from '../ledger/append.ts';
import type { LedgerOf } from '../ledger/tree-store.ts';
import { type ChainReport, verifyChain } from '../ledger/verify.ts';
import type { ReadAnchors, RootClaim } from '../ledger/verify-anchors.ts';
import { ProofCheck, type ProofReport } from '../ledger/verify-checkpoints.ts';
import type { Database, Queries } from '../storage/database.ts';
import type { CommandContext } from './command.ts';
import type { Findings } from './exit-codes.ts';
import type { KeptClaim } from './kept-checkpoint.ts';
import type { StoredCheckpoints } from './report-anchors.ts';
import { changingRows } from './verified-tables.ts';
import type { VerifyKeys } from './verify-keys.ts';

/** A tenant whose rows are checked; `known` is false if rows name it and it does not exist. */
export interface Owner {
  readonly id: string;
  readonly slug: string;
  readonly known: boolean;
}

/** The input of the check of a tenant. */
interface Scene {
  readonly context: CommandContext;
  readonly database: Database;
  readonly keys: VerifyKeys | null;
  readonly anchors: ReadAnchors;
  readonly claims: readonly KeptClaim[];
  /** Collects the checkpoints of each ledger. */
  readonly stored: StoredCheckpoints[];
  readonly findings: Findings;
}

/** Checks the ledgers, notice versions and rows of a tenant. */
export async function verifyTenant(
  { context, database, keys, anchors, claims, stored, findings }: Scene,
  { id, slug }: Owner,
) {
  const { json, say } = context;
  const { kysely } = database;
  const progress =
    json || !process.stderr.isTTY ? () => undefined : (text: string) => process.stderr.write(`\r\x1b[K${text}`);
  const fail = (about: string, message: string) => findings.add('tampered', about, `${slug}: ${message}`, id);
  /** Prints what was checked; findings are printed in separate lines. */
  const saySeen = (isGood: boolean, what: string) => {
    if (isGood) say(`✓ ${slug}: ${what}`);
  };
  const chains: ChainReport[] = [];
  const proofs: (ProofReport & { readonly ledger: LedgerName })[] = [];
  const points: RollbackPoint[] = [];
  const states = new RowStates();
  for (const ledger of Object.keys(ledgerTables) as LedgerName[]) {
    const of = { tenantId: id, ledger };
    const anchored = anchors.claims.get(nameLedger(of)) ?? [];
    const wanted = claims.filter((claim) => claim.of.tenantId === id && claim.of.ledger === ledger);
    const proof = await ProofCheck.open(kysely, of, [...anchored, ...wanted]);
    const walked = await verifyChain(
      kysely,
      ledger,
      id,
      (entries) => progress(`${slug} ${ledger}: ${entries} …`),
      ({ entry, hash }) => {
        if (ledger === 'audit') states.read(entry);
        proof.take(hash);
      },
    );
    const isSealedHere = walked.fault !== null || keys === null || (await hasSealedHead(kysely, of, keys));
    const report = isSealedHere ? walked : breakSeal(walked, of);
    chains.push(report);
    const proven = await proof.finish(keys?.verifier ?? null, walked.fault === null);
    proofs.push({ ledger, ...proven });
    points.push(describePoint(ledger, anchored));
    progress('');
    saySeen(report.fault === null, `${ledger} chain, ${report.entries} entries`);
    if (report.fault !== null) {
      const { sequence, id: row, issue } = report.fault;
      fail(isSealedHere ? 'chain' : 'head', `${ledger} chain, ${nameRow(sequence, row, isSealedHere)}: ${issue}`);
    }
    stored.push({ of, slug, checkpoints: proof.checkpoints });
  }
  for (const { ledger, checkpoints, signatures, faults } of proofs) {
    const unsigned = signatures ? '' : ' (signatures not checked)';
    saySeen(faults.length === 0, `${ledger} checkpoints, ${checkpoints}${unsigned}`);
    for (const { size, issue } of faults)
      fail('checkpoint', `${ledger} ${size === null ? 'proofs' : `checkpoint of ${size} entries`}: ${issue}`);
  }
  for (const [index, { ledger, claimFaults }] of proofs.entries()) {
    const { anchors: count, size, at } = points[index] as RollbackPoint;
    const reach =
      size === null || size === 0
        ? 'no roll-back can be detected yet'
        : `a roll-back to fewer than ${size} entries (${at}) is detected`;
    saySeen(claimFaults.length === 0, `${ledger} anchors, ${count}: ${reach}`);
    for (const { size, at, place, issue } of claimFaults)
      fail('anchor', `${ledger} checkpoint of ${size} entries (${at}, ${place}): ${issue}`);
  }
  for (const { place, of, size } of claims.filter((claim) => claim.of.tenantId === id))
    saySeen(
      proofs.every(({ claimFaults }) => claimFaults.every((fault) => fault.place !== place)),
      `${of.ledger} ledger contains the ${size} entries of ${place}`,
    );
  const notices = await verifyVersions(kysely, id);
  saySeen(notices.faults.length === 0, `${notices.versions} published notice versions`);
  for (const { noticeId, version, issue } of notices.faults)
    fail('notice', `notice ${noticeId} version ${version}: ${issue}`);
  const rows = await verifyRows(kysely, changingRows, id, states);
  const tables = changingRows.map(({ table }) => table).join(', ');
  saySeen(rows.faults.length === 0, `${rows.checked} rows of ${tables}`);
  for (const { table, id: row, issue } of rows.faults) fail('row', `${table} ${row}: ${issue}`);
  return { tenantId: id, slug, chains, proofs, anchors: points, notices, rows };
}

/** If only the head of a chain is wrong, there is no row to name. */
function nameRow(sequence: number, id: string | null, isSealed: boolean): string {
  return isSealed ? `row ${sequence} (${id ?? 'missing'})` : `head, after ${sequence} rows`;
}

async function hasSealedHead(queries: Queries, { tenantId, ledger }: LedgerOf, { seal }: VerifyKeys): Promise<boolean> {
  const head = await readHead(queries, tenantId, ledger);
  return head !== undefined && isSealed(seal, tenantId, ledger, head);
}

function breakSeal(report: ChainReport, { tenantId, ledger }: LedgerOf): ChainReport {
  const issue =
    'the seal of the head does not fit: something other than Svc wrote it, so the newest entries may be missing or forged';
  return { ...report, fault: { ledger, tenantId, sequence: report.entries, id: null, issue } };
}

/** The point before which a roll-back of a ledger is detected. */
interface RollbackPoint {
  readonly ledger: LedgerName;
  readonly anchors: number;
  readonly size: number | null;
  readonly at: string | null;
}

function describePoint(ledger: LedgerName, claims: readonly RootClaim[]): RollbackPoint {
  const newest = claims.reduce<RootClaim | null>(
    (one, other) => (one === null || other.size >= one.size ? other : one),
    null,
  );
  return { ledger, anchors: claims.length, size: newest?.size ?? null, at: newest?.at ?? null };
}
