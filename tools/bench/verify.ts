import { hash } from 'node:crypto';
import { readEntries, type StoredEntry } from '../../server/ledger/tree-store.ts';
import { verifyChain } from '../../server/proofs/verify-chain.ts';
import type { Benchmark } from './benchmark.ts';
import { judgeCpu } from './report.ts';
import { createSite, fillLedger, openSite } from './site.ts';
import { compareInTurn } from './slices.ts';
import { cpuSlice } from './work.ts';

/** Entries of the chain: enough to leave every cache, few enough to keep the floor's bytes in memory. */
const entries = 50_000;
const everything = { start: 0, end: entries };

/** A whole chain read from the disk and verified, against SHA-256 over the same bytes in memory, openings included. */
export const verify: Benchmark = {
  name: 'verify',
  async run(bench) {
    await using installation = await openSite(bench.createFolder('verify'));
    const { database } = installation;
    const site = await createSite(installation);
    await fillLedger(database, site, entries);
    const stored = await readEntries(database.kysely, { tenantId: site.tenantId, ledger: 'consent' }, everything);
    const inputs = stored.map(listHashed);
    const found = await compareInTurn(
      cpuSlice(async () => {
        const report = await verifyChain(database.kysely, 'consent', site.tenantId);
        if (report.fault !== null || report.entries !== entries) throw new Error('the chain does not verify');
        return entries;
      }, bench.pace.milliseconds),
      cpuSlice(() => {
        for (const ofEntry of inputs) for (const input of ofEntry) hash('sha256', input);
        return inputs.length;
      }, bench.pace.milliseconds),
      bench.pace,
    );
    return [judgeCpu('chain verification / SHA-256, same bytes', found, { atMost: 3 })];
  },
};

/** Inputs that a verification of an entry must hash at least: its text with the hash before it, and each opening. */
export function listHashed({ prevHash, entry, openings }: StoredEntry): readonly Buffer[] {
  const opened = openings.map(({ path, salt, value }) => `${salt}${path}\0${value}`);
  return [(prevHash ?? '') + entry, ...opened].map((text) => Buffer.from(text));
}
