import assert from 'node:assert/strict';
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, test } from 'node:test';
import mutants from '../../tools/mutants.json' with { type: 'json' };

const server = join(import.meta.dirname, '..');

/** The parts of the server, from the inside out. A file imports from its own part and from those before it. */
const order = [
  'storage',
  'http',
  'ledger',
  'settings.ts',
  'installation',
  'webhooks',
  'accounts',
  'scim',
  'consent',
  'controls',
  'privacy',
  'site',
  'proofs',
  'cli',
  // A program of its own: these files build it.
  'dashboard',
];

const imported = /^(?:import|export)\b[^;]*?from '(\.[^']+)'|\bimport\('(\.[^']+)'\)/gm;

function readImports(file: string): readonly string[] {
  const found = readFileSync(join(server, file), 'utf8').matchAll(imported);
  return [...found].map(([, named, dynamic]) => normalize(join(dirname(file), (named ?? dynamic) as string)));
}

const part = (file: string) => file.split('/')[0] as string;
const sources = globSync('**/*.ts', { cwd: server, exclude: ['test/**', 'dist/**', 'node_modules/**', 'build.ts'] });

describe('the layout of the server', () => {
  test('imports point inwards', () => {
    assert.ok(sources.length > 100);
    const outward = sources.flatMap((file) =>
      readImports(file)
        .filter((target) => order.indexOf(part(target)) > order.indexOf(part(file)))
        .map((target) => `${file} imports ${target}`),
    );
    assert.deepEqual(outward, []);
  });

  test('no imports form a circle', () => {
    const files = new Set(sources);
    const done = new Set<string>();
    const circles: string[] = [];
    const walk = (file: string, path: readonly string[]): void => {
      if (path.includes(file)) circles.push([...path.slice(path.indexOf(file)), file].join(' → '));
      if (done.has(file) || path.includes(file)) return;
      for (const target of readImports(file)) if (files.has(target)) walk(target, [...path, file]);
      done.add(file);
    };
    for (const file of sources) walk(file, []);
    assert.deepEqual(circles, []);
  });

  test('every source file is in a part of the order', () => {
    assert.deepEqual(
      [...new Set(sources.map(part))].filter((name) => !order.includes(name)),
      [],
    );
  });
});

test('the repository has no other folders than those of its parts', () => {
  const names = readdirSync(join(server, '..'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
    .map(({ name }) => name);
  const generated = ['node_modules', 'coverage', 'data', 'svc-data'];
  const parts = names.filter((name) => !generated.includes(name)).sort();
  assert.deepEqual(parts, ['docs-site', 'packages', 'server', 'tools']);
});

test('every mutant fits the code, and its tests exist', () => {
  const root = join(server, '..');
  const unfit = mutants.filter(
    ({ file, text, tests }) =>
      readFileSync(join(root, file), 'utf8').split(text).length !== 2 ||
      !tests.every((path) => existsSync(join(root, path))),
  );
  assert.deepEqual(
    unfit.map(({ name }) => name),
    [],
  );
});
