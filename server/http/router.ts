import type { IncomingMessage } from 'node:http';
import KoaRouter from '@koa/router';
import type { Context, Middleware } from 'koa';
import type { Clock } from '../storage/clock.ts';
import type { Database } from '../storage/database.ts';
import type { ReadReplica } from '../storage/read-replica.ts';
import { type RowSeal, requireSeal, type SecretBox } from '../storage/secrets.ts';
import { corsHeaders, isOn, latestVersion, ReadyAnswer, resolveVersion, rest } from './answer.ts';
import { sendTag } from './entity-tag.ts';
import { Changes } from './group-commit.ts';
import { claimOf, type IdempotencyClaim, readIdempotencyKey } from './idempotency.ts';
import type { Actor, AuditSource, Principal } from './principal.ts';
import { notFound, Problem, refuseMethod } from './problem.ts';
import { ConcurrencyLimit, type LimitRule, type RateLimiter, RequestLimits } from './rate-limit.ts';
import { type Client, createValidator, findUnstorable, hasBody, limitAddress, readClient } from './request.ts';
import type { AnyCall, PrincipalCall, Route } from './route.ts';
import { readTraceContext } from './trace-context.ts';

/** The caller of a request, and the limits that their requests count against. */
export interface Caller {
  readonly principal: Principal;
  readonly limits: readonly LimitRule[];
}

/** The properties of an operation that its requests are authenticated and authorized by. */
export type Operation = Pick<Route, 'auth' | 'scope'> & { readonly method: string };

/**
 * Authenticates the caller and checks that they may call the operation; null for an operation that needs no credentials.
 * @throws {Problem} `unauthenticated`, `forbidden`, `tenant_not_allowed` or `insufficient_scope`.
 */
export type Authenticate = (request: IncomingMessage, operation: Operation, now: string) => Promise<Caller | null>;

export interface RouterOptions {
  readonly database: Database;
  /** The standby that answers routes with `reads: 'replica'`; null without one. */
  readonly replica: ReadReplica | null;
  readonly clock: Clock;
  readonly limiter: RateLimiter;
  readonly trustedProxies: number;
  /** See `readClient`. */
  readonly regionHeaders: readonly string[];
  readonly authenticate: Authenticate;
  /** An actor at a client, for the audit log of any tenant. */
  sourceOf(actor: Actor, client: Client): (tenantId: string) => AuditSource;
  /** Seals the answers that are kept for retries and hold a secret. */
  readonly box: SecretBox;
  /** The seals of former secrets, which recognize requests that are sent again after a rotation. */
  readonly former: readonly { readonly seal: RowSeal }[];
  /** Requests a minute that may be refused for each client address. */
  readonly refusalLimit: number;
  /** Streamed answers at once for each tenant. */
  readonly streamLimit: number;
  /** Counts a request that needs no credentials. @throws {Problem} `rate_limited`. */
  countVisitor(client: Client): void;
  /** Checks every result against its schema; for tests. */
  readonly checksResults: boolean;
}

/**
 * Request pipeline: authenticate, authorize, rate-limit, replay, validate, handle. Rejections are thrown as Problems.
 * `drain` resolves when every change taken so far is written.
 */
export function createRouter(routes: readonly Route[], options: RouterOptions) {
  const table = new RouteTable(routes);
  const { limiter, trustedProxies, regionHeaders, countVisitor } = options;
  const validators = new Map(
    routes.map((route) => [
      route,
      // An upload is read after everything else was found valid.
      createValidator(route.receive ? { ...route, body: null } : route, route.surface.bodyTypes[0] as string),
    ]),
  );
  const changes = new Changes({
    ...options,
    present: (route, result) => present(route, result, options.checksResults),
  });
  const streams = new ConcurrencyLimit(options.streamLimit, 'exports, uploads and downloads');
  const strictSurfaces = [...new Set(routes.map(({ surface }) => surface))].filter(
    ({ authenticatesFirst }) => authenticatesFirst,
  );

  const authenticate = async (request: IncomingMessage, operation: Operation, client: Client, now: string) => {
    try {
      return await options.authenticate(request, operation, now);
    } catch (error) {
      // Limits how often a client may be rejected, whatever it tries: credentials cannot be guessed.
      if (error instanceof Problem)
        limiter.take(limitAddress(client, { policy: 'refused', limit: options.refusalLimit }));
      throw error;
    }
  };

  /** Where callers must be known first, others learn nothing about paths and methods. */
  const rejectPath = async ({ req, path, method }: Context, problem: unknown, client: Client, now: string) => {
    countVisitor(client);
    if (strictSurfaces.some((surface) => isOn(surface, path)))
      await authenticate(req, { auth: 'scim', scope: null, method }, client, now);
    throw problem;
  };

  const readCall = async (ctx: Context, { route, params }: RouteMatch, principal: Principal | null) => {
    // A header that comes twice was refused before, so this one is no list.
    const header = ctx.req.headers['idempotency-key'] as string | undefined;
    const accepted = principal !== null && route.idempotencyKey !== 'none';
    const key = accepted ? readIdempotencyKey(header, route.idempotencyKey === 'required') : null;
    const isRead = hasBody(ctx.req) && route.method !== 'GET' && route.receive === undefined;
    const body = isRead ? await route.surface.readBody(ctx.req) : null;
    const validate = validators.get(route) as ReturnType<typeof createValidator>;
    const parts = validate({ params, query: ctx.querystring, body: body?.value });
    const claimFor = (bytes: Buffer = Buffer.alloc(0)) =>
      principal === null || key === null
        ? null
        : claimOf(route, principal, key, ctx.req, bytes, requireSeal(options.database), options.former);
    return { parts, claim: claimFor(body?.bytes), claimFor };
  };

  /** Takes in an upload, and runs its call with what arrived. */
  const runUpload = async (
    ctx: Context,
    { route, receive }: { readonly route: Route; readonly receive: NonNullable<Route['receive']> },
    call: AnyCall & PrincipalCall,
    claimFor: (bytes: Buffer) => IdempotencyClaim | null,
  ) => {
    streams.take(call.principal.tenantId, ctx.res);
    const upload = await receive(call, ctx.req);
    try {
      return await changes.run(route, { ...call, body: upload.value }, claimFor(upload.bytes));
    } finally {
      // If this fails, housekeeping deletes the upload.
      await upload.discard().catch(() => undefined);
    }
  };

  /** Runs a call, on the standby where its route allows it. A caller without an account makes no changes that it could miss. */
  const runCall = (ctx: Context, route: Route, call: AnyCall, claim: IdempotencyClaim | null) => {
    const { replica } = options;
    if (route.reads !== 'replica' || replica === null || call.principal === null)
      return changes.run(route, call, claim);
    const isStreamed = route.isStreamed === true;
    return replica.read(call.principal.credential.id, isStreamed, (queries, hold) => {
      if (isStreamed) hold(untilClosed(ctx));
      return changes.run(route, { ...call, queries }, claim);
    });
  };

  const answer = async (ctx: Context, path: PathMatch): Promise<void> => {
    const client = readClient(ctx.req, trustedProxies, regionHeaders);
    if (path.isOpen) {
      if (ctx.method === 'OPTIONS' && path.routes.length > 0) {
        answerPreflight(ctx, path.routes);
        return countVisitor(client);
      }
      // Before anything can be refused: pages may read errors too.
      ctx.set(corsHeaders);
    }
    const now = options.clock();
    const match = pickRoute(path, ctx.method);
    if (match instanceof Problem) return rejectPath(ctx, match, client, now);
    const { route, params } = match;
    ctx.state.route = route.path;
    ctx.state.holdsSecret = route.showsSecret === true || route.auth === 'session' || route.auth === 'anonymous';
    const isPublic = route.auth === 'public';
    // Private responses: no caching, no cross-origin embedding.
    if (!isPublic) ctx.set({ 'Cache-Control': 'no-store', 'Cross-Origin-Resource-Policy': 'same-origin' });
    // An open route with its own limits counts by address itself.
    if ((isPublic || route.auth === 'anonymous') && route.limits === undefined) countVisitor(client);
    const caller = isPublic ? null : await authenticate(ctx.req, route, client, now);
    const principal = caller?.principal ?? null;
    ctx.state.principal = principal;
    if (route.surface.isVersioned) {
      const wanted = ctx.req.headers['svc-version'] as string | undefined;
      ctx.set('Svc-Version', resolveVersion(wanted, principal?.apiVersion ?? latestVersion));
    }
    const limits = new RequestLimits(limiter);
    try {
      limits.take([...(caller?.limits ?? []), ...(route.limits?.({ params, client }) ?? [])]);
      const { parts, claim, claimFor } = await readCall(ctx, match, principal);
      // A visitor must not choose what receivers of webhooks trace.
      const header = principal === null ? undefined : ctx.req.headers.traceparent;
      const traceParent = (header && readTraceContext(header)?.traceParent) || null;
      // Called late: most requests record nothing.
      const source =
        principal &&
        ((tenantId = principal.tenantId) => ({ ...options.sourceOf(principal.actor, client)(tenantId), traceParent }));
      const takeLimit = (rule: LimitRule) => limits.take([rule]);
      const ifMatch = ctx.req.headers['if-match'];
      const queries = options.database.kysely;
      const call: AnyCall = { ...parts, client, ifMatch, principal, source, traceParent, now, takeLimit, queries };
      if (route.isStreamed && principal !== null) streams.take(principal.tenantId, ctx.res);
      const { receive } = route;
      const answered =
        receive !== undefined && principal !== null && source !== null
          ? runUpload(ctx, { route, receive }, { ...call, principal, source }, claimFor)
          : runCall(ctx, route, call, claim);
      const result = await answered;
      if (route.method !== 'GET' && principal !== null) await options.replica?.noteWrite(principal.credential.id);
      send(ctx, route, result);
    } finally {
      ctx.set(limits.describe());
    }
  };

  const middleware: Middleware = (ctx, next) => {
    const path = table.match(ctx.path);
    return path === null ? next() : answer(ctx, path);
  };
  return { middleware, drain: () => changes.drain() };
}

/** Resolves when an answer was sent, or its connection is closed: one that waits behind another gets no separate close. */
function untilClosed({ res, req: { socket } }: Context): Promise<void> {
  return new Promise((resolve) => {
    res.once('close', resolve);
    socket.once('close', resolve);
    if (socket.destroyed) resolve();
  });
}

function send(ctx: Context, { surface, answerType, auth }: Route, { status, headers, body }: ReadyAnswer): void {
  ctx.status = status;
  if (status !== 204) ctx.set('Content-Type', answerType ?? surface.answerType);
  ctx.set(headers as Record<string, string | string[]>);
  // Behind credentials an ETag is that of what may be edited; the rest of the body changes without it.
  const isNews = auth !== 'public' || headers.ETag === undefined || sendTag(ctx, headers.ETag as string);
  if (isNews && status !== 204) ctx.body = body;
}

/** The answer of a result. @param checks checks the body against the schema of the route. */
function present(route: Route, result: unknown, checks: boolean): ReadyAnswer {
  const { surface, isBare, status } = route;
  const write = () => (isBare === true ? JSON.stringify(result) : surface.present(result));
  const answer = result instanceof ReadyAnswer ? result : new ReadyAnswer(status, status === 204 ? '' : write());
  if (checks && answer.status !== 204 && route.isStreamed !== true) {
    const sent = JSON.parse(String(answer.body));
    route.result.parse(surface === rest && isBare !== true ? sent.data : sent);
  }
  return answer;
}

/** Answers the CORS preflight of a path that pages of every site may call; clients of other paths send none. */
function answerPreflight(ctx: Context, routes: readonly Route[]): void {
  ctx.set({
    'Access-Control-Allow-Origin': '*',
    'Access-Control-Allow-Methods': routes.flatMap((route) => (isOpen(route) ? [route.method] : [])).join(', '),
    'Access-Control-Allow-Headers': 'Content-Type, Svc-Version',
    // Browsers keep it for as long as they keep any.
    'Access-Control-Max-Age': '86400',
  });
  ctx.status = 204;
}

/** A path of the API with the routes that it has, by method. */
interface RoutePath {
  readonly routes: readonly Route[];
  /** True if pages of every site may read its answers, errors included. */
  readonly isOpen: boolean;
}

/** A path that a request names, with the text of its parameters; without routes where there is no such path. */
interface PathMatch extends RoutePath {
  readonly params: readonly (readonly [name: string, text: string])[];
}

/** A route with the path parameters of one request. */
interface RouteMatch {
  readonly route: Route;
  readonly params: Readonly<Record<string, string>>;
}

/**
 * Finds routes by method and path. Patterns are @koa/router's; the table is split by the first two segments of the
 * path, so that a request is only compared with the paths of the same feature.
 */
export class RouteTable {
  readonly #areas = new Map<string, { readonly router: KoaRouter; readonly isOpen: boolean }>();
  readonly #paths = new Map<unknown, RoutePath>();

  constructor(routes: readonly Route[]) {
    for (const [name, ofArea] of Map.groupBy(routes, ({ path }) => firstSegments(path))) {
      const router = new KoaRouter({ strict: true, sensitive: true });
      this.#areas.set(name, { router, isOpen: ofArea.some(isOpen) });
      const paths = [...Map.groupBy(ofArea, ({ path }) => path)];
      // `{` sorts behind every letter, so a literal segment wins: /v1/consent/subjects/versions names a subject.
      for (const [path, ofPath] of paths.sort(([one], [other]) => (one < other ? -1 : 1))) {
        const layer = router.register(path.replace(/\{(\w+)\}/g, ':$1'), ['GET'], () => undefined);
        this.#paths.set(layer, { routes: ofPath, isOpen: ofPath.some(isOpen) });
      }
    }
  }

  /** A literal segment wins over a parameter, whatever its methods. @returns null for a path outside of all features. */
  match(path: string): PathMatch | null {
    const area = this.#areas.get(firstSegments(path));
    if (area === undefined) return null;
    const [layer] = area.router.match(path, 'GET').path;
    if (layer === undefined) return { routes: [], params: [], isOpen: area.isOpen };
    const values = layer.captures(path);
    const params = layer.paramNames.map(({ name }, index) => [String(name), values[index] as string] as const);
    return { ...(this.#paths.get(layer) as RoutePath), params };
  }
}

function isOpen({ auth }: Route): boolean {
  return auth === 'public';
}

/** The longest name of anything that a path can name is that of a data subject, with 256 characters. */
const longestParameter = 512;

/**
 * The route of a path for a method, where HEAD finds the GET route; or the problem: `not_found`, or `method_not_allowed`
 * with the Allow header when the path has other methods.
 */
function pickRoute({ routes, params }: PathMatch, method: string): RouteMatch | Problem {
  const wanted = method === 'HEAD' ? 'GET' : method;
  const route = routes.find((one) => one.method === wanted);
  if (route === undefined) {
    const methods = routes.flatMap((one) => (one.method === 'GET' ? ['GET', 'HEAD'] : [one.method]));
    return routes.length === 0 ? notFound('path') : refuseMethod(methods.sort());
  }
  const decoded: Record<string, string> = {};
  for (const [name, text] of params) {
    const value = decodeSegment(text);
    if (value === null) return notFound('path');
    decoded[name] = value;
  }
  return { route, params: decoded };
}

/** Null for text that cannot be a name: too long, invalid percent-encoding, NUL. */
function decodeSegment(text: string): string | null {
  try {
    const value = decodeURIComponent(text);
    return value.length <= longestParameter && findUnstorable(value) === null ? value : null;
  } catch {
    return null;
  }
}

/** `/v1/consent/0190…/records` → `/v1/consent`. */
function firstSegments(path: string): string {
  const end = path.indexOf('/', path.indexOf('/', 1) + 1);
  return end === -1 ? path : path.slice(0, end);
}
