import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { pagesFolder } from '../site/read-pages.ts';

const root = join(import.meta.dirname, '../..');
const page = readFileSync(join(pagesFolder, 'widgets/features.md'), 'utf8');

interface Row {
  readonly name: string;
  readonly text: string;
  readonly tests: readonly string[];
}

/** The rows below each heading. */
const tables: ReadonlyMap<string, readonly Row[]> = new Map(
  page
    .split(/^#+ /m)
    .slice(1)
    .map((part) => {
      const [heading = '', ...lines] = part.split('\n');
      const rows = lines.filter((line) => /^\| (?!---)/.test(line)).slice(1);
      return [heading, rows.map(readRow)];
    }),
);

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
  const calls = source.matchAll(/\b(?:describe|test|it)\(\s*(?:'((?:\\.|[^'\\])*)'|"([^"]*)"|`([^`]*)`)/g);
  return new Set(
    [...calls].map(([, single, double, template = '']) =>
      (single ?? double ?? template.replaceAll(/\$\{[^}]*\}/g, '…')).replaceAll(/\\(.)/g, '$1'),
    ),
  );
}

// Who reads the table believes it.
describe('the table of what the banner does', () => {
  test('has every row of each of its lists', () => {
    const sizes = Object.fromEntries([...tables].map(([heading, rows]) => [heading, rows.length]));
    assert.deepEqual(sizes, {
      'What a banner has': 30,
      'And what goes with it': 7,
      'What can be measured': 24,
      'What site owners ask for': 18,
      'What we know of nowhere else': 14,
      'Mistakes that are known': 10,
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
    const known = new Map<string, ReadonlySet<string>>();
    const missing: string[] = [];
    for (const { name, tests } of [...tables.values()].flat())
      for (const one of tests) {
        const [, file = '', title = ''] = /^`([\w/.-]+\.(?:test|e2e|release)\.ts)`: (.+)$/.exec(one) ?? [];
        const path = findFile(file);
        if (file !== '' && !known.has(file) && existsSync(path)) known.set(file, readTestNames(path));
        if (!known.get(file)?.has(title)) missing.push(`${name}: ${one}`);
      }
    assert.deepEqual(missing, []);
    assert.ok(known.size > 20);
  });
});
