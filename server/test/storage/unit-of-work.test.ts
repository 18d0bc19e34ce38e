import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { sql } from 'kysely';
import { createTenant } from '../../accounts/tenants/store.ts';
import type { Installation } from '../../installation/installation.ts';
import { recordEvent, systemSource } from '../../ledger/audit/store.ts';
import { appendEntries } from '../../ledger/entry.ts';
import { inTransaction, runUnitOfWork, type UnitOfWork } from '../../storage/database.ts';
import { insertRow, newId } from '../../storage/rows.ts';
import { describeOnEachDatabase, openTestInstallation, startTestServer, type TestServer } from '../harness.ts';

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

describeOnEachDatabase('a connection that breaks in the middle of a transaction', (dialect) => {
  const skip = dialect === 'sqlite' ? 'SQLite has no connections' : false;

  test('fails only the transaction, and the next one gets a new connection', { skip }, async () => {
    await using installation = await openTestInstallation(dialect);
    const { database } = installation;
    const broken = inTransaction(database, async (queries) => {
      const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(queries);
      await sql`select pg_terminate_backend(${rows[0]?.pid}::int)`.execute(database.kysely);
      await sql`select 1`.execute(queries);
    });
    // The driver's message depends on whether it learns of the end before the next query or by it.
    await assert.rejects(broken, /terminat|ECONNRESET|connection error/i);
    await inTransaction(database, (queries) => sql`select 1`.execute(queries));
  });
});

describe('the locks of a unit of work', () => {
  let server: TestServer;
  let accountIds: readonly string[];
  let tenantIds: readonly string[];
  before(async () => {
    server = await startTestServer();
    tenantIds = [server.tenant.id, (await server.createTenant('second')).id].sort();
    for (let count = 0; count < 2; count += 1) await server.createMember();
    const rows = await server.installation.database.kysely.selectFrom('users').select('id').orderBy('id').execute();
    accountIds = rows.map(({ id }) => id);
  });
  after(() => server[Symbol.asyncDispose]());

  const run = (step: (work: UnitOfWork) => Promise<unknown>) =>
    runUnitOfWork(server.installation.database, server.clock.now(), step);
  const event = { module: 'identity', action: 'user.tested', targetId: null, targetRef: null } as const;
  const record = (work: UnitOfWork, tenantId: string) => recordEvent(work, systemSource(tenantId), event);
  const appendConsent = (work: UnitOfWork, tenantId: string) =>
    appendEntries(work, 'consent', [{ tenantId, seal: () => assert.fail('not in order') }]);

  test('are taken in order: accounts by id, then tenants by id; a lock that is held can be taken again', async () => {
    await run(async (work) => {
      for (const id of accountIds) await work.lockAccount(id);
      await work.lockTenant(...tenantIds.toReversed());
      for (const id of accountIds) assert.equal((await work.lockAccount(id)).id, id);
      await record(work, tenantIds[0] as string);
    });
  });

  test('are rejected out of order, also those that an audit event or a consent record takes', async () => {
    const [account, otherAccount] = accountIds as [string, string];
    const [tenant, otherTenant] = tenantIds as [string, string];
    const wrong: readonly ((work: UnitOfWork) => Promise<unknown>)[] = [
      async (work) => [await work.lockTenant(tenant), await work.lockAccount(account)],
      async (work) => [await work.lockAccount(otherAccount), await work.lockAccount(account)],
      async (work) => [await work.lockTenant(otherTenant), await work.lockTenant(tenant)],
      async (work) => [await record(work, tenant), await work.lockAccount(account)],
      async (work) => [await record(work, otherTenant), await record(work, tenant)],
      async (work) => [await work.lockTenant(tenant), await appendConsent(work, tenant)],
    ];
    for (const step of wrong) await assert.rejects(run(step), /must be taken before/);
  });
});
