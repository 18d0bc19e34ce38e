import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { pino } from 'pino';
import { LastUses } from '../../accounts/keys/last-uses.ts';
import { startHousekeeping } from '../../cli/server/housekeeping.ts';
import { Sightings } from '../../consent/sightings.ts';
import { RateLimiter } from '../../http/rate-limit.ts';
import { CheckpointKeeper } from '../../proofs/checkpoint-keeper.ts';
import { LogKeeper } from '../../proofs/log-keeper.ts';
import { Verifier } from '../../proofs/verifier.ts';
import { FaultLog } from '../../storage/fault-log.ts';
import { openTestInstallation } from '../harness.ts';

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
    const log = pino({ level: 'silent' });
    const keeper = new CheckpointKeeper({ ...installation, interval: 3_600_000, log });
    const faults = new FaultLog(installation.database, log);
    const verifier = new Verifier(installation, faults);
    const app = { limiter: new RateLimiter(), lastUses: new LastUses(), sightings: new Sightings(), verifier, faults };
    const housekeeping = startHousekeeping(installation, app, keeper, new LogKeeper(installation));
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
});
