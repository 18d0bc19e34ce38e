import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pino } from 'pino';
import { readNote } from '../../../packages/node-sdk/src/ledger/checkpoint.ts';
import { followPath, hashLeaf, isGrown, readHash } from '../../../packages/node-sdk/src/ledger/merkle.ts';
import { createTenant } from '../../accounts/tenants/store.ts';
import { openCheckpoint } from '../../ledger/checkpoint.ts';
import { findCheckpoint } from '../../ledger/checkpoint-store.ts';
import type { LedgerOf } from '../../ledger/entry.ts';
import { findLeaf, findLogCheckpoint, nameLogKey, proveExtension, proveLeaf } from '../../ledger/installation-log.ts';
import { sha256 } from '../../ledger/merkle.ts';
import { CheckpointKeeper } from '../../proofs/checkpoint-keeper.ts';
import { LogKeeper } from '../../proofs/log-keeper.ts';
import { runTransaction } from '../../storage/database.ts';
import { describeOnEachDatabase, openTestInstallation, TestClock } from '../harness.ts';
import { appendOne } from '../ledger/exported.ts';
import { runVerify } from '../ledger/fixture.ts';
import { tamper } from '../ledger/tamper.ts';

const hour = 60 * 60_000;

describeOnEachDatabase('the log of the installation', (dialect) => {
  async function open() {
    const clock = new TestClock();
    const installation = await openTestInstallation(dialect, {}, clock);
    const { database, signer } = installation;
    const checkpoints = new CheckpointKeeper({ ...installation, interval: hour, log: pino({ level: 'silent' }) });
    const keeper = new LogKeeper(installation);
    const run = async () => {
      while (await checkpoints.step(clock.now()));
      await keeper.step(clock.now());
    };
    const addTenant = async (slug: string): Promise<LedgerOf> => {
      const { id } = await runTransaction(database, clock.now(), (tx) => createTenant(tx, { slug, name: slug }));
      return { tenantId: id, ledger: 'audit' };
    };
    const readSizes = async () =>
      (
        await database.kysely
          .selectFrom('checkpoints')
          .select('size')
          .where('tenant_id', '=', 'installation')
          .orderBy('size')
          .execute()
      ).map(({ size }) => size);
    const append = (of: LedgerOf) => appendOne(installation, of.tenantId, clock.now(), 'a');
    const readLatest = async () => {
      const latest = await findLogCheckpoint(database.kysely);
      assert.ok(latest);
      return { ...latest, rootHash: readHash(latest.rootHash) as Uint8Array };
    };
    return {
      installation,
      queries: database.kysely,
      signer,
      clock,
      keeper,
      checkpoints,
      run,
      addTenant,
      append,
      readSizes,
      readLatest,
      [Symbol.asyncDispose]: () => installation[Symbol.asyncDispose](),
    };
  }

  test('gets the new checkpoints of all ledgers each hour, and proves each of them', async () => {
    await using scene = await open();
    const { queries, clock, run, readLatest, signer } = scene;
    await run();
    assert.deepEqual(await scene.readSizes(), [], 'nothing to add');
    const ledgers = [await scene.addTenant('one'), await scene.addTenant('two')];
    await run();
    const first = await readLatest();
    assert.equal(first.size, 2);
    clock.advance(hour);
    await run();
    assert.deepEqual(await scene.readSizes(), [2], 'no ledger has a new checkpoint');
    await scene.append(ledgers[1] as LedgerOf);
    await run();
    assert.deepEqual(await scene.readSizes(), [2, 3]);
    const second = await readLatest();
    assert.equal(isGrown(sha256, first, second, await proveExtension(queries, first.size, second.size)), true);
    for (const of of ledgers) {
      const checkpoint = await findCheckpoint(queries, of);
      const leaf = await findLeaf(queries, of, second.size, Number.MAX_SAFE_INTEGER);
      assert.ok(checkpoint && leaf);
      assert.equal(leaf.size, checkpoint.size);
      const path = await proveLeaf(queries, leaf, second.size);
      const data = hashLeaf(sha256, sha256(checkpoint.note));
      assert.deepEqual(followPath(sha256, data, leaf.sequence - 1, second.size, path), Buffer.from(second.rootHash));
    }
    const origin = `${signer.verifier.name}/installation/log`;
    assert.equal(openCheckpoint(second.note, signer.verifier)?.origin, origin);
    assert.match(second.note, new RegExp(`\\n— ${signer.verifier.name} \\S+\\n— ${origin} \\S+\\n$`));
    assert.equal(readNote(second.note, signer.named(origin)).signatures.length, 1, 'also signed under its own name');
    const { code, report, lines } = await runVerify(scene.installation, {}, clock.now);
    assert.equal(code, 0, lines.join('\n'));
    assert.ok(
      lines.includes('✓ log of the installation: 3 ledger checkpoints, 2 signed log checkpoints'),
      String(lines),
    );
    assert.deepEqual(report.log, {
      verifierKey: nameLogKey(signer.verifier),
      leaves: 3,
      checkpoints: 2,
      anchors: 2,
      timestamps: 0,
      cosignatures: 0,
      gaps: {},
      faults: [],
    });
  });

  test('waits an hour after its newest checkpoint, except after one of a clock that was ahead', async () => {
    await using scene = await open();
    const { clock, run } = scene;
    const of = await scene.addTenant('one');
    await run();
    await scene.append(of);
    clock.advance(hour - 1);
    await scene.addTenant('two');
    await run();
    assert.deepEqual(await scene.readSizes(), [1]);
    clock.advance(1);
    await run();
    assert.deepEqual(await scene.readSizes(), [1, 3]);
    clock.advance(-48 * hour);
    await scene.append(of);
    await run();
    assert.deepEqual(await scene.readSizes(), [1, 3, 4]);
  });

  test('is extended by one of several servers', async () => {
    await using scene = await open();
    const { clock, keeper, checkpoints } = scene;
    for (const slug of ['one', 'two', 'three']) await scene.addTenant(slug);
    while (await checkpoints.step(clock.now()));
    await Promise.all(
      [keeper, ...[1, 2, 3].map(() => new LogKeeper(scene.installation))].map((one) => one.step(clock.now())),
    );
    assert.deepEqual(await scene.readSizes(), [3]);
    assert.equal((await runVerify(scene.installation, {}, clock.now)).code, 0);
  });

  test('has no leaf for a checkpoint that another key signed', async () => {
    await using scene = await open();
    const of = await scene.addTenant('one');
    while (await scene.checkpoints.step(scene.clock.now()));
    await tamper(scene.installation.database, (queries) =>
      queries.updateTable('checkpoints').set({ note: 'forged' }).where('tenant_id', '=', of.tenantId).execute(),
    );
    await scene.keeper.step(scene.clock.now());
    assert.deepEqual(await scene.readSizes(), []);
  });

  test('rejects changes of its leaves', async () => {
    await using scene = await open();
    await scene.addTenant('one');
    await scene.run();
    await assert.rejects(scene.queries.updateTable('log_leaves').set({ size: 2 }).execute(), /append-only/);
    await assert.rejects(scene.queries.deleteFrom('log_leaves').execute(), /append-only/);
  });
});
