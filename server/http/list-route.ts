import { hash } from 'node:crypto';
import { z } from 'zod';
import type { Scope } from '../principal/scopes.ts';
import type { Page } from '../storage/page.ts';
import { findUnstorable } from './input.ts';
import { Problem } from './problem.ts';
import { defineRoute, type Fields, type PrincipalCall, type Route, type RouteText } from './route.ts';
import { Cursor, queryInteger } from './schemas.ts';

/** Where a page begins: after this place of the list, or at its start. */
export interface PageStart<Place> {
  readonly after: Place | null;
  readonly limit: number;
}

interface PlaceTypes {
  readonly string: string;
  readonly number: number;
}

type PageSchema = z.ZodType<{ items: unknown[]; nextCursor: string | null }>;

/** A list that is read in pages. */
interface List<
  Params extends z.ZodObject,
  Filters extends z.ZodRawShape,
  Result extends PageSchema,
  Place extends keyof PlaceTypes,
> extends Omit<RouteText, 'status' | 'errors'> {
  readonly scope: Scope;
  readonly params?: Params;
  readonly filters?: Filters;
  /** The most items of a page, and how many it has without `limit`. */
  readonly limit: { readonly most: number; readonly usual: number };
  /** Made by `cursorPageOf`. */
  readonly result: Result;
  /** The type of the key that the list is sorted by. */
  readonly place: Place;
  find(
    call: PrincipalCall<Fields<Params>, z.output<z.ZodObject<Filters>>>,
    start: PageStart<PlaceTypes[Place]>,
  ): Promise<Page<z.output<Result>['items'][number], PlaceTypes[Place]>>;
}

/** Defines a list that answers `{ items, nextCursor }`. A cursor belongs to the tenant, the path and the filters. */
export function listRoute<
  Result extends PageSchema,
  Place extends keyof PlaceTypes,
  Params extends z.ZodObject = z.ZodObject<Record<never, never>>,
  Filters extends z.ZodRawShape = Record<never, never>,
>(path: string, { params, filters, limit, result, place, find, ...text }: List<Params, Filters, Result, Place>): Route {
  return defineRoute(`GET ${path}`, {
    ...text,
    ...(params !== undefined && { params }),
    query: z.strictObject({ ...filters, cursor: Cursor, limit: queryInteger(1, limit.most, limit.usual) }),
    result: result as PageSchema,
    errors: ['invalid_cursor'],
    async handle(call) {
      const { cursor, limit, ...filter } = call.query;
      const list = [text.operationId, call.principal.tenantId, call.params ?? null, filter];
      const after = cursor === undefined ? null : readCursor(list, cursor, place);
      const query = filter as z.output<z.ZodObject<Filters>>;
      const { rows, next } = await find({ ...call, query }, { after: after as PlaceTypes[Place] | null, limit });
      return { items: rows, nextCursor: next === null ? null : writeCursor(list, next) };
    },
  });
}

/**
 * An opaque place in a list: the sort key of the last item seen, bound to the list and its filters.
 * @param list what names the list: tenant, operation and filters, in a fixed order.
 */
export function writeCursor(list: readonly unknown[], position: string | number): string {
  return Buffer.from(JSON.stringify([position, bind(list)])).toString('base64url');
}

/** The longest position is a text of 256 characters, each of up to six bytes in JSON; base64 makes it a third longer. */
const longestCursor = 4096;

/**
 * Reads a cursor that `writeCursor` made for the same list.
 * @throws {Problem} `invalid_cursor` for anything else.
 */
export function readCursor<Position extends 'string' | 'number'>(
  list: readonly unknown[],
  cursor: string,
  type: Position,
): Position extends 'string' ? string : number {
  const refused = () => new Problem('invalid_cursor', 'Use the nextCursor of an earlier page, with the same filters.');
  if (cursor.length > longestCursor) throw refused();
  const bytes = Buffer.from(cursor, 'base64url');
  // Decoding skips characters that base64url does not have.
  if (bytes.toString('base64url') !== cursor) throw refused();
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString());
  } catch {
    throw refused();
  }
  const [position, binding] = Array.isArray(value) ? value : [];
  const fits =
    type === 'string'
      ? typeof position === 'string' && findUnstorable(position) === null
      : Number.isSafeInteger(position);
  if (!fits || binding !== bind(list)) throw refused();
  return position;
}

function bind(list: readonly unknown[]): string {
  return hash('sha256', JSON.stringify(list), 'base64url').slice(0, 12);
}
