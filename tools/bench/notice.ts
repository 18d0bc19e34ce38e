import type { Benchmark } from './benchmark.ts';
import { startChild } from './child.ts';
import { fetchText, requestSlice, startSvc, userAgent } from './http-comparison.ts';
import { judgeCpu } from './report.ts';
import { prepareSite, siteOrigin } from './site.ts';
import { compareInTurn } from './slices.ts';

/** The public notice, which every undecided visitor loads, against Koa that answers the same bytes. */
export const notice: Benchmark = {
  name: 'notice',
  async run(bench) {
    const site = await prepareSite(bench.createFolder('notice'));
    await using svc = startSvc(bench, site);
    await using floor = startChild('koa-floor');
    await using load = startChild('load');
    const path = `/v1/public/consent/${site.noticeId}`;
    const headers = { Origin: siteOrigin, 'User-Agent': userAgent };
    await floor.ask({ text: await fetchText(svc, path, headers) });
    const requests = { method: 'GET', paths: [path], headers, decisions: false, expectedStatus: 200 } as const;
    const found = await compareInTurn(
      await requestSlice(bench, svc, load, requests),
      await requestSlice(bench, floor, load, requests),
      bench.pace,
    );
    return [judgeCpu('public notice / Koa GET, same bytes', found, { atLeast: 0.85 })];
  },
};
