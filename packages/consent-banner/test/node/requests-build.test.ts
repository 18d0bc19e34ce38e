import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { brotliCompressSync } from 'node:zlib';
import * as requests from '../../src/add-ons/requests/index.ts';
import { buildScripts } from './build-scripts.ts';

const BUDGET = 4_800;

describe('the script of the requests add-on', () => {
  const folder = buildScripts();
  const script = readFileSync(join(folder, 'svc-consent-requests.js'));

  test(`is within ${BUDGET} bytes of brotli, and is ASCII only`, () => {
    const { length } = brotliCompressSync(script);
    assert.ok(length <= BUDGET, `it has ${length}`);
    assert.doesNotMatch(script.toString(), /[^\n\x20-\x7e]/);
  });

  test('is in the manifest, with the hash that its tag pins', () => {
    const { files } = JSON.parse(readFileSync(join(folder, 'integrity.json'), 'utf8'));
    const found = files.find((one: { file: string }) => one.file === 'svc-consent-requests.js');
    assert.equal(found?.bytes, script.length);
    assert.match(found?.integrity, /^sha384-/);
  });

  test('does nothing on a server', () => {
    assert.deepEqual(Object.keys(requests), ['holdRequests']);
    const before = Object.keys(globalThis);
    const { fetch } = globalThis;
    requests.holdRequests({ requests: 'statistics: plausible.io' })();
    assert.deepEqual([Object.keys(globalThis), globalThis.fetch], [before, fetch]);
  });
});
