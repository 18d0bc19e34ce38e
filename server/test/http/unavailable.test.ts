import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import SQLite from 'better-sqlite3';
import { sql } from 'kysely';
import { createLocation, describeOnEachDatabase, noticeContent, startTestServer, type TestServer } from '../harness.ts';
import { DatabaseGate } from '../storage/database-gate.ts';
import {
  allowPrivate,
  createEndpoint,
  createTestSender,
  openRequest,
  startScriptedReceiver,
} from '../webhooks/sending.ts';
import { assertProblem } from './problems.ts';

/** A server whose log a test reads as it is written. */
async function startLogging(dialect: 'sqlite' | 'postgres', environment: Readonly<Record<string, string>> = {}) {
  const lines: { readonly msg: string; readonly level: number; [field: string]: unknown }[] = [];
  const written = new EventEmitter();
  const server = await startTestServer(dialect, environment, {
    writeLog: (line) => {
      lines.push(JSON.parse(line));
      written.emit('line');
    },
  });
  const waitFor = async (message: string) => {
    while (!lines.some(({ msg }) => msg === message)) await once(written, 'line');
    return lines.find(({ msg }) => msg === message);
  };
  return { server, lines, waitFor };
}

const capture = (server: TestServer, noticeId: string, subjectId: string) =>
  server.request('POST', `/v1/public/consent/${noticeId}/records`, {
    key: null,
    headers: { Origin: 'https://example.com' },
    body: { subjectId, purposes: { necessary: true, analytics: true, marketing: false } },
  });

describe('a server with a full disk', () => {
  test('responds with 503 to writes, logs the outage in two lines, and writes again when there is space', async () => {
    const { server, lines, waitFor } = await startLogging('sqlite');
    await using _ = server;
    const { kysely } = server.installation.database;
    const notice = await server.createNotice();
    const { rows } = await sql<{ page_count: number }>`pragma page_count`.execute(kysely);
    await sql`pragma max_page_count = ${sql.lit(rows[0]?.page_count)}`.execute(kysely);
    const refused = [];
    for (let number = 0; refused.length < 3 && number < 1000; number += 1) {
      const answer = await capture(server, notice, `subject-${number}`);
      if (answer.status !== 201) refused.push(answer);
    }
    for (const answer of refused) {
      assertProblem(answer, 'unavailable');
      assert.equal(answer.status, 503);
      assert.equal(answer.headers.get('retry-after'), '5');
    }
    assert.equal((await server.request('GET', '/v1/tenant')).status, 200, 'reads go on');
    await sql`pragma max_page_count = 1000000`.execute(kysely);
    assert.equal((await capture(server, notice, 'later')).status, 201);
    // It takes a second: an outage is over when nothing has failed for so long.
    await waitFor('database available again');
    assert.deepEqual(
      lines.map(({ msg, level, reason, refusedRequests }) => ({ msg, level, reason, refusedRequests })),
      [
        {
          msg: 'database unavailable',
          level: 50,
          reason: { code: 'SQLITE_FULL', message: 'database or disk is full' },
          refusedRequests: undefined,
        },
        { msg: 'database available again', level: 40, reason: undefined, refusedRequests: 3 },
      ],
    );
  });
});

describe('a server whose SQLite file another process is writing to', () => {
  test('responds immediately to requests that need no write, and to the write when it gets the lock', async () => {
    const { server, lines } = await startLogging('sqlite');
    await using _ = server;
    const notice = await server.createNotice();
    const other = new SQLite(join(server.installation.settings.dataDir, 'svc.sqlite'));
    other.exec('begin immediate');
    let isCaptured = false;
    const capturing = Promise.all([
      capture(server, notice, 'one'),
      server.request('POST', '/v1/consent/notices', { body: noticeContent }),
    ]).then((answers) => {
      isCaptured = true;
      return answers;
    });
    for (let times = 0; times < 20; times += 1) {
      assert.equal((await server.request('GET', '/v1/openapi.json', { key: null })).status, 200);
      assert.equal((await server.request('GET', '/v1/tenant')).status, 200);
    }
    assert.ok(!isCaptured);
    other.exec('commit');
    for (const { status } of await capturing) assert.equal(status, 201);
    assert.deepEqual(lines, [], 'nothing to log');
    other.close();
  });
});

describeOnEachDatabase('a server with an unusable database', (dialect) => {
  const skip = dialect === 'sqlite' ? 'SQLite has no connections' : false;
  let location: Awaited<ReturnType<typeof createLocation>>;
  let gate: DatabaseGate;
  let started: Awaited<ReturnType<typeof startLogging>>;
  let server: TestServer;

  before(async () => {
    if (skip) return;
    location = await createLocation('postgres');
    gate = await DatabaseGate.open(location.environment.DATABASE_URL as string);
    started = await startLogging('postgres', { ...allowPrivate, DATABASE_URL: gate.url, SVC_DATABASE_SECONDS: '1' });
    server = started.server;
  });

  after(async () => {
    if (skip) return;
    await server[Symbol.asyncDispose]();
    await gate[Symbol.asyncDispose]();
    await location[Symbol.asyncDispose]();
  });

  test('responds with 503 in the format of each surface, and serves published notices and trust centers from memory', {
    skip,
  }, async () => {
    const [notice, unread] = [await server.createNotice(), await server.createNotice()];
    const trust = { published: true, headline: 'Trust' };
    assert.equal((await server.request('PUT', '/v1/trust', { body: trust })).status, 200);
    const token = await server.createScimToken();
    const open = [`/v1/public/consent/${notice}`, `/v1/public/trust/${server.tenant.slug}/widget`];
    const read = (path: string) => server.request('GET', path, { key: null });
    const known = await Promise.all(open.map(read));
    for (const change of ['freeze', 'stop'] as const) {
      await gate[change]();
      const refused = await Promise.all([
        server.request('GET', '/v1/tenant'),
        capture(server, notice, 'visitor'),
        read(`/v1/public/consent/${unread}`),
      ]);
      for (const answer of refused) {
        assertProblem(answer, 'unavailable');
        assert.equal(answer.headers.get('retry-after'), '5');
      }
      // A query without a response takes two seconds to fail: what is in memory is due for a check by then.
      for (const [index, path] of open.entries()) {
        const [before, now] = [known[index], await read(path)];
        assert.equal(now.status, 200, path);
        assert.equal(now.text, before?.text);
        for (const name of ['etag', 'cache-control', 'access-control-allow-origin'])
          assert.equal(now.headers.get(name), before?.headers.get(name), name);
      }
      const scim = await server.request('GET', '/scim/v2/Users', { key: token });
      assert.equal(scim.headers.get('content-type'), 'application/scim+json');
      const { schemas, status } = scim.body;
      assert.deepEqual(
        { schemas, status },
        { schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'], status: '503' },
      );
      const oauth = await server.request('POST', '/oauth/token', {
        key: null,
        rawBody: new URLSearchParams({
          grant_type: 'client_credentials',
          client_id: server.tenant.id,
          client_secret: server.tenant.key,
        }).toString(),
        headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      });
      assert.deepEqual([oauth.status, oauth.body.error], [503, 'temporarily_unavailable']);
      if (change === 'stop') await gate.start();
      else gate.thaw();
      assert.equal((await server.request('GET', '/v1/tenant')).status, 200);
      assert.equal((await capture(server, notice, 'visitor')).status, 201);
      await started.waitFor('database available again');
      assert.deepEqual(
        started.lines.splice(0).map(({ msg }) => msg),
        ['database unavailable', 'database available again'],
      );
    }
  });

  test('logs attempts at deliveries that cannot read the database as part of the outage', { skip }, async () => {
    await using receiver = await startScriptedReceiver();
    await createEndpoint(server, server.tenant, receiver.url);
    await openRequest(server, server.tenant);
    await using sending = createTestSender(server, undefined, server.app.faults.log);
    await sending.sender.poll();
    await sending.sender.tick();
    assert.equal(sending.sender.inFlight, 1);
    await gate.stop();
    await sending.sender.drain();
    assert.equal(receiver.received.length, 0);
    assert.deepEqual(
      started.lines.map(({ msg }) => msg),
      ['database unavailable'],
    );
    await gate.start();
    await started.waitFor('database available again');
    assert.deepEqual(
      started.lines.splice(0).map(({ msg }) => msg),
      ['database unavailable', 'database available again'],
    );
  });
});
