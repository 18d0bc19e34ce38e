import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { describe, test } from 'node:test';
import { sql } from 'kysely';
import manifest from '../../package.json' with { type: 'json' };
import { createLocation, describeOnEachDatabase, startTestServer, type TestServer } from '../harness.ts';
import { DatabaseGate } from '../storage/database-gate.ts';
import { listModulesIn, runSvc, runSvcProcess, spawnSvc } from './run-svc.ts';

const probe = async (server: TestServer, path = '/readyz') => {
  const { status, body, headers } = await server.request('GET', path, { key: null });
  assert.equal(headers.get('cache-control'), 'no-store');
  assert.equal(status, body.status === 'ok' ? 200 : 503);
  return body;
};

/** Asks until the answer is another one: an answer is good for half a second. */
const probeUntil = async (server: TestServer, status: 'ok' | 'unavailable') => {
  for (;;) {
    const answer = await probe(server);
    if (answer.status === status) return answer;
  }
};

const health = (port: string, ...words: readonly string[]) => runSvc(['health', ...words], { PORT: port });

describeOnEachDatabase('the probes of a server', (dialect) => {
  test('answer without credentials, limits and log lines', async () => {
    const lines: string[] = [];
    await using server = await startTestServer(
      dialect,
      { SVC_LIMIT_VISITOR: '1', SVC_LOG_LEVEL: 'debug', SVC_LOG_REQUESTS: 'true' },
      { writeLog: (line) => lines.push(line) },
    );
    for (let times = 0; times < 3; times += 1)
      for (const path of ['/healthz', '/readyz']) assert.deepEqual(await probe(server, path), { status: 'ok' });
    assert.equal((await server.request('HEAD', '/readyz', { key: null })).status, 200);
    assert.deepEqual(lines, []);
  });

  test('report a schema that is not that of this version, and accept a later one', async () => {
    await using server = await startTestServer(dialect);
    const { kysely } = server.installation.database;
    await sql`insert into svc_migrations (name, ran_at, expands) values ('999-later', '', 1)`.execute(kysely);
    assert.equal((await probe(server)).status, 'ok');
    await sql`delete from svc_migrations where name like '006%'`.execute(kysely);
    assert.deepEqual(await probeUntil(server, 'unavailable'), { status: 'unavailable', reason: 'schema' });
  });
});

describe('the probes of a server (sqlite)', () => {
  test('report that it is stopping, from the signal on', { timeout: 60_000 }, async () => {
    await using server = await startTestServer('sqlite', { SVC_STOP_SECONDS: '3600' });
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
    // A request that has not ended keeps the server from closing.
    socket.write('POST /v1/public/consent/x/records HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n');
    socket.write('Content-Length: 2\r\nExpect: 100-continue\r\n\r\n');
    await once(socket, 'data');
    const closed = server.close();
    assert.deepEqual(await probe(server), { status: 'unavailable', reason: 'stopping' });
    assert.deepEqual(await probe(server, '/healthz'), { status: 'ok' });
    socket.end('{}');
    await closed;
  });
});

describeOnEachDatabase('a server whose database does not answer', (dialect) => {
  const skip = dialect === 'sqlite' ? 'SQLite has no connections' : false;

  test('is not ready, stays alive, and is ready again with its database', { skip }, async () => {
    await using location = await createLocation('postgres');
    await using gate = await DatabaseGate.open(location.environment.DATABASE_URL as string);
    await using server = await startTestServer('postgres', { DATABASE_URL: gate.url });
    for (const change of ['freeze', 'stop'] as const) {
      await gate[change]();
      assert.deepEqual(await probeUntil(server, 'unavailable'), { status: 'unavailable', reason: 'database' });
      assert.deepEqual(await probe(server, '/healthz'), { status: 'ok' });
      if (change === 'stop') await gate.start();
      else gate.thaw();
      assert.deepEqual(await probeUntil(server, 'ok'), { status: 'ok' });
    }
  });
});

describeOnEachDatabase('a server that starts before its database', (dialect) => {
  const skip = dialect === 'sqlite' ? 'SQLite has no connections' : false;

  test('waits for it, says so once, and serves', { skip }, async () => {
    await using location = await createLocation('postgres');
    await using gate = await DatabaseGate.open(location.environment.DATABASE_URL as string);
    await gate.stop();
    const environment = { ...location.environment, DATABASE_URL: gate.url, SVC_DATABASE_WAIT_SECONDS: '600' };
    const child = spawnSvc(['serve'], environment);
    const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
    const { host } = new URL(gate.url);
    const { reason, seconds, msg } = JSON.parse((await lines.next()).value ?? '');
    assert.deepEqual(
      [msg, seconds, reason],
      ['waiting for the database', 600, `Cannot reach the database at ${host}: the connection was refused`],
    );
    await gate.start();
    assert.match((await lines.next()).value ?? '', /"msg":"schema migrated"/);
    assert.match((await lines.next()).value ?? '', /"msg":"started"/);
    child.kill('SIGTERM');
    assert.deepEqual(await once(child, 'exit'), [0, null]);
  });

  test('refuses the name of no database at once', { skip }, async () => {
    await using location = await createLocation('postgres');
    const url = new URL(location.environment.DATABASE_URL as string);
    url.pathname = '/no_such_database';
    const environment = { ...location.environment, DATABASE_URL: url.href, SVC_DATABASE_WAIT_SECONDS: '600' };
    const { code, stderr } = await runSvc(['serve'], environment);
    assert.equal(code, 2);
    assert.match(stderr, /does not exist/);
  });
});

describe('svc health', () => {
  test('does not load the database', async () => {
    await using location = await createLocation('sqlite');
    const folder = location.environment.SVC_DATA_DIR as string;
    const loads = async (...words: readonly string[]) => {
      const settings = { PORT: '1', SVC_DATA_DIR: folder, ...listModulesIn(folder) };
      return (await runSvcProcess(words, settings)).stderr.includes('node_modules/better-sqlite3');
    };
    assert.deepEqual([await loads('health'), await loads('migrate')], [false, true]);
  });

  test('exits with 0 for a server that is ready', async () => {
    await using server = await startTestServer();
    const { port } = new URL(server.url);
    const { code, stdout } = await health(port);
    assert.equal(stdout, `The server at http://localhost:${port} is ready.\n`);
    assert.equal(code, 0);
    assert.equal((await health(port, '--live')).code, 0);
    const { stdout: json } = await health(port, '--json');
    assert.deepEqual(JSON.parse(json), { address: `http://localhost:${port}`, isReady: true, reason: null });
  });

  test('exits with 1 and the reason for one that is not', async () => {
    await using server = await startTestServer();
    await sql`delete from svc_migrations`.execute(server.installation.database.kysely);
    const { port } = new URL(server.url);
    const { code, stdout } = await health(port);
    assert.match(stdout, /is not ready: the schema of its database is not current\.\n$/);
    assert.equal(code, 1);
    assert.equal((await health(port, '--live')).code, 0);
  });

  test('exits with 1 where nothing listens', async () => {
    const listener = createServer().listen(0, '127.0.0.1');
    await once(listener, 'listening');
    const { port } = listener.address() as { readonly port: number };
    listener.close();
    await once(listener, 'close');
    const { code, stdout } = await health(String(port));
    assert.match(stdout, /is not ready: nothing listens there\.\n$/);
    // A port that browsers refuse to request.
    assert.match((await health('1')).stdout, /is not ready: nothing listens there\.\n$/);
    assert.equal(code, 1);
  });
});

describe('svc --version', () => {
  test('prints the version of the package', async () => {
    const { code, stdout } = await runSvc(['--version']);
    assert.deepEqual({ code, stdout }, { code: 0, stdout: `${manifest.version}\n` });
  });
});
