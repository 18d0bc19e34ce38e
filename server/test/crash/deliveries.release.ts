import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeOnEachDatabase } from '../harness.ts';
import { runDeliveryRounds } from './delivery-rounds.ts';

describeOnEachDatabase('kill -9 while webhooks are sent', (dialect) => {
  test('delivers every event, repeats only deliveries in flight, and releases the claims of killed servers', async () => {
    const report = await runDeliveryRounds({
      dialect,
      rounds: dialect === 'sqlite' ? 3 : 2,
      seed: 2026,
      isTimed: false,
    });
    assert.ok(report.passed, JSON.stringify(report, null, 2));
    assert.ok(report.acknowledged > 0 && report.inFlight > 0);
  });
});
