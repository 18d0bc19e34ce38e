import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sql } from 'kysely';
import { createLog, describeError, startServer } from '../../cli/server/start-server.ts';
import { describeOnOneDatabase, openTestInstallation, startTestServer } from '../harness.ts';
import { assertAbsent, needle } from '../needle.ts';

describeOnOneDatabase('the log', (dialect) => {
  /** A server whose log lines are collected. */
  const startLogging = async () => {
    const installation = await openTestInstallation(dialect);
    const lines: string[] = [];
    const settings = { ...installation.settings, logLevel: 'debug' as const };
    const log = createLog(settings, { write: (line) => void lines.push(line) });
    const server = await startServer(installation, { log });
    const read = () => lines.map((line) => JSON.parse(line));
    return { installation, server, log, lines, read };
  };

  const jane = needle('jane');

  test('contains the pattern of a route, never the path', async () => {
    const { installation, server, lines, read } = await startLogging();
    await using _ = installation;
    await using __ = server;
    for (const path of ['/v1/consent/subjects/', '/', '/widgets/'])
      await fetch(`http://127.0.0.1:${server.port}${path}${jane}@example.com`);
    assertAbsent(lines.join(''), jane, '@example.com');
    const requests = read().filter(({ msg }) => msg === 'request');
    assert.deepEqual(
      requests.map(({ method, route, status }) => [method, route, status]),
      [
        ['GET', '/v1/consent/subjects/{subjectId}', 401],
        ['GET', undefined, 404],
        ['GET', undefined, 404],
      ],
    );
    for (const { requestId } of requests) assert.match(requestId, /^[0-9a-f-]{36}$/);
  });

  test('contains who sent a request, how long it took, and its trace', async () => {
    const lines: string[] = [];
    const writeLog = (line: string) => void lines.push(line);
    const environment = { SVC_LOG_REQUESTS: 'true', SVC_LOG_LEVEL: 'info' };
    await using server = await startTestServer(dialect, environment, { writeLog });
    const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
    await server.request('GET', '/v1/tenant', { headers: { traceparent: `00-${traceId}-00f067aa0ba902b7-01` } });
    for (const traceparent of [`00-${'0'.repeat(32)}-00f067aa0ba902b7-01`, `${jane}-${traceId}`, 'x'.repeat(10_000)])
      await server.request('GET', '/v1/tenant', { key: null, headers: { traceparent } });
    const [known, ...others] = lines.map((line) => JSON.parse(line));
    const { id: keyId } = await server.installation.database.kysely
      .selectFrom('api_keys')
      .select('id')
      .executeTakeFirstOrThrow();
    const { level, msg, method, route, status, milliseconds, tenantId, principalId } = known;
    assert.deepEqual(
      { level, msg, method, route, status, tenantId, principalId, traceId: known.traceId },
      {
        ...{ level: 30, msg: 'request', method: 'GET', route: '/v1/tenant', status: 200 },
        ...{ tenantId: server.tenant.id, principalId: keyId, traceId },
      },
    );
    assert.ok(Number.isInteger(milliseconds));
    for (const other of others)
      assert.deepEqual([other.status, other.tenantId, other.principalId, other.traceId], [401, ...Array(3)]);
    assertAbsent(lines.join(''), jane);
  });

  test('contains the error of the database, never its values', async () => {
    const { installation, server, log, lines, read } = await startLogging();
    await using _ = installation;
    await using __ = server;
    const { kysely } = installation.database;
    const row = { id: `${jane}@example.com`, slug: jane, name: jane, api_version: '', created_at: '' };
    await kysely.insertInto('tenants').values(row).execute();
    const failures = [
      () => kysely.insertInto('tenants').values(row).execute(),
      () => sql`select no_such_column from tenants where id = ${`${jane}@example.com`}`.execute(kysely),
      ...(dialect === 'postgres' ? [() => sql`select cast(${`${jane} "x" y`} as text)::int`.execute(kysely)] : []),
    ];
    for (const failure of failures) {
      await failure().catch((error: unknown) => log.error({ err: error }, 'request failed'));
    }
    assertAbsent(lines.join(''), jane);
    const errors = read().map(({ err }) => err);
    assert.equal(errors.length, failures.length);
    for (const { name, message, stack, ...rest } of errors) {
      assert.equal(typeof name, 'string');
      assert.notEqual(message, '');
      assert.match(stack, /\n +at /);
      assert.deepEqual(Object.keys(rest), ['code']);
    }
    assert.match(errors[0].code, /^(23505$|SQLITE_CONSTRAINT)/);
  });
});

describe('an error in the log', () => {
  test('has its cause, and no other properties', () => {
    const cause = Object.assign(new Error('inner'), { detail: 'secret' });
    const described = describeError(Object.assign(new TypeError('outer', { cause }), { parameters: ['secret'] }));
    assert.deepEqual([described.name, described.message, described.cause?.message], ['TypeError', 'outer', 'inner']);
    assert.ok(!JSON.stringify(described).includes('secret'));
  });

  test('may be any value', () => {
    for (const thrown of ['secret', null, undefined, { secret: 1 }]) {
      assert.ok(!JSON.stringify(describeError(thrown)).includes('secret'));
    }
  });
});
