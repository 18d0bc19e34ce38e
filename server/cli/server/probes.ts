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
  let obstacle: Promise<Obstacle | null> | undefined;
  /** One check at a time, whose result is good for a moment. */
  const findObstacle = (): Promise<Obstacle | null> => {
    if (obstacle === undefined) {
      const check = checkDatabase(database);
      obstacle = check;
      void check.then(() => setTimeout(() => (obstacle = undefined), freshMilliseconds).unref());
    }
    return obstacle;
  };
  return async (ctx, next) => {
    if (ctx.req.url !== '/healthz' && ctx.req.url !== '/readyz') return next();
    const found = ctx.req.url === '/healthz' ? null : closing?.aborted ? 'stopping' : await findObstacle();
    ctx.set('Cache-Control', 'no-store');
    ctx.set('X-Content-Type-Options', 'nosniff');
    ctx.status = found === null ? 200 : 503;
    ctx.body = found === null ? { status: 'ok' } : { status: 'unavailable', reason: found };
  };
}

async function checkDatabase(database: Database): Promise<Obstacle | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'database'>((resolve) => {
    timer = setTimeout(resolve, patienceMilliseconds, 'database');
  });
  const answered = hasSchema(database.kysely).then(
    (isCurrent) => (isCurrent ? null : 'schema'),
    () => 'database' as const,
  );
  return Promise.race([answered, late]).finally(() => clearTimeout(timer));
}
