import { createRequire } from 'node:module';
import { Kysely, PostgresDialect } from 'kysely';
import type { Tables } from './tables.ts';

// Loaded where it is used: a server on SQLite need not start with it.
const require = createRequire(import.meta.url);

/** Opens a pool of connections to PostgreSQL (or a database that speaks its protocol). */
export function openPostgres(url: string): Kysely<Tables> {
  const pg: typeof import('pg') = require('pg');
  const pool = new pg.Pool({
    connectionString: url,
    max: 10,
    connectionTimeoutMillis: 10_000,
    types: {
      getTypeParser: (oid: number, format?: 'text' | 'binary') =>
        oid === int8 ? Number : pg.types.getTypeParser(oid, format),
    },
  });
  // An idle connection that the server ends is replaced by the pool; without a listener it would end the process.
  pool.on('error', () => undefined);
  // Nor may one that breaks while it is in use: its query fails, and whoever asked is told.
  pool.on('connect', (client) => client.on('error', () => undefined));
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
}

/** bigint arrives as text by default; ours are counters far below 2^53. */
const int8 = 20;
