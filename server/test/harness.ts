import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe } from 'node:test';
import { pino } from 'pino';
import { findMemoryFolder } from '../../tools/test/memory-folder.ts';
import { createApiKey } from '../accounts/keys/api-key-store.ts';
import { rotateScimToken } from '../accounts/keys/scim-token.ts';
import { updatePassword } from '../accounts/members/account-store.ts';
import { addMember } from '../accounts/members/membership.ts';
import { createSession } from '../accounts/sign-in/session-store.ts';
import { createTenant } from '../accounts/tenants/store.ts';
import type { App } from '../cli/server/app.ts';
import type { ServerLimits } from '../cli/server/graceful-server.ts';
import { startServer } from '../cli/server/start-server.ts';
import { listStatuses } from '../http/openapi-operation.ts';
import { RateLimiter } from '../http/rate-limit.ts';
import { type MemberRole, type Scope, scopes } from '../http/roles.ts';
import { RouteTable } from '../http/router.ts';
import { databaseFile, type Installation, openInstallation } from '../installation/installation.ts';
import { PasswordHasher } from '../installation/password-hash.ts';
import { systemSource } from '../ledger/audit/store.ts';
import { readSettings } from '../settings.ts';
import { type Dialect, runTransaction } from '../storage/database.ts';
import { addressOf, findPostgresTemplate, runOnNodes, writeMigratedFile } from './migrated-database.ts';

const postgresUrl = process.env.SVC_TEST_POSTGRES_URL;
/** True if `npm run test:postgres` runs the tests: those that `npm run test:node` does not run on PostgreSQL. */
const isPostgresRun = process.env.SVC_TEST_DATABASE === 'postgres';

/** The statuses that the documentation of an operation declares, by its id. */
const declared = new Map<string, readonly number[]>();

/**
 * Runs the same tests on SQLite and on a real PostgreSQL, which are shown as skipped without one: for storage, tenancy,
 * concurrency and queries that the databases may answer differently. Defines nothing in `npm run test:postgres`: the other
 * suites run both.
 */
export function describeOnEachDatabase(name: string, define: (dialect: Dialect) => void): void {
  if (isPostgresRun) return;
  describe(`${name} (sqlite)`, () => define('sqlite'));
  const skip = postgresUrl === undefined ? 'no PostgreSQL: npm run test:node starts one where it can' : false;
  describe(`${name} (postgres)`, { skip }, () => define('postgres'));
}

/** Runs tests of what the API does on SQLite; `npm run test:postgres` runs them on PostgreSQL. */
export function describeOnOneDatabase(name: string, define: (dialect: Dialect) => void): void {
  const dialect = isPostgresRun ? 'postgres' : 'sqlite';
  describe(`${name} (${dialect})`, () => define(dialect));
}

/** A clock that only moves when it is set. */
export class TestClock {
  readonly #read: () => number;
  #advanced = 0;

  /** @param read the clock to follow instead: browsers have their own, and the server bounds the times that they send. */
  constructor(read: () => number = () => Date.parse('2026-11-21T12:00:00.000Z')) {
    this.#read = read;
  }

  readonly now = (): string => new Date(this.milliseconds()).toISOString();

  readonly milliseconds = (): number => this.#read() + this.#advanced;

  advance(milliseconds: number): void {
    this.#advanced += milliseconds;
  }
}

/** Where a test installation is stored, and how it is removed. */
export interface TestLocation extends AsyncDisposable {
  readonly environment: Readonly<Record<string, string>>;
}

/** An empty folder, and for PostgreSQL an empty database. */
export async function createLocation(dialect: Dialect): Promise<TestLocation> {
  return dialect === 'sqlite' ? createFolder() : createPostgresDatabase('template0');
}

/** The same with a database whose schema is current and whose tables are empty. */
async function createMigratedLocation(dialect: Dialect): Promise<TestLocation> {
  if (dialect === 'postgres') return createPostgresDatabase(await findPostgresTemplate(postgresUrl as string));
  const location = createFolder();
  await writeMigratedFile(databaseFile(location.environment.SVC_DATA_DIR));
  return location;
}

function createFolder() {
  const folder = mkdtempSync(join(findMemoryFolder(), 'svc-test-'));
  return {
    environment: { SVC_DATA_DIR: folder },
    [Symbol.asyncDispose]: async () => rmSync(folder, { recursive: true, force: true }),
  };
}

async function createPostgresDatabase(template: string): Promise<TestLocation> {
  const name = `svc_${randomUUID().replaceAll('-', '')}`;
  await runOnNodes(postgresUrl as string, `create database ${name} template ${template}`);
  const folder = createFolder();
  return {
    environment: { ...folder.environment, DATABASE_URL: addressOf(postgresUrl as string, name) },
    [Symbol.asyncDispose]: async () => {
      await folder[Symbol.asyncDispose]();
      await runOnNodes(postgresUrl as string, `drop database ${name} with (force)`);
    },
  };
}

/** An installation without a server, on a database with nothing in it but its schema. */
export async function openTestInstallation(
  dialect: Dialect,
  environment: Readonly<Record<string, string>> = {},
  clock = new TestClock(),
): Promise<Installation> {
  const location = await createMigratedLocation(dialect);
  const settings = readSettings({ PORT: '0', SVC_LOG_LEVEL: 'silent', ...location.environment, ...environment });
  const installation = await openInstallation(settings, clock.now);
  return {
    ...installation,
    [Symbol.asyncDispose]: async () => {
      await installation[Symbol.asyncDispose]();
      await location[Symbol.asyncDispose]();
    },
  };
}

export interface RequestOptions {
  /** The API key; null sends none; default: the key of the first tenant, with every scope, unless a Cookie is sent. */
  readonly key?: string | null;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent as it is. */
  readonly rawBody?: string | Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface TestResponse {
  readonly status: number;
  readonly headers: Headers;
  /** The parsed body; null when it is empty. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  readonly body: any;
  readonly text: string;
}

/** An active member with a session. */
export interface TestMember {
  readonly userId: string;
  readonly email: string;
  readonly password: string;
  readonly sessionId: string;
  /** The headers that the member's browser sends; pass it as `headers`. */
  readonly session: Readonly<Record<string, string>>;
}

export interface TestTenant {
  readonly id: string;
  readonly slug: string;
  /** A key with every scope. */
  readonly key: string;
}

/** A real server on its own port, with one tenant. */
export interface TestServer extends AsyncDisposable {
  readonly url: string;
  /** Null without SVC_METRICS_PORT. */
  readonly metricsUrl: string | null;
  readonly app: App;
  readonly installation: Installation;
  readonly clock: TestClock;
  readonly tenant: TestTenant;
  request(method: string, path: string, options?: RequestOptions): Promise<TestResponse>;
  /** Stops the server; its database stays open. */
  close(): Promise<void>;
  createTenant(slug: string): Promise<TestTenant>;
  /** Creates a member with a password and a session. */
  createMember(options?: {
    readonly tenantId?: string;
    readonly email?: string;
    readonly role?: MemberRole;
  }): Promise<TestMember>;
  /** Creates the SCIM token of a tenant; the previous one is revoked. */
  createScimToken(tenantId?: string): Promise<string>;
  createKey(tenantId: string, scopes: readonly Scope[], expiresAt?: string | null): Promise<string>;
  /** Creates a notice for the tenant of the key, by default published. @returns its id. */
  createNotice(options?: {
    readonly key?: string;
    readonly content?: object;
    readonly publish?: boolean;
  }): Promise<string>;
}

/** The body of a notice, of which tests change a part. */
export const noticeContent = {
  name: 'Website',
  controllerName: 'Example Ltd',
  language: 'en',
  domain: 'example.com',
  purposes: [
    { key: 'necessary', label: 'Necessary', description: 'Keeps the site working.', required: true },
    { key: 'analytics', label: 'Analytics', description: 'Counts visits.', required: false },
    { key: 'marketing', label: 'Marketing', description: 'Shows offers.', required: false },
  ],
} as const;

/** The lowest cost of argon2; tests of the cost of a hash use the real one. */
const leastCost = { memory: 8, passes: 1, parallelism: 1 };

/**
 * Starts a server on an empty database. Every result is checked against the schema of its operation.
 * @param hashesSlowly whether passwords and backup codes are hashed at the cost of production.
 * @param sends whether webhooks are sent automatically.
 * @param serverLimits shorter timeouts for slow clients.
 * @param writeLog called with each line of the log, from warnings up or from SVC_LOG_LEVEL.
 * @param isSetUp whether there is a tenant; without one, `tenant` is nothing.
 */
export async function startTestServer(
  dialect: Dialect = 'sqlite',
  environment: Readonly<Record<string, string>> = {},
  {
    clock = new TestClock(),
    hashesSlowly = false,
    sends = false,
    serverLimits = {},
    writeLog,
    isSetUp = true,
  }: {
    readonly clock?: TestClock;
    readonly hashesSlowly?: boolean;
    readonly sends?: boolean;
    readonly serverLimits?: Partial<ServerLimits>;
    readonly writeLog?: (line: string) => void;
    readonly isSetUp?: boolean;
  } = {},
): Promise<TestServer> {
  const limits = {
    // On a busy machine the default limits would fail tests that are right. Tests of an outage set shorter ones.
    SVC_DATABASE_SECONDS: '60',
    SVC_LIMIT_API_KEY: '1000000',
    SVC_LIMIT_TENANT: '1000000',
    SVC_LIMIT_VISITOR: '1000000',
    SVC_LIMIT_CAPTURE_NOTICE: '1000000',
    SVC_LIMIT_CAPTURE_CLIENT: '1000000',
    SVC_LIMIT_SIGN_IN: '1000000',
    SVC_LIMIT_SCIM: '1000000',
  };
  const opened = await openTestInstallation(dialect, { ...limits, ...environment }, clock);
  const quickly = () => new PasswordHasher(opened.box, leastCost);
  const installation = hashesSlowly ? opened : { ...opened, passwords: quickly() };
  const server = await startServer(installation, {
    log: writeLog
      ? pino({ level: environment.SVC_LOG_LEVEL ?? 'warn' }, { write: writeLog })
      : pino({ level: process.env.SVC_TEST_LOG ?? 'silent' }, pino.destination(2)),
    limiter: new RateLimiter(clock.milliseconds),
    checksResults: true,
    housekeeping: false,
    sends,
    serverLimits: { quiet: 0, ...serverLimits },
  });
  const url = `http://127.0.0.1:${server.port}`;
  let closing: Promise<void> | null = null;
  const close = () => {
    closing ??= server.close();
    return closing;
  };

  const createKey: TestServer['createKey'] = async (tenantId, granted, expiresAt = null) => {
    const wanted = { tenantId, name: 'test', environment: 'test' as const, scopes: granted, expiresAt };
    return runTransaction(installation.database, clock.now(), async (tx) => (await createApiKey(tx, wanted)).key);
  };
  const addTenant = async (slug: string): Promise<TestTenant> => {
    const create = () =>
      runTransaction(installation.database, clock.now(), (tx) => createTenant(tx, { slug, name: slug }));
    const { id } = await create();
    return { id, slug, key: await createKey(id, scopes) };
  };
  const tenant = isSetUp ? await addTenant('first') : { id: '', slug: '', key: '' };

  const table = new RouteTable(server.app.routes);
  /** Every status that a test gets from an operation is in its documentation. */
  const assertDeclared = (method: string, path: string, status: number): void => {
    const [target = ''] = path.split('?');
    const route = table.match(target)?.routes.find((one) => one.method === (method === 'HEAD' ? 'GET' : method));
    if (route === undefined) return;
    const statuses = declared.get(route.operationId) ?? listStatuses(route);
    declared.set(route.operationId, statuses);
    if (!statuses.includes(status))
      throw new Error(`${route.operationId} answers ${status}, which its documentation does not declare`);
  };
  const request: TestServer['request'] = async (method, path, options = {}) => {
    const key = options.key === undefined ? tenant.key : options.key;
    const body = options.rawBody ?? (options.body === undefined ? undefined : JSON.stringify(options.body));
    const response = await fetch(url + path, {
      method,
      redirect: 'manual',
      headers: {
        ...(key !== null && options.headers?.Cookie === undefined && { Authorization: `Bearer ${key}` }),
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...options.headers,
      },
      ...(body !== undefined && { body: body as BodyInit }),
    });
    assertDeclared(method, path, response.status);
    const text = await response.text();
    const isJson = /[/+]json\b/.test(response.headers.get('content-type') ?? '') && text !== '';
    return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : null, text };
  };

  const createNotice: TestServer['createNotice'] = async ({ key = tenant.key, content = {}, publish = true } = {}) => {
    const created = await request('POST', '/v1/consent/notices', { key, body: { ...noticeContent, ...content } });
    if (created.status !== 201) throw new Error(created.text);
    const { id } = created.body.data;
    if (publish) await request('POST', `/v1/consent/${id}/publish`, { key });
    return id;
  };

  // Every member has the same password.
  let hash: Promise<string> | undefined;
  const createMember: TestServer['createMember'] = async ({
    tenantId = tenant.id,
    email = `member-${randomUUID()}@example.com`,
    role = 'admin',
  } = {}) => {
    const password = 'member of the granite choir';
    hash ??= installation.passwords.hash(password);
    const passwordHash = await hash;
    const member = await runTransaction(installation.database, clock.now(), (tx) => {
      const wanted = { email, role, isActivated: true, isAccepted: true };
      return addMember(tx, systemSource(tenantId), wanted, 'test');
    });
    if (member === undefined) throw new Error(`${email} is a member already`);
    // The change of the account is recorded in every tenant of the user, whose locks are taken in order.
    return runTransaction(installation.database, clock.now(), async (tx) => {
      // A new password would end the sessions of the user in other tenants.
      const { password_hash: present } = await tx.lockAccount(member.user_id);
      if (present === null) await updatePassword(tx, systemSource, member.user_id, passwordHash);
      const wanted = { tenantId, userId: member.user_id, challengeId: null };
      const session = await createSession(tx, wanted, installation.settings.sessionLifetime);
      return {
        userId: member.user_id,
        email,
        password,
        sessionId: session.id,
        session: { Cookie: `svc_session=${session.token}`, Origin: url },
      };
    });
  };
  const createScimToken: TestServer['createScimToken'] = (tenantId = tenant.id) =>
    runTransaction(installation.database, clock.now(), async (tx) => {
      const { token } = await rotateScimToken(tx, systemSource(tenantId));
      return token;
    });

  return {
    url,
    createMember,
    createScimToken,
    app: server.app,
    metricsUrl: server.metricsUrl,
    installation,
    clock,
    tenant,
    request,
    createTenant: addTenant,
    createKey,
    createNotice,
    close,
    [Symbol.asyncDispose]: async () => {
      await close();
      await installation[Symbol.asyncDispose]();
    },
  };
}

/** A tenant of a test server, and requests with its key. */
export class TenantClient {
  readonly server: TestServer;
  readonly tenant: TestTenant;

  constructor(server: TestServer, tenant: TestTenant) {
    this.server = server;
    this.tenant = tenant;
  }

  send(method: string, path: string, body?: unknown, options: RequestOptions = {}): Promise<TestResponse> {
    return this.server.request(method, path, {
      key: this.tenant.key,
      ...(body !== undefined && { body }),
      ...options,
    });
  }
}
