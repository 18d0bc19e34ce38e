import type { z } from 'zod';
import type { Principal } from '../access/principal.ts';
import type { Scope } from '../access/scopes.ts';
import type { UnitOfWork } from '../storage/unit-of-work.ts';
import type { Client } from './client.ts';
import type { IdempotencyClaim, StoredAnswer } from './idempotency.ts';
import type { ProblemCode } from './problem.ts';
import type { LimitRule } from './rate-limit.ts';

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

/** An answer whose body is ready to send, with headers of its own. */
export class ReadyAnswer {
  readonly status: number;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, body: string, headers: Readonly<Record<string, string>> = {}) {
    this.status = status;
    this.body = body;
    this.headers = headers;
  }
}

/** The answer of an earlier request with the same Idempotency-Key. */
export function replay(earlier: StoredAnswer): ReadyAnswer {
  return new ReadyAnswer(earlier.status, earlier.body, { 'Idempotent-Replayed': 'true' });
}

/** The one success body of the API (spec.md "Response envelope"). */
export function envelope(payload: unknown): string {
  return `{"data":${JSON.stringify(payload)}}`;
}

interface RouteText {
  readonly method: Method;
  /** With parameters in braces: `/v1/consent/{id}`. */
  readonly path: string;
  readonly operationId: string;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  /** The success status. */
  readonly status: 200 | 201;
  /** Codes that only some operations answer with. */
  readonly errors?: readonly ProblemCode[];
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
  /** The payload inside of `data`. */
  readonly result: Result;
}

type Handler<SomeCall, Result> = (call: SomeCall) => Promise<Result | ReadyAnswer>;

/**
 * One operation as the router, the OpenAPI document and the tests see it.
 * `handle` answers without a transaction around it; `change` runs inside of a unit of work.
 */
export interface Route extends RouteText {
  /** What the caller must hold; null for a public operation, which is open to every origin. */
  readonly scope: Scope | null;
  readonly idempotencyKey: 'none' | 'accepted' | 'required';
  readonly params: z.ZodObject | null;
  readonly query: z.ZodObject | null;
  readonly body: z.ZodType | null;
  readonly result: z.ZodType;
  readonly limits: ((call: Pick<Call<Record<string, string>>, 'params' | 'client'>) => readonly LimitRule[]) | null;
  readonly handle: Handler<PrincipalCall, unknown> | null;
  readonly change: ((call: PrincipalCall, work: UnitOfWork) => Promise<unknown>) | null;
}

type Fields<Schema> = Schema extends z.ZodType ? z.output<Schema> : unknown;

/** Defines an operation that needs a scope. A POST accepts an Idempotency-Key unless it says more. */
export function defineRoute<
  Params extends z.ZodObject,
  Query extends z.ZodObject,
  Body extends z.ZodType,
  Result extends z.ZodType,
  SomeCall = PrincipalCall<Fields<Params>, Fields<Query>, Fields<Body>>,
>(
  route: RouteText &
    Schemas<Params, Query, Body, Result> & {
      readonly scope: Scope;
      readonly idempotencyKey?: 'required';
    } & (
      | { readonly handle: Handler<SomeCall, z.output<Result>> }
      | { readonly change: (call: SomeCall, work: UnitOfWork) => Promise<z.output<Result>> }
    ),
): Route {
  return {
    params: null,
    query: null,
    body: null,
    limits: null,
    handle: null,
    change: null,
    idempotencyKey: route.method === 'POST' ? 'accepted' : 'none',
    ...route,
  } as unknown as Route;
}

/** Defines an operation that anybody may call from any origin. */
export function definePublicRoute<
  Params extends z.ZodObject,
  Query extends z.ZodObject,
  Body extends z.ZodType,
  Result extends z.ZodType,
>(
  route: RouteText &
    Schemas<Params, Query, Body, Result> & {
      readonly limits?: (call: { readonly params: Fields<Params>; readonly client: Client }) => readonly LimitRule[];
      readonly handle: Handler<Call<Fields<Params>, Fields<Query>, Fields<Body>>, z.output<Result>>;
    },
): Route {
  return {
    scope: null,
    idempotencyKey: 'none',
    params: null,
    query: null,
    body: null,
    limits: null,
    change: null,
    ...route,
  } as unknown as Route;
}
