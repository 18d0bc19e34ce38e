import { spawnSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Benchmark } from './benchmark.ts';
import { openPlain } from './plain-sqlite.ts';
import { prepareSite, type Site } from './site.ts';
import { spreadOf } from './slices.ts';

const program = fileURLToPath(new URL('../../server/cli/svc.js', import.meta.url));

const lines = 100_000;
/** Decisions of one transaction, of ours as of the floor. */
const batch = 500;

/** A hundred thousand decisions from a CSV file, as a separate process reads, checks and appends them. */
export const importDecisions: Benchmark = {
  name: 'import',
  async run(bench) {
    const file = join(bench.createFolder('import-file'), 'decisions.csv');
    writeDecisions(file);
    const ours: number[] = [];
    const floors: number[] = [];
    for (let turn = 0; turn < 3; turn += 1) {
      const site = await prepareSite(bench.createFolder(`import-${turn}`));
      ours.push(measure(() => runImport(site, file)));
      const { dataDir } = await prepareSite(bench.createFolder(`import-floor-${turn}`));
      floors.push(measure(() => insertPlainly(dataDir, file)));
    }
    const seconds = spreadOf(ours);
    return [
      {
        what: '100,000 decisions imported',
        ours: `${seconds.median.toFixed(1)} s`,
        floor: `${spreadOf(floors).median.toFixed(1)} s`,
        value: seconds,
        unit: 's',
        budget: { atMost: 60 },
        note: 'by the clock, so other work on the machine lengthens it; ten seconds are pauses for a server beside it',
      },
    ];
  },
};

function measure(step: () => void): number {
  const begin = performance.now();
  step();
  return (performance.now() - begin) / 1000;
}

/** Of people who decided up to three times, newest first, as tools export them. */
function writeDecisions(file: string): void {
  const to = openSync(file, 'wx');
  writeSync(to, 'id,subjectId,capturedAt,purposes.necessary,purposes.analytics,purposes.marketing\n');
  for (let index = 0; index < lines; index += 1) {
    const at = new Date(Date.UTC(2025, 0, 1) - index * 60_000).toISOString();
    writeSync(to, `consent-${index},visitor-${index % 60_000},${at},true,${index % 3 === 0},${index % 2 === 0}\n`);
  }
  closeSync(to);
}

function runImport({ dataDir, noticeId }: Site, file: string): void {
  const words = ['import', '--notice', noticeId, '--version', '1', '--file', file, '--json'];
  const env = { PATH: process.env.PATH, SVC_DATA_DIR: dataDir };
  const { stdout } = spawnSync(process.execPath, [program, ...words], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const { imported } = JSON.parse(String(stdout));
  if (imported !== lines) throw new Error(`${imported} decisions were imported`);
}

/** Chains the lines as they are, and inserts them by a prepared statement. */
function insertPlainly(dataDir: string, file: string): void {
  using database = openPlain(dataDir);
  database.exec('create table plain (id text primary key, subject text, line text, hash text)');
  database.exec('create index plain_subject on plain (subject)');
  const insert = database.prepare('insert into plain values (?, ?, ?, ?)');
  let previous = '';
  const rows = readFileSync(file, 'utf8').trimEnd().split('\n').slice(1);
  const append = database.transaction((some: readonly string[]) => {
    for (const line of some) {
      const [id, subject] = line.split(',');
      previous = hash('sha256', previous + line);
      insert.run(id, subject, line, previous);
    }
  });
  for (let start = 0; start < rows.length; start += batch) append(rows.slice(start, start + batch));
}
