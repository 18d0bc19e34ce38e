import { statSync } from 'node:fs';
import { databaseFile } from '../../server/installation/installation.ts';
import type { Benchmark } from './benchmark.ts';
import { startChild } from './child.ts';
import { type Requests, requestSlice, startSvc, userAgent } from './http-comparison.ts';
import { judgeCpu } from './report.ts';
import { openSite, prepareSite, type Site, siteOrigin } from './site.ts';
import { compareInTurn, spreadOf } from './slices.ts';

/** Decisions of new visitors on the site's notice. */
export function decisionsOn(site: Site): Requests {
  return {
    method: 'POST',
    paths: [`/v1/public/consent/${site.noticeId}/records`],
    headers: { Origin: siteOrigin, 'User-Agent': userAgent },
    decisions: true,
    expectedStatus: 201,
  };
}

/** Public capture, durable and chained, against Koa that reads and checks the same body and keeps nothing. */
export const capture: Benchmark = {
  name: 'capture',
  async run(bench) {
    const site = await prepareSite(bench.createFolder('capture'));
    const before = measureFile(site);
    await using svc = startSvc(bench, site);
    await using floor = startChild('koa-floor');
    await using load = startChild('load');
    const requests = decisionsOn(site);
    const found = await compareInTurn(
      await requestSlice(bench, svc, load, requests),
      await requestSlice(bench, floor, load, requests),
      bench.pace,
    );
    // Closing the database writes its log into the file.
    await svc[Symbol.asyncDispose]();
    const kilobytes = (measureFile(site) - before) / (await countRecords(site)) / 1000;
    return [
      judgeCpu('public capture / Koa + parse + zod', found, { atLeast: 0.4 }),
      {
        what: 'disk for each of them',
        ours: '',
        floor: '',
        value: spreadOf([kilobytes]),
        unit: 'kB',
        budget: { atMost: 1.2 },
      },
    ];
  },
};

function measureFile({ dataDir }: Site): number {
  return statSync(databaseFile(dataDir)).size;
}

async function countRecords({ dataDir }: Site): Promise<number> {
  await using installation = await openSite(dataDir);
  const { count } = await installation.database.kysely
    .selectFrom('consent_records')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return count;
}
