import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { brotliCompressSync } from 'node:zlib';
import { record } from '../../src/records/record.ts';
import { buildScripts } from './build-scripts.ts';

describe('record() of @svc/consent-banner/record', () => {
  test('refuses to run on a server, where all visitors would get one id', () => {
    const decision = { noticeId: 'a', apiBase: 'https://consent.example.com', purposes: { necessary: true } };
    assert.throws(() => record(decision), /runs in a browser.*@svc\/node-sdk/);
  });

  test('is within its size budget as a script of its own', () => {
    const script = readFileSync(join(buildScripts(), 'svc-consent-record.js'));
    assert.ok(brotliCompressSync(script).length <= 2_000, `it is ${brotliCompressSync(script).length}`);
  });
});
