import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { Context, Middleware } from 'koa';
import type { SecretBox } from '../installation/secret-box.ts';
import type { Principal } from '../principal/principal.ts';
import type { Scope } from '../principal/scopes.ts';
import type { Clock } from '../storage/clock.ts';
import type { Database } from '../storage/database.ts';
import { hasBody } from './body.ts';
import { Changes } from './changes.ts';
import { type Client, clientBucket, readClient } from './client.ts';
import { corsHeaders, preflightHeaders } from './cors.ts';
import { claimOf, RunningKeys, readIdempotencyKey } from './idempotency.ts';
import { Problem } from './problem.ts';
import { type LimitRule, type RateLimiter, StreamLimit } from './rate-limit.ts';
import { type AnyCall, type Auth, ReadyAnswer, type Route, StreamedAnswer } from './route.ts';
import { type PathMatch, pickRoute, type RouteMatch, RouteTable } from './route-table.ts';
import { isOn, rest } from './surface.ts';
import { createValidator } from './validate.ts';
import { latestVersion, resolveVersion } from './versions.ts';

/** The caller of a request, and the limits that their requests count against. */
export interface Admission {
  readonly principal: Principal;
  readonly limits: readonly LimitRule[];
}

/** What authenticating and authorizing a request needs to know of its operation. */
export interface Wanted {
  readonly auth: Auth;
  readonly scope: Scope | null;
  readonly method: string;
}

/**
 * Authenticates the caller and checks that they may call the operation; null for an operation that needs no credentials.
 * @throws {Problem} `unauthenticated`, `forbidden`, `tenant_not_allowed` or `insufficient_scope`.
 */
export type Admit = (request: IncomingMessage, wanted: Wanted, now: string) => Promise<Admission | null>;

export interface RouterOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly limiter: RateLimiter;
  readonly trustedProxies: number;
  /** Recognises the caller of an operation and checks that they may call it. */
  readonly admit: Admit;
  /** Seals the answers that are kept for retries and hold a secret. */
  readonly box: SecretBox;
  /** Requests a minute that may be refused for each client address. */
  readonly refusalLimit: number;
  /** Streamed answers at once for each tenant. */
  readonly streamLimit: number;
  /** Counts a request that needs no credentials. @throws {Problem} `rate_limited`. */
  countVisitor(client: Client): void;
  /** Whether every result is checked against its schema: for tests. */
  readonly checksResults: boolean;
}

/** The router of an application. */
export interface Router {
  readonly middleware: Middleware;
  /** Resolves when every change taken so far is written. */
  drain(): Promise<void>;
}

/**
 * Request pipeline: authenticate, authorize, rate-limit, replay, validate, handle. Rejections are thrown as Problems.
 */
export function createRouter(routes: readonly Route[], options: RouterOptions): Router {
  const table = new RouteTable(routes);
  const validators = new Map(routes.map((route) => [route, createValidator(route)]));
  const runningKeys = new RunningKeys();
  const { limiter } = options;
  const present = (route: Route, result: unknown) => toAnswer(route, result, options.checksResults);
  const changes = new Changes({ ...options, present });
  const streams = new StreamLimit(options.streamLimit);
  const strictSurfaces = [...new Set(routes.map(({ surface }) => surface))].filter(({ admitsFirst }) => admitsFirst);

  const answer = async (ctx: Context): Promise<void> => {
    const client = readClient(ctx.req, options.trustedProxies);
    const path = table.match(ctx.path);
    if (path.isOpen && path.routes.length > 0 && ctx.method === 'OPTIONS') {
      answerPreflight(ctx, path.routes);
      return options.countVisitor(client);
    }
    // Before anything can be refused: pages may read errors too.
    if (path.isOpen) ctx.set(corsHeaders);
    const now = options.clock();
    const admit = (wanted: Wanted) =>
      options.admit(ctx.req, wanted, now).catch((error: unknown) => {
        if (error instanceof Problem) countRefusal(options, client);
        throw error;
      });
    const strict = strictSurfaces.find((surface) => isOn(surface, ctx.path));
    const { route, params } = await findRoute(path, ctx.method, () => {
      options.countVisitor(client);
      return strict && admit({ auth: 'scim', scope: null, method: ctx.method });
    });
    ctx.state.route = route.path;
    const isPublic = route.auth === 'public';
    // What is not for every site is neither kept nor taken into the pages of another.
    if (!isPublic) ctx.set({ 'Cache-Control': 'no-store', 'Cross-Origin-Resource-Policy': 'same-origin' });
    // An open route with limits of its own counts by address itself.
    if ((isPublic || route.auth === 'anonymous') && route.limits === undefined) options.countVisitor(client);
    const admission = await admit(route);
    const principal = admission?.principal ?? null;
    if (route.surface.isVersioned)
      ctx.set('Svc-Version', resolveVersion(header(ctx, 'svc-version'), principal?.apiVersion ?? latestVersion));
    const counted: LimitRule[] = [];
    const takeLimits = (rules: readonly LimitRule[]) => {
      const more = rules.filter(({ bucket }) => counted.every((rule) => rule.bucket !== bucket));
      limiter.take(more, counted);
      counted.push(...more);
    };
    try {
      takeLimits([...(admission?.limits ?? []), ...(route.limits?.({ params, client }) ?? [])]);
      const key = principal && route.idempotencyKey !== 'none' ? header(ctx, 'idempotency-key') : undefined;
      const idempotencyKey = readIdempotencyKey(key, route.idempotencyKey === 'required');
      const body = hasBody(ctx.req) && route.method !== 'GET' ? await route.surface.readBody(ctx.req) : null;
      const validate = validators.get(route) as ReturnType<typeof createValidator>;
      const parts = validate({ params, querystring: ctx.querystring, body: body?.value });
      const claim =
        principal === null || idempotencyKey === null
          ? null
          : claimOf(route, principal, idempotencyKey, ctx.url, body?.bytes ?? Buffer.alloc(0));
      const takeLimit = (rule: LimitRule) => takeLimits([rule]);
      const call: AnyCall = { ...parts, client, principal, now, takeLimit };
      if (route.isStreamed && principal !== null) streams.take(principal.tenantId, ctx.res);
      const run = async () => {
        if (route.handle === undefined) return changes.run(route, call, claim);
        const result = await route.handle(call);
        return result instanceof StreamedAnswer ? result : present(route, result);
      };
      send(ctx, route, await runningKeys.hold(claim, run));
    } finally {
      if (counted.length > 0) ctx.set(limiter.describe(counted));
    }
  };
  return {
    middleware: (ctx, next) => (table.covers(ctx.path) ? answer(ctx) : next()),
    drain: () => changes.drain(),
  };
}

function send(ctx: Context, { surface, answerType }: Route, answer: ReadyAnswer | StreamedAnswer): void {
  const { status, headers } = answer;
  ctx.status = status;
  if (status !== 204) ctx.set('Content-Type', answerType ?? surface.answerType);
  ctx.set(headers as Record<string, string | string[]>);
  if (answer instanceof StreamedAnswer) ctx.body = Readable.from(answer.lines);
  else if (headers.ETag !== undefined && ctx.fresh) ctx.status = 304;
  else if (status !== 204) ctx.body = answer.body;
}

/** Limits how often a client may be rejected, whatever it tries: credentials cannot be guessed. */
function countRefusal({ limiter, refusalLimit }: RouterOptions, client: Client): void {
  limiter.take([{ policy: 'refused', bucket: `refused ${clientBucket(client)}`, limit: refusalLimit }]);
}

/** Finds the route. Where callers must be known first, others learn nothing about paths and methods. */
async function findRoute(path: PathMatch, method: string, admit: () => unknown): Promise<RouteMatch> {
  try {
    return pickRoute(path, method);
  } catch (error) {
    await admit();
    throw error;
  }
}

/** The answer of a result. @param checks whether the body is checked against the schema of the route. */
function toAnswer(route: Route, result: unknown, checks: boolean): ReadyAnswer {
  const { surface, isBare, status } = route;
  const write = () => (isBare === true ? JSON.stringify(result) : surface.present(result));
  const answer = result instanceof ReadyAnswer ? result : new ReadyAnswer(status, status === 204 ? '' : write());
  if (checks) checkAnswer(route, answer);
  return answer;
}

/** Compares what is sent with what the documentation says. */
function checkAnswer({ surface, isBare, result }: Route, { status, body }: ReadyAnswer): void {
  if (status === 204) return;
  const sent = JSON.parse(String(body));
  result.parse(surface === rest && isBare !== true ? sent.data : sent);
}

/** Answers the CORS preflight of a path that pages of every site may call; clients of other paths send none. */
function answerPreflight(ctx: Context, routes: readonly Route[]): void {
  ctx.set(preflightHeaders(routes.filter(({ auth }) => auth === 'public').map(({ method }) => method)));
  ctx.status = 204;
}

function header(ctx: Context, name: string): string | undefined {
  const value = ctx.req.headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}
