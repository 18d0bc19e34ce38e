import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import test from 'node:test';
import { brotliCompressSync } from 'node:zlib';

const widget = join(import.meta.dirname, '../..');
const vite = join(dirname(createRequire(import.meta.url).resolve('vite/package.json')), 'bin/vite.js');

function buildOnce(): { readonly script: Buffer; readonly manifest: Record<string, unknown> } {
  const outDir = mkdtempSync(join(tmpdir(), 'svc-trust-badge-'));
  const args = [vite, 'build', '--outDir', outDir, '--logLevel', 'error'];
  execFileSync(process.execPath, args, { cwd: widget });
  const built = {
    script: readFileSync(join(outDir, 'svc-trust-badge.js')),
    manifest: JSON.parse(readFileSync(join(outDir, 'integrity.json'), 'utf8')),
  };
  rmSync(outDir, { recursive: true });
  return built;
}

const first = buildOnce();

test('the build is reproducible, and the manifest matches it', () => {
  const second = buildOnce();
  const { version } = JSON.parse(readFileSync(join(widget, 'package.json'), 'utf8'));
  assert.ok(first.script.equals(second.script));
  const script = {
    file: 'svc-trust-badge.js',
    bytes: first.script.length,
    integrity: `sha384-${createHash('sha384').update(first.script).digest('base64')}`,
  };
  assert.deepEqual(first.manifest, { version, ...script, files: [script] });
});

test('the script begins with the compile hint', () => {
  assert.match(first.script.toString(), /^\/\/# allFunctionsCalledOnLoad\n/);
});

test('the script stays within 7.6 kB of brotli, without white space in its templates', () => {
  const { script } = first;
  assert.ok(brotliCompressSync(script).length <= 7_600, `${brotliCompressSync(script).length} bytes`);
  assert.doesNotMatch(script.toString(), /\n\s/);
});
