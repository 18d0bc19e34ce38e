import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, describe, test } from 'node:test';
import { brotliCompressSync } from 'node:zlib';

const widget = join(import.meta.dirname, '../..');
const vite = join(dirname(createRequire(import.meta.url).resolve('vite/package.json')), 'bin/vite.js');
const BUDGET = 8_010;

describe('the script of the inspector', () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-consent-inspector-'));
  after(() => rmSync(folder, { recursive: true }));
  const args = [vite, 'build', '--config', '../../vite.config.ts', '--outDir', folder, '--logLevel', 'error'];
  execFileSync(process.execPath, args, { cwd: widget });
  const script = readFileSync(join(folder, 'svc-consent-inspector.js'));

  test(`stays within ${BUDGET} bytes of brotli`, () => {
    const { length } = brotliCompressSync(script);
    assert.ok(length <= BUDGET, `it has ${length}`);
  });

  test('is ASCII alone, for a page may be in another encoding', () => {
    assert.doesNotMatch(script.toString(), /[^\n\x20-\x7e]/);
  });

  test('holds nothing that a strict policy or Trusted Types would refuse', () => {
    assert.doesNotMatch(script.toString(), /innerHTML|createPolicy|<style|eval\(|new Function|insertAdjacentHTML/);
  });
});
