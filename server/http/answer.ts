import type { Context, Middleware } from 'koa';
import type { Logger } from 'pino';
import { newId } from '../ids.ts';
import { Problem } from './problem.ts';

/** Gives every request its id and turns whatever is thrown into the error envelope; nothing else answers with errors. */
export function answerRequests(log: Logger): Middleware {
  return async (ctx, next) => {
    const requestId = newId();
    ctx.set('Svc-Request-Id', requestId);
    ctx.set('X-Content-Type-Options', 'nosniff');
    try {
      await next();
    } catch (error) {
      answerProblem(ctx, requestId, error instanceof Problem ? error : hideFailure(log, requestId, error));
    }
    if (log.isLevelEnabled('debug')) {
      log.debug({ requestId, method: ctx.method, path: ctx.path, status: ctx.status }, 'request');
    }
  };
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
