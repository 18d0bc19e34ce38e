import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import type { Context, Middleware } from 'koa';
import type { FaultLog } from '../storage/fault-log.ts';
import { requireClearHeaders } from './client.ts';
import { notFound, Problem } from './problem.ts';
import { isOn, rest, type Surface } from './surface.ts';

/**
 * Gives every request its id and turns whatever is thrown into the error envelope; nothing else answers with errors.
 * @param surfaces whose errors look other than those of the REST API.
 * @param isClosing whether the server is stopping; clients are then asked to use another connection.
 */
export function answerRequests(
  faults: Pick<FaultLog, 'log' | 'logRequest'>,
  isClosing: () => boolean,
  surfaces: readonly Surface[],
): Middleware {
  const { log } = faults;
  return async (ctx, next) => {
    const requestId = randomUUID();
    ctx.set('Svc-Request-Id', requestId);
    ctx.set('X-Content-Type-Options', 'nosniff');
    try {
      requireClearHeaders(ctx.req);
      if (!hasPath(ctx)) throw notFound('path');
      await next();
      // What is sent while it is made may fail when the answer has begun: then it breaks off.
      if (ctx.body instanceof Readable) ctx.body.once('error', (error) => hideFailure(faults, requestId, error));
    } catch (error) {
      const problem = error instanceof Problem ? error : hideFailure(faults, requestId, error);
      const path = hasPath(ctx) ? ctx.path : '';
      answerProblem(ctx, requestId, problem, surfaces.find((surface) => isOn(surface, path)) ?? rest);
    }
    if (isClosing()) ctx.set('Connection', 'close');
    if (log.isLevelEnabled('debug')) {
      // Only the pattern of the route: a path may name a person.
      log.debug({ requestId, method: ctx.method, route: ctx.state.route, status: ctx.status }, 'request');
    }
  };
}

/** Whether the target can be read, which http://[ cannot (a whole URL is allowed, RFC 9112). */
function hasPath(ctx: Context): boolean {
  try {
    return ctx.path !== undefined;
  } catch {
    return false;
  }
}

/** Failures are logged; the client gets a generic error. */
function hideFailure(faults: Pick<FaultLog, 'logRequest'>, requestId: string, error: unknown): Problem {
  if (!faults.logRequest(error, requestId))
    return new Problem('internal_error', 'An unexpected error occurred. If it happens again, report the request id.');
  // Most outages are over within seconds: a restart, a failover, the lock of a backup.
  return new Problem('unavailable', 'The database cannot be used at the moment. Try again in a few seconds.', {
    headers: { 'Retry-After': '5' },
  });
}

function answerProblem(ctx: Context, requestId: string, problem: Problem, surface: Surface): void {
  const { status, body } = surface.presentProblem(problem, requestId);
  ctx.status = status;
  // Errors are not cached: what is missing now may exist the next time.
  ctx.set('Cache-Control', 'no-store');
  if (problem.options.headers) ctx.set(problem.options.headers);
  ctx.type = surface.answerType;
  ctx.body = JSON.stringify(body);
}
