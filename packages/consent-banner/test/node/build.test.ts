import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { describe } from 'node:test';
import { brotliCompressSync } from 'node:zlib';
import { build as viteBuild } from 'vite';
import { buildScripts } from '../../../../tools/test/widget.ts';

const widget = join(import.meta.dirname, '../..');

interface BuiltFile {
  readonly file: string;
  readonly bytes: number;
  readonly integrity: string;
}

function describeFile(file: string, bytes: Buffer): BuiltFile {
  return { file, bytes: bytes.length, integrity: `sha384-${createHash('sha384').update(bytes).digest('base64')}` };
}

/** The hash that a script has of another. */
function pin(bytes: Buffer): string {
  return `sha256-${createHash('sha256').update(bytes).digest('base64')}`;
}

/** The bytes of a script, compressed: with hashes of its own length, for by chance some compress better than others. */
function weigh(script: Buffer): number {
  let count = 0;
  const text = script.toString().replace(/(?<=sha256-)[\w+/]{43}=/g, () => {
    count += 1;
    return createHash('sha256').update(String(count)).digest('base64');
  });
  return brotliCompressSync(text).length;
}

describe('the build', () => {
  const build = buildScripts(widget);
  const first = build.get('svc-consent.js') as Buffer;
  const panel = build.get('svc-consent-panel.js') as Buffer;
  const read = (name: string): Buffer => build.get(`svc-consent-${name}.js`) as Buffer;
  const content = read('content');
  const parts = ['details', 'elements', 'placeholders'].map(read);
  const addOns = { signals: 2_400, gpp: 5_200, requests: 4_800, inspector: 10_650, record: 2_000 };

  test('is reproducible', () => {
    const again = buildScripts(widget);
    assert.deepEqual([...again.keys()], [...build.keys()]);
    for (const [name, bytes] of build) assert.ok(again.get(name)?.equals(bytes), name);
  });

  test('has a manifest that matches every file', () => {
    const { version } = JSON.parse(readFileSync(join(widget, 'package.json'), 'utf8'));
    const files = [...build].filter(([name]) => name !== 'integrity.json');
    assert.deepEqual(JSON.parse(String(build.get('integrity.json'))), {
      version,
      ...describeFile('svc-consent.js', first),
      files: files.map(([name, bytes]) => describeFile(name, bytes)),
    });
  });

  test('pins the second script and the one for blocked tags by hashes in the first, and the parts by hashes in the second', () => {
    for (const script of [panel, content]) assert.ok(first.includes(pin(script)));
    for (const part of parts) assert.ok(panel.includes(pin(part)));
  });

  test('has no file of words: they come with the notice', () => {
    const scripts = [...build.keys()].filter((name) => !/^svc-consent(-\w+)?\.js$/.test(name));
    assert.deepEqual(scripts, ['integrity.json']);
  });

  test('has Lit only in the second script, and no white space in the templates of any', () => {
    for (const script of [first, content, ...parts]) assert.doesNotMatch(script.toString(), /lit\$|createTreeWalker/);
    for (const script of [first, panel, content, ...parts]) assert.doesNotMatch(script.toString(), /\n\s(?!\\f)/);
  });

  test('begins with the compile hint', () => {
    assert.match(first.toString(), /^\/\/# allFunctionsCalledOnLoad\n/);
  });

  test('stays within its sizes', () => {
    const [one, other] = [weigh(first), weigh(panel)];
    assert.ok(one <= 8_350, `a visitor loads ${one} before the first layer is visible`);
    assert.ok(one + other <= 19_000, `both scripts are ${one} + ${other}`);
    const sizes = [content, ...parts].map(weigh);
    assert.ok(Math.max(...sizes) <= 3_670, `the parts are ${sizes}`);
  });

  for (const [name, most] of Object.entries(addOns)) {
    test(`keeps the add-on ${name} within ${most} bytes of brotli, in ASCII, as a page may have another encoding`, () => {
      const { length } = brotliCompressSync(read(name));
      assert.ok(length <= most, `it has ${length}`);
      assert.doesNotMatch(read(name).toString(), /[^\n\x20-\x7e]/);
    });
  }

  for (const name of ['signals', 'gpp']) {
    test(`has no white space of styles in ${name}, and no copy of Lit`, () => {
      assert.doesNotMatch(read(name).toString(), /lit\$|innerHTML|\n\s/);
    });
  }

  test('contains in the inspector nothing that a strict policy or Trusted Types would block', () => {
    const blocked = /innerHTML|createPolicy|<style|eval\(|new Function|insertAdjacentHTML/;
    assert.doesNotMatch(read('inspector').toString(), blocked);
  });
});

describe('a bundle', () => {
  for (const [entry, format, least, most, external, absent] of [
    ['headless', 'iife', 1_000, 10_500, [/blocked-tags/], /lit-html|createTreeWalker|showModal/],
    ['server', 'es', 500, 1_220, [], /lit-html|HTMLElement|customElements|attachShadow/],
  ] as const) {
    test(`of ${entry} is ${most} bytes of brotli at most, without Lit or a dialog`, async () => {
      const built = await viteBuild({
        configFile: false,
        logLevel: 'error',
        build: {
          write: false,
          target: 'es2022',
          rollupOptions: { external: [...external] }, // Loaded on pages with blocked tags.
          lib: { entry: join(widget, `src/${entry}.ts`), formats: [format], name: 'bundle', fileName: entry },
        },
      });
      const chunks = [built].flat().flatMap((bundle) => ('output' in bundle ? bundle.output : []));
      const code = chunks.map((chunk) => ('code' in chunk ? chunk.code : '')).join('');
      const { length } = brotliCompressSync(code);
      assert.ok(length > least && length <= most, `it has ${length}`);
      assert.doesNotMatch(code, absent);
    });
  }
});
