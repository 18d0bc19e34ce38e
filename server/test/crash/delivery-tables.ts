import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { type Selectable, sql } from 'kysely';
import { databaseFile } from '../../installation/installation.ts';
import { type Database, openDatabase } from '../../storage/database.ts';
import type { Queries } from '../../storage/queries.ts';
import type { Tables } from '../../storage/tables.ts';
import type { ProcessSettings } from './server-process.ts';

/** A delivery as it is stored. */
export interface StoredDelivery {
  readonly id: string;
  readonly endpointId: string;
  readonly eventId: string;
  readonly status: string;
  readonly dueAt: string | null;
  readonly claimedUntil: string | null;
  readonly attempts: number;
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

/** A delivery on which a server has a lease, which `claimed_until` identifies. */
export type Claim = Pick<Selectable<Tables['webhook_deliveries']>, 'id' | 'claimed_until'>;

/** The deliveries that servers have claimed. */
export function listClaims(queries: Queries): Promise<readonly Claim[]> {
  const all = queries.selectFrom('webhook_deliveries').select(['id', 'claimed_until']);
  return all.where('claimed_until', 'is not', null).execute();
}

/** How many leases are still there: none if every delivery was finished, or was claimed again. */
export async function countClaims(queries: Queries, claims: readonly Claim[]): Promise<number> {
  const present = new Set((await listClaims(queries)).map(nameClaim));
  return claims.filter((claim) => present.has(nameClaim(claim))).length;
}

const nameClaim = ({ id, claimed_until }: Claim) => `${id} ${claimed_until}`;

/** How many deliveries are pending or claimed. @param endpoints the ids of the only endpoints that count. */
export async function countOpen(queries: Queries, endpoints?: readonly string[]): Promise<number> {
  const { open } = await queries
    .selectFrom('webhook_deliveries')
    .select(sql<number>`count(*)`.as('open'))
    .where((row) => row.or([row('due_at', 'is not', null), row('claimed_until', 'is not', null)]))
    .$if(endpoints !== undefined, (query) => query.where('endpoint_id', 'in', endpoints as readonly string[]))
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
      'delivery.due_at as dueAt',
      'delivery.claimed_until as claimedUntil',
      'delivery.attempts as attempts',
      sql<number>`count(attempt.id)`.as('arrivals'),
    ])
    .groupBy(['delivery.tenant_id', 'delivery.id'])
    .execute();
  return rows.map((row) => ({ ...row, arrivals: Number(row.arrivals) }));
}

function fileOf({ SVC_DATA_DIR = 'data' }: ProcessSettings): string {
  return databaseFile(SVC_DATA_DIR);
}
