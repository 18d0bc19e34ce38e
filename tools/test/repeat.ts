/**
 * npm run test:repeat -- [--times 10] [--seed <number>] [--busy 2] [files]: runs the node tests several times in shuffled
 * order beside busy processes, and lists what failed. `--times 1` with the seed and the files of a failed process runs them in
 * the same order again.
 */
import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { nodeTests, runFiles, type TestFailure } from './files.ts';
import { findMemoryFolder } from './memory-folder.ts';

/** Keeps a processor busy until the process that started it is gone. */
const busyScript = 'const { ppid } = process; while (process.ppid === ppid);';

const { values, positionals } = parseArgs({
  options: {
    times: { type: 'string', default: '10' },
    seed: { type: 'string', default: String(randomInt(1_000_000)) },
    busy: { type: 'string', default: '2' },
  },
  allowPositionals: true,
});
const [times, firstSeed, busyCount] = [values.times, values.seed, values.busy].map((value) => {
  if (!/^\d{1,9}$/.test(value)) throw new Error(`--times, --seed and --busy take a number, not ${value}`);
  return Number(value);
}) as [number, number, number];

// Tests that are ended early leave their files and databases here.
const folder = mkdtempSync(join(findMemoryFolder(), 'svc-repeat-'));
const busy = Array.from({ length: busyCount }, () => spawn(process.execPath, ['-e', busyScript], { stdio: 'ignore' }));
const stopping = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stopping.abort());

const failures: (TestFailure & { readonly round: number; readonly seed: number })[] = [];
for (let round = 1; round <= times && !stopping.signal.aborted; round++) {
  const seed = firstSeed + round - 1;
  const started = performance.now();
  const { passed, failed } = await runFiles(positionals.length > 0 ? positionals : nodeTests, {
    seed,
    env: { ...process.env, TMPDIR: folder },
    signal: stopping.signal,
    write(_report, found) {
      if (stopping.signal.aborted) return;
      for (const { place, title, error } of found) console.log(`✖ ${place} ${title}\n${error}\n`);
      failures.push(...found.map((failure) => ({ ...failure, round, seed })));
    },
  });
  const seconds = Math.round((performance.now() - started) / 1000);
  if (stopping.signal.aborted) console.log(`stopped in round ${round}`);
  else
    console.log(`round ${round} of ${times}, seed ${seed}: ${passed} passed, ${failed.length} failed in ${seconds} s`);
  if (passed + failed.length === 0) process.exitCode = 1;
}
for (const child of busy) child.kill();
rmSync(folder, { recursive: true, force: true });

if (failures.length > 0) {
  const rows = failures.map(({ place, title, round, seed, error }) => {
    const [file, line] = place.split(':');
    return { file, line, title: title.slice(0, 80), round, seed, error: error.split('\n')[0]?.slice(0, 80) };
  });
  console.table(rows);
  console.log('To run the processes of the failures again:');
  const again = failures.map(({ seed, files }) => `npm run test:repeat -- --times 1 --seed ${seed} ${files.join(' ')}`);
  for (const command of new Set(again)) console.log(`  ${command}`);
  process.exitCode = 1;
}
if (stopping.signal.aborted) process.exitCode = 130;
