import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLocation } from '../harness.ts';
import { stopUnderLoad } from './stops.ts';

// npm run test:stops does this twenty times.
test('stopping a server under load resets no request and no connection', { timeout: 60_000 }, async () => {
  await using location = await createLocation('sqlite');
  const settings = location.environment;
  const { answers, requestsReset, connectionsReset, laterConnectionsReset, exitCode } = await stopUnderLoad({
    settings,
    connections: 64,
    answersBefore: 640,
  });
  assert.ok(answers >= 640);
  assert.deepEqual([requestsReset, connectionsReset, laterConnectionsReset, exitCode], [0, 0, 0, 0]);
});
