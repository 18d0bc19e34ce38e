import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { brotliCompressSync } from 'node:zlib';

const dist = join(import.meta.dirname, '../../dashboard/dist');
const assets = join(dist, 'assets');
const read = (file: string) => readFileSync(join(assets, file), 'utf8');
const sizes = new Map(readdirSync(assets).map((file) => [file, brotliCompressSync(read(file)).length]));
const document = readFileSync(join(dist, 'index.html'), 'utf8');
const [entry = ''] = listNames(document, /src="\/app\/assets\/([^"]+\.js)"/g);
const [styles = ''] = listNames(document, /href="\/app\/assets\/([^"]+\.css)"/g);

function listNames(text: string, pattern: RegExp): readonly string[] {
  return [...text.matchAll(pattern)].map(([, name = '']) => name);
}

/** A script with everything that it cannot run without. */
function close(file: string, found = new Set<string>()): ReadonlySet<string> {
  if (found.has(file)) return found;
  found.add(file);
  for (const next of listNames(read(file), /(?:from|import)\s*["'`]\.\/([^"'`]+\.js)["'`]/g)) close(next, found);
  return found;
}

/** Scripts that a script loads later. */
const listLater = (file: string) => listNames(read(file), /import\(["'`]\.\/([^"'`]+\.js)["'`]\)/g);
const find = (files: readonly string[], name: string) =>
  files.find((file) => new RegExp(`^${name}-[\\w-]{8}\\.js$`).test(file)) ?? '';
const sum = (files: Iterable<string>) => [...files].reduce((total, file) => total + (sizes.get(file) ?? 0), 0);
/** Everything that is there before the session is: the sign-in page, and where the pages are. */
const start = close(entry);
const later = [...start].flatMap((file) => listLater(file));
/** The words in each language: those of the pages behind the sign-in are the larger file of the two. */
const words = ['de', 'fr'].map((language) =>
  later.filter((file) => file.startsWith(`${language}-`)).map((file) => sizes.get(file) ?? 0),
);
const longestWords = Math.max(...words.map((pair) => Math.min(...pair)));
const longestPageWords = Math.max(...words.map((pair) => Math.max(...pair)));
const gates = ['new-password', 'setup', 'start'].map((name) => find(later, name));
const frame = find(later, 'frame');
const home = find(later, 'home');
const first = new Set([...start, ...close(frame), ...close(home)]);
const names = readdirSync(join(import.meta.dirname, '../../dashboard/src/pages')).map((file) => file.slice(0, -3));
const pages = names.map((name) => find(later, name)).filter((file) => file !== '');

test('each page before the sign-in is 20 kB of brotli at most with styles and words', () => {
  assert.ok(styles !== '' && !gates.includes('') && !start.has(frame));
  for (const gate of ['', ...gates]) {
    const files = new Set([...start, ...(gate === '' ? [] : close(gate)), styles]);
    const size = sum(files) + longestWords;
    assert.ok(size > 5_000 && size <= 20_000, `${gate || 'sign-in'}: ${size}`);
  }
});

test('the frame with the first page is 90 kB of brotli at most, and its styles 12 kB', () => {
  const size = sum(first) + longestWords + longestPageWords;
  assert.ok(size > 10_000 && size <= 90_000, String(size));
  assert.ok((sizes.get(styles) ?? Number.NaN) <= 12_000, String(sizes.get(styles)));
});

test('each further page is 15 kB of brotli at most', () => {
  assert.ok(pages.length > 20);
  for (const page of pages.filter((file) => file !== home)) {
    const size = sum([...close(page)].filter((file) => !first.has(file)));
    assert.ok(size > 100 && size <= 15_000, `${page}: ${size}`);
  }
});

test('each part of a page that is loaded on demand is 15 kB of brotli at most with its page', () => {
  const page = find(later, 'notice');
  const parts = ['content', 'texts', 'look', 'regions', 'trackers'].map((name) => find(listLater(page), name));
  for (const part of parts) {
    const size = sum([...new Set([...close(page), ...close(part)])].filter((file) => !first.has(file)));
    assert.ok(size > 1_000 && size <= 15_000, `${part}: ${size}`);
  }
});
