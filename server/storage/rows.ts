import { randomFillSync } from 'node:crypto';
import {
  type Compilable,
  CompiledQuery,
  type ExpressionBuilder,
  type Insertable,
  PostgresAdapter,
  type QueryResult,
  type RawBuilder,
  type Selectable,
  type SelectQueryBuilder,
  sql,
} from 'kysely';
import { ByteCache } from './cache.ts';
import { locksRows, type Queries } from './queries.ts';
import {
  type GrantRow,
  type GrantTable,
  holds,
  isGrantTable,
  requireHeld,
  sealedColumns,
  sealGrant,
} from './secrets.ts';
import type { Tables } from './tables.ts';

type TableName = keyof Tables & string;
type Row<Name extends TableName> = Selectable<Tables[Name]>;

/** The values that columns have; null matches `is null`. */
type Match<Name extends TableName> = Readonly<Partial<Row<Name>>>;

/** Finds a row of a table by the values of its columns. A grant whose seal does not hold is not found. */
export async function findRow<Name extends TableName>(
  queries: Queries,
  table: Name,
  match: Match<Name>,
): Promise<Row<Name> | undefined> {
  const rows = await selectRows(queries, table, match).execute();
  return (isGrantTable(table) ? findHeld(queries, table, rows) : rows[0]) as Row<Name> | undefined;
}

/**
 * The row whose seal holds: something else may have written others with the same id or hash, which no index refuses across
 * tenants.
 */
export function findHeld<Grant extends object>(
  queries: Queries,
  table: GrantTable,
  rows: readonly Grant[],
): Grant | undefined {
  return rows.find((row) => holds(queries, table, row));
}

function selectRows(queries: Queries, table: TableName, match: object) {
  return queries
    .selectFrom(table as 'tenants')
    .selectAll()
    .where(matches(match));
}

/** Inserts a row, a grant with its seal; columns without a value are null. @returns the whole row, for the event of the change. */
export async function insertRow<Name extends TableName>(
  queries: Queries,
  table: Name,
  row: Readonly<Insertable<Tables[Name]>>,
): Promise<Row<Name>> {
  const inserted = await queries
    .insertInto(table as 'tenants')
    .values(withSeal(queries, table, row) as never)
    .returningAll()
    .executeTakeFirstOrThrow();
  return inserted as Row<Name>;
}

/**
 * Updates one row, a grant with its seal.
 * @returns it as it is now, for the event of the change.
 * @throws {BrokenSeal} for a grant whose seal does not hold: a new one would make it valid.
 * @throws unless exactly one row matches.
 */
export async function updateRow<Name extends TableName>(
  queries: Queries,
  table: Name,
  match: Match<Name>,
  columns: Readonly<Partial<Row<Name>>>,
): Promise<Row<Name>> {
  const seal = isGrantTable(table) ? await sealChange(queries, table, match, columns) : null;
  // A row keeps its tenant: a distributed database refuses to set it, even to what it is.
  const { tenant_id: _, ...changed } = { ...columns, ...seal } as Readonly<Record<string, unknown>>;
  const rows = await queries
    .updateTable(table as 'tenants')
    .set(changed as Partial<Row<'tenants'>>)
    .where(matches(match))
    .returningAll()
    .execute();
  if (rows.length !== 1) throw new Error(`${rows.length} rows of ${table} match in place of one.`);
  return rows[0] as Row<Name>;
}

/** Deletes rows. @returns how many. */
export async function countDeleted(deletion: {
  executeTakeFirstOrThrow(): Promise<{ readonly numDeletedRows: bigint }>;
}): Promise<number> {
  return Number((await deletion.executeTakeFirstOrThrow()).numDeletedRows);
}

/** The seal of a row that matches, after a change; null if the change needs none. */
async function sealChange(queries: Queries, table: GrantTable, match: object, columns: GrantRow) {
  if (!Object.keys(columns).some((column) => sealedColumns[table].includes(column))) return null;
  const present = selectRows(queries, table, match);
  const row = await (locksRows(queries) ? present.forNoKeyUpdate() : present).executeTakeFirst();
  if (row === undefined) return null;
  requireHeld(queries, table, row);
  return { seal: sealGrant(queries, table, { ...row, ...columns }) };
}

/** A row to insert, with its seal if it is a grant. */
export function withSeal<Values extends object>(queries: Queries, table: TableName, row: Values): Values {
  return isGrantTable(table) ? { ...row, seal: sealGrant(queries, table, row as GrantRow) } : row;
}

// A table name of a type parameter is too deep for Kysely's types, so the queries name an arbitrary table.
function matches(match: object) {
  return (row: ExpressionBuilder<Tables, 'tenants'>) => {
    const columns = Object.entries(match) as [keyof Row<'tenants'>, string][];
    return row.and(columns.map(([column, value]) => row(column, value === null ? 'is' : '=', value)));
  };
}

/** True if the text of a row that was read stands for bytes that are not UTF-8 (the database compares bytes). */
export async function hasInvalidBytes<Name extends TableName>(
  queries: Queries,
  table: Name,
  row: Match<Name>,
): Promise<boolean> {
  // Every invalid byte of UTF-8 decodes to this character, which could hide a changed byte.
  const mayHide = Object.values(row).some((value) => typeof value === 'string' && value.includes('\uFFFD'));
  return mayHide && (await selectRows(queries, table, row).executeTakeFirst()) === undefined;
}

/** One page of a list. */
export interface Page<Row, Place = string> {
  readonly rows: Row[];
  /** The key of the last row; null when no row follows. */
  readonly next: Place | null;
}

/**
 * Reads a page of a sorted query.
 * @param keyOf the key of a row that the query is sorted by, and that the next page starts after.
 */
export async function takePage<Joined, Names extends keyof Joined, Row, Place>(
  query: SelectQueryBuilder<Joined, Names, Row>,
  limit: number,
  keyOf: (row: Row) => Place,
): Promise<Page<Row, Place>> {
  // One row more shows whether another page follows.
  return cutPage(await query.limit(sql.lit(limit + 1)).execute(), limit, keyOf);
}

/**
 * Reads a page of a query, newest first.
 * @param before the key of the last row of the previous page; null for the first.
 * @param column the key: the id, or a number that rises.
 */
export async function takeNewest<
  Joined,
  Names extends keyof Joined,
  Row extends Readonly<Record<Column, Place>>,
  Place extends string | number,
  Column extends string = 'id',
>(
  query: SelectQueryBuilder<Joined, Names, Row>,
  before: Place | null,
  limit: number,
  column: Column = 'id' as Column,
): Promise<Page<Row, Place>> {
  const page = query
    .orderBy(sql.ref(column), 'desc')
    .$if(before !== null, (rest) => rest.where(sql.ref(column), '<', before));
  return takePage(page, limit, (row) => row[column]);
}

/** A page of rows of which one more was read than it may have. */
export function cutPage<Row, Place>(rows: readonly Row[], limit: number, keyOf: (row: Row) => Place): Page<Row, Place> {
  const kept = rows.slice(0, limit);
  return { rows: kept, next: rows.length > limit ? keyOf(kept.at(-1) as Row) : null };
}

/**
 * Reads a page of the rows that a filter without an index keeps. It reads at most `mostScanned` rows, so that a page costs
 * the same however rare the wanted rows are: then it is short, and the next one goes on from there.
 * @param read reads rows in order after a key, which is null at the start.
 */
export async function scanPage<Row, Place>(
  read: (after: Place | null, limit: number) => Promise<readonly Row[]>,
  keyOf: (row: Row) => Place,
  keeps: (row: Row) => boolean,
  after: Place | null,
  limit: number,
): Promise<Page<Row, Place>> {
  const kept: Row[] = [];
  let last = after;
  for (let left = mostScanned; ; left -= scanBatch) {
    const rows = await read(last, scanBatch);
    kept.push(...rows.filter(keeps));
    if (kept.length > limit) return cutPage(kept, limit, keyOf);
    if (rows.length < scanBatch) return { rows: kept, next: null };
    last = keyOf(rows.at(-1) as Row);
    if (left <= scanBatch) return { rows: kept, next: last };
  }
}

/** Rows that a filtered page may read. */
export const mostScanned = 2000;
const scanBatch = 250;

/** A page with its rows turned into something else. */
export function mapPage<Row, Item, Place>(
  { rows, next }: Page<Row, Place>,
  map: (row: Row) => Item,
): Page<Item, Place> {
  return { rows: rows.map(map), next };
}

/**
 * Inserts many rows with few statements, each of which has few texts: on SQLite, where they stay prepared, one for each power
 * of two. Grants are inserted with the seals that they have: a copy must
 * not make a changed row valid.
 * @param skipsPresent skips rows whose key already exists, instead of failing.
 */
export async function insertRows<Name extends TableName>(
  queries: Queries,
  table: Name,
  rows: readonly Readonly<Insertable<Tables[Name]>>[],
  options?: InsertOptions,
): Promise<void> {
  await runTogether(queries, compileInserts(queries, table, rows, options));
}

interface InsertOptions {
  readonly skipsPresent?: boolean;
}

/** The statements of {@link insertRows}, for {@link runTogether}. */
export function compileInserts<Name extends TableName>(
  queries: Queries,
  table: Name,
  rows: readonly Readonly<Insertable<Tables[Name]>>[],
  { skipsPresent = false }: InsertOptions = {},
): readonly CompiledQuery[] {
  const [first] = rows;
  if (first === undefined) return [];
  const columns = Object.keys(first);
  const into = () => sql`insert into ${sql.table(table)} (${joinNames(columns)})`;
  const otherwise = skipsPresent ? sql`on conflict do nothing` : sql``;
  const key = `insert ${table} ${columns} ${skipsPresent}`;
  // Bytes have no form in JSON.
  const hasBytes = rows.some((row) => Object.values(row).some((value) => value instanceof Uint8Array));
  if (takesJson(queries) && !hasBytes) {
    const text = rememberText(
      queries,
      key,
      () => sql`${into()} select ${joinNames(columns)}
        from json_populate_recordset(cast(null as ${sql.table(table)}), ${''}) ${otherwise}`,
    );
    return Array.from(splitRows(rows, mostInJson), (some) => CompiledQuery.raw(text, [JSON.stringify(some)]));
  }
  return Array.from(splitRows(rows), (some) => {
    const text = rememberText(
      queries,
      `${key} ${some.length}`,
      () => sql`${into()} ${writeRows(columns, some.length)} ${otherwise}`,
    );
    return CompiledQuery.raw(text, listValues(columns, some));
  });
}

const takesJson = (queries: Queries) => queries.getExecutor().adapter instanceof PostgresAdapter;

/** The columns of the rows that a statement is given. */
type GivenColumns = Readonly<Record<string, 'text' | 'bigint'>>;

/**
 * Compiles a statement that reads rows from the common table `given`. PostgreSQL gets them as one JSON text: planning a
 * statement with a parameter for each value takes it longer than running it.
 * @param name of the statement, by which its text is kept.
 * @param statement follows the common table.
 * @param more parameters of the statement.
 */
export function compileGiven<Row = unknown>(
  queries: Queries,
  name: string,
  columns: GivenColumns,
  rows: readonly Readonly<Record<string, string | number>>[],
  statement: (queries: Queries) => RawBuilder<Row>,
  more: readonly unknown[] = [],
): readonly CompiledQuery<Row>[] {
  const names = Object.keys(columns);
  const compile = (key: string, source: () => RawBuilder<unknown>, parameters: readonly unknown[]) => {
    const text = rememberText(
      queries,
      key,
      () => sql`with given (${joinNames(names)}) as (${source()}) ${statement(queries)}`,
    );
    return CompiledQuery.raw(text, [...parameters, ...more]) as CompiledQuery<Row>;
  };
  if (!takesJson(queries))
    return Array.from(splitRows(rows), (some) =>
      compile(`${name} ${some.length}`, () => writeRows(names, some.length), listValues(names, some)),
    );
  const source = () => {
    const types = Object.entries(columns).map(([column, type]) => sql`${sql.id(column)} ${sql.raw(type)}`);
    return sql`select * from json_to_recordset(${''}) as listed (${sql.join(types)})`;
  };
  return Array.from(splitRows(rows, mostInJson), (some) => compile(name, source, [JSON.stringify(some)]));
}

const joinNames = (columns: readonly string[]) => sql.join(columns.map((column) => sql.id(column)));

function writeRows(columns: readonly string[], count: number): RawBuilder<unknown> {
  const row = sql`(${sql.join(columns.map(() => sql.val('')))})`;
  return sql`values ${sql.join(Array.from({ length: count }, () => row))}`;
}

function listValues(columns: readonly string[], rows: readonly Readonly<Record<string, unknown>>[]): unknown[] {
  const values: unknown[] = [];
  for (const row of rows) for (const column of columns) values.push(row[column]);
  return values;
}

/** Splits rows for statements: as many as `most`, or without it a power of two, so that few texts are built. */
function* splitRows<Row>(rows: readonly Row[], most?: number): Generator<readonly Row[]> {
  for (let start = 0; start < rows.length; ) {
    const size = most ?? Math.min(maximumRows, 2 ** Math.floor(Math.log2(rows.length - start)));
    yield rows.slice(start, start + size);
    start += size;
  }
}

const maximumRows = 128;
const mostInJson = 1000;

/**
 * Runs statements of a transaction in order, and waits for them once: PostgreSQL gets all of them before it has answered the
 * first. Two calls that run at once share the wait as well.
 * @returns the rows of each. @throws the error of the first that fails.
 */
export async function runTogether<Row>(
  queries: Queries,
  statements: readonly CompiledQuery<Row>[],
): Promise<readonly (readonly Row[])[]> {
  const results = await Promise.all(await sendStatements(queries, statements));
  return results.map(({ rows }) => rows);
}

/**
 * Sends statements in order. In a transaction, others are sent on its connection before these are answered.
 * @returns what each will answer.
 */
export async function sendStatements<Row>(
  queries: Queries,
  statements: readonly CompiledQuery<Row>[],
): Promise<readonly Promise<QueryResult<Row>>[]> {
  if (statements.length === 0) return [];
  return queries.getExecutor().provideConnection(async (connection) => {
    const answers = statements.map((one) => connection.executeQuery<Row>(one));
    // Outside of a transaction, the pool would give the connection to others.
    if (!queries.isTransaction) await Promise.allSettled(answers);
    return answers;
  });
}

/** Where `updateTexts` writes. */
interface TextsOf<Name extends TableName> {
  readonly tenantId: string;
  /** The column that identifies a row of the tenant. */
  readonly key: keyof Row<Name> & string;
  readonly column: keyof Row<Name> & string;
  /** Columns that get the same value in every row. */
  readonly set?: Readonly<Partial<Row<Name>>>;
}

/** Sets a text of each of many rows with few statements. @param texts by the keys of the rows. */
export async function updateTexts<Name extends TableName>(
  queries: Queries,
  table: Name,
  { tenantId, key, column, set }: TextsOf<Name>,
  texts: ReadonlyMap<string, string>,
): Promise<void> {
  const others = Object.entries(set ?? {}).map(([name, value]) => sql`${sql.id(name)} = ${value}`);
  const columns = [sql`${sql.id(column)} = changed.text_now`, ...others];
  await inBatches([...texts], async (some) => {
    const values = some.map(([of, text]) => sql`(${of}, ${text})`);
    await sql`
      with changed (row_key, text_now) as (values ${sql.join(values)})
      update ${sql.table(table)} set ${sql.join(columns)} from changed
      where ${sql.ref(`${table}.tenant_id`)} = ${tenantId} and ${sql.ref(`${table}.${key}`)} = changed.row_key`.execute(
      queries,
    );
    return [];
  });
}

/** Below the parameter limit of SQLite. */
const batchSize = 1000;

/** Runs a statement for many values, at most 1,000 at a time. @returns the rows of all statements. */
export async function inBatches<Value, Row>(
  values: readonly Value[],
  run: (batch: readonly Value[]) => Promise<readonly Row[]>,
): Promise<Row[]> {
  const rows: Row[] = [];
  for (let start = 0; start < values.length; start += batchSize)
    rows.push(...(await run(values.slice(start, start + batchSize))));
  return rows;
}

/**
 * Reads the rows whose column has one of some values, with few texts of statements, which stay prepared.
 * @param columns to read.
 */
export async function findByValues<Name extends TableName, Column extends keyof Row<Name> & string>(
  queries: Queries,
  table: Name,
  tenantId: string,
  column: keyof Row<Name> & string,
  values: readonly (string | number)[],
  columns: readonly Column[],
): Promise<readonly Pick<Row<Name>, Column>[]> {
  const statements = compileFind(queries, table, tenantId, column, values, columns);
  return (await runTogether(queries, statements)).flat();
}

/**
 * The statements of {@link findByValues}, for {@link runTogether}.
 * @param locks the rows for update, in the order of the column.
 */
export function compileFind<Name extends TableName, Column extends keyof Row<Name> & string>(
  queries: Queries,
  table: Name,
  tenantId: string,
  column: keyof Row<Name> & string,
  values: readonly (string | number)[],
  columns: readonly Column[],
  { locks = false }: { readonly locks?: boolean } = {},
): readonly CompiledQuery<Pick<Row<Name>, Column>>[] {
  const statements: CompiledQuery<Pick<Row<Name>, Column>>[] = [];
  for (let start = 0; start < values.length; start += batchSize) {
    const some = values.slice(start, start + batchSize);
    // The last value fills the rest of the list up.
    const size = 2 ** Math.ceil(Math.log2(some.length));
    const text = rememberText(queries, `find ${table} ${column} ${columns} ${size} ${locks}`, () => {
      const list = sql.join(Array.from({ length: size }, () => sql.val('')));
      const ending = locks && locksRows(queries) ? sql`order by ${sql.id(column)} for update` : sql``;
      return sql`select ${sql.join(columns.map((name) => sql.id(name)))} from ${sql.table(table)}
        where tenant_id = ${''} and ${sql.id(column)} in (${list}) ${ending}`;
    });
    const parameters = [tenantId, ...Array.from({ length: size }, (_, index) => some[index] ?? some.at(-1))];
    statements.push(CompiledQuery.raw(text, parameters) as CompiledQuery<Pick<Row<Name>, Column>>);
  }
  return statements;
}

/** A placeholder for a value that is bound when the query runs. */
class Parameter {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/**
 * Prepares a query that is built once per database and run with different values: building costs more than running.
 * @param build builds the query; `parameter('name')` is a placeholder of the type that the context requires.
 */
export function prepareQuery<Given extends object, Row>(
  build: BuildQuery<Given, Row>,
): (queries: Queries, values: Given) => Promise<readonly Row[]> {
  const compile = prepareStatement(build);
  return async (queries, values) => (await queries.executeQuery<Row>(compile(queries, values))).rows;
}

type BuildQuery<Given extends object, Row> = (
  queries: Queries,
  parameter: <Name extends keyof Given & string>(name: Name) => Given[Name],
) => Compilable<Row>;

/** Prepares a query like {@link prepareQuery}, for {@link runTogether}. */
export function prepareStatement<Given extends object, Row>(
  build: BuildQuery<Given, Row>,
): (queries: Queries, values: Given) => CompiledQuery<Row> {
  // The adapter is one object per database, inside and outside transactions.
  const built = new WeakMap<object, CompiledQuery<Row>>();
  const parameter = <Name extends keyof Given & string>(name: Name) => new Parameter(name) as unknown as Given[Name];
  return (queries, values) => {
    const { adapter } = queries.getExecutor();
    let query = built.get(adapter);
    if (query === undefined) {
      query = build(queries, parameter).compile();
      built.set(adapter, query);
    }
    const parameters = query.parameters.map((value) =>
      value instanceof Parameter ? values[value.name as keyof Given] : value,
    );
    return { ...query, parameters };
  };
}

/** The adapters of databases whose tables are distributed: one object per database, inside and outside transactions. */
const distributed = new WeakSet<object>();

/** Notes that the tables of tenants are distributed. */
export function markDistributed(queries: Queries): void {
  distributed.add(queries.getExecutor().adapter);
}

/** True if the tables of tenants are distributed over several nodes (Citus): a transaction of one tenant needs only one of them. */
export function isDistributed(queries: Queries): boolean {
  return distributed.has(queries.getExecutor().adapter);
}

/** By the adapter of a database: the tenants of the rows that were found without their tenant. */
const tenants = new WeakMap<object, ByteCache<string>>();

/**
 * Prepares the look-up of rows by what a request shows without their tenant: a token, or the id of a notice. On a distributed
 * database, the first look-up asks every node, and later ones that of the tenant: a row never changes its tenant, so that they
 * also work while another node is away.
 * @param build the query for a parameter `name`; it selects `tenant_id`.
 */
export function prepareLookup<Row extends { readonly tenant_id: string }>(
  table: keyof Tables & string,
  build: (queries: Queries, name: string) => SelectQueryBuilder<Tables, keyof Tables, Row>,
): (queries: Queries, name: string) => Promise<readonly Row[]> {
  const selectAll = prepareQuery<{ name: string }, Row>((queries, parameter) => build(queries, parameter('name')));
  const selectOf = prepareQuery<{ name: string; tenantId: string }, Row>((queries, parameter) =>
    build(queries, parameter('name')).where(sql<boolean>`${sql.ref(`${table}.tenant_id`)} = ${parameter('tenantId')}`),
  );
  return async (queries, name) => {
    if (!isDistributed(queries)) return selectAll(queries, { name });
    const { adapter } = queries.getExecutor();
    const known = tenants.get(adapter) ?? new ByteCache();
    tenants.set(adapter, known);
    const key = `${table} ${name}`;
    const tenantId = known.get(key);
    const rows = tenantId === undefined ? [] : await selectOf(queries, { name, tenantId });
    if (rows.length > 0) return rows;
    const found = await selectAll(queries, { name });
    const [first, other] = found;
    if (first !== undefined && other === undefined) known.set(key, first.tenant_id, key.length);
    return found;
  };
}

/** Built statements, by the adapter of their database. */
const texts = new WeakMap<object, Map<string, string>>();

/** The SQL text of a query that is built only once per key: building costs more than running. */
export function rememberText(queries: Queries, key: string, build: () => RawBuilder<unknown>): string {
  const { adapter } = queries.getExecutor();
  let known = texts.get(adapter);
  if (known === undefined) {
    known = new Map();
    texts.set(adapter, known);
  }
  let text = known.get(key);
  if (text === undefined) {
    text = build().compile(queries).sql;
    known.set(key, text);
  }
  return text;
}

const random = Buffer.alloc(8 * 512);
let unused = 0;
let lastTime = 0;
/** `lastTime` as the start of an id. */
let start = '';
let counter = 0;

/**
 * A new identifier: UUIDv7 (RFC 9562 section 5.7) with a 12-bit counter after the time (section 6.2, method 1). Ids of
 * this process sort in the order of their creation, even if the clock goes back.
 */
export function newId(): string {
  const now = Date.now();
  counter += 1;
  if (now > lastTime || counter > 0xfff) {
    lastTime = now > lastTime ? now : lastTime + 1;
    const time = lastTime.toString(16).padStart(12, '0');
    start = `${time.slice(0, 8)}-${time.slice(8)}`;
    counter = 0;
  }
  const tail = takeRandom();
  return `${start}-${(0x7000 + counter).toString(16)}-${tail.slice(0, 4)}-${tail.slice(4)}`;
}

/** 62 random bits after the two variant bits, as 16 hex digits. Fetching many at once from the system is cheaper. */
function takeRandom(): string {
  if (unused === 0) {
    randomFillSync(random);
    unused = random.length;
  }
  unused -= 8;
  random[unused] = ((random[unused] as number) & 0x3f) | 0x80;
  return random.toString('hex', unused, unused + 8);
}

/** Reads the text of `writeColumns`. */
export function readColumns(columns: readonly string[], json: string): GrantRow {
  const values: readonly unknown[] = JSON.parse(json);
  return Object.fromEntries(columns.map((column, index) => [column, values[index]]));
}

/** Writes columns as one text in SQL: a query gets those of a further row, which are compared as a whole. */
export function writeColumns(queries: Queries, columns: readonly string[]) {
  const list = sql.join(columns.map((column) => sql.ref(column)));
  return (locksRows(queries) ? sql<string>`json_build_array(${list})::text` : sql<string>`json_array(${list})`).as(
    'json',
  );
}
