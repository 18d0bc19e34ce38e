import { randomUUID } from 'node:crypto';
import { prepareQuery } from '../../server/storage/rows.ts';
import type { Benchmark } from './benchmark.ts';
import { openPlain } from './plain-sqlite.ts';
import { judgeCpu } from './report.ts';
import { createSite, fillLedger, openSite } from './site.ts';
import { compareInTurn } from './slices.ts';
import { cpuSlice } from './work.ts';

/** One keyed read and one durable insert through our storage layer, against prepared statements. */
export const storage: Benchmark = {
  name: 'storage',
  async run(bench) {
    const { milliseconds } = bench.pace;
    await using ours = await openSite(bench.createFolder('storage-ours'));
    await using other = await openSite(bench.createFolder('storage-floor'));
    const site = await createSite(ours);
    await fillLedger(ours.database, site, 10_000);
    const { kysely } = ours.database;
    const rows = await kysely.selectFrom('consent_records').select('id').limit(1000).execute();
    let turn = 0;
    const nextId = () => (rows[turn++ % rows.length] as (typeof rows)[number]).id;

    using reader = openPlain(ours.settings.dataDir);
    const select = reader.prepare(
      'select subject_id, hash, salt from consent_records where tenant_id = ? and notice_id = ? and id = ?',
    );
    const read = await compareInTurn(
      cpuSlice(async () => {
        const { tenantId, noticeId } = site;
        for (let done = 0; done < 100; done += 1) await selectRecord(kysely, { tenantId, noticeId, id: nextId() });
        return 100;
      }, milliseconds / 4),
      cpuSlice(() => {
        for (let done = 0; done < 100; done += 1) select.get(site.tenantId, site.noticeId, nextId());
        return 100;
      }, milliseconds / 4),
      bench.pace,
    );

    // Each side writes to its own file: two writers on one file would empty each other's cache.
    using writer = openPlain(other.settings.dataDir);
    const insert = writer.prepare(
      'insert into idempotency_keys (tenant_id, key, fingerprint, status, body, created_at) values (?, ?, ?, ?, ?, ?)',
    );
    const body = 'x'.repeat(400);
    const now = new Date().toISOString();
    const write = await compareInTurn(
      cpuSlice(async () => {
        const key = randomUUID();
        const row = { tenant_id: site.tenantId, key, fingerprint: key, status: 201, body, created_at: now };
        await kysely.insertInto('idempotency_keys').values(row).execute();
        return 1;
      }, milliseconds),
      cpuSlice(() => {
        const key = randomUUID();
        insert.run(site.tenantId, key, key, 201, body, now);
        return 1;
      }, milliseconds),
      bench.pace,
    );
    return [
      judgeCpu('keyed read / prepared statement', read, { atMost: 2.5 }),
      judgeCpu('durable insert / prepared statement', write, { atMost: 1.6 }),
    ];
  },
};

/** As the stores read by key: built by Kysely once, run with other values each time. */
const selectRecord = prepareQuery<{ tenantId: string; noticeId: string; id: string }, object>((queries, parameter) =>
  queries
    .selectFrom('consent_records')
    .select(['subject_id', 'hash', 'salt'])
    .where('tenant_id', '=', parameter('tenantId'))
    .where('notice_id', '=', parameter('noticeId'))
    .where('id', '=', parameter('id')),
);
