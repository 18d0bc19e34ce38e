import { randomUUID } from 'node:crypto';
import type { Context, Middleware } from 'koa';
import type { Logger } from 'pino';
import { notFound, Problem } from './problem.ts';

/** Gives every request its id and turns whatever is thrown into the error envelope; nothing else answers with errors. */
export function answerRequests(log: Logger): Middleware {
  return async (ctx, next) => {
    const requestId = randomUUID();
    ctx.set('Svc-Request-Id', requestId);
    ctx.set('X-Content-Type-Options', 'nosniff');
    const path = readPath(ctx);
    try {
      if (path === null) throw notFound('path');
      await next();
    } catch (error) {
      answerProblem(ctx, requestId, error instanceof Problem ? error : hideFailure(log, requestId, error));
    }
    if (log.isLevelEnabled('debug')) {
      log.debug({ requestId, method: ctx.method, path, status: ctx.status }, 'request');
    }
  };
}

/** The path of the target; null for one that cannot be read, such as http://[ (a whole URL is allowed, RFC 9112). */
function readPath(ctx: Context): string | null {
  try {
    return ctx.path;
  } catch {
    return null;
  }
}

/** What nobody expected is told to the log alone. */
function hideFailure(log: Logger, requestId: string, error: unknown): Problem {
  log.error({ requestId, err: error }, 'request failed');
  return new Problem('internal_error', 'The server failed. If it happens again, report the request id.');
}

function answerProblem(ctx: Context, requestId: string, problem: Problem): void {
  ctx.status = problem.status;
  if (problem.options.headers) ctx.set(problem.options.headers);
  ctx.type = 'application/json; charset=utf-8';
  ctx.body = JSON.stringify(problem.toEnvelope(requestId));
}
