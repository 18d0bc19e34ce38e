// npm run bench -- [names…] [--json] [--quick] [--profile <folder>]: see README.md for how to read what it prints.
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { authentication } from './authentication.ts';
import { badge } from './badge.ts';
import { banner } from './banner.ts';
import type { Bench, Benchmark, Finding } from './benchmark.ts';
import { capture } from './capture.ts';
import { captureLarge } from './capture-large.ts';
import { controlFramework } from './controls.ts';
import { deliveries } from './deliveries.ts';
import { createDiskFolder } from './folder.ts';
import { notice } from './notice.ts';
import { page } from './page.ts';
import { postgres } from './postgres.ts';
import { proofs } from './proofs.ts';
import { record } from './record.ts';
import { formatTable, isMet } from './report.ts';
import { scim } from './scim.ts';
import { sdk } from './sdk.ts';
import { prepareSite, type Site } from './site.ts';
import { start } from './start.ts';
import { storage } from './storage.ts';
import { verify } from './verify.ts';
import { verifyWebhook } from './verify-webhook.ts';

const benchmarks: readonly Benchmark[] = [
  capture,
  captureLarge,
  notice,
  record,
  authentication,
  scim,
  controlFramework,
  storage,
  page,
  verify,
  proofs,
  start,
  badge,
  banner,
  sdk,
  verifyWebhook,
  deliveries,
  postgres,
];

const { values, positionals: names } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: 'boolean', default: false },
    quick: { type: 'boolean', default: false },
    profile: { type: 'string' },
  },
});
const unknown = names.filter((name) => !benchmarks.some((benchmark) => benchmark.name === name));
if (unknown.length > 0) {
  console.error(`There is no ${unknown.join(', ')}. Known: ${benchmarks.map(({ name }) => name).join(', ')}`);
  process.exit(2);
}

const folder = createDiskFolder();
let largeSite: Promise<Site> | null = null;
const bench: Bench = {
  pace: values.quick ? { pairs: 5, warmups: 3, milliseconds: 1000 } : { pairs: 9, warmups: 3, milliseconds: 2000 },
  largeRows: values.quick ? 100_000 : 1_000_000,
  profiles: values.profile === undefined ? null : resolve(values.profile),
  createFolder: (name) => {
    const path = join(folder, name);
    mkdirSync(path);
    return path;
  },
  openLargeSite: () => {
    largeSite ??= fillLargeSite();
    return largeSite;
  },
  say: (line) => console.error(line),
};

// A Ctrl-C must still remove the folder, which only happens when the process exits by itself.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));

const findings: Finding[] = [];
for (const benchmark of benchmarks) {
  if (names.length > 0 && !names.includes(benchmark.name)) continue;
  bench.say(`${benchmark.name} …`);
  findings.push(...(await benchmark.run(bench)));
}
if (values.json)
  console.log(
    JSON.stringify(
      findings.map((finding) => ({ ...finding, met: isMet(finding) })),
      null,
      2,
    ),
  );
else console.log(`\n${formatTable(findings)}`);

function fillLargeSite(): Promise<Site> {
  bench.say(`  filling a ledger with ${bench.largeRows.toLocaleString('en')} rows …`);
  return prepareSite(bench.createFolder('large'), bench.largeRows);
}
