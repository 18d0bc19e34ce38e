import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import test, { describe } from 'node:test';
import { brotliCompressSync } from 'node:zlib';

const widget = join(import.meta.dirname, '../..');
const vite = join(dirname(createRequire(import.meta.url).resolve('vite/package.json')), 'bin/vite.js');

interface BuiltFile {
  readonly file: string;
  readonly bytes: number;
  readonly integrity: string;
}

type Build = ReadonlyMap<string, Buffer>;

function buildOnce(): Build {
  const outDir = mkdtempSync(join(tmpdir(), 'svc-consent-'));
  const args = [vite, 'build', '--outDir', outDir, '--logLevel', 'error'];
  execFileSync(process.execPath, args, { cwd: widget });
  const names = readdirSync(outDir, { recursive: true, encoding: 'utf8' }).filter((name) => /\.\w+$/.test(name));
  const files = new Map(names.sort().map((name) => [name, readFileSync(join(outDir, name))]));
  rmSync(outDir, { recursive: true });
  return files;
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
  const build = buildOnce();
  const first = build.get('svc-consent.js') as Buffer;
  const panel = build.get('svc-consent-panel.js') as Buffer;
  const read = (name: string): Buffer => build.get(`svc-consent-${name}.js`) as Buffer;
  const content = read('content');
  const parts = ['details', 'elements', 'placeholders'].map(read);

  test('is reproducible', () => {
    const again = buildOnce();
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
});
