import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { inTransaction } from '../../storage/database.ts';
import { describeOnEachDatabase, openTestInstallation } from '../harness.ts';

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
