import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { sql } from 'kysely';
import { createTenant } from '../../accounts/tenants/store.ts';
import type { Installation } from '../../installation/installation.ts';
import { recordEvent, systemSource } from '../../ledger/audit/store.ts';
import { appendEntries } from '../../ledger/entry.ts';
import { blamesRow, inTransaction, runTransaction, type Transaction } from '../../storage/database.ts';
import { compileInserts, insertRow, newId } from '../../storage/rows.ts';
import { describeOnEachDatabase, openTestInstallation, startTestServer, type TestServer } from '../harness.ts';

const now = '2026-11-21T12:00:00.000Z';

describeOnEachDatabase('runTransaction', (dialect) => {
  let installation: Installation;
  let tenantId: string;
  before(async () => {
    installation = await openTestInstallation(dialect);
    tenantId = await run(async (tx) => (await createTenant(tx, { slug: 'first', name: 'Before' })).id);
  });
  beforeEach(() => run((tx) => rename(tx, 'Before')));
  after(() => installation[Symbol.asyncDispose]());

  const run = <Result>(step: (tx: Transaction) => Promise<Result>) => runTransaction(installation.database, now, step);
  const rename = (tx: Transaction, name: string) =>
    tx.queries.updateTable('tenants').set({ name }).where('slug', '=', 'first').execute();
  const record = (tx: Transaction) =>
    recordEvent(tx, systemSource(tenantId), {
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
    const result = await run(async (tx) => {
      await rename(tx, 'After');
      await record(tx);
      return tx.now;
    });
    assert.equal(result, now);
    assert.deepEqual(await readState(), { name: 'After', events: events + 1 });
  });

  const insertTwice = (tx: Transaction) =>
    compileInserts(
      tx.queries,
      'tenants',
      [1, 2].map(() => ({ id: tenantId, slug: 'first', name: 'Again', api_version: '', created_at: now })),
    );

  test('commits nothing if a statement fails that nobody waited for', async () => {
    const state = await readState();
    const done: string[] = [];
    await assert.rejects(
      run(async (tx) => {
        tx.afterCommit(() => done.push('after commit'));
        await rename(tx, 'After');
        await tx.send(insertTwice(tx));
        await record(tx).catch(() => undefined);
      }),
      blamesRow,
    );
    assert.deepEqual(await readState(), state);
    assert.deepEqual(done, []);
  });

  test('reports the failure of the step, and leaves a connection that works, while statements are on their way', async () => {
    const state = await readState();
    const failing = run(async (tx) => {
      await record(tx);
      await rename(tx, 'After');
      throw new Error('on purpose');
    });
    await assert.rejects(failing, /on purpose/);
    assert.deepEqual(await readState(), state);
  });

  test('commits neither if the step fails at its end', async () => {
    const before = await readState();
    const failed = run(async (tx) => {
      await rename(tx, 'After');
      await record(tx);
      throw new Error('changed my mind');
    });
    await assert.rejects(failed, /changed my mind/);
    assert.deepEqual(await readState(), before);
  });

  test('commits neither if the database rejects a statement', async () => {
    const before = await readState();
    const failed = run(async (tx) => {
      await record(tx);
      const taken = {
        id: newId(),
        slug: 'first',
        name: 'A slug that is taken',
        api_version: '1',
        created_at: tx.now,
      };
      await insertRow(tx.queries, 'tenants', taken);
    });
    await assert.rejects(failed);
    assert.deepEqual(await readState(), before);
  });

  test('runs actions after the commit in order, when other connections can see the change', async () => {
    const calls: string[] = [];
    await run(async (tx) => {
      tx.afterCommit(() => calls.push('first'));
      tx.afterCommit(() => calls.push('second'));
      await rename(tx, 'After');
      assert.deepEqual(calls, []);
    });
    assert.deepEqual(calls, ['first', 'second']);
  });

  test('hides uncommitted changes from other callers, and runs their statements after a rollback', async () => {
    const { events } = await readState();
    const names: string[] = [];
    const note = async () => names.push((await readState()).name);
    let others: readonly Promise<unknown>[] = [];
    const failed = run(async (tx) => {
      await rename(tx, 'After');
      const invalid = sql`select missing`.execute(installation.database.kysely);
      others = [note(), assert.rejects(invalid, /missing/), run(record), note()];
      // SQLite has one connection: the others wait for the end of this step.
      await rename(tx, 'Later');
      throw new Error('changed my mind');
    });
    await assert.rejects(failed, /changed my mind/);
    await Promise.all(others);
    assert.deepEqual(names, ['Before', 'Before']);
    assert.deepEqual(await readState(), { name: 'Before', events: events + 1 });
  });

  test('runs no actions after a failure', async () => {
    const calls: string[] = [];
    const failed = run(async (tx) => {
      tx.afterCommit(() => calls.push('called'));
      throw new Error('changed my mind');
    });
    await assert.rejects(failed);
    assert.deepEqual(calls, []);
  });

  if (dialect === 'postgres') {
    test('runs again after a serialization failure, and its actions once', async () => {
      const calls: number[] = [];
      let attempts = 0;
      await run(async (tx) => {
        const attempt = ++attempts;
        tx.afterCommit(() => calls.push(attempt));
        await sql`set transaction isolation level repeatable read`.execute(tx.queries);
        await tx.queries.selectFrom('tenants').select('name').execute();
        // After the snapshot was taken: PostgreSQL rejects the update below with serialization_failure.
        if (attempt === 1) await run((other) => rename(other, 'By another'));
        await rename(tx, `Attempt ${attempt}`);
      });
      assert.equal((await readState()).name, 'Attempt 2');
      assert.deepEqual(calls, [2]);
    });

    test('gives up after five attempts and reports the reason', async () => {
      let attempts = 0;
      const failed = run(async (tx) => {
        attempts += 1;
        await sql`set transaction isolation level repeatable read`.execute(tx.queries);
        await tx.queries.selectFrom('tenants').select('name').execute();
        await run((other) => rename(other, `By another ${attempts}`));
        await rename(tx, 'Never');
      });
      await assert.rejects(failed, { code: '40001' });
      assert.equal(attempts, 5);
      assert.equal((await readState()).name, 'By another 5');
    });

    test('two deadlocked transactions both succeed', async () => {
      await run((tx) => createTenant(tx, { slug: 'second', name: 'Before' }));
      const bothHold = Promise.withResolvers<void>();
      let holding = 0;
      const renameBoth = (slugs: readonly string[], name: string) =>
        run(async ({ queries }) => {
          for (const slug of slugs) {
            await queries.updateTable('tenants').set({ name }).where('slug', '=', slug).execute();
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

describe('the locks of a transaction', () => {
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

  const run = (step: (tx: Transaction) => Promise<unknown>) =>
    runTransaction(server.installation.database, server.clock.now(), step);
  const event = { module: 'identity', action: 'user.tested', targetId: null, targetRef: null } as const;
  const record = (tx: Transaction, tenantId: string) => recordEvent(tx, systemSource(tenantId), event);
  const appendConsent = (tx: Transaction, tenantId: string) =>
    appendEntries(tx, 'consent', [{ tenantId, seal: () => assert.fail('not in order') }]);

  test('are taken in order: accounts by id, then tenants by id; a lock that is held can be taken again', async () => {
    await run(async (tx) => {
      for (const id of accountIds) await tx.lockAccount(id);
      await tx.lockTenant(...tenantIds.toReversed());
      for (const id of accountIds) assert.equal((await tx.lockAccount(id)).id, id);
      await record(tx, tenantIds[0] as string);
    });
  });

  test('are rejected out of order, also those that an audit event or a consent record takes', async () => {
    const [account, otherAccount] = accountIds as [string, string];
    const [tenant, otherTenant] = tenantIds as [string, string];
    const wrong: readonly ((tx: Transaction) => Promise<unknown>)[] = [
      async (tx) => [await tx.lockTenant(tenant), await tx.lockAccount(account)],
      async (tx) => [await tx.lockAccount(otherAccount), await tx.lockAccount(account)],
      async (tx) => [await tx.lockTenant(otherTenant), await tx.lockTenant(tenant)],
      async (tx) => [await record(tx, tenant), await tx.lockAccount(account)],
      async (tx) => [await record(tx, otherTenant), await record(tx, tenant)],
      async (tx) => [await tx.lockTenant(tenant), await appendConsent(tx, tenant)],
    ];
    for (const step of wrong) await assert.rejects(run(step), /must be taken before/);
  });
});
