// Writes server/storage/tables.ts from the schema that the migrations create: `npm run types`. A test compares the two.
import { writeFileSync } from 'node:fs';
import { sql } from 'kysely';
import { openDatabase } from '../../server/storage/database.ts';
import { migrate, migrationTable } from '../../server/storage/migrate.ts';
import { schemas } from '../../server/storage/schema.ts';
import { writeComment } from './type-writer.ts';

/** A row of SQLite's `pragma table_info`. */
interface Column {
  readonly name: string;
  readonly type: string;
  readonly notnull: number;
  readonly dflt_value: string | null;
}

/** The generated file. */
export const tablesFile = new URL('../../server/storage/tables.ts', import.meta.url);

/** Writes the columns of each table, with the comments of its migration. */
export async function writeTables(): Promise<string> {
  await using database = openDatabase({ url: null, file: ':memory:' });
  await migrate(database);
  const { rows: tables } = await sql<{ name: string }>`
    select name from sqlite_schema where type = 'table' and name <> ${migrationTable} and name not like 'sqlite%'
    order by rowid`.execute(database.kysely);
  const texts = Object.values(schemas).map((schema) => schema.sql);
  const members: string[] = [];
  for (const { name: table } of tables) {
    const { rows: columns } = await sql<Column>`select * from pragma_table_info(${table})`.execute(database.kysely);
    const [, comment = '', definitions = ''] =
      new RegExp(`((?:^--.*\n)*)^create table ${table} \\(\n([^]*?)\n\\)`, 'm').exec(texts.join('\n')) ?? [];
    const fields = columns.map((column) => writeColumn(column, findComment(definitions, column.name)));
    members.push(`${writeComment(readComment(comment), '  ')}  readonly ${table}: {\n${fields.join('')}  };\n`);
  }
  return `// Generated from server/storage/migrations by tools/types/write-tables.ts.
import type { Generated } from 'kysely';

/** Flags are 0 or 1, times RFC 3339 in UTC. */
export interface Tables {
${members.join('')}}
`;
}

/** The comment of a column: the lines before it, or the end of its line. */
function findComment(definitions: string, column: string): string {
  const [, before = '', after = ''] =
    new RegExp(`((?:^ *--.*\n)*)^ *${column} [^\n]*?(--.*)?$`, 'm').exec(definitions) ?? [];
  return readComment(before + after);
}

function readComment(lines: string): string {
  return lines
    .replace(/^ *-- *(?:\[\w+\] ?)*/gm, '')
    .trim()
    .replaceAll('\n', ' ');
}

function writeColumn({ name, type, notnull, dflt_value }: Column, comment: string): string {
  const kind = /int/i.test(type) ? 'number' : /blob/i.test(type) ? 'Buffer' : 'string';
  const value = dflt_value === null ? kind : `Generated<${kind}>`;
  return `${writeComment(comment, '    ')}    ${name}: ${value}${notnull ? '' : ' | null'};\n`;
}

if (import.meta.main) writeFileSync(tablesFile, await writeTables());
