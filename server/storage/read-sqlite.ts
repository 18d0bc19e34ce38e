import { statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import SQLite from 'better-sqlite3';
import { Kysely, type SqliteDatabase, SqliteDialect } from 'kysely';
import type { Tables } from './tables.ts';

// Loaded on demand: only read-only storage needs it.
const require = createRequire(import.meta.url);

/** A database could not be read, regardless of its contents. The message says what to do. */
export class UnreadableDatabase extends Error {
  override readonly name = 'UnreadableDatabase';
}

/**
 * Opens a SQLite file read-only, beside a running server or on read-only storage.
 * @throws {UnreadableDatabase}
 */
export function openSqliteToRead(file: string): Kysely<Tables> {
  let database: SQLite.Database | undefined;
  try {
    database = new SQLite(file, { fileMustExist: true });
    database.pragma('query_only = ON');
    database.pragma('busy_timeout = 10000');
    database.pragma('temp_store = MEMORY');
    database.pragma(`mmap_size = ${4 * 1024 ** 3}`);
    // The first read of the file: on read-only storage it fails in WAL mode.
    database.pragma('schema_version');
    return new Kysely<Tables>({ dialect: new SqliteDialect({ database }) });
  } catch (error) {
    database?.close();
    if (!failsToWrite(error)) throw error;
    if (hasContent(`${file}-wal`))
      throw new UnreadableDatabase(
        `${file}-wal holds changes that are not in ${file} yet, and on read-only storage they cannot be read. Copy both files to a folder that can be written, with secret.key and checkpoints.log, and name it with SVC_DATA_DIR.`,
      );
    return new Kysely<Tables>({ dialect: new SqliteDialect({ database: openImmutable(file) }) });
  }
}

/** Whether SQLite could not write the file, or the files that it needs beside it. */
export function failsToWrite(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^SQLITE_(READONLY|CANTOPEN|PERM)/.test(String(error.code));
}

/**
 * Opens a file that cannot change, without locks and files beside it. better-sqlite3 is built without URIs, which SQLite
 * requires for this option.
 */
function openImmutable(file: string): SqliteDatabase {
  const { DatabaseSync }: typeof import('node:sqlite') = require('node:sqlite');
  try {
    const url = pathToFileURL(file);
    url.search = '?immutable=1';
    const database = new DatabaseSync(url, { readOnly: true });
    database.prepare('pragma schema_version').get();
    return {
      close: () => database.close(),
      prepare(text) {
        const statement = database.prepare(text);
        return {
          reader: statement.columns().length > 0,
          all: (parameters) => statement.all(...(parameters as never[])),
          iterate: (parameters) => statement.iterate(...(parameters as never[])),
          run: (parameters) => statement.run(...(parameters as never[])),
        };
      },
    };
  } catch (error) {
    throw new UnreadableDatabase(`${file} cannot be read: ${(error as Error).message}.`);
  }
}

function hasContent(file: string): boolean {
  return (statSync(file, { throwIfNoEntry: false })?.size ?? 0) > 0;
}
