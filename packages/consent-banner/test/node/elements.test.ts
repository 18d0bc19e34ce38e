import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { brotliCompressSync } from 'node:zlib';
import { buildScripts } from './build-scripts.ts';

const BUDGET = 16_800;

test('the building blocks can be imported, and created, without a DOM', async () => {
  const { defineConsentView, ...rest } = await import('../../src/add-ons/elements/index.ts');
  assert.deepEqual(Object.keys(rest), ['SvcConsentViewElement']);
  defineConsentView();
  assert.equal('SvcConsent' in globalThis, false);
});

describe('the script of the building blocks', () => {
  const folder = buildScripts();
  const script = readFileSync(join(folder, 'svc-consent-elements.js'));

  test(`has all that a page needs within ${BUDGET} bytes of brotli, without Lit`, () => {
    const { length } = brotliCompressSync(script);
    assert.ok(length > 9_000 && length <= BUDGET, `it has ${length}`);
    assert.doesNotMatch(script.toString(), /lit\$|createTreeWalker|attachShadow/);
  });

  test('is ASCII only, because a page may have another encoding', () => {
    assert.doesNotMatch(script.toString(), /[^\n\x20-\x7e]/);
  });

  test('contains nothing that a strict policy or Trusted Types would block, and no style', () => {
    const refused = /innerHTML|createPolicy|<style|eval\(|new Function|insertAdjacentHTML|CSSStyleSheet/;
    assert.doesNotMatch(script.toString(), refused);
  });
});
