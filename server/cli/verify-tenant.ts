import { RowStates, verifyRows } from '../audit/verify-rows.ts';
import { verifyVersions } from '../consent/verify-notices.ts';
import { nameLedger } from '../ledger/anchor-log.ts';
import { isSealed, type LedgerName, ledgerTables, readHead } from '../ledger/append.ts';
import type { LedgerOf } from '../ledger/tree-store.ts';
import { verifyChain } from '../ledger/verify.ts';
import type { ReadAnchors, RootClaim } from '../ledger/verify-anchors.ts';
import { ProofCheck } from '../ledger/verify-checkpoints.ts';
import type { Database, Queries } from '../storage/database.ts';
import type { CommandContext } from './command.ts';
import type { Findings } from './findings.ts';
import type { KeptClaim, StoredCheckpoints } from './outside-checkpoints.ts';
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
export async function verifyTenant(scene: Scene, { id, slug }: Owner) {
  const { kysely } = scene.database;
  const kept = scene.claims.filter(({ of }) => of.tenantId === id);
  /** Prints what was checked, or reports the faults. */
  const report = <Fault>(about: string, what: string, faults: readonly Fault[], describe: (fault: Fault) => string) => {
    if (faults.length === 0) scene.context.say(`✓ ${slug}: ${what}`);
    for (const fault of faults) scene.findings.add('tampered', about, `${slug}: ${describe(fault)}`, id);
  };
  const states = new RowStates();
  const ledgers = [];
  for (const ledger of Object.keys(ledgerTables) as LedgerName[]) {
    const of = { tenantId: id, ledger };
    const { checkpoints, isHeadBroken, ...verified } = await verifyLedger(scene, slug, of, kept, states);
    scene.stored.push({ of, slug, checkpoints });
    const { entries, fault } = verified.chain;
    // If only the head of a chain is wrong, there is no row to name.
    report(isHeadBroken ? 'head' : 'chain', `${ledger} chain, ${entries} entries`, fault ? [fault] : [], (found) => {
      const { sequence, id, issue } = found;
      return `${ledger} chain, ${isHeadBroken ? `head, after ${sequence} rows` : `row ${sequence} (${id ?? 'missing'})`}: ${issue}`;
    });
    ledgers.push(verified);
  }
  for (const { proof } of ledgers) {
    const unsigned = proof.signatures ? '' : ' (signatures not checked)';
    const what = `${proof.ledger} checkpoints, ${proof.checkpoints}${unsigned}`;
    report('checkpoint', what, proof.faults, ({ size, issue }) => {
      return `${proof.ledger} ${size === null ? 'proofs' : `checkpoint of ${size} entries`}: ${issue}`;
    });
  }
  for (const { proof, point } of ledgers) {
    const reach = point.size
      ? `a roll-back to fewer than ${point.size} entries (${point.at}) is detected`
      : 'no roll-back can be detected yet';
    const what = `${proof.ledger} anchors, ${point.anchors}: ${reach}`;
    report('anchor', what, proof.claimFaults, ({ size, at, place, issue }) => {
      return `${proof.ledger} checkpoint of ${size} entries (${at}, ${place}): ${issue}`;
    });
  }
  const disproved = new Set(ledgers.flatMap(({ proof }) => proof.claimFaults.map(({ place }) => place)));
  for (const { place, of, size } of kept)
    if (!disproved.has(place))
      scene.context.say(`✓ ${slug}: ${of.ledger} ledger contains the ${size} entries of ${place}`);
  const notices = await verifyVersions(kysely, id);
  report('notice', `${notices.versions} published notice versions`, notices.faults, ({ noticeId, version, issue }) => {
    return `notice ${noticeId} version ${version}: ${issue}`;
  });
  const rows = await verifyRows(kysely, changingRows, id, states);
  const tables = changingRows.map(({ table }) => table).join(', ');
  report('row', `${rows.checked} rows of ${tables}`, rows.faults, ({ table, id: row, issue }) => {
    return `${table} ${row}: ${issue}`;
  });
  return {
    tenantId: id,
    slug,
    chains: ledgers.map(({ chain }) => chain),
    proofs: ledgers.map(({ proof }) => proof),
    anchors: ledgers.map(({ point }) => point),
    notices,
    rows,
  };
}

/** Walks one chain, and compares it with its head, its checkpoints and the checkpoints outside of the database. */
async function verifyLedger(
  { context, database: { kysely }, keys, anchors }: Scene,
  slug: string,
  of: LedgerOf,
  kept: readonly KeptClaim[],
  states: RowStates,
) {
  const { tenantId, ledger } = of;
  const anchored = anchors.claims.get(nameLedger(of)) ?? [];
  const check = await ProofCheck.open(kysely, of, [...anchored, ...kept.filter((claim) => claim.of.ledger === ledger)]);
  const showProgress = (entries: number) => context.showProgress(`${slug} ${ledger}: ${entries} …`);
  const chain = await verifyChain(kysely, ledger, tenantId, showProgress, ({ entry, hash }) => {
    if (ledger === 'audit') states.read(entry);
    check.take(hash);
  });
  const proof = await check.finish(keys?.verifier ?? null, chain.fault === null);
  context.showProgress('');
  const newest = anchored.reduce<RootClaim | null>((one, other) => (one && other.size < one.size ? one : other), null);
  const isHeadBroken = chain.fault === null && keys !== null && !(await hasSealedHead(kysely, of, keys));
  const fault = isHeadBroken ? { ledger, tenantId, sequence: chain.entries, id: null, issue: brokenSeal } : chain.fault;
  return {
    chain: { ...chain, fault },
    isHeadBroken,
    proof: { ledger, ...proof },
    /** The point before which a roll-back is detected. */
    point: { ledger, anchors: anchored.length, size: newest?.size ?? null, at: newest?.at ?? null },
    checkpoints: check.checkpoints,
  };
}

const brokenSeal =
  'the seal of the head does not fit: something other than Svc wrote it, so the newest entries may be missing or forged';

async function hasSealedHead(queries: Queries, { tenantId, ledger }: LedgerOf, { seal }: VerifyKeys): Promise<boolean> {
  const head = await readHead(queries, tenantId, ledger);
  return head !== undefined && isSealed(seal, tenantId, ledger, head);
}
