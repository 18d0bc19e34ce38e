import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { requireClusterPrograms } from './database-cluster.ts';
import { runFailovers } from './failover-rounds.ts';

const skip = requireClusterPrograms() ?? false;

describe('servers on a PostgreSQL with Patroni, etcd and HAProxy, with the configuration in the documentation', {
  skip,
}, () => {
  // Patroni waits for 20 seconds until it replaces a primary that does not respond.
  test('recover by themselves from each failure of the primary, and lose nothing', async () => {
    const report = await runFailovers(['killed', 'paused', 'crashed']);
    assert.ok(report.passed, JSON.stringify(report, null, 2));
    // Every failure reached both servers.
    for (const { refused } of report.rounds) assert.ok(refused > 0);
  });
});
