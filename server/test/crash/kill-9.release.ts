import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runCrashRounds } from './rounds.ts';

test('kill -9 under load loses no acknowledged record, and stores retried requests once', async () => {
  const report = await runCrashRounds({ rounds: 3, seed: 2026 });
  assert.ok(report.passed, JSON.stringify(report, null, 2));
  assert.ok(report.acknowledged >= 3);
});
