import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import fc from 'fast-check';
import type { Finding } from '../../tools/bench/benchmark.ts';
import { benchmarks } from '../../tools/bench/benchmarks.ts';
import { readCommit } from '../../tools/bench/conditions.ts';
import type { Conditions, Measurement, Measurements } from '../../tools/bench/measurement.ts';
import {
  describeMeasurement,
  readMeasurements,
  recordFile,
  replaceMeasurement,
  writeMeasurements,
} from '../../tools/bench/recorded.ts';
import { isMet } from '../../tools/bench/report.ts';
import { writePartial } from '../site/partials.ts';
import { pagesFolder, readPages, readSections } from '../site/read-pages.ts';
import { readSources } from '../site/sources.ts';

const root = join(import.meta.dirname, '../..');
const names = benchmarks.map(({ name }) => name);
const record = readMeasurements();
const sources = readSources();

const folder = mkdtempSync(join(tmpdir(), 'svc-measurements-'));
after(() => rmSync(folder, { recursive: true }));

const conditions: Conditions = {
  measuredOn: '2026-11-20',
  commit: 'a'.repeat(40),
  isModified: false,
  node: '24.1.0',
  chromium: null,
  processor: 'Some processor',
  processors: 4,
  gibibytes: 16,
  load: 0.2,
};

const finding: Finding = {
  what: 'one thing / another',
  ours: '90 /cpu s',
  floor: '100 /cpu s',
  value: { low: 1.05, median: 1.1, high: 1.15 },
  unit: '×',
  budget: { atMost: 1.2 },
};

const write = (partial: string, argument: string, measurements: Measurements): string => {
  const place = { file: 'speed.md', address: 'assurance/speed/', sources: { ...sources, measurements } };
  return String(writePartial(partial, argument, place).content).replaceAll('\u00a0', ' ');
};

describe('the record of what was measured', () => {
  test('has every benchmark that there is, and no other', () => assert.deepEqual(Object.keys(record), names));

  test('has a verdict on each figure, which follows from its budget', () => {
    for (const [name, { findings }] of Object.entries(record))
      for (const one of findings) assert.equal(one.met, isMet(one), `${name}: ${one.what}`);
  });

  test('names no path on a machine, no host and no person', () => {
    const text = readFileSync(recordFile, 'utf8');
    assert.doesNotMatch(text, /["'\s(]~?\/[\w.-]+\/|[A-Za-z]:\\|\blocalhost\b|\b\d+\.\d+\.\d+\.\d+:|\w@\w|\/\/\w/);
  });
});

describe('the page of what was measured', () => {
  const text = readFileSync(join(pagesFolder, 'assurance/speed.md'), 'utf8');

  test('has each benchmark once, below an anchor of its name', () => {
    const shown = [...text.matchAll(/^\{\{ measurement (\S+) \}\}$/gm)].map(([, name]) => name);
    assert.deepEqual(shown.toSorted(), names.toSorted());
    for (const name of names)
      assert.match(text, new RegExp(`\\{#${name}\\}\\n(?:(?!\\n#)[^])*\\{\\{ measurement ${name} `));
  });

  test('has a row for each figure, with its verdict, and the commit of each', () => {
    const content = readPages(readSections(), sources).pages.find(
      ({ address }) => address === 'assurance/speed/',
    )?.content;
    const page = content?.replaceAll('\u00a0', ' ') ?? '';
    const findings = Object.values(record).flatMap((measurement) => measurement.findings);
    assert.ok(findings.length > 0);
    assert.equal(page.split('<td>met</td>').length - 1, findings.filter(({ met }) => met).length);
    assert.equal(page.split('<td><strong>missed</strong></td>').length - 1, findings.filter(({ met }) => !met).length);
    for (const { commit } of Object.values(record)) assert.ok(page.includes(`<code>${commit.slice(0, 10)}</code>`));
  });

  test('shows a figure beside its floor and its budget', () => {
    const row = /<tr><th scope="row">.*/.exec(write('measurement', 'start', { start: measure(finding) }))?.[0];
    const cells = ['1.10 ×', '≤ 1.20 ×', 'met', '1.05 – 1.15', '90 /cpu s beside 100 /cpu s'];
    assert.equal(
      row,
      `<tr><th scope="row">one thing / another</th>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`,
    );
  });

  test('says when it was measured, and on what, and what is to be known of a figure', () => {
    const noted = { start: measure({ ...finding, note: 'the floor is `node -e ""`' }) };
    const text = write('measurement', 'start', noted);
    assert.match(text, /<p>one thing \/ another: the floor is <code>node -e &quot;&quot;<\/code>\.<\/p>/);
    assert.match(text, /Measured on 20 Nov 2026 at commit <code>aaaaaaaaaa<\/code>\./);
    const row = /<tr><th scope="row">.*/.exec(write('measurement-conditions', '', noted))?.[0];
    const cells = ['20 Nov 2026', '<code>aaaaaaaaaa</code>', '24.1.0', 'none', '0.2', '4 × Some processor, 16 GiB'];
    const start = '<tr><th scope="row"><a href="#start">start</a></th>';
    assert.equal(row, `${start}${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`);
  });

  test('shows no quartiles where every figure is the same', () => {
    const size: Finding = { ...finding, value: { low: 3, median: 3, high: 3 }, unit: 'kB', budget: { atMost: 2 } };
    const text = write('measurement', 'banner', { banner: measure(size) });
    assert.match(text, /<td>3\.00 kB<\/td><td>≤ 2\.00 kB<\/td><td><strong>missed<\/strong><\/td><td><\/td>/);
  });

  test('names what is missed before all else, and says so when nothing is', () => {
    const slow = { ...finding, what: 'a slow thing', budget: { atLeast: 2 } };
    const missing = write('measurement-verdict', '', { start: measure(finding), sdk: measure(finding, slow) });
    assert.match(missing, /Of 3 figures 2 keep the budget\. These miss it:/);
    assert.match(missing, /a slow thing<\/th><td>1\.10 ×<\/td><td>≥ 2\.00 ×<\/td><td><a href="#sdk">sdk<\/a>/);
    assert.doesNotMatch(missing, /one thing/);
    assert.match(
      write('measurement-verdict', '', { start: measure(finding) }),
      /Of 1 figures 1 keep the budget\. None/,
    );
    assert.ok(text.indexOf('{{ measurement-verdict }}') < text.indexOf('## '));
  });

  test('says what was measured on a busy machine, or with changes that no commit has', () => {
    const plain = { start: measure(finding) };
    const other = { start: { ...measure(finding), load: 1.01, isModified: true } };
    for (const [partial, argument] of [
      ['measurement', 'start'],
      ['measurement-conditions', ''],
    ] as const) {
      assert.doesNotMatch(write(partial, argument, plain), /busy|changes/, partial);
      assert.match(write(partial, argument, other), /aaaaaaaaaa<\/code>, with changes that are not in it/, partial);
      assert.match(write(partial, argument, other), /busy/, partial);
    }
  });

  test('says of a benchmark that was never measured that it was not', () =>
    assert.match(write('measurement', 'start', {}), /^<p>Not measured yet:/));
});

describe('recording', () => {
  test('replaces one part, leaves the rest, keeps the order, and drops what there is no longer', () => {
    const [first, second] = [measure(finding), measure({ ...finding, unit: 'ms' })];
    const before = { gone: first, sdk: first, start: first };
    const now = replaceMeasurement(before, 'sdk', second, ['start', 'sdk', 'banner']);
    assert.deepEqual(Object.entries(now), [
      ['start', first],
      ['sdk', second],
    ]);
  });

  test('judges the figure that it writes, whatever was measured, and reads what it wrote', () => {
    const figure = fc.double({ min: 1e-6, max: 1e6, noNaN: true });
    // Mostly so near to the budget that rounding decides.
    const share = fc.double({ min: 1 - 5e-6, max: 1 + 5e-6, noNaN: true });
    const file = join(folder, 'record.json');
    fc.assert(
      fc.property(figure, share, fc.boolean(), (median, part, isLeast) => {
        const limit = Number((median * part).toPrecision(6));
        const budget = isLeast ? { atLeast: limit } : { atMost: limit };
        const written = measure({ ...finding, value: { low: median / 2, median, high: median * 2 }, budget });
        writeMeasurements({ start: written }, file);
        const [read] = readMeasurements(file).start?.findings ?? [];
        assert.ok(read !== undefined);
        assert.ok(Math.abs(read.value.median - median) <= median / 1e5);
        assert.equal(read.met, isLeast ? read.value.median >= limit : read.value.median <= limit);
        assert.deepEqual(readMeasurements(file), { start: written });
      }),
      { numRuns: 50 },
    );
  });

  test('rejects a file that is no record of measurements, and says what to do', () => {
    const file = join(folder, 'no-record.json');
    for (const text of ['', '[]', JSON.stringify({ start: { ...measure(finding), host: 'mine' } })]) {
      writeFileSync(file, text);
      assert.throws(() => readMeasurements(file), /is no record of measurements; restore it, or delete it and run/);
    }
    assert.deepEqual(readMeasurements(join(folder, 'nothing.json')), {});
  });

  test('names its commit, and lists files that differ from it, except the documentation', () => {
    const repository = mkdtempSync(join(folder, 'repository-'));
    const git = (...words: readonly string[]) => {
      const author = [
        '-c',
        'user.name=Somebody',
        '-c',
        'user.email=somebody@example.com',
        '-c',
        'commit.gpgsign=false',
      ];
      const { status, stdout, stderr } = spawnSync('git', ['-C', repository, ...author, ...words], {
        encoding: 'utf8',
      });
      assert.equal(status, 0, stderr);
      return stdout.trim();
    };
    git('init', '-q');
    assert.throws(() => readCommit(repository), /names the commit that was measured, and git knows of none here/);
    writeFileSync(join(repository, 'code.ts'), 'one');
    git('add', '.');
    git('commit', '-q', '-m', 'One');
    const commit = git('rev-parse', 'HEAD');
    assert.deepEqual(readCommit(repository), { commit, isModified: false });
    mkdirSync(join(repository, 'docs-site/reference'), { recursive: true });
    writeFileSync(join(repository, 'docs-site/reference/measurements.json'), '{}');
    assert.deepEqual(readCommit(repository), { commit, isModified: false });
    writeFileSync(join(repository, 'code.ts'), 'two');
    assert.deepEqual(readCommit(repository), { commit, isModified: true });
    writeFileSync(join(repository, 'code.ts'), 'one');
    writeFileSync(join(repository, 'new.ts'), 'new');
    assert.deepEqual(readCommit(repository), { commit, isModified: true });
  });

  for (const [option, reason] of [
    ['--quick', /A quick run is not recorded/],
    ['--profile=profiles', /A run with a profile is not recorded/],
  ] as const)
    test(`refuses ${option}`, () => {
      const before = readFileSync(recordFile, 'utf8');
      // There is no such benchmark: if the option were accepted, nothing would run.
      const words = ['tools/bench/run.ts', 'nothing', '--record', option];
      const { status, stderr } = spawnSync(process.execPath, words, { cwd: root, encoding: 'utf8' });
      assert.match(stderr, reason);
      assert.equal(status, 2);
      assert.equal(readFileSync(recordFile, 'utf8'), before);
    });
});

function measure(...findings: readonly Finding[]): Measurement {
  return describeMeasurement(conditions, findings);
}
