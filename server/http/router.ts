import type { Context, Middleware } from 'koa';
import type { z } from 'zod';
import { authenticate, requireScope } from '../access/authenticate.ts';
import type { Clock } from '../clock.ts';
import type { Database } from '../storage/database.ts';
import { runUnitOfWork } from '../storage/unit-of-work.ts';
import { hasBody, readJsonBody } from './body.ts';
import { readClient } from './client.ts';
import { corsHeaders, preflightHeaders } from './cors.ts';
import {
  claimKey,
  fingerprintRequest,
  type IdempotencyClaim,
  RunningKeys,
  readIdempotencyKey,
  storeAnswer,
} from './idempotency.ts';
import { Problem } from './problem.ts';
import type { RateLimiter } from './rate-limit.ts';
import { envelope, type PrincipalCall, ReadyAnswer, type Route, replay } from './route.ts';
import { RouteTable } from './route-table.ts';
import { createValidator } from './validate.ts';
import { latestVersion, resolveVersion } from './versions.ts';

export interface RouterOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly limiter: RateLimiter;
  readonly trustedProxies: number;
  /** Requests a minute for each API key. */
  readonly apiKeyLimit: number;
  /** Finds the id of the tenant that a Svc-Tenant header names; undefined when there is none. */
  readonly findTenantId: (idOrSlug: string) => Promise<string | undefined>;
  /** Whether every result is checked against its schema: for tests. */
  readonly checksResults: boolean;
}

/** The most bytes of a body under /v1 (contract.md "Headers"). */
const bodyLimit = 64 * 1024;

/**
 * The one way of a request: who, may they, how often, again, what, then the handler.
 * Anything that is refused on the way is thrown as a Problem.
 */
export function routeRequests(routes: readonly Route[], options: RouterOptions): Middleware {
  const table = new RouteTable(routes);
  const validators = new Map(routes.map((route) => [route, createValidator(route)]));
  const runningKeys = new RunningKeys();

  const answer = async (ctx: Context): Promise<void> => {
    if (ctx.method === 'OPTIONS' && answerPreflight(ctx, table)) return;
    // Before anything can be refused: the page of a visitor may read errors too.
    if (ctx.path.startsWith('/v1/public/')) ctx.set(corsHeaders);
    const { route, params } = table.find(ctx.method, ctx.path);
    ctx.state.route = route.path;
    const client = readClient(ctx.req, options.trustedProxies);
    const admitted = route.scope === null ? null : await admit(ctx, route, options);
    const principal = admitted?.principal ?? null;
    ctx.set('Svc-Version', resolveVersion(header(ctx, 'svc-version'), principal?.apiVersion ?? latestVersion));
    const limits = route.limits?.({ params, client }) ?? [];
    if (limits.length > 0) ctx.set(options.limiter.take(limits));

    const key = principal && route.idempotencyKey !== 'none' ? header(ctx, 'idempotency-key') : undefined;
    const idempotencyKey = readIdempotencyKey(key, route.idempotencyKey === 'required');
    const body = hasBody(ctx.req) && route.method !== 'GET' ? await readJsonBody(ctx.req, bodyLimit) : null;
    const validate = validators.get(route) as ReturnType<typeof createValidator>;
    const parts = validate({ params, querystring: ctx.querystring, body: body?.value });
    const idempotency: IdempotencyClaim | null =
      principal === null || idempotencyKey === null
        ? null
        : {
            tenantId: principal.tenantId,
            key: idempotencyKey,
            fingerprint: fingerprintRequest(route.method, ctx.url, body?.bytes ?? Buffer.alloc(0)),
          };
    const call = { ...parts, client, idempotency, ...admitted } as PrincipalCall;
    const { status, headers, body: text } = await runningKeys.hold(idempotency, () => run(route, call, options));
    ctx.status = status;
    ctx.set('Content-Type', 'application/json; charset=utf-8');
    ctx.set(headers);
    if (headers.ETag !== undefined && ctx.fresh) ctx.status = 304;
    else ctx.body = text;
  };
  return (ctx, next) => (table.covers(ctx.path) ? answer(ctx) : next());
}

async function run(route: Route, call: PrincipalCall, options: RouterOptions): Promise<ReadyAnswer> {
  const { change, handle } = route;
  if (handle !== null) return prepare(route, await handle(call), options);
  if (change === null) throw new Error(`${route.operationId} has no handler`);
  return runUnitOfWork(options.database, call.now, async (work) => {
    const { idempotency } = call;
    const earlier = idempotency && (await claimKey(work.transaction, idempotency, call.now));
    if (earlier !== null) return replay(earlier);
    const answer = prepare(route, await change(call, work), options);
    if (idempotency !== null)
      await storeAnswer(work.transaction, idempotency, { status: answer.status, body: answer.body });
    return answer;
  });
}

function prepare(route: Route, result: unknown, options: RouterOptions): ReadyAnswer {
  if (options.checksResults) checkResult(route.result, result);
  return result instanceof ReadyAnswer ? result : new ReadyAnswer(route.status, envelope(result));
}

function checkResult(schema: z.ZodType, result: unknown): void {
  schema.parse(result instanceof ReadyAnswer ? (JSON.parse(result.body) as { data: unknown }).data : result);
}

/** Recognises the caller, checks tenant and scope, and counts the request. */
async function admit(
  ctx: Context,
  route: Route,
  options: RouterOptions,
): Promise<Pick<PrincipalCall, 'principal' | 'now'>> {
  const now = options.clock();
  ctx.set('Cache-Control', 'no-store');
  const principal = await authenticate(options.database, header(ctx, 'authorization'), now);
  const tenant = header(ctx, 'svc-tenant');
  if (tenant !== undefined && (await options.findTenantId(tenant)) !== principal.tenantId) {
    throw new Problem('tenant_not_allowed', 'This key may not act for the tenant that Svc-Tenant names.');
  }
  if (route.scope !== null) requireScope(principal, route.scope);
  const apiKeyId = principal.actor.id ?? principal.tenantId;
  ctx.set(options.limiter.take([{ policy: 'api_key', bucket: `key ${apiKeyId}`, limit: options.apiKeyLimit }]));
  return { principal, now };
}

/** Answers the CORS preflight of a public path; other paths are for servers, which send none. */
function answerPreflight(ctx: Context, table: RouteTable): boolean {
  const open = table.at(ctx.path).filter((route) => route.scope === null);
  if (open.length === 0) return false;
  ctx.set(preflightHeaders(open.map((route) => route.method)));
  ctx.status = 204;
  return true;
}

function header(ctx: Context, name: string): string | undefined {
  const value = ctx.req.headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}
