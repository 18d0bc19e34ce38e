import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { serverOptions } from '../../cli/node-24.js';
import { createLocation } from '../harness.ts';
import { startCommand } from './start-command.ts';

describe('a server that is started with a documented command', () => {
  for (const [command, isGraceful] of [
    ['npm run --silent svc serve', true],
    // The shell of npx dies of a signal, or npx does and leaves the shell.
    ['npx svc serve', false],
    ['node server/cli/svc.js serve', true],
  ] as const)
    for (const signal of ['SIGTERM', 'SIGINT', ...(isGraceful ? [] : (['SIGHUP'] as const))] as const)
      test(`${command}: stops on ${signal}`, async () => {
        await using location = await createLocation('sqlite');
        const started = await startCommand(command, location.environment);
        started.stop(signal);
        await started.closed;
        const [code] = await started.ended;
        if (isGraceful) assert.equal(code, 0);
      });

  for (const [given, expected] of [
    ['', serverOptions[0]],
    ['--max-semi-space-size=8', undefined],
  ] as const)
    test(`serves in the same process with its options of Node${given && `, unless NODE_OPTIONS has ${given}`}`, async () => {
      await using location = await createLocation('sqlite');
      const environment = { ...location.environment, NODE_OPTIONS: given };
      const started = await startCommand('node server/cli/svc.js serve', environment);
      const option = /--max-semi-space-size=\d+/.exec(started.readCommandLine())?.[0];
      assert.equal(option, expected);
      started.stop('SIGTERM');
      assert.deepEqual(await started.ended, [0, null]);
    });
});
