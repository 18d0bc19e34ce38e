import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import test, { describe } from 'node:test';
import { brotliCompressSync } from 'node:zlib';
import { languages } from '../../src/languages.ts';

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

/** The bytes of a script, compressed: with hashes of its own length, for by chance some compress better than others. */
function weigh(script: Buffer): number {
  let count = 0;
  const text = script.toString().replace(/(?<=sha384-)[\w+/]{64}/g, () => {
    count += 1;
    return createHash('sha384').update(String(count)).digest('base64');
  });
  return brotliCompressSync(text).length;
}

describe('the build', () => {
  const build = buildOnce();
  const stub = build.get('svc-consent.js') as Buffer;
  const ui = build.get('svc-consent-ui.js') as Buffer;
  const panel = build.get('svc-consent-panel.js') as Buffer;

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
      ...describeFile('svc-consent.js', stub),
      files: files.map(([name, bytes]) => describeFile(name, bytes)),
    });
  });

  test('pins each further file by a hash in the one before', () => {
    assert.ok(stub.includes(describeFile('', ui).integrity));
    assert.ok(ui.includes(describeFile('', panel).integrity));
  });

  test('has the words of every language but English beside it', () => {
    const others = languages.filter((language) => language !== 'en');
    const names = [...build.keys()].filter((name) => name.startsWith('words/'));
    assert.deepEqual(names, ['integrity', ...others].map((name) => `words/${name}.json`).sort());
  });

  test('pins the words of each language by a list of hashes, whose own hash is in the second file', () => {
    const list = build.get('words/integrity.json') as Buffer;
    assert.ok(ui.includes(describeFile('', list).integrity));
    for (const language of languages.filter((one) => one !== 'en')) {
      const { integrity } = describeFile('', build.get(`words/${language}.json`) as Buffer);
      assert.equal(JSON.parse(String(list))[language], integrity);
    }
  });

  test('has Lit only in the second file, and no white space in the templates of any', () => {
    for (const script of [stub, panel]) assert.doesNotMatch(script.toString(), /lit\$|createTreeWalker/);
    for (const script of [stub, ui, panel]) assert.doesNotMatch(script.toString(), /\n\s(?!\\f)/);
  });

  test('stays within its sizes', () => {
    const [first, second, third] = [stub, ui, panel].map(weigh) as [number, number, number];
    assert.ok(first <= 3_130, `a returning visitor loads ${first}`);
    assert.ok(first + second <= 13_700, `an undecided visitor loads ${first} + ${second}`);
    assert.ok(third <= 5_150, `the panel is ${third}`);
  });
});
