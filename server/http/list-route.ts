import { z } from 'zod';
import type { Scope } from '../principal/scopes.ts';
import type { Page } from '../storage/page.ts';
import { readCursor, writeCursor } from './cursor.ts';
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
