import { once } from 'node:events';
import { createRequire } from 'node:module';
import { Socket } from 'node:net';
import { Kysely, PostgresDialect, PostgresDriver, sql } from 'kysely';
import type { ClientBase, ClientConfig, Pool, PoolClient } from 'pg';
import { findNextRoute, type Route, readAddress } from './postgres-address.ts';
import type { Queries } from './queries.ts';
import type { Tables } from './tables.ts';
import { DatabaseUnavailable, explainFailure } from './unavailable.ts';

// Loaded on demand: a server on SQLite does not need it.
const require = createRequire(import.meta.url);

interface PostgresOptions {
  readonly holds?: boolean | undefined;
  readonly reads?: boolean | undefined;
  readonly pool?: number | undefined;
}

interface OpenedPostgres {
  readonly kysely: Kysely<Tables>;
  readonly pool: Pool;
  /** Cuts the connections: running and later queries fail. */
  abandon(): void;
  close(): Promise<void>;
}

/**
 * Opens a pool of connections to PostgreSQL (or a database that speaks its protocol).
 * @param statementSeconds the time limit of statements; null for none. With a limit, PostgreSQL cancels longer statements,
 *   and a connection without a response is dropped.
 * @param holds lets each connection share the lock that `excludeOthers` takes.
 * @param reads allows a standby, whose data may be old.
 * @param pool the most connections at once.
 */
export function openPostgres(
  url: string,
  statementSeconds: number | null,
  { holds = true, reads = false, pool: max = 10 }: PostgresOptions = {},
): OpenedPostgres {
  const pg: typeof import('pg') = require('pg');
  const { routes, hasReplicas, client: options } = readAddress(url);
  const sockets = new Set<Socket>();
  let isAbandoned = false;
  /** The one that new connections take: the last that worked. */
  let route = routes[0];

  class Client extends pg.Client {
    /** A warning that the commit under way may be lost. */
    #warning: Error | null = null;

    constructor(config?: ClientConfig) {
      // Again, because the pool hides the password from copies of its options.
      super({ ...config, ...options, ...route, pipeline: true });
      this.on('notice', (notice) => {
        if (notice.routine === syncRoutine) this.#warning = new Error(notice.message);
      });
    }

    // biome-ignore lint/suspicious/noExplicitAny: one body for all overloads
    override query(...words: any[]): any {
      // One write for all that is sent in one turn: it costs as much as a small statement.
      const { stream } = (this as unknown as { readonly connection: { readonly stream: Socket } }).connection;
      stream.cork();
      process.nextTick(() => stream.uncork());
      const running = super.query(...(words as Parameters<PoolClient['query']>));
      if (!((running as unknown) instanceof Promise)) return running;
      return (running as unknown as Promise<unknown>).then(
        (result) => {
          if (this.#warning === null) return result;
          const failure = new DatabaseUnavailable(this.#warning);
          this.#warning = null;
          throw failure;
        },
        (error: unknown) => {
          const { message, code } = error as NodeJS.ErrnoException;
          // The driver would return the connection to the pool, with the query still on it. And a server that was a primary
          // keeps its connections if it only becomes read-only: a new one can reach its successor.
          if (message === 'Query read timeout' || code === readOnly) void this.end();
          throw explainFailure(error);
        },
      );
    }
  }

  const pool = new pg.Pool({
    Client,
    ...options,
    max,
    // Also limits the wait for a connection of the pool.
    connectionTimeoutMillis: limitWait(statementSeconds ?? 10) * 1000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    onConnect: (client) => prepareSession(client, { holds, reads, hasReplicas, statementSeconds }),
    // The response to a statement that PostgreSQL cancelled needs time to arrive.
    ...(statementSeconds !== null && { query_timeout: statementSeconds * 1000 + 1000 }),
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
      const failed = new Set<Route>();
      for (;;) {
        const used = route;
        try {
          return await super.acquireConnection(...options);
        } catch (error) {
          failed.add(used);
          const next = isPoolTimeout(error) ? undefined : findNextRoute(routes, failed, used, error);
          if (next === undefined) throw new DatabaseUnavailable(error);
          route = next;
        }
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
  return { kysely, pool, abandon, close };
}

const closingMilliseconds = 1000;

/** The schema in which tables are created. A search path may have others, whose tables belong to other programs. */
export const currentSchema = sql.raw('quote_ident(current_schema())::regnamespace');

/** The advisory lock of a database: every connection of Svc shares it, and `svc move` takes it from them. */
const useLock = 7_368_996;

/** True if all connections were busy, which says nothing about the server. */
function isPoolTimeout(error: unknown): boolean {
  return error instanceof Error && error.message === 'timeout exceeded when trying to connect';
}

interface SessionOptions {
  readonly holds: boolean;
  readonly reads: boolean;
  readonly hasReplicas: boolean;
  readonly statementSeconds: number | null;
}

/** SQLSTATE read_only_sql_transaction. */
const readOnly = '25006';

/**
 * The function of PostgreSQL that waits for a synchronous standby. If the wait is canceled, COMMIT succeeds with a warning:
 * the change is on this server only, and would be lost if a standby replaced it.
 */
const syncRoutine = 'SyncRepWaitForLSN';

const standbyMessage =
  'it is a standby, which cannot be written to; set DATABASE_URL to the address of the primary, or wait until it is promoted';

/**
 * Prepares a new connection in one statement. It takes the shared lock, held until the connection is closed: no process can
 * write past a move, and none is moved while it runs. The settings that Svc relies on are set here instead of in the
 * startup message, which PgBouncer refuses; those of the role or the database do not count.
 */
async function prepareSession(client: ClientBase, options: SessionOptions): Promise<void> {
  const { holds, reads, hasReplicas, statementSeconds } = options;
  const settings = { ...limitTimes((statementSeconds ?? 0) * 1000), ...sessionSettings };
  const values = Object.entries(settings).flat().map(String);
  const calls = Object.keys(settings).map((_, index) => `set_config($${2 * index + 1}, $${2 * index + 2}, false)`);
  const { rows } = await client.query(
    // An acknowledged change is on disk; an operator may ask for more than "on".
    `select ${calls}, set_config('synchronous_commit', replace(current_setting('synchronous_commit'), 'off', 'on'), false),
      current_setting('transaction_read_only') = 'on' as "isReadOnly", pg_is_in_recovery() as "isStandby",
      ${holds ? `pg_try_advisory_lock_shared(${useLock})` : 'true'} as "isShared"`,
    values,
  );
  if (hasReplicas && rows[0]?.isReadOnly === true) throw new DatabaseUnavailable(new Error('the server is read-only'));
  // A failover may have led here. Old data would bring back what was revoked: sessions, keys, rights.
  if (!reads && rows[0]?.isStandby === true) throw new DatabaseUnavailable(new Error(standbyMessage));
  if (rows[0]?.isShared !== true)
    throw new DatabaseUnavailable(new Error('svc move or svc secret rotate is using it alone'));
}

const sessionSettings = {
  default_transaction_isolation: 'read committed',
  standard_conforming_strings: 'on',
  // `svc verify` compares the text of triggers.
  quote_all_identifiers: 'off',
};

/**
 * Keeps every other process from writing to a PostgreSQL until the end of the transaction.
 * @param tables those that are written to.
 * @returns false if another process of Svc is connected.
 */
export async function excludeOthers(transaction: Queries, tables: readonly string[]): Promise<boolean> {
  // While the tables are compared, the transaction waits.
  await sql`set local idle_in_transaction_session_timeout = 0`.execute(transaction);
  // The connections of a process that ended a moment ago may still be closing.
  for (let attempt = 0; attempt < 20; attempt += 1) {
    const { rows } = await sql<{ isTaken: boolean }>`
      select pg_try_advisory_xact_lock(${useLock}) as "isTaken"`.execute(transaction);
    if (rows[0]?.isTaken === true) {
      // Against programs that are not Svc: their changes would be missing in the copy.
      await sql`set local lock_timeout = '10s'`.execute(transaction);
      const list = sql.join(tables.map((table) => sql.table(table)));
      await sql`lock table ${list} in share row exclusive mode`.execute(transaction);
      return true;
    }
    await sql`select pg_sleep(0.1)`.execute(transaction);
  }
  return false;
}

/** Seconds to wait for a connection: half of those for a statement, at least five, and never more than those. */
function limitWait(statementSeconds: number): number {
  return Math.min(statementSeconds, Math.max(5, statementSeconds / 2));
}

/** @param statement in milliseconds; 0 for no limit, also where the role has one. */
function limitTimes(statement: number) {
  return {
    statement_timeout: statement,
    // Shorter than the statement limit, so that the reported reason is the lock.
    lock_timeout: statement / 2,
    // Transactions only run queries between their statements.
    idle_in_transaction_session_timeout: statement * 2,
  };
}

/** bigint arrives as text by default; Svc's are counters far below 2^53. */
const int8 = 20;
