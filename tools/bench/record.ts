import type { Benchmark } from './benchmark.ts';
import { startChild } from './child.ts';
import { fetchText, requestSlice, startSvc } from './http-comparison.ts';
import { judgeCpu } from './report.ts';
import { openSite, prepareSite, type Site } from './site.ts';
import { compareInTurn } from './slices.ts';

/** One record by its id, with key look-up, scope and rate limit, against Koa that answers the same bytes. */
export const record: Benchmark = {
  name: 'record',
  async run(bench) {
    const site = await prepareSite(bench.createFolder('record'), 10_000);
    const recordIds = await listIds(site);
    await using svc = startSvc(bench, site);
    await using floor = startChild('koa-floor');
    await using load = startChild('load');
    const paths = recordIds.map((id) => `/v1/consent/${site.noticeId}/records/${id}`);
    const headers = { Authorization: `Bearer ${site.key}` };
    await floor.ask({ text: await fetchText(svc, paths[0] as string, headers) });
    const requests = { method: 'GET', paths, headers, decisions: false, expectedStatus: 200 } as const;
    const found = await compareInTurn(
      await requestSlice(bench, svc, load, requests),
      await requestSlice(bench, floor, load, requests),
      bench.pace,
    );
    return [judgeCpu('one record, authenticated / Koa GET', found, { atLeast: 0.5 })];
  },
};

async function listIds(site: Site): Promise<readonly string[]> {
  await using installation = await openSite(site.dataDir);
  const rows = await installation.database.kysely.selectFrom('consent_records').select('id').limit(1000).execute();
  return rows.map(({ id }) => id);
}
