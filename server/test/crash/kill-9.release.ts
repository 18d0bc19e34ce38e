import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeOnEachDatabase } from '../harness.ts';
import { runCrashRounds } from './rounds.ts';

describeOnEachDatabase('kill -9 under load with erasures', (dialect) => {
  test('loses nothing acknowledged, brings nothing erased back, and stores retried requests once', async () => {
    const report = await runCrashRounds({ dialect, rounds: 3, seed: 2026 });
    assert.ok(report.passed, JSON.stringify(report, null, 2));
    assert.ok(report.acknowledged >= 3);
    assert.ok(report.rounds.some(({ erased }) => erased > 0));
  });
});
