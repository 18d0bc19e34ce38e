import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createLocation } from '../harness.ts';
import { DatabaseGate } from '../storage/database-gate.ts';
import { runOutages } from './outage-rounds.ts';
import { startServerProcess } from './server-process.ts';

const skip = process.env.SVC_TEST_POSTGRES_URL === undefined ? 'no PostgreSQL' : false;

describe('servers whose PostgreSQL becomes unavailable', { skip }, () => {
  const open = async () => {
    const location = await createLocation('postgres');
    const gate = await DatabaseGate.open(location.environment.DATABASE_URL as string);
    return { location, gate, settings: { ...location.environment, DATABASE_URL: gate.url } };
  };

  // Starts two servers and verifies what they wrote: some seconds.
  test('respond with 503, serve the notice, recover by themselves and lose nothing', async () => {
    const { location, gate, settings } = await open();
    await using _ = location;
    await using __ = gate;
    const report = await runOutages({
      settings,
      holdMilliseconds: 0,
      interruptions: [{ name: 'stopped', begin: () => gate.stop(), end: () => gate.start() }],
    });
    assert.ok(report.passed, JSON.stringify(report, null, 2));
  });

  // Some seconds: what waits for the database must fail first, and the limits are as short as possible.
  test('exit on SIGTERM although the database does not respond', async () => {
    const { location, gate, settings } = await open();
    await using _ = location;
    await using __ = gate;
    const server = await startServerProcess({ ...settings, SVC_DATABASE_SECONDS: '1' });
    gate.freeze();
    await server.stop();
    assert.equal(server.exitCode(), 0);
  });
});
