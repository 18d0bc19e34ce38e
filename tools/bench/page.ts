import { listRecords } from '../../server/consent/record-store.ts';
import type { Installation } from '../../server/installation/installation.ts';
import type { Benchmark } from './benchmark.ts';
import { judgeCpu } from './report.ts';
import { openSite, prepareSite, type Site } from './site.ts';
import { compareInTurn } from './slices.ts';
import { cpuSlice } from './work.ts';

const pageSize = 50;
const smallRows = 10_000;

/** A page of records from anywhere in the large ledger, against the first page of a small one. */
export const page: Benchmark = {
  name: 'page',
  async run(bench) {
    const largeSite = await bench.openLargeSite();
    const smallSite = await prepareSite(bench.createFolder('page-small'), smallRows);
    await using large = await openSite(largeSite.dataDir);
    await using small = await openSite(smallSite.dataDir);
    const places = await pickSequences(large, largeSite);
    let turn = 0;
    const found = await compareInTurn(
      cpuSlice(async () => {
        turn += 1;
        await readPage(large, largeSite, places[turn % places.length] as number);
        return 1;
      }, bench.pace.milliseconds / 2),
      cpuSlice(async () => {
        await readPage(small, smallSite, null);
        return 1;
      }, bench.pace.milliseconds / 2),
      bench.pace,
    );
    return [
      judgeCpu(`page anywhere in ${bench.largeRows.toLocaleString('en')} / first of 10,000`, found, { atMost: 1.2 }),
    ];
  },
};

async function readPage({ database }: Installation, site: Site, before: number | null): Promise<void> {
  const { rows } = await listRecords(database.kysely, site.tenantId, site.noticeId, {}, before, pageSize);
  if (rows.length !== pageSize) throw new Error('the page is not full');
}

/** Places of records all over the ledger, in no order. */
async function pickSequences({ database }: Installation, site: Site): Promise<readonly number[]> {
  const head = await database.kysely
    .selectFrom('chain_heads')
    .select('sequence')
    .where('tenant_id', '=', site.tenantId)
    .where('ledger', '=', 'consent')
    .executeTakeFirstOrThrow();
  return Array.from({ length: 5000 }, () => pageSize + 1 + Math.floor(Math.random() * (head.sequence - pageSize)));
}
