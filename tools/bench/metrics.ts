import type { Benchmark, Finding } from './benchmark.ts';
import { startChild } from './child.ts';
import { requestSlice, startSvc, userAgent } from './http-comparison.ts';
import { judgeCpu } from './report.ts';
import { prepareSite, siteOrigin } from './site.ts';
import { compareInTurn, spreadOf } from './slices.ts';
import { type Start, startOnce } from './start.ts';

const withMetrics = { SVC_METRICS_PORT: '0' };

/** The cost of metrics at a start, in memory and for each request, beside a server without them. */
export const metrics: Benchmark = {
  name: 'metrics',
  async run(bench) {
    const [site, other] = [
      await prepareSite(bench.createFolder('metrics')),
      await prepareSite(bench.createFolder('no-metrics')),
    ];
    const starts: { readonly ours: Start; readonly floor: Start }[] = [];
    for (let turn = -1; turn < bench.pace.pairs; turn += 1) {
      const ours = await startOnce(site.dataDir, withMetrics);
      const floor = await startOnce(other.dataDir);
      // The first pair warms the disk cache.
      if (turn >= 0) starts.push({ ours, floor });
    }
    await using svc = startSvc(bench, site, withMetrics);
    await using plain = startSvc(bench, other);
    await using load = startChild('load');
    const headers = { Origin: siteOrigin, 'User-Agent': userAgent };
    const request = { method: 'GET', headers, decisions: false, expectedStatus: 200 } as const;
    const pathOf = (noticeId: string) => [`/v1/public/consent/${noticeId}`];
    const found = await compareInTurn(
      await requestSlice(bench, svc, load, { ...request, paths: pathOf(site.noticeId) }),
      await requestSlice(bench, plain, load, { ...request, paths: pathOf(other.noticeId) }),
      bench.pace,
    );
    const compare = (what: string, unit: 's' | 'MB', read: (one: Start) => number, atMost: number): Finding => {
      const show = (side: 'ours' | 'floor') =>
        `${spreadOf(starts.map((pair) => read(pair[side]))).median.toFixed(unit === 's' ? 2 : 0)} ${unit}`;
      const value = spreadOf(starts.map(({ ours, floor }) => read(ours) / read(floor)));
      return { what, ours: show('ours'), floor: show('floor'), value, unit: '×', budget: { atMost } };
    };
    return [
      compare('start to first answer, with metrics / without', 's', ({ seconds }) => seconds, 1.2),
      compare('memory, idle, with metrics / without', 'MB', ({ megabytes }) => megabytes, 1.15),
      judgeCpu('public notice, with metrics / without', found, { atLeast: 0.8 }),
    ];
  },
};
