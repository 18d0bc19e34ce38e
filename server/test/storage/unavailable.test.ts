import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import SQLite from 'better-sqlite3';
import { sql } from 'kysely';
import { findMemoryFolder } from '../../../tools/test/memory-folder.ts';
import { type Database, inTransaction, openDatabase } from '../../storage/database.ts';
import { migrate } from '../../storage/migrate.ts';
import { DatabaseUnavailable } from '../../storage/unavailable.ts';
import { createLocation, openTestInstallation } from '../harness.ts';
import { DatabaseGate } from './database-gate.ts';

const postgresUrl = process.env.SVC_TEST_POSTGRES_URL;
const skipPostgres = postgresUrl === undefined ? 'no PostgreSQL' : false;
/** A deadline, because these tests would otherwise wait forever if a limit fails. */
const deadline = { timeout: 60_000 };
const turn = () => new Promise((resolve) => setImmediate(resolve));

const isUnavailable =
  (code: string | undefined) =>
  (error: unknown): true => {
    assert.ok(error instanceof DatabaseUnavailable, String(error));
    assert.equal(error.code, code, error.message);
    return true;
  };

describe('a SQLite file on which another process holds the write lock', () => {
  const openLocked = async () => {
    const installation = await openTestInstallation('sqlite');
    const other = new SQLite(join(installation.settings.dataDir, 'svc.sqlite'));
    other.exec('begin immediate');
    const { database } = installation;
    const write = () =>
      inTransaction(database, (transaction) =>
        transaction.updateTable('installation').set({ created_at: 'now' }).executeTakeFirstOrThrow(),
      );
    return { other, database, write, close: () => installation[Symbol.asyncDispose]() };
  };

  test('does not block other work between the attempts, and is written to once it is free', async () => {
    const { other, database, write, close } = await openLocked();
    let isWritten = false;
    const writing = Promise.all([write(), write()]).then(() => {
      isWritten = true;
    });
    const read = () => database.kysely.selectFrom('installation').selectAll().execute();
    // Some wait for the end of a failed attempt.
    await Promise.all([read(), read()]);
    for (let reads = 0; reads < 20; reads += 1) {
      await read();
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    assert.ok(!isWritten);
    other.exec('commit');
    await writing;
    other.close();
    await close();
  });

  test('fails after five seconds of attempts', async (context) => {
    const { other, write, close } = await openLocked();
    context.mock.timers.enable({ apis: ['setTimeout'] });
    const outcome = write().then(
      () => 'written',
      (error: unknown) => error,
    );
    let isSettled = false;
    void outcome.then(() => {
      isSettled = true;
    });
    let milliseconds = 0;
    for (; !isSettled && milliseconds < 60_000; milliseconds += 5) {
      context.mock.timers.tick(5);
      for (let times = 0; times < 5; times += 1) await turn();
    }
    isUnavailable('SQLITE_BUSY')(await outcome);
    assert.ok(milliseconds >= 5000 && milliseconds <= 5500, String(milliseconds));
    context.mock.timers.reset();
    other.close();
    await close();
  });
});

describe('a full disk', () => {
  const folder = mkdtempSync(join(findMemoryFolder(), 'svc-full-'));
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', folder]).status === 0;
  after(() => {
    if (mounted) execFileSync('umount', [folder]);
    rmSync(folder, { recursive: true });
  });
  const skip = mounted ? false : 'a small file system can only be mounted as root';

  test('fails a transaction with the error of its COMMIT, and the next one succeeds once there is space', {
    skip,
  }, async () => {
    await using database = openDatabase({ url: null, file: join(folder, 'svc.sqlite') }, 10);
    await sql`create table filling (bytes blob)`.execute(database.kysely);
    // The cache keeps the writes until the COMMIT, which then fails.
    await sql`pragma cache_spill = off`.execute(database.kysely);
    const fill = (size: number) =>
      inTransaction(database, (transaction) =>
        sql`insert into filling values (zeroblob(${size}))`.execute(transaction),
      );
    const full = fill(6_000_000);
    const count = sql<{ readonly rows: number }>`select count(*) as rows from filling`.execute(database.kysely);
    const next = fill(1000);
    await assert.rejects(full, isUnavailable('SQLITE_FULL'));
    assert.deepEqual((await count).rows, [{ rows: 0 }]);
    await next;
  });
});

describe('a COMMIT that PostgreSQL aborts', { skip: skipPostgres }, () => {
  test('fails with its own error, not with that of the roll-back', async () => {
    await using location = await createLocation('postgres');
    await using database = openDatabase({ url: location.environment.DATABASE_URL as string, file: '' }, 10);
    await sql`
      create table broken (id int);
      create function break_off() returns trigger language plpgsql as
        'begin perform pg_terminate_backend(pg_backend_pid()); perform pg_sleep(10); return null; end';
      create constraint trigger at_commit after insert on broken deferrable initially deferred
        for each row execute function break_off()`.execute(database.kysely);
    const insert = () =>
      inTransaction(database, (transaction) => sql`insert into broken values (1)`.execute(transaction));
    await assert.rejects(insert(), isUnavailable('57P01'));
  });
});

describe('a PostgreSQL', { skip: skipPostgres }, () => {
  let location: Awaited<ReturnType<typeof createLocation>>;
  let gate: DatabaseGate;
  let database: Database;

  before(async () => {
    location = await createLocation('postgres');
    gate = await DatabaseGate.open(location.environment.DATABASE_URL as string);
    // The shortest possible limit, because each test below waits for it.
    database = openDatabase({ url: gate.url, file: '' }, 1);
    await migrate(database);
  });

  after(async () => {
    await database.close();
    await gate[Symbol.asyncDispose]();
    await location[Symbol.asyncDispose]();
  });

  const countConnections = async () => {
    await using beside = openDatabase({ url: location.environment.DATABASE_URL as string, file: '' });
    const { rows } = await sql<{ count: number }>`
      select count(*) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`.execute(
      beside.kysely,
    );
    return rows[0]?.count;
  };

  test('cancels a statement that takes too long, and keeps the connection', deadline, async () => {
    await assert.rejects(sql`select pg_sleep(60)`.execute(database.kysely), isUnavailable('57014'));
    assert.equal(await countConnections(), 1);
  });

  test('cancels the wait for a lock before the statement limit', deadline, async () => {
    const held = Promise.withResolvers<void>();
    const isHeld = Promise.withResolvers<void>();
    const holding = inTransaction(database, async (transaction) => {
      await sql`lock table tenants`.execute(transaction);
      isHeld.resolve();
      await held.promise;
    });
    await isHeld.promise;
    await assert.rejects(database.kysely.selectFrom('tenants').selectAll().execute(), isUnavailable('55P03'));
    held.resolve();
    await holding;
  });

  test('that does not respond fails the waiting queries, and its connections are dropped', deadline, async () => {
    gate.freeze();
    // One more than the pool has: it waits for a connection.
    const waiting = Array.from({ length: 11 }, () =>
      inTransaction(database, (transaction) => sql`select 1`.execute(transaction)),
    );
    const outcomes = await Promise.allSettled(waiting);
    for (const outcome of outcomes)
      isUnavailable(undefined)(outcome.status === 'rejected' ? outcome.reason : 'answered');
    gate.thaw();
    await inTransaction(database, (transaction) => sql`select 1`.execute(transaction));
  });

  test('that is stopped fails queries immediately, and is used again when it is back', deadline, async () => {
    await gate.stop();
    await assert.rejects(sql`select 1`.execute(database.kysely), DatabaseUnavailable);
    await assert.rejects(sql`select 1`.execute(database.kysely), isUnavailable('ECONNREFUSED'));
    await gate.start();
    await sql`select 1`.execute(database.kysely);
  });

  test('that only reads since a failover is left for a new connection', deadline, async () => {
    const insert = () => sql`create table left_behind (id int)`.execute(database.kysely);
    await sql`set default_transaction_read_only = on`.execute(database.kysely);
    await assert.rejects(insert(), isUnavailable('25006'));
    await insert();
  });

  test('that does not respond can be abandoned, even without a statement limit', deadline, async () => {
    const patient = openDatabase({ url: gate.url, file: '' });
    await sql`select 1`.execute(patient.kysely);
    gate.freeze();
    const running = sql`select 1`.execute(patient.kysely);
    // The query was sent.
    await turn();
    patient.abandon();
    await assert.rejects(running, isUnavailable(undefined));
    await assert.rejects(sql`select 1`.execute(patient.kysely), isUnavailable(undefined));
    await patient.close();
    gate.thaw();
  });
});
