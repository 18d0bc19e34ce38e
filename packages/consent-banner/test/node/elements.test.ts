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
const BUDGET = 16_800;

test('the building blocks can be imported, and asked for, where there is no DOM', async () => {
  const { defineConsentView, ...rest } = await import('../../src/add-ons/elements/index.ts');
  assert.deepEqual(Object.keys(rest), ['SvcConsentViewElement']);
  defineConsentView();
  assert.equal('SvcConsent' in globalThis, false);
});

describe('the script of the building blocks', () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-consent-elements-'));
  after(() => rmSync(folder, { recursive: true }));
  const args = [vite, 'build', '--config', '../../vite.config.ts', '--outDir', folder, '--logLevel', 'error'];
  execFileSync(process.execPath, args, { cwd: widget });
  const script = readFileSync(join(folder, 'svc-consent-elements.js'));

  test(`has all that a page needs within ${BUDGET} bytes of brotli, without Lit`, () => {
    const { length } = brotliCompressSync(script);
    assert.ok(length > 9_000 && length <= BUDGET, `it has ${length}`);
    assert.doesNotMatch(script.toString(), /lit\$|createTreeWalker|attachShadow/);
  });

  test('is ASCII alone, for a page may be in another encoding', () => {
    assert.doesNotMatch(script.toString(), /[^\n\x20-\x7e]/);
  });

  test('holds nothing that a strict policy or Trusted Types would refuse, and no style', () => {
    const refused = /innerHTML|createPolicy|<style|eval\(|new Function|insertAdjacentHTML|CSSStyleSheet/;
    assert.doesNotMatch(script.toString(), refused);
  });
});
