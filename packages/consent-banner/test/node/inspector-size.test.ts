import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { brotliCompressSync } from 'node:zlib';
import { buildScripts } from './build-scripts.ts';

const BUDGET = 10_650;

describe('the script of the inspector', () => {
  const folder = buildScripts();
  const script = readFileSync(join(folder, 'svc-consent-inspector.js'));

  test(`is within ${BUDGET} bytes of brotli`, () => {
    const { length } = brotliCompressSync(script);
    assert.ok(length <= BUDGET, `it has ${length}`);
  });

  test('is ASCII only, because a page may have another encoding', () => {
    assert.doesNotMatch(script.toString(), /[^\n\x20-\x7e]/);
  });

  test('contains nothing that a strict policy or Trusted Types would block', () => {
    assert.doesNotMatch(script.toString(), /innerHTML|createPolicy|<style|eval\(|new Function|insertAdjacentHTML/);
  });
});
