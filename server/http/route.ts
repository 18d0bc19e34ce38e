import { hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import type { Outcome, Transaction } from '../storage/database.ts';
import type { Queries } from '../storage/queries.ts';
import type { Page } from '../storage/rows.ts';
import { type ReadyAnswer, rest, type Surface } from './answer.ts';
import type { Actor, AuditSource, Principal } from './principal.ts';
import { Problem, type ProblemCode } from './problem.ts';
import type { LimitRule } from './rate-limit.ts';
import { type Client, findUnstorable, type ReadBody, type RequestSchemas } from './request.ts';
import type { PlatformScope, Scope } from './roles.ts';
import { Cursor, queryInteger } from './schemas.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** A request that was recognised, authorized and validated. */
export interface Call<Params = unknown, Query = unknown, Body = unknown> {
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  readonly client: Client;
  /** The If-Match header, for operations with a precondition. */
  readonly ifMatch: string | undefined;
  /** The time of the request: RFC 3339, UTC, milliseconds. */
  readonly now: string;
  /** Where the operation reads, outside of a transaction: see `RouteText.reads`. */
  readonly queries: Queries;
  /** Counts the request against one more limit, also in the RateLimit headers. @throws {Problem} `rate_limited`. */
  takeLimit(rule: LimitRule): void;
}

export interface PrincipalCall<Params = unknown, Query = unknown, Body = unknown> extends Call<Params, Query, Body> {
  readonly principal: Principal;
  /** The caller, for the audit log of the tenant that they act for or of another. */
  readonly source: (tenantId?: string) => AuditSource;
  /** The `traceparent` of the request; null without a valid one. */
  readonly traceParent: string | null;
}

/** A call of a signed-in person. */
export interface UserCall<Params = unknown, Query = unknown, Body = unknown>
  extends PrincipalCall<Params, Query, Body> {
  readonly principal: Principal & { readonly actor: Actor & { readonly id: string; readonly email: string } };
}

/** The kinds of callers of an operation. */
interface AuthByKind {
  /** Callers with its scope: by an API key, an access token or a session. A POST accepts an Idempotency-Key. */
  readonly scope: { readonly scope: Scope; readonly idempotencyKey?: 'required' };
  /** Signed-in users, for themselves. */
  readonly session: object;
  /** Signed-in users whose platform role has its scope; in no other tenant than that of the session. */
  readonly platform: { readonly scope: PlatformScope };
  /** Holders of the SCIM token of a tenant. */
  readonly scim: object;
  /** Clients without credentials, from our own pages only. */
  readonly anonymous: object;
  /** Everyone, from the pages of every site (CORS-open). */
  readonly public: object;
}

export type Auth = keyof AuthByKind;

/** Headers that only some operations answer with; an `ETag` of a public operation makes 304 possible. */
export type AnswerHeader =
  | 'ETag'
  | 'Cache-Control'
  | 'Vary'
  | 'Svc-Region'
  | 'Set-Cookie'
  | 'Content-Disposition'
  | 'Content-Security-Policy';

export interface RouteText {
  readonly operationId: string;
  /** The method of the Node SDK: `consent.records.list`. Without one only sessions, or clients without an account, call it. */
  readonly sdkMethod?: string;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  /** The success status, where it is not 200, or 204 for a result of null. */
  readonly status?: 201;
  /** Codes that only some operations answer with. */
  readonly errors?: readonly ProblemCode[];
  /** True if the answer holds a secret that is shown once: the copy that is stored for retries is sealed. */
  readonly showsSecret?: boolean;
  /** True if the caller may name the state that they change in If-Match. */
  readonly hasPrecondition?: boolean;
  /** True if the result is the whole body, without `data` around it. */
  readonly isBare?: boolean;
  /** True if the answer is sent while it is made; a tenant may have only so many at once. */
  readonly isStreamed?: boolean;
  /**
   * `replica` if `queries` of the call may be those of a standby, whose data can be some seconds old: for lists, exports and
   * statistics, never for anything that decides who has access. Default: the primary.
   */
  readonly reads?: 'replica';
  /** Headers of a success that other operations do not have. */
  readonly headers?: readonly AnswerHeader[];
  /** The media type of the body, where it is not one of those of the surface. */
  readonly bodyType?: string;
  /** The media type of the answer, where it is not that of the surface. */
  readonly answerType?: string;
}

type CallOf<Kind extends Auth, Params, Query, Body> = {
  readonly scope: PrincipalCall<Params, Query, Body>;
  readonly session: UserCall<Params, Query, Body>;
  readonly platform: UserCall<Params, Query, Body>;
  readonly scim: PrincipalCall<Params, Query, Body>;
  readonly anonymous: Call<Params, Query, Body>;
  readonly public: Call<Params, Query, Body>;
}[Kind];

/**
 * `handle` answers without a transaction around it. `write` runs inside a transaction. `writeMany` runs in one
 * transaction for all calls that wait, and gives an outcome for each; `prepare` makes what it takes of a call before the
 * transaction is opened, so that rejecting a call does not keep the only writer busy.
 */
type Action<SomeCall, Result, Item> =
  | { handle(call: SomeCall): Promise<Result | ReadyAnswer> }
  | { write(call: SomeCall, tx: Transaction): Promise<Result | ReadyAnswer> }
  | {
      prepare(call: SomeCall): Promise<Item>;
      writeMany(items: readonly Item[], tx: Transaction): Promise<readonly Outcome<Result>[]>;
      /** The tenant of an item, if that of the caller is not known. */
      tenantOf?(item: Item): string;
    };

/** An upload that has arrived and is not yet part of anything. */
export interface ReceivedUpload<Value = unknown> extends ReadBody {
  /** The body that the change gets. */
  readonly value: Value;
  /** Deletes what was stored, unless a change has taken it. */
  discard(): Promise<void>;
}

/** The schemas of an operation, and the limits besides those of the credentials. */
interface Parts<Params, Query, Body, Result> {
  readonly params?: Params;
  readonly query?: Query;
  readonly body?: Body;
  /**
   * Receives the body as it arrives, before the transaction is opened, so that a slow client does not keep the only writer
   * busy. The schema of the body then only describes what it gives.
   */
  receive?(
    call: PrincipalCall<Fields<Params>, Fields<Query>>,
    request: IncomingMessage,
  ): Promise<ReceivedUpload<Fields<Body>>>;
  /** The payload: in the REST API, the value of `data`. */
  readonly result: Result;
  limits?(call: { readonly params: Fields<Params>; readonly client: Client }): readonly LimitRule[];
}

/** A call as the router makes it, for an operation of any kind. */
export interface AnyCall extends Call {
  readonly principal: Principal | null;
  readonly source: PrincipalCall['source'] | null;
  readonly traceParent: string | null;
}

/** One operation as the router, the OpenAPI document and the tests see it. */
export interface Route extends Omit<RouteText, 'status'>, RequestSchemas {
  readonly method: Method;
  /** With parameters in braces: `/v1/consent/{id}`. */
  readonly path: string;
  readonly status: 200 | 201 | 204;
  readonly surface: Surface;
  readonly auth: Auth;
  /** The scope that the caller needs; null where access is not by scope. */
  readonly scope: Scope | PlatformScope | null;
  readonly idempotencyKey: 'none' | 'accepted' | 'required';
  readonly result: z.ZodType;
  limits?(call: { readonly params: unknown; readonly client: Client }): readonly LimitRule[];
  receive?(call: PrincipalCall, request: IncomingMessage): Promise<ReceivedUpload>;
  handle?(call: AnyCall): Promise<unknown>;
  write?(call: AnyCall, tx: Transaction): Promise<unknown>;
  prepare?(call: AnyCall): Promise<unknown>;
  writeMany?(items: readonly unknown[], tx: Transaction): Promise<readonly Outcome<unknown>[]>;
  tenantOf?(item: unknown): string;
}

/** The output of a schema; unknown where there is none. */
export type Fields<Schema> = Schema extends z.ZodType ? z.output<Schema> : unknown;

/**
 * Defines an operation. Its `auth` decides who may call it and what the handler knows of the caller.
 * @param address its method and its path, with parameters in braces: `GET /v1/consent/{id}`.
 */
export function defineRoute<
  Params extends z.ZodObject,
  Query extends z.ZodObject,
  Body extends z.ZodType,
  Result extends z.ZodType,
  Kind extends Auth = 'scope',
  Item = never,
>(
  address: `${Method} ${string}`,
  route: RouteText &
    Parts<Params, Query, Body, Result> & { readonly auth?: Kind; readonly surface?: Surface } & AuthByKind[Kind] &
    Action<CallOf<Kind, Fields<Params>, Fields<Query>, Fields<Body>>, z.output<Result>, Item>,
): Route;
export function defineRoute(
  address: string,
  route: Pick<Route, 'result'> & RouteText & Partial<Omit<Route, keyof RouteText | 'result'>>,
): Route {
  const [method, path] = address.split(' ') as [Method, string];
  const status = route.result instanceof z.ZodNull ? 204 : 200;
  const idempotencyKey = route.scope !== undefined && method === 'POST' ? 'accepted' : 'none';
  const absent = { scope: null, params: null, query: null, body: null };
  return { method, path, status, surface: rest, auth: 'scope', idempotencyKey, ...absent, ...route };
}

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

interface List<
  Params extends z.ZodObject,
  Filters extends z.ZodRawShape,
  Result extends PageSchema,
  Place extends keyof PlaceTypes,
  Kind extends 'scope' | 'platform',
> extends Omit<RouteText, 'status' | 'errors'> {
  readonly auth?: Kind;
  readonly scope: AuthByKind[Kind]['scope'];
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
  Kind extends 'scope' | 'platform' = 'scope',
>(
  path: string,
  { params, filters, limit, result, place, find, ...text }: List<Params, Filters, Result, Place, Kind>,
): Route {
  return defineRoute(`GET ${path}`, {
    ...(text as typeof text & { auth?: 'scope'; scope: Scope }),
    ...(params !== undefined && { params }),
    query: z.strictObject({ ...filters, cursor: Cursor, limit: queryInteger(1, limit.most, limit.usual) }),
    result: result as PageSchema,
    errors: ['invalid_cursor'],
    async handle(call) {
      const { cursor, limit, ...filter } = call.query;
      const list = [text.operationId, call.principal.tenantId, call.params ?? null, filter];
      const after = cursor === undefined ? null : readCursor(list, cursor, place);
      const query = filter as z.output<z.ZodObject<Filters>>;
      const { rows, next } = await find({ ...call, query }, { after, limit });
      return { items: rows, nextCursor: next === null ? null : writeCursor(list, next) };
    },
  });
}

/**
 * An opaque place in a list: the sort key of the last item seen, bound to the list and its filters.
 * @param list the values that name the list: tenant, operation and filters, in a fixed order.
 */
export function writeCursor(list: readonly unknown[], position: string | number): string {
  return Buffer.from(JSON.stringify([position, bind(list)])).toString('base64url');
}

/** The longest position is a text of 256 characters, each of up to six bytes in JSON; base64 makes it a third longer. */
const longestCursor = 4096;

/** @throws {Problem} `invalid_cursor` unless `writeCursor` made the cursor for the same list. */
export function readCursor<Place extends keyof PlaceTypes>(
  list: readonly unknown[],
  cursor: string,
  type: Place,
): PlaceTypes[Place] {
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
