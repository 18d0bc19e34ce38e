import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before } from 'node:test';
import { sql } from 'kysely';
import type { Dialect } from '../../storage/database.ts';
import {
  describeOnEachDatabase,
  describeOnOneDatabase,
  type RequestOptions,
  startTestServer,
  type TestResponse,
  type TestServer,
  type TestTenant,
} from '../harness.ts';

/** Runs tests of what the API does (see `describeOnOneDatabase`) against a server that runs before the first test. */
export function describeServer(
  name: string,
  define: (server: TestServer) => void,
  environment: Readonly<Record<string, string>> = {},
): void {
  describeOnOneDatabase(name, (dialect) => define(startBeforeTests(dialect, environment)));
}

/** The same on each database: for tenancy, concurrency and queries that the databases may answer differently. */
export function describeServerOnEachDatabase(
  name: string,
  define: (server: TestServer) => void,
  environment: Readonly<Record<string, string>> = {},
): void {
  describeOnEachDatabase(name, (dialect) => define(startBeforeTests(dialect, environment)));
}

function startBeforeTests(dialect: Dialect, environment: Readonly<Record<string, string>>): TestServer {
  const server = {} as TestServer;
  before(async () => {
    Object.assign(server, await startTestServer(dialect, environment));
  });
  after(() => server[Symbol.asyncDispose]());
  return server;
}

/** Choices of a visitor who accepts all purposes of the harness's notice. */
export const allGranted = { necessary: true, analytics: true, marketing: true } as const;

/** A well-formed id that nothing has. */
export const unknownId = '01900000-0000-7000-8000-000000000000';

/** A tenant that no other test sees, for tests that look at everything a tenant has. */
export function createFreshTenant(server: TestServer): Promise<TestTenant> {
  return server.createTenant(`t${randomUUID()}`);
}

/** Captures with a key: `body` changes a decision that is fine. */
export function capture(
  server: TestServer,
  noticeId: string,
  body: object = {},
  options: RequestOptions = {},
): Promise<TestResponse> {
  return server.request('POST', `/v1/consent/${noticeId}/records`, {
    body: { subjectId: 'subject-1', purposes: { analytics: true }, ...body },
    ...options,
    headers: { 'Idempotency-Key': randomUUID(), ...options.headers },
  });
}

/** Captures as a page of the site does: `body` changes a decision that is fine. */
export function visit(
  server: TestServer,
  noticeId: string,
  body: object = {},
  headers: Readonly<Record<string, string>> = {},
): Promise<TestResponse> {
  return server.request('POST', `/v1/public/consent/${noticeId}/records`, {
    key: null,
    body: { subjectId: 'visitor-1', purposes: allGranted, ...body },
    headers: { Origin: 'https://example.com', ...headers },
  });
}

export function withdraw(
  server: TestServer,
  noticeId: string,
  recordId: string,
  body: unknown = {},
  options: RequestOptions = {},
): Promise<TestResponse> {
  return server.request('POST', `/v1/consent/${noticeId}/records/${recordId}/withdrawals`, {
    body,
    ...options,
    headers: { 'Idempotency-Key': randomUUID(), ...options.headers },
  });
}

/** The payload of a successful answer. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
export function payload(response: TestResponse, status = 201): any {
  assert.equal(response.status, status, response.text);
  return response.body.data;
}

/** Checks the error envelope: status and code, and the paths of the details where they are given. */
export function assertProblem(response: TestResponse, expected: string, paths?: readonly string[]): void {
  const { error } = response.body;
  assert.equal(`${response.status} ${error?.code}`, expected, response.text);
  assert.ok(error.message.length > 0);
  assert.equal(error.requestId, response.headers.get('svc-request-id'));
  if (paths === undefined) return;
  assert.deepEqual(
    error.details.map(({ path }: { path: string }) => path),
    paths,
    response.text,
  );
}

/** Every table with its rows as text. */
export async function readTables(server: TestServer): Promise<Readonly<Record<string, readonly string[]>>> {
  const { kysely } = server.installation.database;
  const tables: Record<string, readonly string[]> = {};
  for (const { name } of await kysely.introspection.getTables()) {
    const { rows } = await sql`select * from ${sql.table(name)}`.execute(kysely);
    tables[name] = rows.map((row) => JSON.stringify(row)).sort();
  }
  return tables;
}

/** Runs requests that must leave every row of every table as it was, and the server ready for the next request. */
export async function assertNothingWritten(server: TestServer, run: () => Promise<unknown>): Promise<void> {
  const earlier = await readTables(server);
  await run();
  assert.deepEqual(await readTables(server), earlier);
  assert.equal((await server.request('GET', '/v1/consent?limit=1')).status, 200);
}

/** Sends each body and expects it to be refused with exactly these paths in the details, and nothing written. */
export async function assertBodiesRefused(
  server: TestServer,
  send: (body: unknown) => Promise<TestResponse>,
  cases: readonly (readonly [body: unknown, ...paths: readonly string[]])[],
): Promise<void> {
  await assertNothingWritten(server, async () => {
    for (const [body, ...paths] of cases) assertProblem(await send(body), '422 validation_failed', paths);
  });
}

/** Follows a list to its end. @returns the items of each page. */
export async function readPages<Item>(
  server: TestServer,
  path: string,
  limit: number,
  options: RequestOptions & { readonly betweenPages?: () => Promise<unknown> } = {},
): Promise<readonly (readonly Item[])[]> {
  const pages: (readonly Item[])[] = [];
  let cursor: string | null = null;
  do {
    const query = new URLSearchParams({ limit: String(limit), ...(cursor !== null && { cursor }) });
    const list = payload(await server.request('GET', `${path}?${query}`, options), 200);
    pages.push(list.items ?? list.data);
    cursor = (list.page ?? list).nextCursor;
    assert.ok(pages.length < 100, 'the list does not come to an end');
    await options.betweenPages?.();
  } while (cursor !== null);
  return pages;
}

/** The audit events of a tenant, oldest first. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into events of every shape
export async function readEvents(server: TestServer, tenant: TestTenant): Promise<readonly any[]> {
  const rows = await server.installation.database.kysely
    .selectFrom('audit_events')
    .select('entry')
    .where('tenant_id', '=', tenant.id)
    .orderBy('sequence')
    .execute();
  return rows.map(({ entry }) => JSON.parse(entry)).filter(({ module }) => module === 'consent');
}
