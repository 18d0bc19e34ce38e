import { setTimeout as wait } from 'node:timers/promises';
import type { Middleware } from 'koa';
import type { Database } from '../../storage/database.ts';
import { hasSchema } from '../../storage/migrate.ts';

/** Why a server takes no requests at the moment. */
type Obstacle = 'stopping' | 'database' | 'schema';

/** How long the database may take to answer. */
const patienceMilliseconds = 1000;
/** How long an answer is good for: probes are counted by no limit, and many must not load the database. */
const freshMilliseconds = 500;

/**
 * Answers the probes of a supervisor, without credentials, limits and log lines: `/healthz` while the process runs,
 * `/readyz` while it can serve requests (the database answers within a second, its schema is the one of this version, and
 * the server is not stopping), else 503 with the reason.
 */
export function answerProbes(database: Database, closing?: AbortSignal): Middleware {
  const findObstacle = askRarely<Obstacle | null>(() => askDatabase(database), {
    patience: patienceMilliseconds,
    fresh: freshMilliseconds,
    otherwise: 'database',
  });
  return async (ctx, next) => {
    const isProbe = ctx.req.url === '/healthz' || ctx.req.url === '/readyz';
    if (!isProbe || (ctx.method !== 'GET' && ctx.method !== 'HEAD')) return next();
    const found = ctx.req.url === '/healthz' ? null : closing?.aborted ? 'stopping' : await findObstacle();
    ctx.set('Cache-Control', 'no-store');
    ctx.set('X-Content-Type-Options', 'nosniff');
    if (closing?.aborted) ctx.set('Connection', 'close');
    ctx.status = found === null ? 200 : 503;
    ctx.body = found === null ? { status: 'ok' } : { status: 'unavailable', reason: found };
  };
}

/**
 * Limits how often a question is asked, and how long its answer is waited for: one at a time, however long it takes, whose
 * answer is good for a moment.
 * @param otherwise the answer to a question that takes longer than `patience`, in milliseconds.
 */
export function askRarely<Answer>(
  ask: () => Promise<Answer>,
  { patience, fresh, otherwise }: { readonly patience: number; readonly fresh: number; readonly otherwise: Answer },
): () => Promise<Answer> {
  let current: Promise<Answer> | undefined;
  return () => {
    if (current !== undefined) return current;
    const answered = ask();
    void answered.then(() => setTimeout(() => (current = undefined), fresh).unref());
    current = Promise.race([answered, wait(patience, otherwise, { ref: false })]);
    return current;
  };
}

async function askDatabase({ kysely }: Database): Promise<Obstacle | null> {
  try {
    return (await hasSchema(kysely)) ? null : 'schema';
  } catch {
    return 'database';
  }
}
