import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLocation } from '../harness.ts';
import { startCommand } from './start-command.ts';

for (const signal of ['SIGTERM', 'SIGINT'] as const)
  test(`npm start stops on ${signal}`, async () => {
    await using location = await createLocation('sqlite');
    const started = await startCommand('npm start', location.environment);
    started.stop(signal);
    await started.closed;
    assert.equal((await started.ended)[0], 0);
  });
