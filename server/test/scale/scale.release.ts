import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { findMemoryFolder } from '../../../tools/test/memory-folder.ts';
import { findMissingProgram, runScale } from './run.ts';

describe('two servers on one PostgreSQL behind Caddy', { skip: findMissingProgram() ?? false }, () => {
  // A minute of load, and what the checks take.
  test('lose nothing acknowledged when they are killed, upgraded, and lose their database', async () => {
    const report = await runScale({
      servers: 2,
      seconds: 60,
      tenants: 16,
      notices: 64,
      webhooks: 4,
      slowest: 500,
      sizes: { captures: 8, reads: 5, users: 1, exports: 12 },
      killEvery: 20,
      seed: 2026,
      folder: findMemoryFolder(),
    });
    assert.ok(report.passed, report.wrong.join('\n'));
    assert.deepEqual(
      report.kinds.filter(({ answered }) => answered === 0),
      [],
    );
    assert.equal(report.faults.length, 4);
    assert.ok(report.records > 0 && report.repeated > 0 && report.users > 0 && report.dead > 0);
  });
});
