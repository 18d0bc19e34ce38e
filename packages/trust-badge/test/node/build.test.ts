import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { brotliCompressSync } from 'node:zlib';
import { buildScripts } from '../../../../tools/test/widget.ts';

const widget = join(import.meta.dirname, '../..');
function buildOnce(): { readonly script: Buffer; readonly manifest: Record<string, unknown> } {
  const files = buildScripts(widget);
  const manifest = JSON.parse(String(files.get('integrity.json')));
  return { script: files.get('svc-trust-badge.js') as Buffer, manifest };
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
