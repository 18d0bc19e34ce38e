import type { z } from 'zod';

/** The column of a field: `created_at` for `createdAt`. */
type ColumnOf<Name> = Name extends `${infer First}${infer Rest}`
  ? First extends Lowercase<First>
    ? `${First}${ColumnOf<Rest>}`
    : `_${Lowercase<First>}${ColumnOf<Rest>}`
  : '';

/** Whether the values of a column can be those of a field, perhaps only some of its texts: an enumeration. */
type Fits<Column, Field> = [Field, null extends Column ? null : never] extends [Column, Field] ? true : false;

/** The fields of a view that are not a column of the row as it is. */
type OtherFields<View, Row> = {
  [Name in keyof View as ColumnOf<Name> extends keyof Row
    ? Fits<Row[ColumnOf<Name>], View[Name]> extends true
      ? never
      : Name
    : Name]: View[Name];
};

/**
 * The view of a row: the fields of the schema only, each from the column of its name.
 * @param others the fields that no column has.
 */
export function viewRow<Schema extends z.ZodObject, Row extends object>(
  schema: Schema,
  row: Row,
  others: OtherFields<z.output<Schema>, Row>,
): z.output<Schema> {
  const given = others as Readonly<Record<string, unknown>>;
  const columns = row as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    Object.keys(schema.shape).map((name) => [name, Object.hasOwn(given, name) ? given[name] : columns[columnOf(name)]]),
  ) as z.output<Schema>;
}

/** The columns of fields: `{ created_at }` for `{ createdAt }`. */
export function toColumns<Fields extends object>(
  fields: Fields,
): { [Name in keyof Fields as ColumnOf<Name>]: Fields[Name] } {
  const entries = Object.entries(fields).map(([name, value]) => [columnOf(name), value]);
  return Object.fromEntries(entries) as { [Name in keyof Fields as ColumnOf<Name>]: Fields[Name] };
}

const known = new Map<string, string>();

/** The names of fields are those of schemas, so few are remembered. */
function columnOf(name: string): string {
  let column = known.get(name);
  if (column === undefined) {
    column = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    known.set(name, column);
  }
  return column;
}
