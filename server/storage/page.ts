import { type SelectQueryBuilder, sql } from 'kysely';

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

/** A page with its rows turned into something else. */
export function mapPage<Row, Item, Place>(
  { rows, next }: Page<Row, Place>,
  map: (row: Row) => Item,
): Page<Item, Place> {
  return { rows: rows.map(map), next };
}
