import type { Benchmark } from './benchmark.ts';
import { decisionsOn } from './capture.ts';
import { startChild } from './child.ts';
import { requestSlice, startSvc } from './http-comparison.ts';
import { judgeCpu } from './report.ts';
import { prepareSite } from './site.ts';
import { compareInTurn } from './slices.ts';

/** Public capture with a large ledger against the same with an empty one: it must not slow down as records pile up. */
export const captureLarge: Benchmark = {
  name: 'capture-large',
  async run(bench) {
    const largeSite = await bench.openLargeSite();
    const emptySite = await prepareSite(bench.createFolder('capture-empty'));
    await using large = startSvc(bench, largeSite);
    await using empty = startSvc(bench, emptySite);
    await using load = startChild('load');
    const found = await compareInTurn(
      await requestSlice(bench, large, load, decisionsOn(largeSite)),
      await requestSlice(bench, empty, load, decisionsOn(emptySite)),
      bench.pace,
    );
    return [
      judgeCpu(`public capture at ${bench.largeRows.toLocaleString('en')} rows / empty`, found, { atLeast: 0.95 }),
    ];
  },
};
