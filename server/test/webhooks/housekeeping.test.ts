import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { pino } from 'pino';
import { createTenant } from '../../accounts/tenants/store.ts';
import { createApp } from '../../cli/server/app.ts';
import { startHousekeeping } from '../../cli/server/housekeeping.ts';
import { runUnitOfWork } from '../../storage/database.ts';
import { emitEvents } from '../../webhooks/deliveries/outbox.ts';
import { openTestInstallation, TestClock } from '../harness.ts';

describe('the housekeeping', () => {
  test('forgets events for webhooks that are thirty days old', async (context) => {
    const clock = new TestClock();
    await using installation = await openTestInstallation('sqlite', { SVC_VERIFY_HOURS: '0' }, clock);
    const { database } = installation;
    const tenant = { slug: 'acme', name: 'Acme' };
    const { id: tenantId } = await runUnitOfWork(database, clock.now(), (work) => createTenant(work, tenant));
    const emit = (name: string) =>
      runUnitOfWork(database, clock.now(), (work) =>
        emitEvents(work, [{ tenantId, type: 'user.suspended', data: { name } }]),
      );
    await emit('old');
    clock.advance(1);
    await emit('new');
    clock.advance(30 * 24 * 60 * 60 * 1000 - 1);
    context.mock.timers.enable({ apis: ['setTimeout'] });
    const app = createApp(installation, { log: pino({ level: 'silent' }) });
    const housekeeping = startHousekeeping(installation, app);
    context.mock.timers.tick(60_000);
    for (let times = 0; times < 100; times += 1) await turn();
    await housekeeping.stop();
    const left = await database.kysely.selectFrom('webhook_events').select('data').execute();
    assert.deepEqual(left, [{ data: '{"name":"new"}' }]);
  });
});
