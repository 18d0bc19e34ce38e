import { spine } from './migrations/001-spine.ts';
import { ledger } from './migrations/002-ledger.ts';
import { consent } from './migrations/003-consent.ts';
import { identity } from './migrations/004-identity.ts';
import { compliance } from './migrations/005-compliance.ts';
import { webhooks } from './migrations/006-webhooks.ts';

/** The tables of a feature. */
export interface Schema {
  /**
   * Statements of SQLite, with a column on each line and comments from which `tables.ts` is generated. Columns are only
   * text, integer, bigint and blob. Tables without rowid are stored in the order of their key: for small rows only, because
   * rows of a kilobyte make the tree deep. A table that belongs to a tenant begins with `tenant_id`, and so do its primary
   * key, unique constraints and references: a database that spreads tenants over machines can then hold it. What a request
   * shows without its tenant is found by an index without uniqueness. The comment of a column begins with its marks:
   *
   * - `[personal]`, in audited and append-only tables: its values can identify a person. The audit log has commitments to
   *   them under the `salt` of the row, and in append-only tables the triggers let an erasure clear both;
   * - `[unaudited]`: the audited state of the row is without it, because it only says when something was used, or is checked
   *   in another way. Without a mark, every column but `salt` and `seal` is part of the state;
   * - `[encrypted]`: a text of `SecretBox`. The audited state of the row has its commitment, which another secret does not change;
   * - `[unsealed]`: the `seal` of the row does not cover it, because it grants nothing.
   */
  readonly sql: string;
  /**
   * Servers of earlier versions can run beside it, so that several are upgraded one after the other: it only adds tables,
   * indexes, and columns that may be null or have a default, and that no seal or trigger of an earlier table covers.
   */
  readonly expands?: true;
  /** The tables whose rows the database refuses to change or delete. */
  readonly appendOnly?: readonly string[];
  /**
   * For a million rows of a large table: how many share the first column of an index, the first two, and so on. Without
   * it, SQLite assumes the same of every index, and may scan a whole ledger in order when an index leads to three rows.
   * Fixed numbers keep the tested plans.
   */
  readonly statistics?: Readonly<Record<string, Readonly<Record<string, readonly number[]>>>>;
}

/** Every migration in order. A released one never changes; the next change is a new file. */
export const schemas: Readonly<Record<string, Schema>> = {
  '001-spine': spine,
  '002-ledger': ledger,
  '003-consent': consent,
  '004-identity': identity,
  '005-compliance': compliance,
  '006-webhooks': webhooks,
};

/** The tables in the texts of the migrations. The lines of a table are indented. */
const tables = Object.values(schemas).flatMap(({ sql }) =>
  [...sql.matchAll(/^create table (\w+) \(\n((?: .*\n)*)\)(.*)/gm)].map(([, name = '', lines = '', end = '']) => ({
    name,
    lines,
    end,
  })),
);

/** The tables that the migrations create. */
export const tableNames: readonly string[] = tables.map(({ name }) => name);

/** Tables of the installation whose rows name a tenant. */
const ofInstallation: readonly string[] = ['log_leaves'];

/** The tables whose rows belong to a tenant: their first column is `tenant_id`. */
export const tenantTableNames: readonly string[] = tables
  .filter(({ name, lines }) => /^ *tenant_id text not null/m.test(lines) && !ofInstallation.includes(name))
  .map(({ name }) => name);

/** A reference between tables. */
export interface Reference {
  readonly table: string;
  readonly columns: readonly string[];
  readonly parent: string;
  readonly parentColumns: readonly string[];
}

/** The reference of one column, and those of several. */
const inline = /^ *(\w+) (?:text|integer|bigint|blob)\b.*? references (\w+) \((\w+)\)/gm;
const several = /foreign key \(([\w, ]+)\) references (\w+) \(([\w, ]+)\)/g;

/** The references of every table, in the order in which the migrations create them. */
export function listReferences(): readonly Reference[] {
  return tables.flatMap(({ name, lines }) => {
    const text = lines.replace(/--.*/g, '');
    return [...text.matchAll(inline), ...text.matchAll(several)].map(
      ([, columns = '', parent = '', parentColumns = '']) => ({
        table: name,
        columns: columns.split(', '),
        parent,
        parentColumns: parentColumns.split(', '),
      }),
    );
  });
}

/** A column, as its migration marks it. */
export interface Column {
  readonly name: string;
  readonly isPersonal: boolean;
  /** Part of the first version of the state of a row, whose hash the audit log has: see `Projection.added` for the others. */
  readonly isAudited: boolean;
  /** A text of `SecretBox`, or several as JSON. */
  readonly isEncrypted: boolean;
  /** Covered by the seal of a row, in a table that has one. */
  readonly isInSeal: boolean;
}

const types = '(?:text|integer|bigint|blob)';
const knownMarks: readonly string[] = ['personal', 'unaudited', 'encrypted', 'unsealed'];

const columnsOfTables = new Map<string, readonly Column[]>();

/** The columns of a table, in order. @throws {Error} for a mark that there is not, or that is not where marks are. */
export function listColumns(table: string): readonly Column[] {
  const columns = columnsOfTables.get(table) ?? readColumns(table);
  columnsOfTables.set(table, columns);
  return columns;
}

/** The lines of migrations that add columns. */
const additions = Object.values(schemas)
  .flatMap(({ sql }) => sql.match(/^alter table .*/gm) ?? [])
  .join('\n');

function readColumns(table: string): readonly Column[] {
  const { lines } = findTable(table);
  const created = [...lines.matchAll(new RegExp(`^ *(\\w+) ${types}\\b(.*)`, 'gm'))];
  const addition = new RegExp(`^alter table ${table} add column (\\w+) ${types}\\b(.*)`, 'gm');
  const added = [...additions.matchAll(addition)];
  const columns = [...created, ...added];
  const texts = [lines, ...added.map(([text]) => text)].join('\n');
  const marked = columns.flatMap(([, , rest = '']) => readMarks(rest));
  if (!marked.every((mark) => knownMarks.includes(mark)) || marked.length !== (texts.match(/\[\w+\]/g) ?? []).length)
    throw new Error(`the table ${table} has a mark that is unknown or does not begin the comment of its column`);
  return columns.map(([, name = '', rest = ''], index) => {
    const marks = readMarks(rest);
    const isHelper = name === 'salt' || name === 'seal';
    const isEncrypted = marks.includes('encrypted');
    return {
      name,
      isPersonal: marks.includes('personal'),
      isAudited: index < created.length && !isHelper && !marks.includes('unaudited'),
      isEncrypted,
      isInSeal: name !== 'seal' && !marks.includes('unsealed'),
    };
  });
}

function readMarks(rest: string): readonly string[] {
  return /-- ((?:\[\w+\] ?)+)/.exec(rest)?.[1]?.match(/\w+/g) ?? [];
}

/** True if SQLite stores a table in the order of its key. */
export function isWithoutRowid(table: string): boolean {
  return findTable(table).end.includes('without rowid');
}

function findTable(table: string): { readonly lines: string; readonly end: string } {
  const found = tables.find(({ name }) => name === table);
  if (found === undefined) throw new Error(`no migration creates the table ${table}`);
  return found;
}
