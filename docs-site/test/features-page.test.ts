import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { pagesFolder } from '../site/read-pages.ts';

const root = join(import.meta.dirname, '../..');
interface Row {
  readonly name: string;
  readonly text: string;
  readonly tests: readonly string[];
}

/** The rows below each heading of a page. */
function readTables(page: string): ReadonlyMap<string, readonly Row[]> {
  const text = readFileSync(join(pagesFolder, `${page}.md`), 'utf8');
  const parts = text.split(/^#+ /m).slice(1);
  return new Map(
    parts.map((part) => {
      const [heading = '', ...lines] = part.split('\n');
      const rows = lines.filter((line) => /^\| (?!---)/.test(line)).slice(1);
      return [heading, rows.map(readRow)];
    }),
  );
}

const tables = readTables('widgets/features');
/** Each duty with its source and its tests. */
const checklists = [...readTables('widgets/regions')].filter(([heading]) => isChecklist(heading));

function isChecklist(heading: string): boolean {
  return /^(European Union|United Kingdom|California|No duty)/.test(heading);
}

function readRow(line: string): Row {
  const [name = '', text = '', tests = ''] = line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());
  return { name, text, tests: tests === '' ? [] : tests.split(' · ') };
}

function findFile(name: string): string {
  if (name.startsWith('e2e/')) return join(root, 'server/test', name);
  if (name.startsWith('server/')) return join(root, 'server/test', name.slice('server/'.length));
  if (name.startsWith('docs/')) return join(root, 'docs-site/test', name.slice('docs/'.length));
  return join(root, 'packages/consent-banner/test', name);
}

/** The names of the tests in a file; what a name takes from its case is an ellipsis. */
function readTestNames(file: string): ReadonlySet<string> {
  const source = readFileSync(file, 'utf8');
  const calls = source.matchAll(
    /\b(?:describe|test|it|testOnNewServer)\(\s*(?:'((?:\\.|[^'\\])*)'|"([^"]*)"|`([^`]*)`)/g,
  );
  return new Set(
    [...calls].map(([, single, double, template = '']) =>
      (single ?? double ?? template.replaceAll(/\$\{[^}]*\}/g, '…')).replaceAll(/\\(.)/g, '$1'),
    ),
  );
}

// Readers rely on the table.
describe('the table of what the banner does', () => {
  test('has every row of each of its lists', () => {
    const sizes = Object.fromEntries([...tables].map(([heading, rows]) => [heading, rows.length]));
    assert.deepEqual(sizes, {
      Features: 34,
      'Related features': 7,
      'Measurable properties': 24,
      'Requests from site owners': 18,
      'Distinguishing features': 14,
      'Known mistakes': 10,
    });
  });

  test('says of each row how it is, and shows it by a test, or says why not', () => {
    for (const { name, text, tests } of [...tables.values()].flat()) {
      assert.notEqual(text, '', name);
      if (tests.length === 0) assert.match(text, /^No: .{40}/, `${name} is shown by nothing`);
      else assert.doesNotMatch(text, /^No: /, name);
    }
  });

  test('names tests that there are', () => {
    assert.deepEqual(findMissingTests([...tables.values()].flat()), []);
  });
});

describe('the checklists of the regions', () => {
  test('have a source and a test in every row', () => {
    const sizes = Object.fromEntries(checklists.map(([heading, rows]) => [heading, rows.length]));
    assert.deepEqual(sizes, {
      'European Union: opt-in': 14,
      'United Kingdom: statistics with an objection': 4,
      'California: opt-out': 8,
      'No duty': 2,
    });
    for (const { name, text, tests } of checklists.flatMap(([, rows]) => rows)) {
      assert.notEqual(text, '', name);
      assert.ok(tests.length > 0, name);
    }
  });

  test('name tests that there are, and all of those about regions', () => {
    const rows = checklists.flatMap(([, each]) => each);
    assert.deepEqual(findMissingTests(rows), []);
    const file = 'e2e/banner-regions.e2e.ts';
    const named = new Set(rows.flatMap(({ tests }) => tests));
    const titles = readFileSync(findFile(file), 'utf8').matchAll(/^\s+test\('(.+)', async/gm);
    assert.deepEqual(
      [...titles].map(([, title]) => title).filter((title) => !named.has(`\`${file}\`: ${title}`)),
      [],
    );
  });
});

/** The tests that rows name and that do not exist. */
function findMissingTests(rows: readonly Row[]): readonly string[] {
  const known = new Map<string, ReadonlySet<string>>();
  const isMissing = (one: string) => {
    const [, file = '', title = ''] = /^`([\w/.-]+\.(?:test|e2e|release)\.ts)`: (.+)$/.exec(one) ?? [];
    const path = findFile(file);
    if (file !== '' && !known.has(file) && existsSync(path)) known.set(file, readTestNames(path));
    return !known.get(file)?.has(title);
  };
  return rows.flatMap(({ name, tests }) => tests.filter(isMissing).map((one) => `${name}: ${one}`));
}
