import { hash } from 'node:crypto';
import type { Installation } from '../../server/installation/installation.ts';
import { signCheckpoint } from '../../server/ledger/checkpoint-store.ts';
import { leafOf } from '../../server/ledger/merkle.ts';
import { TiledTree } from '../../server/ledger/tiles.ts';
import { readEntries } from '../../server/ledger/tree-store.ts';
import { proveInclusion } from '../../server/proofs/routes.ts';
import { verifyChain } from '../../server/proofs/verify-chain.ts';
import { ProofCheck } from '../../server/proofs/verify-checkpoints.ts';
import { runTransaction } from '../../server/storage/database.ts';
import type { Bench, Benchmark, Finding } from './benchmark.ts';
import { judgeCpu } from './report.ts';
import { createSite, fillLedger, openSite, type Site } from './site.ts';
import { compareInTurn, spreadOf } from './slices.ts';
import { listHashed } from './verify.ts';
import { cpuSlice } from './work.ts';

const entries = 50_000;

/** Merkle trees beside plain SHA-256 over the entries, and a proof out of the large ledger. */
export const proofs: Benchmark = {
  name: 'proofs',
  async run(bench) {
    return [...(await measureBuilding(bench)), await measureProof(bench)];
  },
};

async function measureBuilding(bench: Bench): Promise<readonly Finding[]> {
  await using installation = await openSite(bench.createFolder('proofs'));
  const { database } = installation;
  const site = await createSite(installation);
  await fillLedger(database, site, entries);
  await sign(installation, site);
  const of = { tenantId: site.tenantId, ledger: 'consent' } as const;
  const rows = await readEntries(database.kysely, of, { start: 0, end: entries });
  const inputs = rows.map(listHashed);
  const hashEach = (list: readonly (readonly Buffer[])[]) =>
    cpuSlice(() => {
      for (const ofRow of list) for (const input of ofRow) hash('sha256', input);
      return list.length;
    }, bench.pace.milliseconds);
  const hashEntries = hashEach(inputs.map((ofRow) => ofRow.slice(0, 1)));
  const build = cpuSlice(() => {
    const tree = new TiledTree();
    for (const row of rows) tree.add(leafOf(row.hash));
    if (tree.takeFullTiles().length === 0) throw new Error('the tree has no tiles');
    tree.root();
    return rows.length;
  }, bench.pace.milliseconds);
  const verify = cpuSlice(async () => {
    const check = await ProofCheck.open(database.kysely, of);
    const report = await verifyChain(database.kysely, 'consent', site.tenantId, undefined, (row) =>
      check.take(row.hash),
    );
    const { checkpoints, faults } = await check.finish(installation.signer.verifier, true);
    if (report.fault !== null || faults.length > 0 || checkpoints !== 1) throw new Error('the ledger does not verify');
    return entries;
  }, bench.pace.milliseconds);
  const built = await compareInTurn(build, hashEntries, bench.pace);
  const verified = await compareInTurn(verify, hashEach(inputs), bench.pace);
  return [
    judgeCpu('Merkle tree of the entries / SHA-256 of them', built, { atMost: 2 }),
    judgeCpu('chain and Merkle verification / SHA-256, same bytes', verified, { atMost: 5.5 }),
  ];
}

/** Proofs of entries all over the large ledger, with the look-up of the entry and of the checkpoint. */
async function measureProof(bench: Bench): Promise<Finding> {
  const site = await bench.openLargeSite();
  await using installation = await openSite(site.dataDir);
  await sign(installation, site);
  const { database } = installation;
  const of = { tenantId: site.tenantId, ledger: 'consent' } as const;
  const times: number[] = [];
  for (let turn = 0; turn < 3000; turn += 1) {
    const sequence = 1 + Math.floor(Math.random() * bench.largeRows);
    const before = process.cpuUsage();
    await proveInclusion(database.kysely, of, { sequence });
    const { user, system } = process.cpuUsage(before);
    if (turn >= 500) times.push((user + system) / 1000);
  }
  return {
    what: `inclusion proof at ${bench.largeRows.toLocaleString('en')} entries`,
    ours: `${(1000 / spreadOf(times).median).toFixed(0)}/cpu s`,
    floor: '',
    value: spreadOf(times),
    unit: 'ms',
    budget: { atMost: 1 },
  };
}

async function sign(installation: Installation, { tenantId }: Site): Promise<void> {
  const { database, clock } = installation;
  await runTransaction(database, clock(), (tx) => signCheckpoint(tx, installation, { tenantId, ledger: 'consent' }));
}
