import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { pino } from 'pino';
import { createTenant } from '../../accounts/tenants/store.ts';
import { createApp } from '../../cli/server/app.ts';
import { startHousekeeping } from '../../cli/server/housekeeping.ts';
import { runTransaction } from '../../storage/database.ts';
import { emitEvents } from '../../webhooks/deliveries/outbox.ts';
import { openTestInstallation, TestClock } from '../harness.ts';

describe('housekeeping', () => {
  test('deletes all expired keys in bounded steps with pauses, and then waits', async (context) => {
    await using installation = await openTestInstallation('sqlite', { SVC_VERIFY_HOURS: '0' });
    const { kysely } = installation.database;
    const old = new Date(Date.parse(installation.clock()) - 25 * 60 * 60 * 1000).toISOString();
    const row = { tenant_id: 'tenant', fingerprint: '', status: 201, body: '', created_at: old };
    const addKeys = async (count: number) => {
      const rows = Array.from({ length: count }, (_, index) => ({ ...row, key: `key-${index}` }));
      for (let start = 0; start < count; start += 100)
        await kysely
          .insertInto('idempotency_keys')
          .values(rows.slice(start, start + 100))
          .execute();
    };
    const countKeys = async () => {
      const keys = kysely.selectFrom('idempotency_keys').select((rows) => rows.fn.countAll<number>().as('count'));
      return (await keys.executeTakeFirstOrThrow()).count;
    };
    /** The steps run beside the test, within some turns of the event loop. */
    const tick = async (milliseconds: number) => {
      context.mock.timers.tick(milliseconds);
      for (let times = 0; times < 50; times += 1) await turn();
      return countKeys();
    };

    await addKeys(2500);
    context.mock.timers.enable({ apis: ['setTimeout'] });
    const app = createApp(installation, { log: pino({ level: 'silent' }) });
    const housekeeping = startHousekeeping(installation, app);
    assert.equal(await tick(59_999), 2500);
    assert.equal(await tick(1), 1500);
    assert.equal(await tick(1000), 500);
    assert.equal(await tick(1000), 0);
    await addKeys(10);
    assert.equal(await tick(1000), 10);
    assert.equal(await tick(60_000), 0);
    await addKeys(10);
    await housekeeping.stop();
    assert.equal(await tick(120_000), 10);
  });

  test('logs one line for a minute in which it did something, with the counts, and none for others', async (context) => {
    const clock = new TestClock();
    await using installation = await openTestInstallation('sqlite', { SVC_VERIFY_HOURS: '0' }, clock);
    const { database } = installation;
    const lines: Record<string, unknown>[] = [];
    const log = pino({ base: null, timestamp: false }, { write: (line) => void lines.push(JSON.parse(line)) });
    const tenant = { slug: 'acme', name: 'Acme' };
    const { id: tenantId } = await runTransaction(database, clock.now(), (tx) => createTenant(tx, tenant));
    const event = { tenantId, type: 'user.suspended', data: {} } as const;
    await runTransaction(database, clock.now(), (tx) => emitEvents(tx, [event, event]));
    const old = clock.now();
    clock.advance(31 * 24 * 60 * 60 * 1000);
    const tenantKey = { tenant_id: tenantId, fingerprint: '', status: 201, body: '', created_at: old };
    const keys = Array.from({ length: 1001 }, (_, index) => ({ ...tenantKey, key: `key-${index}` }));
    for (const row of keys) await database.kysely.insertInto('idempotency_keys').values(row).execute();
    context.mock.timers.enable({ apis: ['setTimeout'] });
    const housekeeping = startHousekeeping(installation, createApp(installation, { log }));
    const tick = async (milliseconds: number) => {
      context.mock.timers.tick(milliseconds);
      for (let times = 0; times < 200; times += 1) await turn();
    };
    await tick(60_000);
    await tick(1000);
    assert.deepEqual(lines, [], 'the minute is not over');
    await tick(59_000);
    const counts = { idempotencyKeys: 1001, webhookEvents: 2, checkpoints: 1 };
    assert.deepEqual(lines, [{ level: 30, ...counts, msg: 'housekeeping' }]);
    await tick(60_000);
    await housekeeping.stop();
    assert.equal(lines.length, 1);
  });
});
