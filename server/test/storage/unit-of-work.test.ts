import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { sql } from 'kysely';
import { createTenant } from '../../accounts/tenants/store.ts';
import type { Installation } from '../../installation/installation.ts';
import { recordEvent, systemSource } from '../../ledger/audit/store.ts';
import { runUnitOfWork, type UnitOfWork } from '../../storage/database.ts';
import { insertRow, newId } from '../../storage/rows.ts';
import { describeOnEachDatabase, openTestInstallation } from '../harness.ts';

const now = '2026-11-21T12:00:00.000Z';

describeOnEachDatabase('runUnitOfWork', (dialect) => {
  let installation: Installation;
  let tenantId: string;
  before(async () => {
    installation = await openTestInstallation(dialect);
    tenantId = await run(async (work) => (await createTenant(work, { slug: 'first', name: 'Before' })).id);
  });
  beforeEach(() => run((work) => rename(work, 'Before')));
  after(() => installation[Symbol.asyncDispose]());

  const run = <Result>(step: (work: UnitOfWork) => Promise<Result>) => runUnitOfWork(installation.database, now, step);
  const rename = (work: UnitOfWork, name: string) =>
    work.transaction.updateTable('tenants').set({ name }).where('slug', '=', 'first').execute();
  const record = (work: UnitOfWork) =>
    recordEvent(work, systemSource(tenantId), {
      module: 'tenants',
      action: 'tenant.renamed',
      targetId: null,
      targetRef: null,
    });
  const readState = async () => {
    const { kysely } = installation.database;
    const tenant = await kysely
      .selectFrom('tenants')
      .select('name')
      .where('id', '=', tenantId)
      .executeTakeFirstOrThrow();
    const events = await kysely
      .selectFrom('audit_events')
      .select('sequence')
      .where('tenant_id', '=', tenantId)
      .execute();
    return { name: tenant.name, events: events.length };
  };

  test('commits the change with its audit event, and returns the result', async () => {
    const { events } = await readState();
    const result = await run(async (work) => {
      await rename(work, 'After');
      await record(work);
      return work.now;
    });
    assert.equal(result, now);
    assert.deepEqual(await readState(), { name: 'After', events: events + 1 });
  });

  test('commits neither if the step fails at its end', async () => {
    const before = await readState();
    const failed = run(async (work) => {
      await rename(work, 'After');
      await record(work);
      throw new Error('changed my mind');
    });
    await assert.rejects(failed, /changed my mind/);
    assert.deepEqual(await readState(), before);
  });

  test('commits neither if the database rejects a statement', async () => {
    const before = await readState();
    const failed = run(async (work) => {
      await record(work);
      const taken = {
        id: newId(),
        slug: 'first',
        name: 'A slug that is taken',
        api_version: '1',
        created_at: work.now,
      };
      await insertRow(work.transaction, 'tenants', taken);
    });
    await assert.rejects(failed);
    assert.deepEqual(await readState(), before);
  });

  test('runs actions after the commit in order, when other connections can see the change', async () => {
    const calls: string[] = [];
    await run(async (work) => {
      work.afterCommit(() => calls.push('first'));
      work.afterCommit(() => calls.push('second'));
      await rename(work, 'After');
      assert.deepEqual(calls, []);
    });
    assert.deepEqual(calls, ['first', 'second']);
  });

  test('hides uncommitted changes from other callers, and runs their statements after a rollback', async () => {
    const { events } = await readState();
    const names: string[] = [];
    const note = async () => names.push((await readState()).name);
    let others: readonly Promise<unknown>[] = [];
    const failed = run(async (work) => {
      await rename(work, 'After');
      const invalid = sql`select missing`.execute(installation.database.kysely);
      others = [note(), assert.rejects(invalid, /missing/), run(record), note()];
      // SQLite has one connection: the others wait for the end of this step.
      await rename(work, 'Later');
      throw new Error('changed my mind');
    });
    await assert.rejects(failed, /changed my mind/);
    await Promise.all(others);
    assert.deepEqual(names, ['Before', 'Before']);
    assert.deepEqual(await readState(), { name: 'Before', events: events + 1 });
  });

  test('runs no actions after a failure', async () => {
    const calls: string[] = [];
    const failed = run(async (work) => {
      work.afterCommit(() => calls.push('called'));
      throw new Error('changed my mind');
    });
    await assert.rejects(failed);
    assert.deepEqual(calls, []);
  });

  if (dialect === 'postgres') {
    test('runs again after a serialization failure, and its actions once', async () => {
      const calls: number[] = [];
      let attempts = 0;
      await run(async (work) => {
        const attempt = ++attempts;
        work.afterCommit(() => calls.push(attempt));
        await sql`set transaction isolation level repeatable read`.execute(work.transaction);
        await work.transaction.selectFrom('tenants').select('name').execute();
        // After the snapshot was taken: PostgreSQL rejects the update below with serialization_failure.
        if (attempt === 1) await run((other) => rename(other, 'By another'));
        await rename(work, `Attempt ${attempt}`);
      });
      assert.equal((await readState()).name, 'Attempt 2');
      assert.deepEqual(calls, [2]);
    });

    test('gives up after five attempts and reports the reason', async () => {
      let attempts = 0;
      const failed = run(async (work) => {
        attempts += 1;
        await sql`set transaction isolation level repeatable read`.execute(work.transaction);
        await work.transaction.selectFrom('tenants').select('name').execute();
        await run((other) => rename(other, `By another ${attempts}`));
        await rename(work, 'Never');
      });
      await assert.rejects(failed, { code: '40001' });
      assert.equal(attempts, 5);
      assert.equal((await readState()).name, 'By another 5');
    });

    test('two deadlocked transactions both succeed', async () => {
      await run((work) => createTenant(work, { slug: 'second', name: 'Before' }));
      const bothHold = Promise.withResolvers<void>();
      let holding = 0;
      const renameBoth = (slugs: readonly string[], name: string) =>
        run(async ({ transaction }) => {
          for (const slug of slugs) {
            await transaction.updateTable('tenants').set({ name }).where('slug', '=', slug).execute();
            holding += 1;
            if (holding === 2) bothHold.resolve();
            await bothHold.promise;
          }
        });
      await Promise.all([renameBoth(['first', 'second'], 'One'), renameBoth(['second', 'first'], 'Other')]);
      const rows = await installation.database.kysely.selectFrom('tenants').select('name').execute();
      assert.equal(new Set(rows.map(({ name }) => name)).size, 1);
    });
  }
});
