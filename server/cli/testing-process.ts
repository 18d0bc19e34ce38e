/** The process of `createTestServer`: controlled over IPC, without the settings of the environment, imported by nothing. */
import { randomUUID } from 'node:crypto';
import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Context, Middleware, Next } from 'koa';
import { createApiKey } from '../accounts/keys/api-key-store.ts';
import { rotateScimToken } from '../accounts/keys/scim-token.ts';
import { createTenant } from '../accounts/tenants/store.ts';
import { createNotice, publishNotice } from '../consent/notice-changes.ts';
import { rest, type Surface } from '../http/answer.ts';
import { Problem, type ProblemCode, problemKinds } from '../http/problem.ts';
import { RateLimiter } from '../http/rate-limit.ts';
import { scopes } from '../http/roles.ts';
import type { Route } from '../http/route.ts';
import { RouteTable } from '../http/router.ts';
import { databaseFile, openInstallation } from '../installation/installation.ts';
import { systemSource } from '../ledger/audit/store.ts';
import { readSettings } from '../settings.ts';
import { demoNotice } from '../site/demo/seed.ts';
import { runTransaction } from '../storage/database.ts';
import { createLog, startServer } from './server/start-server.ts';
import type { Fault, RecordedRequest, TestTenant } from './testing.ts';

const folder = mkdtempSync(join(tmpdir(), 'svc-test-server-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => process.exit());

const limits = ['API_KEY', 'TENANT', 'VISITOR', 'CAPTURE_NOTICE', 'CAPTURE_CLIENT', 'SIGN_IN', 'SCIM'];
const settings = readSettings({
  ...Object.fromEntries(limits.map((name) => [`SVC_LIMIT_${name}`, '1000000'])),
  SVC_LOG_LEVEL: 'error',
  SVC_WEBHOOK_ALLOW_PRIVATE: 'true',
  ...JSON.parse(process.argv[2] ?? '{}'),
  HOST: '127.0.0.1',
  PORT: '0',
  SVC_DATA_DIR: folder,
  DATABASE_URL: undefined,
});

let setTo: number | null = null;
let ahead = 0;
const milliseconds = () => (setTo ?? Date.now()) + ahead;
const clock = () => new Date(milliseconds()).toISOString();

// Only the published package has a template; from the sources the database is migrated each time.
const template = join(import.meta.dirname, 'template.sqlite');
if (existsSync(template)) copyFileSync(template, databaseFile(folder));
const installation = await openInstallation(settings, clock);
const { database } = installation;

const received: ReturnType<typeof recordRequest>[] = [];
let faults: { readonly fault: Fault; left: number }[] = [];

const intercept: Middleware = async (ctx, next) => {
  const route = findRoute(ctx);
  const record = recordRequest(ctx, route);
  received.push(record);
  const met = faults.find(({ fault: { operation } }) => operation === undefined || namesOf(route).includes(operation));
  if (met !== undefined) met.left -= 1;
  faults = faults.filter(({ left }) => left > 0);
  await answer(met?.fault ?? {}, ctx, next, route?.surface ?? rest);
  record.status = ctx.respond === false ? null : ctx.status;
};
const limiter = new RateLimiter(milliseconds);
const { app, port } = await startServer(installation, { log: createLog(settings), limiter, intercept });
const routes = new RouteTable(app.routes);
let tenants = 0;

/** Commands that the process of the test may call. */
const commands = {
  setTime(time: string | null): string {
    setTo = time === null ? null : Date.parse(time);
    ahead = 0;
    return clock();
  },
  advanceTime(span: number): string {
    ahead += span;
    return clock();
  },
  createTenant(): Promise<TestTenant> {
    tenants += 1;
    const slug = `test-${tenants}`;
    return runTransaction(database, clock(), async (tx) => {
      const { id } = await createTenant(tx, { slug, name: slug });
      const source = systemSource(id);
      const wanted = { tenantId: id, name: 'Test', environment: 'test', scopes, expiresAt: null } as const;
      const { row, key: apiKey } = await createApiKey(tx, wanted);
      const { token: scimToken } = await rotateScimToken(tx, source);
      const { id: noticeId } = await createNotice(tx, source, demoNotice('https://example.com'));
      await publishNotice(tx, source, noticeId);
      return { id, slug, apiKey, clientId: row.id, scimToken, noticeId };
    });
  },
  addFault(fault: Fault): void {
    const { operation, status, times = 1 } = fault;
    if (operation !== undefined && !app.routes.some((route) => namesOf(route).includes(operation)))
      throw new Error(`The API has no operation ${operation}.`);
    if (status !== undefined && !(Number.isInteger(status) && status >= 400 && status <= 599))
      throw new Error(`${status} is no error status: 400 to 599.`);
    faults.push({ fault, left: times });
  },
  listFaults: (): readonly Fault[] => faults.map(({ fault, left }) => ({ ...fault, times: left })),
  listRequests: (): readonly RecordedRequest[] => received,
  reset(): void {
    received.length = 0;
    faults = [];
    commands.setTime(null);
  },
};
process.on('message', async ({ id, name, words }: { id: number; name: keyof typeof commands; words: never[] }) => {
  try {
    process.send?.({ id, result: await (commands[name] as (...words: never[]) => unknown)(...words) });
  } catch (error) {
    process.send?.({ id, error: (error as Error).message });
  }
});
process.on('disconnect', () => database.close().finally(() => process.exit()));
process.send?.({ id: 0, result: { baseUrl: `http://127.0.0.1:${port}`, tenant: await commands.createTenant() } });
// Kept for the next start: a process that is killed would not write it.
flushCompileCache();

function findRoute({ method, req }: Context): Route | null {
  const [path = ''] = (req.url ?? '').split('?', 1);
  const wanted = method === 'HEAD' ? 'GET' : method;
  return routes.match(path)?.routes.find((route) => route.method === wanted) ?? null;
}

function namesOf(route: Route | null): readonly string[] {
  return route === null ? [] : [route.operationId, `${route.method} ${route.path}`];
}

function recordRequest({ req, method }: Context, route: Route | null) {
  const { authorization: _authorization, cookie: _cookie, ...headers } = req.headers;
  const chunks: Buffer[] = [];
  // The bytes pass here however the server reads the body, if it does.
  const push = req.push.bind(req);
  req.push = (chunk: Buffer | null) => {
    if (chunk !== null) chunks.push(chunk);
    return push(chunk);
  };
  return {
    operation: route?.operationId ?? null,
    method,
    url: req.url ?? '',
    headers,
    status: null as number | null,
    // Read when the requests are sent to the test: then the body is there.
    get body() {
      return readBody(Buffer.concat(chunks).toString());
    },
  };
}

function readBody(text: string): unknown {
  try {
    return text === '' ? undefined : JSON.parse(text);
  } catch {
    return text;
  }
}

async function answer(fault: Fault, ctx: Context, next: Next, surface: Surface): Promise<void> {
  const { status, reset = false, delay = 0, isProcessed = false, retryAfter } = fault;
  if (delay > 0) await wait(delay);
  if (isProcessed || (status === undefined && !reset)) await next();
  // To its end: closing a connection on which the client still sends would lose the answer.
  else for await (const _chunk of ctx.req);
  if (reset) {
    ctx.respond = false;
    ctx.req.socket.resetAndDestroy();
  } else if (status !== undefined) {
    ctx.status = status;
    if (retryAfter !== undefined) ctx.set('Retry-After', String(retryAfter));
    const codes = Object.keys(problemKinds) as ProblemCode[];
    const code = codes.find((one) => problemKinds[one].status === status);
    // Statuses without a code come from proxies, which know no envelope.
    const problem = code && surface.presentProblem(new Problem(code, 'The test asked for this error.'), randomUUID());
    ctx.body = problem === undefined ? 'The test asked for this error.' : JSON.stringify(problem.body);
    if (problem !== undefined) ctx.set('Content-Type', surface.answerType);
  }
}
