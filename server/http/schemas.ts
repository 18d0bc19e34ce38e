import { z } from 'zod';
import { invalidValues } from './problem.ts';
import { normalizeWebAddress } from './web-address.ts';

export function queryInteger(minimum: number, maximum: number, fallback: number) {
  return readInteger(minimum, maximum)
    .default(fallback)
    .meta({ override: describeAs({ type: 'integer', minimum, maximum, default: fallback }) });
}

export function optionalInteger(minimum: number, maximum: number) {
  return readInteger(minimum, maximum)
    .optional()
    .meta({ override: describeAs({ type: 'integer', minimum, maximum }) });
}

function readInteger(minimum: number, maximum: number) {
  return text(20)
    .regex(/^\d{1,9}$/, `must be a whole number from ${minimum} to ${maximum}`)
    .transform(Number)
    .pipe(z.int().min(minimum).max(maximum));
}

/**
 * Text of a request. Its length is checked before anything else is done with it, and a text that is too long is not looked
 * at: zod goes on after a failed check unless that check aborts.
 */
export function text(maximum: number) {
  return z.string().max(maximum, { abort: true });
}

/** A list of a request. A list that is too long is not compared. */
export function list<Item extends z.ZodType>(item: Item, maximum: number) {
  return z.array(item).max(maximum, { abort: true });
}

/** An object of a request whose keys the client chooses. */
export function dictionary<Key extends z.core.$ZodRecordKey, Value extends z.ZodType>(
  key: Key,
  value: Value,
  maximum: number,
) {
  return z.record(key, value).refine((entries) => Object.keys(entries).length <= maximum, {
    abort: true,
    error: `must have at most ${maximum} keys`,
  });
}

/** An object of a request or answer with only these fields. @param id its name in the OpenAPI document. */
export function namedObject<Shape extends z.ZodRawShape>(id: string, shape: Shape) {
  return z.strictObject(shape).meta({ id });
}

/** The places of the values that repeat an earlier one. */
export function findRepeated(values: readonly unknown[]): readonly number[] {
  const seen = new Set<unknown>();
  return values.flatMap((value, index) => (seen.size === seen.add(value).size ? [index] : []));
}

/** Rejects every item of a list that repeats an earlier one. @param field the field at fault, if not the item. */
export function refuseRepeated<Item>(
  message: string,
  keyOf: (item: Item) => unknown = (item) => item,
  ...field: readonly string[]
) {
  return (items: readonly Item[], context: z.RefinementCtx): void => {
    const repeated = findRepeated(items.map((item) => keyOf(item)));
    for (const index of repeated) context.addIssue({ code: 'custom', path: [index, ...field], message });
  };
}

/** A name or the like, without white space around it, that has something to see: not only U+200B and its kind. */
export function visibleText(maximum: number) {
  return text(maximum)
    .trim()
    .min(1, { abort: true })
    .refine((given) => /[^\p{Z}\p{C}\p{Default_Ignorable_Code_Point}]/u.test(given), 'must have a visible character');
}

/** Characters that turn the direction of what follows (Unicode Standard Annex 9, sections 2.1 to 2.3), in a class. */
export const turningCharacters = '\\u202A-\\u202E\\u2066-\\u2069';
const deceptive = new RegExp(`[\\p{Cc}\\p{Zl}\\p{Zp}${turningCharacters}]`, 'u');

/** The issue of a text that could be displayed differently from how it was written. */
export const deceptiveIssue = 'must not contain control characters or characters that turn the direction of text';

/** One line of text for many to read. The marks that right-to-left text needs are allowed. */
export function textLine(maximum: number) {
  return visibleText(maximum).refine((text) => !deceptive.test(text), deceptiveIssue);
}

const longestAddress = 2048;

/** The address of a web page that may be shown as a link. */
export const WebAddress = text(longestAddress)
  .transform((text, context) => {
    const address = normalizeWebAddress(text.trim());
    if (address !== null && address.length <= longestAddress) return address;
    context.addIssue('must be a web address with https:// or http://, without a user name');
    return z.NEVER;
  })
  .meta({ override: { type: 'string', format: 'uri', maxLength: longestAddress } });

const dateTime = describeAs({ type: 'string', format: 'date-time' });

/** A time with any offset (RFC 3339, whose T and Z may be small letters), read as UTC with milliseconds. */
export const Time = text(64)
  .toUpperCase()
  .pipe(z.iso.datetime({ offset: true }))
  .transform((time) => new Date(time).toISOString())
  .refine((time) => time.length === '2026-11-21T05:29:00.123Z'.length, 'must be in the years 0000 to 9999')
  .meta({ override: dateTime });

/** How far the clock of a client that captures consent may be ahead of the server's: five minutes, in milliseconds. */
export const clockSkew = 5 * 60_000;

/** No event that a client reports is older: such a time is a clock that was never set, or a typo. */
const earliestEvent = '2000-01-01T00:00:00.000Z';

/** The issue of the time of a past event; null if it is valid. @param ahead milliseconds that it may be after now. */
export function findPastFault(time: string, now: string, ahead = 0): string | null {
  if (time < earliestEvent) return 'must not be before 2000-01-01';
  const latest = new Date(Date.parse(now) + ahead).toISOString();
  return time > latest ? `must not be in the future; here it is ${now}` : null;
}

/** @throws {Problem} `validation_failed` for a time of an event that cannot be. */
export function requirePast(path: string, time: string, now: string, ahead = 0): void {
  const issue = findPastFault(time, now, ahead);
  if (issue !== null) throw invalidValues([{ path, issue }]);
}

/** A time as every answer gives it. */
export const UtcTime = z.iso
  .datetime({ precision: 3 })
  .meta({ description: 'RFC 3339, UTC, milliseconds.', override: dateTime });

export const Id = text(36)
  .check(z.uuid())
  .toLowerCase()
  .meta({
    description: 'UUID; ours are version 7, so later ones sort after earlier ones.',
    override: describeAs({ type: 'string', format: 'uuid' }),
  });

/** An opaque cursor: the nextCursor of an earlier page. `readCursor` checks its length. */
export const Cursor = z.string().optional().meta({ description: 'The nextCursor of an earlier page.' });

const PageInfo = namedObject('PageInfo', {
  cursor: z.string().nullable().meta({ description: 'The cursor of this page; null on the first.' }),
  nextCursor: z.string().nullable().meta({ description: 'The cursor of the next page; null on the last.' }),
  limit: z.int().min(1),
  total: z.int().min(0).meta({ description: 'How many items the whole list has.' }),
});

/** A page of a list in the form that spec.md gives the consent lists; the items name it: `Notice`, `NoticePage`. */
export function pageOf<Item extends z.ZodType>(item: Item) {
  return namedObject(`${idOf(item)}Page`, { data: z.array(item), page: PageInfo });
}

/** The same for a list that is only counted as a whole. */
export function filteredPageOf<Item extends z.ZodType>(item: Item) {
  const description = 'How many items the whole list has; null with filters.';
  const total = z.int().min(0).nullable().meta({ description });
  const page = PageInfo.extend({ total }).meta({ id: 'FilteredPageInfo' });
  return namedObject(`${idOf(item)}Page`, { data: z.array(item), page });
}

/** A page of every other list: `AuditEvent`, `AuditEventPage`. */
export function cursorPageOf<Item extends z.ZodType>(item: Item) {
  return namedObject(`${idOf(item)}Page`, { items: z.array(item), nextCursor: PageInfo.shape.nextCursor });
}

/** A list that is short enough to have whole: `Session`, `SessionList`. */
export function listOf<Item extends z.ZodType>(item: Item) {
  const nextCursor = z.null().meta({ description: 'Always null: the list is complete.' });
  return namedObject(`${idOf(item)}List`, { items: z.array(item), nextCursor });
}

function idOf(item: z.ZodType): string {
  const id = item.meta()?.id;
  if (id === undefined) throw new Error('the items of a list need an id, which names the list in the OpenAPI document');
  return id;
}

/** Any JSON value of ours. Not z.json(): generators of clients cannot read its recursion in the OpenAPI document. */
export const AnyJson = z.unknown() as z.ZodType<z.core.util.JSONType>;

/** The list of one URN with which SCIM marks a body (RFC 7643 section 3), as an array: generators read no tuples. */
export function schemasOf<Urn extends string>(urn: Urn) {
  return z.tuple([z.literal(urn)]).meta({
    override: ({ jsonSchema }: { readonly jsonSchema: Record<string, unknown> }) => {
      delete jsonSchema.prefixItems;
      Object.assign(jsonSchema, { items: { type: 'string', const: urn }, minItems: 1, maxItems: 1 });
    },
  });
}

/** How a schema reads in the OpenAPI document, where what zod derives (long patterns, text for a number) is not it. */
export function describeAs(description: Readonly<Record<string, unknown>>) {
  return ({ jsonSchema }: { readonly jsonSchema: Record<string, unknown> }): void => {
    delete jsonSchema.pattern;
    delete jsonSchema.maxLength;
    Object.assign(jsonSchema, description);
  };
}

/** The column of a field: `created_at` for `createdAt`. */
type ColumnOf<Name> = Name extends `${infer First}${infer Rest}`
  ? First extends Lowercase<First>
    ? `${First}${ColumnOf<Rest>}`
    : `_${Lowercase<First>}${ColumnOf<Rest>}`
  : '';

/** True if the values of a column can be those of a field; for an enumeration, a text column is enough. */
type Fits<Column, Field> = [Field, null extends Column ? null : never] extends [Column, Field] ? true : false;

/** The fields of a view that are not a column of the row as it is. */
type OtherFields<View, Row> = {
  [Name in keyof View as ColumnOf<Name> extends keyof Row
    ? Fits<Row[ColumnOf<Name>], View[Name]> extends true
      ? never
      : Name
    : Name]: View[Name];
};

/** The fields of the schema, each from the column of its name. @param others the fields that no column has. */
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
