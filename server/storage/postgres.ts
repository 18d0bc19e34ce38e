import { once } from 'node:events';
import { createRequire } from 'node:module';
import { Socket } from 'node:net';
import { Kysely, PostgresDialect, PostgresDriver } from 'kysely';
import type { PoolClient } from 'pg';
import type { Database } from './database.ts';
import type { Tables } from './tables.ts';
import { DatabaseUnavailable, explainFailure } from './unavailable.ts';

// Loaded on demand: a server on SQLite does not need it.
const require = createRequire(import.meta.url);

/**
 * Opens a pool of connections to PostgreSQL (or a database that speaks its protocol).
 * @param statementSeconds the time limit of statements; null for none. With a limit, PostgreSQL cancels longer statements,
 *   and a connection without a response is dropped.
 */
export function openPostgres(
  url: string,
  statementSeconds: number | null,
): Pick<Database, 'kysely' | 'abandon' | 'close'> {
  const pg: typeof import('pg') = require('pg');
  const sockets = new Set<Socket>();
  let isAbandoned = false;

  class Client extends pg.Client {
    // biome-ignore lint/suspicious/noExplicitAny: one body for all overloads
    override query(...words: any[]): any {
      const running = super.query(...(words as Parameters<PoolClient['query']>));
      if (!((running as unknown) instanceof Promise)) return running;
      return (running as unknown as Promise<unknown>).catch((error: unknown) => {
        // The driver would return the connection to the pool, with the query still on it.
        if (error instanceof Error && error.message === 'Query read timeout') void this.end();
        throw explainFailure(error);
      });
    }
  }

  const pool = new pg.Pool({
    Client,
    connectionString: url,
    max: 10,
    // Also limits the wait for a connection of the pool.
    connectionTimeoutMillis: Math.min(statementSeconds ?? 10, 5) * 1000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    ...(statementSeconds !== null && limitTimes(statementSeconds * 1000)),
    stream: () => {
      const socket = new Socket();
      sockets.add(socket);
      return socket.once('close', () => sockets.delete(socket));
    },
    types: {
      getTypeParser: (oid: number, format?: 'text' | 'binary') =>
        oid === int8 ? Number : pg.types.getTypeParser(oid, format),
    },
  });
  // The pool replaces an idle connection that the server closes; without a listener, the error would end the process.
  pool.on('error', () => undefined);
  // The same for a connection that breaks in use: its query fails, and the caller gets the error.
  pool.on('connect', (client) => client.on('error', () => undefined));

  class Driver extends PostgresDriver {
    override async acquireConnection(...options: Parameters<PostgresDriver['acquireConnection']>) {
      if (isAbandoned) throw new DatabaseUnavailable(new Error('the connections to the database were cut'));
      try {
        return await super.acquireConnection(...options);
      } catch (error) {
        throw new DatabaseUnavailable(error);
      }
    }

    override async rollbackTransaction(...options: Parameters<PostgresDriver['rollbackTransaction']>) {
      // A connection that cannot roll back is dropped, and PostgreSQL rolls back; the original error is reported.
      await super.rollbackTransaction(...options).catch(() => undefined);
    }
  }

  const dialect = new PostgresDialect({ pool });
  dialect.createDriver = () => new Driver({ pool });
  const kysely = new Kysely<Tables>({ dialect });
  const abandon = () => {
    isAbandoned = true;
    for (const socket of sockets) socket.destroy();
  };
  const close = async () => {
    // A server that does not respond does not close its connections either, and an open one keeps the process running.
    const timer = setTimeout(abandon, closingMilliseconds);
    await kysely.destroy();
    await Promise.all([...sockets].map((socket) => once(socket, 'close')));
    clearTimeout(timer);
  };
  return { kysely, abandon, close };
}

const closingMilliseconds = 1000;

function limitTimes(statement: number) {
  return {
    statement_timeout: statement,
    // Shorter than the statement limit, so that the reported reason is the lock.
    lock_timeout: statement / 2,
    // Units of work only run queries between their statements.
    idle_in_transaction_session_timeout: statement * 2,
    // The response to a statement that PostgreSQL cancelled needs time to arrive.
    query_timeout: statement + 1000,
  };
}

/** bigint arrives as text by default; Svc's are counters far below 2^53. */
const int8 = 20;
