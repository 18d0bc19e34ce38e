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
  const args = [vite, 'build', '--config', '../../vite.config.ts', '--outDir', outDir, '--logLevel', 'error'];
  execFileSync(process.execPath, args, { cwd: widget });
  const names = readdirSync(outDir, { recursive: true, encoding: 'utf8' }).filter((name) => /\.\w+$/.test(name));
  const files = new Map(names.sort().map((name) => [name, readFileSync(join(outDir, name))]));
  rmSync(outDir, { recursive: true });
  return files;
}

function describeFile(file: string, bytes: Buffer): BuiltFile {
  return { file, bytes: bytes.length, integrity: `sha384-${createHash('sha384').update(bytes).digest('base64')}` };
}

describe('the build', () => {
  const build = buildOnce();
  const stub = build.get('svc-consent.js') as Buffer;
  const ui = build.get('svc-consent-ui.js') as Buffer;

  test('is the same byte for byte each time', () => {
    const again = buildOnce();
    assert.deepEqual([...again.keys()], [...build.keys()]);
    for (const [name, bytes] of build) assert.ok(again.get(name)?.equals(bytes), name);
  });

  test('has a manifest that tells the truth about every file', () => {
    const { version } = JSON.parse(readFileSync(join(widget, 'package.json'), 'utf8'));
    const files = [...build].filter(([name]) => name !== 'integrity.json');
    assert.deepEqual(JSON.parse(String(build.get('integrity.json'))), {
      version,
      ...describeFile('svc-consent.js', stub),
      files: files.map(([name, bytes]) => describeFile(name, bytes)),
    });
  });

  test('pins the second file by the hash that stands in the first', () => {
    assert.ok(stub.includes(describeFile('', ui).integrity));
  });

  test('has the words of every language but English beside it', () => {
    const others = languages.filter((language) => language !== 'en');
    const names = [...build.keys()].filter((name) => name.startsWith('words/'));
    assert.deepEqual(names, others.map((language) => `words/${language}.json`).sort());
  });

  test('has no Lit in the first file, and no white space in its templates', () => {
    assert.doesNotMatch(stub.toString(), /lit\$|createTreeWalker/);
    for (const script of [stub, ui]) assert.doesNotMatch(script.toString(), /\n\s(?!\\f)/);
  });

  test('stays within its sizes', () => {
    assert.ok(brotliCompressSync(stub).length <= 2_700, `stub: ${brotliCompressSync(stub).length}`);
    assert.ok(brotliCompressSync(ui).length <= 12_600, `interface: ${brotliCompressSync(ui).length}`);
  });
});
