import type { z } from 'zod';
import type { Actor, Principal } from '../access/principal.ts';
import type { Scope } from '../access/scopes.ts';
import type { UnitOfWork } from '../storage/unit-of-work.ts';
import type { Client } from './client.ts';
import type { IdempotencyClaim, StoredAnswer } from './idempotency.ts';
import type { ProblemCode } from './problem.ts';
import type { LimitRule } from './rate-limit.ts';
import { rest, type Surface } from './surface.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** A request that was recognised, admitted and validated. */
export interface Call<Params = unknown, Query = unknown, Body = unknown> {
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  readonly client: Client;
  /** What the router keeps so that a retry of the same request gets the same answer; null when it has no key. */
  readonly idempotency: IdempotencyClaim | null;
}

/** A call with credentials. */
export interface PrincipalCall<Params = unknown, Query = unknown, Body = unknown> extends Call<Params, Query, Body> {
  readonly principal: Principal;
  /** The time of the request: RFC 3339, UTC, milliseconds. */
  readonly now: string;
}

/** A call of a signed-in person. */
export interface UserCall<Params = unknown, Query = unknown, Body = unknown>
  extends PrincipalCall<Params, Query, Body> {
  readonly principal: Principal & { readonly actor: Actor & { readonly id: string; readonly email: string } };
}

/** A call without credentials. */
export interface OpenCall<Params = unknown, Query = unknown, Body = unknown> extends Call<Params, Query, Body> {
  /** The time of the request: RFC 3339, UTC, milliseconds. */
  readonly now: string;
  /**
   * Counts the request against one more limit, which the RateLimit headers then name too.
   * @throws {Problem} `rate_limited`.
   */
  takeLimit(rule: LimitRule): void;
}

export type AnswerHeaders = Readonly<Record<string, string | string[]>>;

/** An answer whose body is ready to send, with headers of its own. */
export class ReadyAnswer {
  readonly status: number;
  readonly body: string;
  readonly headers: AnswerHeaders;

  constructor(status: number, body: string, headers: AnswerHeaders = {}) {
    this.status = status;
    this.body = body;
    this.headers = headers;
  }
}

/** An answer that is sent while it is made, however long it is. */
export class StreamedAnswer {
  readonly status = 200;
  readonly lines: AsyncIterable<string>;
  readonly headers: AnswerHeaders;

  constructor(lines: AsyncIterable<string>, headers: AnswerHeaders = {}) {
    this.lines = lines;
    this.headers = headers;
  }
}

/** The answer of an earlier request with the same Idempotency-Key. */
export function replay(earlier: StoredAnswer): ReadyAnswer {
  return new ReadyAnswer(earlier.status, earlier.body, { 'Idempotent-Replayed': 'true' });
}

/** A result of the REST API with headers of its own. */
export function answerWith(result: unknown, headers: AnswerHeaders, status = 200): ReadyAnswer {
  return new ReadyAnswer(status, rest.present(result), headers);
}

/**
 * Who may call an operation.
 * `scope`: who holds its scope, with an API key, an access token or a session.
 * `session`: a signed-in person, for themselves.
 * `scim`: who holds the SCIM token of a tenant.
 * `anonymous`: whoever has no credentials yet, from our own pages alone.
 * `public`: everybody, from the pages of every site (CORS-open).
 */
export type Access = 'scope' | 'session' | 'scim' | 'anonymous' | 'public';

/** Headers that only some operations answer with; `ETag` makes 304 possible. */
export type AnswerHeader = 'ETag' | 'Cache-Control' | 'Set-Cookie' | 'Content-Disposition';

interface RouteText {
  readonly method: Method;
  /** With parameters in braces: `/v1/consent/{id}`. */
  readonly path: string;
  readonly operationId: string;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  /** The success status. */
  readonly status: 200 | 201 | 204;
  /** Codes that only some operations answer with. */
  readonly errors?: readonly ProblemCode[];
  /** Whether the answer holds a secret that is shown once: what is kept of it for retries is sealed. */
  readonly showsSecret?: boolean;
  /** Whether the result is the whole body, without `data` around it. */
  readonly isBare?: boolean;
  /** Whether the answer is sent while it is made; a tenant may have only so many at once. */
  readonly isStreamed?: boolean;
  /** Headers of a success that other operations do not have. */
  readonly headers?: readonly AnswerHeader[];
  /** The media type of the answer, where it is not that of the surface. */
  readonly answerType?: string;
}

interface Schemas<
  Params extends z.ZodObject,
  Query extends z.ZodObject,
  Body extends z.ZodType,
  Result extends z.ZodType,
> {
  readonly params?: Params;
  readonly query?: Query;
  readonly body?: Body;
  /** The payload: in the REST API, what stands inside of `data`. */
  readonly result: Result;
}

type Handler<SomeCall, Result> = (call: SomeCall) => Promise<Result | ReadyAnswer | StreamedAnswer>;
type Change<SomeCall, Result> = (call: SomeCall, work: UnitOfWork) => Promise<Result | ReadyAnswer>;
/** `handle` answers without a transaction around it; `change` runs inside of a unit of work. */
type Action<SomeCall, Result> =
  | { readonly handle: Handler<SomeCall, Result> }
  | { readonly change: Change<SomeCall, Result> };

type Limits<Params> = (call: { readonly params: Params; readonly client: Client }) => readonly LimitRule[];

/** One operation as the router, the OpenAPI document and the tests see it. */
export interface Route extends RouteText {
  readonly surface: Surface;
  readonly access: Access;
  /** What the caller must hold; null where access is not by scope. */
  readonly scope: Scope | null;
  readonly idempotencyKey: 'none' | 'accepted' | 'required';
  readonly params: z.ZodObject | null;
  readonly query: z.ZodObject | null;
  readonly body: z.ZodType | null;
  readonly result: z.ZodType;
  readonly limits: Limits<Record<string, string>> | null;
  readonly handle: Handler<PrincipalCall, unknown> | null;
  readonly change: Change<PrincipalCall, unknown> | null;
}

type Fields<Schema> = Schema extends z.ZodType ? z.output<Schema> : unknown;

const absent = { params: null, query: null, body: null, limits: null, handle: null, change: null } as const;

/** Defines an operation that needs a scope. A POST accepts an Idempotency-Key unless it says more. */
export function defineRoute<
  Params extends z.ZodObject,
  Query extends z.ZodObject,
  Body extends z.ZodType,
  Result extends z.ZodType,
>(
  route: RouteText &
    Schemas<Params, Query, Body, Result> & { readonly scope: Scope; readonly idempotencyKey?: 'required' } & Action<
      PrincipalCall<Fields<Params>, Fields<Query>, Fields<Body>>,
      z.output<Result>
    >,
): Route {
  const idempotencyKey = route.method === 'POST' ? 'accepted' : 'none';
  return { ...absent, surface: rest, access: 'scope', idempotencyKey, ...route } as unknown as Route;
}

/** Defines an operation of a signed-in person. */
export function defineUserRoute<
  Params extends z.ZodObject,
  Query extends z.ZodObject,
  Body extends z.ZodType,
  Result extends z.ZodType,
>(
  route: RouteText &
    Schemas<Params, Query, Body, Result> &
    Action<UserCall<Fields<Params>, Fields<Query>, Fields<Body>>, z.output<Result>>,
): Route {
  return {
    ...absent,
    surface: rest,
    access: 'session',
    scope: null,
    idempotencyKey: 'none',
    ...route,
  } as unknown as Route;
}

/** Defines an operation that needs no credentials: `public` for the pages of every site, `anonymous` for our own. */
export function defineOpenRoute<
  Params extends z.ZodObject,
  Query extends z.ZodObject,
  Body extends z.ZodType,
  Result extends z.ZodType,
>(
  route: RouteText &
    Schemas<Params, Query, Body, Result> & {
      readonly access: 'public' | 'anonymous';
      readonly surface?: Surface;
      readonly limits?: Limits<Fields<Params>>;
    } & Action<OpenCall<Fields<Params>, Fields<Query>, Fields<Body>>, z.output<Result>>,
): Route {
  return { ...absent, surface: rest, scope: null, idempotencyKey: 'none', ...route } as unknown as Route;
}

/** Defines an operation of an identity provider on a surface of its own. */
export function defineTokenRoute<
  Params extends z.ZodObject,
  Query extends z.ZodObject,
  Body extends z.ZodType,
  Result extends z.ZodType,
>(
  route: RouteText &
    Schemas<Params, Query, Body, Result> & { readonly surface: Surface } & Action<
      PrincipalCall<Fields<Params>, Fields<Query>, Fields<Body>>,
      z.output<Result>
    >,
): Route {
  return { ...absent, access: 'scim', scope: null, idempotencyKey: 'none', ...route } as unknown as Route;
}
