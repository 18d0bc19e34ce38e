/**
 * Sends many visitors to a page of a real site, in a real browser: each decides, leaves immediately (to another page, by
 * closing the tab, by a crash) under all conditions of the network and the server, and comes back once. No decision may be
 * missing from the ledger or recorded twice.
 *
 *   npm run test:leaving -- [--visitors 1000] [--at-once 3] [--seed 1]
 */
import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { chromium as launcher } from 'playwright-core';
import { chromium } from '../../../../tools/test/chromium.ts';
import { startGatedSite } from './gated-site.ts';
import { leaveAtOnce } from './leaving.ts';

const { values } = parseArgs({
  options: {
    visitors: { type: 'string', default: '1000' },
    'at-once': { type: 'string', default: '3' },
    seed: { type: 'string', default: String(randomInt(2 ** 32)) },
  },
});
const [visitors, atOnce, seed] = [values.visitors, values['at-once'], values.seed].map(Number) as [
  number,
  number,
  number,
];
if (![visitors, atOnce].every((count) => Number.isInteger(count) && count > 0) || !Number.isInteger(seed)) {
  console.error('Usage: npm run test:leaving -- [--visitors <1 or more>] [--at-once <1 or more>] [--seed <number>]');
  process.exit(2);
}

await using site = await startGatedSite();
await using browser = await launcher.launch(chromium());
const start = performance.now();
let gone = 0;
const onLeft = (): void => {
  gone += 1;
  if (gone % 100 === 0) console.log(`${gone} visitors have gone`);
};
const { lost, doubled, records } = await leaveAtOnce({ site, browser, visitors, seed, atOnce, onLeft });
const seconds = ((performance.now() - start) / 1000).toFixed(0);
for (const visitor of lost) console.log(`lost: ${visitor}`);
for (const visitor of doubled) console.log(`doubled: ${visitor}`);
console.log(
  `${visitors} visitors, ${records} records, ${lost.length} lost, ${doubled.length} doubled in ${seconds} s (seed ${seed}).`,
);
process.exitCode = lost.length + doubled.length > 0 || records !== visitors ? 1 : 0;
