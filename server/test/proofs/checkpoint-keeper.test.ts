import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KyselyPlugin } from 'kysely';
import { pino } from 'pino';
import { createTenant } from '../../accounts/tenants/store.ts';
import type { Installation } from '../../installation/installation.ts';
import { anchorCheckpoints, signCheckpoint } from '../../ledger/checkpoint-store.ts';
import { CheckpointKeeper } from '../../proofs/checkpoint-keeper.ts';
import { runTransaction } from '../../storage/database.ts';
import { describeOnEachDatabase, openTestInstallation, TestClock } from '../harness.ts';
import { appendOne } from '../ledger/exported.ts';
import { runVerify } from '../ledger/fixture.ts';
import { deleteRow, insertRow, liftProtection, type Row, readRows } from '../ledger/tamper.ts';
import { appendManyRecords } from './ledger-requests.ts';

const interval = 60 * 60_000;

describeOnEachDatabase('the checkpoint keeper', (dialect) => {
  /** An installation with a clock, and the results of the keeper. */
  async function open() {
    const clock = new TestClock();
    const installation = await openTestInstallation(dialect, {}, clock);
    const { database } = installation;
    const log = pino({ level: 'silent' });
    const createKeeper = () => new CheckpointKeeper({ ...installation, interval, log });
    const keeper = createKeeper();
    /** Runs steps until there is no work left. @returns the number of steps. */
    const run = async (one = keeper) => {
      for (let steps = 1; ; steps += 1) if (!(await one.step(clock.now()))) return steps;
    };
    const read = async (tenantId?: string) => {
      const rows = await readRows(database, 'checkpoints');
      return rows
        .filter(({ tenant_id }) => tenantId === undefined || tenant_id === tenantId)
        .map(({ ledger, size }) => `${ledger} ${size}`);
    };
    return {
      installation,
      clock,
      keeper,
      createKeeper,
      run,
      read,
      [Symbol.asyncDispose]: () => installation[Symbol.asyncDispose](),
    };
  }
  const addTenant = async ({ database, clock }: Installation, slug: string) =>
    (await runTransaction(database, clock(), (tx) => createTenant(tx, { slug, name: slug }))).id;

  test('signs the first checkpoint immediately, the next ones at intervals, and none of an unchanged ledger', async () => {
    await using scene = await open();
    const { installation, clock, run, read } = scene;
    const id = await addTenant(installation, 'one');
    await run();
    assert.deepEqual(await read(), ['audit 1'], 'the consent ledger stays empty');
    await appendOne(installation, id, clock.now(), 'a');
    clock.advance(interval - 1);
    await run();
    assert.deepEqual(await read(), ['audit 1']);
    clock.advance(1);
    await run();
    assert.deepEqual(await read(), ['audit 1', 'audit 2']);
    clock.advance(10 * interval);
    await run();
    assert.deepEqual(await read(), ['audit 1', 'audit 2']);
    assert.equal((await runVerify(installation)).code, 0);
  });

  test('accepts a checkpoint that a request signs while it reads the ledgers', async () => {
    await using scene = await open();
    const { installation, clock, run } = scene;
    const { database } = installation;
    const tenantId = await addTenant(installation, 'one');
    await run();
    let isSigned = false;
    const signOnce: KyselyPlugin = {
      transformQuery: ({ node }) => node,
      async transformResult({ result }) {
        if (isSigned) return result;
        isSigned = true;
        await appendOne(installation, tenantId, clock.now(), 'a');
        await runTransaction(database, clock.now(), (tx) =>
          signCheckpoint(tx, installation, { tenantId, ledger: 'audit' }),
        );
        return result;
      },
    };
    const rewritten = await anchorCheckpoints(database.kysely.withPlugin(signOnce), installation);
    assert.ok(isSigned);
    assert.deepEqual(rewritten, []);
  });

  test('signs again after the clock was set back by a day, without waiting for that day', async () => {
    await using scene = await open();
    const { installation, clock, run, read } = scene;
    const id = await addTenant(installation, 'one');
    clock.advance(24 * interval);
    await run();
    clock.advance(-24 * interval);
    await appendOne(installation, id, clock.now(), 'a');
    await run();
    assert.deepEqual(await read(), ['audit 1', 'audit 2']);
    await appendOne(installation, id, clock.now(), 'b');
    await run();
    assert.deepEqual(await read(), ['audit 1', 'audit 2'], 'the next one is due after the interval');
  });

  test('updates the tree between two checkpoints, so that one on demand is fast', async () => {
    await using scene = await open();
    const { installation, run, read, clock } = scene;
    const id = await addTenant(installation, 'one');
    await run();
    for (const text of ['a', 'b']) await appendOne(installation, id, clock.now(), text);
    await run();
    assert.deepEqual(await read(), ['audit 1']);
    const trees = installation.database.kysely.selectFrom('merkle_trees').select(['ledger', 'size']);
    assert.deepEqual(await trees.execute(), [{ ledger: 'audit', size: 3 }]);
  });

  test('splits many entries into several steps, and signs after the last one', async () => {
    await using scene = await open();
    const { installation, clock, run, read, keeper } = scene;
    const id = await addTenant(installation, 'one');
    for (let part = 0; part < 5; part += 1) await appendManyRecords({ installation, clock }, id, 1000);
    assert.equal(await keeper.step(clock.now()), true);
    assert.ok(!(await read(id)).includes('consent 5000'));
    assert.ok((await run()) >= 2);
    assert.ok((await read(id)).includes('consent 5000'));
    assert.equal((await runVerify(installation)).code, 0);
  });

  test('processes every ledger of every tenant', async () => {
    await using scene = await open();
    const { installation, clock, run, read } = scene;
    const ids: string[] = [];
    for (let number = 0; number < 23; number += 1) ids.push(await addTenant(installation, `tenant-${number}`));
    for (const id of ids.slice(0, 3)) await appendManyRecords({ installation, clock }, id, 2);
    assert.ok((await run()) > 1, 'requests can run between the steps');
    for (const [number, id] of ids.entries())
      assert.deepEqual(await read(id), number < 3 ? ['audit 2', 'consent 2'] : ['audit 1']);
  });

  test('fails on a broken ledger and continues with the others', async () => {
    await using scene = await open();
    const { installation, clock, keeper, read, run } = scene;
    const ids: string[] = [];
    for (const slug of ['one', 'two', 'three']) ids.push(await addTenant(installation, slug));
    const broken = ids.sort()[1] as string;
    for (const text of ['a', 'b']) await appendOne(installation, broken, clock.now(), text);
    await liftProtection(installation.database);
    const row = (await readRows(installation.database, 'audit_events')).find(
      ({ tenant_id, sequence }) => tenant_id === broken && sequence === 2,
    ) as Row;
    await deleteRow(installation.database, 'audit_events', row);
    await assert.rejects(keeper.step(clock.now()), /entry 2 of the audit ledger is missing/);
    await keeper.step(clock.now()).catch(() => undefined);
    for (const id of ids) assert.deepEqual(await read(id), id === broken ? [] : ['audit 1']);
    await insertRow(installation.database, 'audit_events', row);
    await run();
    assert.deepEqual(await read(broken), ['audit 3']);
  });

  test('runs concurrently with the keeper of another server', async () => {
    await using scene = await open();
    const { installation, clock, createKeeper, run, read } = scene;
    const ids: string[] = [];
    for (let number = 0; number < 6; number += 1) ids.push(await addTenant(installation, `tenant-${number}`));
    for (let round = 0; round < 4; round += 1) {
      for (const id of ids) await appendManyRecords({ installation, clock }, id, 30);
      await Promise.all([createKeeper(), createKeeper(), createKeeper()].map((keeper) => run(keeper)));
      clock.advance(interval);
    }
    for (const id of ids)
      assert.deepEqual((await read(id)).filter((text) => text.startsWith('consent')).sort(), [
        'consent 120',
        'consent 30',
        'consent 60',
        'consent 90',
      ]);
    const { code, lines } = await runVerify(installation);
    assert.equal(code, 0, lines.join('\n'));
  });
});
