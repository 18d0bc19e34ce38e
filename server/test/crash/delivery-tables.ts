import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { sql } from 'kysely';
import { databaseFile } from '../../installation/installation.ts';
import { type Database, openDatabase } from '../../storage/database.ts';
import type { Queries } from '../../storage/queries.ts';
import type { ProcessSettings } from './server-process.ts';

/** A delivery as it is stored. */
export interface StoredDelivery {
  readonly id: string;
  readonly endpointId: string;
  readonly eventId: string;
  readonly status: string;
  readonly claimedBy: string | null;
  /** The number of successful attempts in the log. */
  readonly arrivals: number;
}

/** Opens the database beside the servers, for reading. */
export function openBeside(settings: ProcessSettings): Database {
  return openDatabase({ url: settings.DATABASE_URL ?? null, file: fileOf(settings) });
}

/**
 * Reads the state that a killed process left. A SQLite file is read from a copy: opening the file itself would recover it,
 * which the next server must do.
 */
export async function readRemains<Result>(
  settings: ProcessSettings,
  read: (queries: Queries) => Promise<Result>,
): Promise<Result> {
  if (settings.DATABASE_URL !== undefined) {
    await using database = openBeside(settings);
    return await read(database.kysely);
  }
  const folder = mkdtempSync(join(tmpdir(), 'svc-remains-'));
  try {
    const file = fileOf(settings);
    for (const part of [file, `${file}-wal`]) if (existsSync(part)) copyFileSync(part, join(folder, basename(part)));
    await using database = openDatabase({ url: null, file: join(folder, basename(file)) });
    return await read(database.kysely);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The registered sender processes. */
export async function listSenders(queries: Queries): Promise<readonly string[]> {
  const rows = await queries.selectFrom('webhook_senders').select('id').execute();
  return rows.map(({ id }) => id);
}

/** The deliveries that processes have claimed. */
export async function listClaimed(queries: Queries, senders: readonly string[]): Promise<readonly string[]> {
  const rows = await queries.selectFrom('webhook_deliveries').select('id').where('claimed_by', 'in', senders).execute();
  return rows.map(({ id }) => id);
}

/** Remaining traces of processes: their registrations and claims. */
export async function countTraces(queries: Queries, senders: readonly string[]): Promise<number> {
  const listed = await listSenders(queries);
  const claimed = await listClaimed(queries, senders);
  return claimed.length + listed.filter((id) => senders.includes(id)).length;
}

/** How many deliveries are pending or claimed. */
export async function countOpen(queries: Queries): Promise<number> {
  const { open } = await queries
    .selectFrom('webhook_deliveries')
    .select(sql<number>`count(*)`.as('open'))
    .where((row) => row.or([row('due_at', 'is not', null), row('claimed_by', 'is not', null)]))
    .executeTakeFirstOrThrow();
  return Number(open);
}

/** Every delivery. */
export async function listStored(queries: Queries): Promise<readonly StoredDelivery[]> {
  const rows = await queries
    .selectFrom('webhook_deliveries as delivery')
    .leftJoin('webhook_attempts as attempt', (join) =>
      join
        .onRef('attempt.tenant_id', '=', 'delivery.tenant_id')
        .onRef('attempt.delivery_id', '=', 'delivery.id')
        .on('attempt.outcome', '=', 'delivered'),
    )
    .select([
      'delivery.id',
      'delivery.endpoint_id as endpointId',
      'delivery.event_id as eventId',
      'delivery.status',
      'delivery.claimed_by as claimedBy',
      sql<number>`count(attempt.id)`.as('arrivals'),
    ])
    .groupBy(['delivery.tenant_id', 'delivery.id'])
    .execute();
  return rows.map((row) => ({ ...row, arrivals: Number(row.arrivals) }));
}

function fileOf({ SVC_DATA_DIR = 'data' }: ProcessSettings): string {
  return databaseFile(SVC_DATA_DIR);
}
