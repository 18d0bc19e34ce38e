import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import pg from 'pg';
import { findMemoryFolder } from '../../../tools/test/memory-folder.ts';
import { type Scope, scopes } from '../../http/roles.ts';
import type { ReadReplica, ReplicaState } from '../../storage/read-replica.ts';
import { UnusableDatabase } from '../../storage/unavailable.ts';
import { payload } from '../consent/helpers.ts';
import { missingPostgres, OwnPostgres } from '../crash/own-postgres.ts';
import { waitForNone } from '../crash/wait-for-none.ts';
import { noticeContent, startTestServer, type TestServer } from '../harness.ts';
import { acceptedCall, acceptedCredentials, join } from '../http/route-samples.ts';
import { createScene } from '../http/scene.ts';

const limit = 20_000;
const sharedSecret = 'the secret that both servers of this test have';

describe('a read replica', { skip: missingPostgres ?? false }, () => {
  let primary: OwnPostgres;
  let standby: OwnPostgres;
  let server: TestServer;
  let replica: ReadReplica;
  const lines: { readonly msg: string; readonly level: number; readonly state?: string }[] = [];

  const serve = (environment: Readonly<Record<string, string>> = {}, isSetUp = true) =>
    startTestServer(
      'sqlite',
      {
        DATABASE_URL: primary.url,
        DATABASE_READ_URL: standby.url,
        SVC_READ_LAG_SECONDS: '3600',
        SVC_SECRET: sharedSecret,
        SVC_LOG_LEVEL: 'info',
        // A wait for a lock fails after half of them.
        SVC_DATABASE_SECONDS: '10',
        ...environment,
      },
      { isSetUp, writeLog: (line) => lines.push(JSON.parse(line)) },
    );
  const replicaOf = ({ app }: TestServer) => app.replica as ReadReplica;
  /** Waits until the standby has every change, as the server sees it. */
  const catchUp = (one = replica) =>
    waitForNone({ what: 'databases that differ', limit }, async () => {
      await one.step();
      return one.status.state === 'used' && (await one.hasEverything()) ? 0 : 1;
    });
  const untilState = (state: ReplicaState) =>
    waitForNone({ what: 'other states', limit }, async () => {
      await replica.step();
      return replica.status.state === state ? 0 : 1;
    });
  const run = async (place: OwnPostgres, statement: string) => {
    const client = new pg.Client({ connectionString: place.url });
    await client.connect();
    try {
      return (await client.query(statement)).rows;
    } finally {
      await client.end();
    }
  };
  const pause = async () => {
    await run(standby, 'select pg_wal_replay_pause()');
    await waitForNone({ what: 'standbys that replay', limit }, async () => {
      const [row] = await run(standby, 'select pg_get_wal_replay_pause_state() as state');
      return row.state === 'paused' ? 0 : 1;
    });
  };
  const resume = () => run(standby, 'select pg_wal_replay_resume()');
  /** The ids of the notices that a caller sees, newest first. */
  const listNotices = async (caller: object, one = server): Promise<readonly string[]> =>
    payload(await one.request('GET', '/v1/consent', caller), 200).data.map(({ id }: { readonly id: string }) => id);
  const readSystem = async () => {
    const { session } = await server.createMember({ role: 'platform_admin' });
    return payload(await server.request('GET', '/v1/system', { headers: session }), 200).replica;
  };

  before(async () => {
    const parent = findMemoryFolder();
    primary = await OwnPostgres.create(parent);
    standby = await OwnPostgres.createStandby(parent, primary);
    server = await serve({ SVC_METRICS_PORT: '0' });
    replica = replicaOf(server);
  });

  after(async () => {
    await server?.[Symbol.asyncDispose]();
    await standby?.[Symbol.asyncDispose]();
    await primary?.[Symbol.asyncDispose]();
  });

  test('answers every operation that may read from it, and decides nothing about access', async (context) => {
    const scene = await createScene(server);
    for (const route of server.app.routes.filter(({ reads }) => reads === 'replica'))
      await context.test(route.operationId, async () => {
        const { path, request } = await acceptedCall(route, scene);
        const credentials =
          route.auth === 'platform'
            ? await acceptedCredentials(route, scene)
            : { key: await server.createKey(scene.tenant.id, [route.scope as Scope]) };
        const send = () => server.request(route.method, path, join(request, credentials));
        await catchUp();
        await pause();
        try {
          const before = replica.status.reads.replica;
          // An operation that reads contents from the primary waits for this lock, and fails.
          await using _ = await lockContents();
          const answered = await send();
          assert.equal(answered.status, 200, answered.text);
          assert.equal(replica.status.reads.replica, before + 1, 'the primary answered');
          // On the primary only: the standby still has these credentials.
          await run(
            primary,
            "update api_keys set hash = 'x' || hash; update sessions set token_hash = 'x' || token_hash",
          );
          const refused = await send();
          await run(primary, 'update api_keys set hash = substr(hash, 2)');
          await run(primary, 'update sessions set token_hash = substr(token_hash, 2)');
          assert.equal(refused.status, 401);
        } finally {
          await resume();
        }
      });
  });

  test('shows a caller their own changes, on every server, and others what it has', async () => {
    const [writer, reader] = [{ key: server.tenant.key }, { key: await server.createKey(server.tenant.id, scopes) }];
    const [first, second] = [await server.createMember(), await server.createMember()];
    await using other = await serve({}, false);
    await catchUp();
    await catchUp(replicaOf(other));
    await pause();
    const byKey = await server.createNotice();
    const created = await server.request('POST', '/v1/consent/notices', {
      headers: first.session,
      body: { ...noticeContent, name: 'Of a session' },
    });
    const bySession = payload(created, 201).id;
    const ofOther = { ...first.session, Origin: other.url };
    assert.deepEqual(await listNotices({ headers: second.session }), []);
    assert.deepEqual(await listNotices(reader), []);
    assert.deepEqual(await listNotices(reader, other), []);
    assert.deepEqual(await listNotices({ headers: first.session }), [bySession, byKey]);
    assert.deepEqual(await listNotices({ headers: ofOther }, other), [bySession, byKey]);
    assert.deepEqual(await listNotices(writer), [bySession, byKey]);
    assert.deepEqual(await listNotices(writer, other), [bySession, byKey]);
    // The primary is asked for a row that the standby does not have.
    payload(await server.request('GET', `/v1/consent/${byKey}/records`, reader), 200);
    await resume();
    await catchUp();
    const before = replica.status.reads.replica;
    for (const caller of [writer, reader]) assert.deepEqual(await listNotices(caller), [bySession, byKey]);
    assert.equal(replica.status.reads.replica, before + 2);
  });

  test('requires everything after the primary was restarted, which may have lost positions', async () => {
    const reader = { key: await server.createKey(server.tenant.id, scopes) };
    await catchUp();
    await pause();
    const notice = await server.createNotice();
    await run(primary, 'delete from read_positions');
    assert.equal((await listNotices({ key: server.tenant.key })).includes(notice), false);
    await primary.stop('fast');
    await primary.start();
    assert.equal((await listNotices(reader)).includes(notice), true);
    assert.equal((await readSystem()).state, 'lagging');
    await resume();
    await catchUp();
  });

  test('is not used while it lags by more than the bound, and is afterwards', async () => {
    await using strict = await serve({ SVC_READ_LAG_SECONDS: '0' }, false);
    const reader = { key: await server.createKey(server.tenant.id, scopes) };
    await catchUp(replicaOf(strict));
    await pause();
    const notice = await server.createNotice();
    assert.equal((await listNotices(reader)).includes(notice), false);
    assert.equal((await listNotices(reader, strict)).includes(notice), true);
    assert.equal(replicaOf(strict).status.state, 'lagging');
    await resume();
    await catchUp(replicaOf(strict));
    const before = replicaOf(strict).status.reads.replica;
    assert.equal((await listNotices(reader, strict)).includes(notice), true);
    assert.equal(replicaOf(strict).status.reads.replica, before + 1);
  });

  test('may disappear and return while the server runs', async () => {
    await catchUp();
    const since = lines.length;
    await standby.stop('immediate');
    for (let time = 0; time < 3; time += 1) await listNotices({ key: server.tenant.key });
    const { state, lagSeconds } = await readSystem();
    assert.deepEqual({ state, lagSeconds }, { state: 'unreachable', lagSeconds: null });
    assert.match(await readMetrics(), /^svc_read_replica_up 0$/m);
    assert.doesNotMatch(await readMetrics(), /^svc_read_replica_lag_seconds /m);
    await standby.start();
    await catchUp();
    assert.match(await readMetrics(), /^svc_read_replica_up 1$/m);
    assert.match(await readMetrics(), /^svc_read_replica_lag_seconds [0-9.e-]+$/m);
    assert.match(await readMetrics(), /^svc_read_replica_reads_total\{target="primary"\} [1-9]/m);
    // Once for each change of the state.
    assert.deepEqual(changesSince(since).slice(0, 1), ['unreachable']);
    assert.deepEqual(changesSince(since).slice(-1), ['used']);
    assert.equal(changesSince(since).filter((one) => one === 'unreachable').length, 1);
  });

  test('does not delay reads while it hangs', async () => {
    await catchUp();
    standby.freeze();
    try {
      await listNotices({ key: server.tenant.key });
      await untilState('unreachable');
      await listNotices({ key: server.tenant.key });
    } finally {
      standby.thaw();
    }
    await catchUp();
  });

  test('is verified where it has everything; otherwise the primary is, without a false alarm', async () => {
    const { session: headers } = await server.createMember({ role: 'platform_admin' });
    const verify = async () => {
      payload(await server.request('POST', '/v1/system/verifications', { headers }), 201);
      await server.app.verifier.idle();
      return payload(await server.request('GET', '/v1/system/verifications', { headers }), 200).items[0];
    };
    const repeats = () => lines.filter(({ msg }) => msg === repeated).length;
    await catchUp();
    assert.deepEqual(pick(await verify()), { status: 'holds', findings: 0 });
    assert.equal(repeats(), 0);
    await pause();
    const notice = await server.createNotice();
    payload(await server.request('POST', '/v1/ledgers/audit/checkpoints'), 201);
    assert.deepEqual(pick(await verify()), { status: 'holds', findings: 0 });
    assert.equal(repeats(), 0);
    await resume();
    await catchUp();
    await run(primary, `update consent_notices set created_at = '2020-01-01T00:00:00.000Z' where id = '${notice}'`);
    await catchUp();
    assert.deepEqual(pick(await verify()), { status: 'failed', findings: 1 });
    assert.equal(repeats(), 1);
  });

  test('must be a copy of the same database, and no primary', async () => {
    const other = primary.url.replace(/postgres$/, 'template1');
    await assert.rejects(serve({ DATABASE_READ_URL: other }, false), (error) => {
      assert.ok(error instanceof UnusableDatabase);
      assert.match(
        error.message,
        /^DATABASE_READ_URL leads to a database that is no copy of the one of DATABASE_URL: /,
      );
      return true;
    });
    await using itself = await serve({ DATABASE_READ_URL: primary.url }, false);
    assert.equal(replicaOf(itself).status.state, 'not_a_standby');
    await listNotices({ key: server.tenant.key }, itself);
    assert.deepEqual(replicaOf(itself).status.reads, { replica: 0, primary: 1 });
  });

  test('is not used any more once it is promoted', async () => {
    await catchUp();
    const since = lines.length;
    await run(standby, 'select pg_promote()');
    const notice = await server.createNotice();
    const reader = { key: await server.createKey(server.tenant.id, scopes) };
    assert.equal((await listNotices(reader)).includes(notice), true);
    assert.equal((await listNotices(reader)).includes(notice), true);
    assert.deepEqual(changesSince(since), ['not_a_standby']);
  });

  /** Locks every table of the primary but those of callers. */
  async function lockContents(): Promise<AsyncDisposable> {
    const client = new pg.Client({ connectionString: primary.url });
    await client.connect();
    const { rows } = await client.query("select tablename from pg_tables where schemaname = 'public'");
    const contents = rows.map(({ tablename }) => tablename).filter((name) => !ofCallers.has(name));
    await client.query(`begin; lock table ${contents.join(', ')} in access exclusive mode`);
    return {
      [Symbol.asyncDispose]: async () => {
        // The standby has these locks, too, until it has replayed the end: a commit is durable at once.
        await client.query('commit');
        await client.end();
      },
    };
  }

  const changesSince = (from: number) =>
    lines.slice(from).flatMap(({ msg, state }) => {
      if (msg === 'the read replica is used') return ['used'];
      return msg === 'the read replica is not used: the primary answers its reads' ? [state] : [];
    });
  const readMetrics = async () => (await fetch(server.metricsUrl as string)).text();
});

const repeated = 'the verification of the read replica found something: verifying the primary';

/** The tables that say who calls. */
const ofCallers: ReadonlySet<string> = new Set([
  ...['tenants', 'users', 'memberships', 'second_factors', 'sessions', 'api_keys', 'access_tokens', 'read_positions'],
]);

function pick({ status, findings }: { readonly status: string; readonly findings: number }) {
  return { status, findings };
}
