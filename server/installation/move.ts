import { existsSync, rmSync } from 'node:fs';
import { sql } from 'kysely';
import type { Settings } from '../settings.ts';
import { type Database, inTransaction, openDatabase } from '../storage/database.ts';
import { ExplainedError } from '../storage/explained-error.ts';
import { listClosingGuards } from '../storage/guards.ts';
import { isMigrated, listRelations, migrate, migrationTable } from '../storage/migrate.ts';
import { readAddress } from '../storage/postgres-address.ts';
import type { Queries } from '../storage/queries.ts';
import { requireUsable } from '../storage/requirements.ts';
import { schemas } from '../storage/schema.ts';
import type { TableLayout } from '../storage/table-layout.ts';
import { databaseFile, findInstallation, type InstallationRow } from './installation.ts';
import { insertTransfer } from './transfer-store.ts';

/** A move that cannot be made; nothing was changed. The message says why. */
export class MoveRefused extends ExplainedError {
  override readonly name = 'MoveRefused';

  override get exitCode() {
    return 2 as const;
  }
}

/** The name of a database in messages: its address without user, password and parameters, or its folder. */
export function nameDatabase({ databaseUrl, dataDir }: Pick<Settings, 'databaseUrl' | 'dataDir'>): string {
  if (databaseUrl === null) return `sqlite:${dataDir}`;
  const { place, database } = readAddress(databaseUrl);
  return `postgres://${place}/${database}`;
}

/** Where a database is that a move opens. */
export type MovePlace = Pick<Settings, 'databaseUrl' | 'dataDir'>;

/**
 * Opens the database that is moved to, with the current schema and no rows but the mark of the move. A copy that an
 * interrupted move of the same installation left there is removed first.
 * @param installation the row of the database that is moved.
 * @throws {MoveRefused} if there is anything else in it.
 */
export async function openTarget(
  place: MovePlace,
  from: string,
  installation: InstallationRow,
  tables: readonly TableLayout[],
): Promise<Database> {
  if (await requireEmptyOrOurs(place, from, installation, tables)) await removeCopy(place, tables);
  const database = openPlace(place);
  try {
    await migrate(database);
    const mark = { ...installation, moving_from: from };
    const { numInsertedOrUpdatedRows } = await inTransaction(database, (transaction) =>
      transaction
        .insertInto('installation')
        .values(mark)
        .onConflict((conflict) => conflict.column('id').doNothing())
        .executeTakeFirstOrThrow(),
    );
    if (numInsertedOrUpdatedRows !== 1n) throw notEmpty(place, 'a server was started on it');
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** True if a place has the copy of an interrupted move of this installation. */
export async function isCopyOf(place: MovePlace, from: string, installation: InstallationRow): Promise<boolean> {
  if (place.databaseUrl === null && !existsSync(databaseFile(place.dataDir))) return false;
  await using database = openPlace(place, true);
  return (await isMigrated(database)) && isOurs(await findInstallation(database.kysely), from, installation);
}

/** Opens the copy of a move. @param reads opens a file without changing it. */
export function openPlace({ databaseUrl, dataDir }: MovePlace, reads = false): Database {
  return openDatabase({ url: databaseUrl, file: databaseFile(dataDir), reads });
}

/** Marks a database as moved, and closes it for every process that had opened it before. */
export async function markMoved(transaction: Queries, { dialect }: Database, to: string, at: string): Promise<void> {
  await transaction.updateTable('installation').set({ moved_to: to, moved_at: at }).execute();
  for (const guard of listClosingGuards(dialect)) await sql.raw(guard.sql).execute(transaction);
}

/**
 * Removes the mark of the move from a complete copy: from now on, a server can use it.
 * @param rows how many were copied; null if another process counted them.
 */
export async function completeCopy(database: Database, from: string, at: string, rows: number | null): Promise<void> {
  await inTransaction(database, async (transaction) => {
    const { numUpdatedRows } = await transaction
      .updateTable('installation')
      .set({ moving_from: null })
      .where('moving_from', '=', from)
      .executeTakeFirstOrThrow();
    if (numUpdatedRows !== 1n) throw new Error('the mark of the move was removed by another process');
    const source = { source: from, tenant_id: null, notice_id: null };
    await insertTransfer(transaction, { kind: 'move', at, ...source, row_count: rows, total_count: null });
  });
}

function isOurs(found: InstallationRow | undefined, from: string, { secret_hash }: InstallationRow): boolean {
  return found !== undefined && found.moving_from === from && found.secret_hash === secret_hash;
}

/** @returns true if an interrupted move of the same installation left a copy. @throws {MoveRefused} */
async function requireEmptyOrOurs(
  place: MovePlace,
  from: string,
  installation: InstallationRow,
  tables: readonly TableLayout[],
): Promise<boolean> {
  if (place.databaseUrl === null && !existsSync(databaseFile(place.dataDir))) {
    const left = ['-wal', '-shm', '-journal'].map((end) => `${databaseFile(place.dataDir)}${end}`).find(existsSync);
    if (left !== undefined) throw notEmpty(place, `${left} is in it`);
    return false;
  }
  await using database = openToInspect(place);
  await requireUsable(database);
  const names = await listRelations(database.kysely, database.dialect);
  if (names.includes('installation')) {
    const { rows } = await sql<InstallationRow>`select * from installation`.execute(database.kysely);
    const [found] = rows;
    if (isOurs(found, from, installation)) return true;
    if (found?.moving_from) throw notEmpty(place, `a move from ${found.moving_from} was interrupted there`);
    if (found?.moved_to) throw notEmpty(place, `it is the database whose data was moved to ${found.moved_to}`);
    if (found !== undefined) throw notEmpty(place, 'an installation uses it');
  }
  const known = [migrationTable, ...tables.map(({ name }) => name)];
  const foreign = names.filter((name) => !known.includes(name));
  if (foreign.length > 0)
    throw notEmpty(place, `it has tables that this version of Svc does not make: ${foreign.join(', ')}`);
  if (names.some((name) => name !== migrationTable)) {
    if (!(await isMigrated(database)))
      throw notEmpty(place, `it has another schema version than this one (${Object.keys(schemas).at(-1)})`);
    for (const { name } of tables) {
      const { rows } = await sql`select 1 from ${sql.table(name)} limit 1`.execute(database.kysely);
      if (rows.length > 0) throw notEmpty(place, `there are rows in ${name}`);
    }
  }
  return false;
}

function openToInspect(place: MovePlace): Database {
  try {
    return openPlace(place, true);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'SQLITE_NOTADB')
      throw notEmpty(place, `${databaseFile(place.dataDir)} is not a database`);
    throw error;
  }
}

function notEmpty(place: MovePlace, reason: string): MoveRefused {
  return new MoveRefused(`${nameDatabase(place)} is not empty: ${reason}. Name an empty database. Nothing was moved.`);
}

/** Removes an incomplete copy, in one step. */
async function removeCopy(place: MovePlace, tables: readonly TableLayout[]): Promise<void> {
  if (place.databaseUrl === null) {
    {
      await using database = openPlace(place);
      // The last connection that is closed removes the files beside it.
      await sql`pragma wal_checkpoint(truncate)`.execute(database.kysely);
    }
    rmSync(databaseFile(place.dataDir));
    return;
  }
  await using database = openPlace(place);
  const present = await listRelations(database.kysely, database.dialect);
  await inTransaction(database, async (transaction) => {
    // Only those of this schema: a name that it lacks would be that of a table in another schema of the search path.
    const names = [...tables.map(({ name }) => name), migrationTable].filter((name) => present.includes(name));
    await sql`drop table if exists ${sql.join(names.map((name) => sql.table(name)))}`.execute(transaction);
  });
}
