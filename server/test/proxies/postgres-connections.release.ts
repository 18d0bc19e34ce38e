import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { sql } from 'kysely';
import { findFreePort, findPrograms, findUnprivilegedUser, readUntil } from '../../../tools/test/postgres.ts';
import { requireProgram, startProxy } from '../../../tools/test/proxies.ts';
import { inTransaction, openDatabase } from '../../storage/database.ts';
import { DatabaseUnavailable } from '../../storage/unavailable.ts';
import { type Environment, runSvc, spawnSvc, startSvc } from '../cli/run-svc.ts';
import { createLocation, noticeContent } from '../harness.ts';
import { makeCertificate } from '../webhooks/make-certificate.ts';

const programs = findPrograms();
const authority = makeCertificate({ name: 'authority', isAuthority: true });
const certificate = makeCertificate({ name: 'localhost', issuer: authority });
const password = 'p@ss/w:rd#?%';
const encoded = encodeURIComponent(password);

interface Cluster extends AsyncDisposable {
  readonly port: number;
  readonly folder: string;
}

/** A PostgreSQL of its own, with a socket, and with TLS if it has a certificate. It wants a password over TCP. */
async function startCluster(
  rules: string,
  { hasTls = false, isStandby = false, standbys = '' } = {},
): Promise<Cluster> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-pg-'));
  const owner = findUnprivilegedUser();
  const own = (...names: readonly string[]) => {
    for (const path of ['', ...names].map((name) => join(folder, name)))
      if (owner) chownSync(path, owner.uid, owner.gid);
  };
  writeFileSync(join(folder, 'password'), password);
  own('password');
  const options = { ...owner, cwd: folder, env: { PATH: process.env.PATH, LC_ALL: 'C' } };
  const init = [
    '--username=svc',
    '--auth=scram-sha-256',
    `--pwfile=${folder}/password`,
    '--encoding=UTF8',
    '--no-locale',
    '--no-sync',
  ];
  execFileSync(join(programs as string, 'initdb'), [`--pgdata=${folder}/data`, ...init], {
    ...options,
    stdio: 'ignore',
  });
  writeFileSync(join(folder, 'data/pg_hba.conf'), `local all all trust\n${rules}\n`);
  writeFileSync(join(folder, 'server.crt'), certificate.cert);
  writeFileSync(join(folder, 'server.key'), certificate.key);
  writeFileSync(join(folder, 'root.crt'), authority.cert);
  own('server.crt', 'server.key', 'data/pg_hba.conf');
  chmodSync(join(folder, 'server.key'), 0o600);
  if (isStandby) {
    writeFileSync(join(folder, 'data/standby.signal'), '');
    own('data/standby.signal');
  }
  const port = await findFreePort();
  const tls = hasTls
    ? ['ssl=on', `ssl_cert_file=${folder}/server.crt`, `ssl_key_file=${folder}/server.key`]
    : ['ssl=off'];
  const settings = [
    'listen_addresses=127.0.0.1',
    `unix_socket_directories=${folder}`,
    'fsync=off',
    'log_min_messages=log',
    `synchronous_standby_names=${standbys}`,
    ...tls,
  ];
  const child = spawn(
    join(programs as string, 'postgres'),
    ['-D', join(folder, 'data'), '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])],
    { ...options, stdio: ['ignore', 'ignore', 'pipe'] },
  );
  const ended = once(child, 'exit');
  const stop = async () => {
    child.kill('SIGQUIT');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
  const complaint = await readUntil(child.stderr.setEncoding('utf8'), 'ready to accept');
  if (complaint !== undefined) {
    await stop();
    throw new Error(complaint);
  }
  return { port, folder, [Symbol.asyncDispose]: stop };
}

/** Runs a command that connects. @returns its exit code and complaint. */
async function connectTo(address: string, words: readonly string[] = ['migrate']) {
  await using location = await createLocation('sqlite');
  const { code, stderr } = await runSvc(words, { ...location.environment, DATABASE_URL: address });
  assert.ok(!/p@ss|w:rd/.test(stderr), stderr);
  return { code, stderr };
}

async function assertConnects(address: string): Promise<void> {
  const { code, stderr } = await connectTo(address);
  assert.equal(code, 0, `${address}\n${stderr}`);
}

async function assertRefused(address: string, message: RegExp): Promise<void> {
  const { code, stderr } = await connectTo(address);
  assert.equal(code, 2, `${address}\n${stderr}`);
  assert.match(stderr, message, address);
  assert.match(stderr, /^svc: [^\n]+\n$/);
}

describe('an address of a PostgreSQL', { skip: programs === undefined && 'no PostgreSQL' }, () => {
  const addressOf = ({ port }: Cluster, parameters = '', secret = encoded) =>
    `postgres://svc:${secret}@localhost:${port}/postgres?${parameters}`;

  test('without TLS is used as libpq uses it, over TCP and the socket', async () => {
    await using cluster = await startCluster('host all all 127.0.0.1/32 scram-sha-256');
    const { port, folder } = cluster;
    for (const mode of ['', 'sslmode=disable', 'sslmode=allow', 'sslmode=prefer'])
      await assertConnects(addressOf(cluster, mode));
    for (const mode of ['require', 'verify-full'])
      await assertRefused(addressOf(cluster, `sslmode=${mode}`), /The server does not support SSL connections/);
    for (const socket of [
      `postgres://svc@/postgres?host=${folder}&port=${port}`,
      `postgres://svc@/postgres?host=${encodeURIComponent(folder)}&port=${port}&sslmode=require`,
      `postgresql://svc@${encodeURIComponent(folder)}:${port}/postgres`,
    ])
      await assertConnects(socket);
    await assertConnects(addressOf(cluster, '', 'p@ss%2Fw:rd#?%'));
    await assertConnects(`postgres://svc:${encoded}@localhost:1,localhost:${port}/postgres`);
    // Settings are reported in more than one line.
    const unread = await connectTo(addressOf(cluster, '', password));
    assert.equal(unread.code, 2);
    assert.match(unread.stderr, /DATABASE_URL: cannot be read\. Percent-encode/);
    await assertRefused(addressOf(cluster, '', 'wrong'), /password authentication failed/);
    await assertRefused(addressOf(cluster, '', ''), /it requires a password; add it to DATABASE_URL/);
    await assertRefused(addressOf(cluster).replace('/postgres?', '/missing?'), /database "missing" does not exist/);
    await assertRefused(`postgres://svc@/postgres?host=${folder}&port=1`, /there is no such socket/);
  });

  test('with TLS is verified as far as sslmode says', async () => {
    await using cluster = await startCluster('hostssl all all 127.0.0.1/32 scram-sha-256', { hasTls: true });
    const root = `sslrootcert=${cluster.folder}/root.crt`;
    for (const parameters of [
      '',
      'sslmode=allow',
      'sslmode=prefer',
      'sslmode=require',
      `sslmode=require&${root}`,
      `sslmode=verify-ca&${root}`,
      `sslmode=verify-full&${root}`,
    ])
      await assertConnects(addressOf(cluster, parameters));
    await assertRefused(addressOf(cluster, 'sslmode=disable'), /no pg_hba\.conf entry .* no encryption/);
    await assertRefused(addressOf(cluster, 'sslmode=verify-full'), /certificate/);
    const byAddress = addressOf(cluster, `sslmode=verify-full&${root}`).replace('localhost', '127.0.0.1');
    await assertRefused(byAddress, /IP: 127\.0\.0\.1 is not in the cert's list|does not match certificate/);
    await assertConnects(byAddress.replace('verify-full', 'verify-ca'));
  });

  test('of a server that refuses TLS for the role is used without it only if sslmode allows', async () => {
    await using cluster = await startCluster('hostnossl all all 127.0.0.1/32 scram-sha-256', { hasTls: true });
    await assertConnects(addressOf(cluster, 'sslmode=prefer'));
    await assertRefused(addressOf(cluster, 'sslmode=require'), /no pg_hba\.conf entry/);
  });

  test('of a standby is refused, and skipped in a list', async () => {
    const rules = 'host all all 127.0.0.1/32 scram-sha-256';
    await using standby = await startCluster(rules, { isStandby: true });
    await using primary = await startCluster(rules);
    await assertRefused(addressOf(standby), /is a standby.*address of the primary/);
    await assertConnects(`postgres://svc:${encoded}@localhost:${standby.port},localhost:${primary.port}/postgres`);
  });

  test('of a standby is waited for by a server that starts, because it may be promoted', async () => {
    await using standby = await startCluster('host all all 127.0.0.1/32 scram-sha-256', { isStandby: true });
    await using location = await createLocation('sqlite');
    const child = spawnSvc(['serve'], {
      ...location.environment,
      DATABASE_URL: addressOf(standby),
      SVC_DATABASE_WAIT_SECONDS: '60',
    });
    const exited = once(child, 'exit');
    try {
      const log = child.stdout.setEncoding('utf8');
      assert.equal(await readUntil(log, 'waiting for the database'), undefined);
      execFileSync(join(programs as string, 'pg_ctl'), ['promote', '-D', join(standby.folder, 'data')], {
        ...findUnprivilegedUser(),
        cwd: standby.folder,
        stdio: 'ignore',
      });
      assert.equal(await readUntil(log, '"msg":"started"'), undefined);
    } finally {
      child.kill('SIGTERM');
      await exited;
    }
  });
});

describe('a PostgreSQL that waits for a synchronous standby', {
  skip: programs === undefined && 'no PostgreSQL',
}, () => {
  test('has acknowledged nothing if the wait is canceled', { timeout: 60_000 }, async () => {
    await using cluster = await startCluster('host all all 127.0.0.1/32 scram-sha-256', { standbys: 'absent' });
    const url = `postgres://svc:${encoded}@localhost:${cluster.port}/postgres`;
    await using database = openDatabase({ url, file: '' }, 30);
    await using beside = openDatabase({ url, file: '' });
    const outcome = inTransaction(database, (transaction) => sql`create table kept (id int)`.execute(transaction)).then(
      () => 'acknowledged',
      (error: unknown) => error,
    );
    const cancel = sql<{ canceled: boolean }>`
      select pg_cancel_backend(pid) as canceled from pg_stat_activity where wait_event = 'SyncRep'`;
    while ((await cancel.execute(beside.kysely)).rows.length === 0);
    const error = await outcome;
    assert.ok(error instanceof DatabaseUnavailable, String(error));
    assert.match(error.message, /synchronous replication/);
    // It is there, as with every COMMIT without an answer, and the connection can be used.
    await sql`select from kept`.execute(database.kysely);
  });
});

const pgbouncer = requireProgram('pgbouncer');
const page = readFileSync(join(import.meta.dirname, '../../../docs-site/pages/hosting/postgresql.md'), 'utf8');
const [, recipe = ''] = /title="pgbouncer\.ini"\n([\s\S]*?)\n```/.exec(page) ?? [];
const cluster = process.env.SVC_TEST_POSTGRES_URL;
const skip = pgbouncer === undefined ? 'no PgBouncer' : cluster === undefined ? 'no PostgreSQL' : false;

describe('PgBouncer', { skip }, () => {
  const startPgBouncer = (mode: string) => {
    const { hostname, port: upstream, username } = new URL(cluster as string);
    assert.match(recipe, /pool_mode = session/);
    return startProxy(
      pgbouncer as string,
      (_, port) => ({
        'pgbouncer.ini': `[databases]\n* = host=${hostname} port=${upstream} user=${username}\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = ${port}\nunix_socket_dir =\nauth_type = any\n${recipe.replace('pool_mode = session', `pool_mode = ${mode}`)}\n`,
      }),
      (folder) => [join(folder, 'pgbouncer.ini')],
    );
  };
  const through = (environment: Environment, port: number): Environment => {
    const url = new URL(environment.DATABASE_URL as string);
    url.host = `127.0.0.1:${port}`;
    return { ...environment, DATABASE_URL: url.href };
  };

  test('with the configuration in the documentation carries a server, its commands and a move', async () => {
    await using location = await createLocation('postgres');
    await using pooler = await startPgBouncer('session');
    const environment = through(location.environment, pooler.port);
    assert.equal((await runSvc(['migrate'], environment)).code, 0);
    assert.equal((await runSvc(['tenant', 'create', '--slug', 'acme', '--name', 'Acme'], environment)).code, 0);
    const created = await runSvc(
      ['key', 'create', '--tenant', 'acme', '--name', 'k', '--scopes', 'all', '--json'],
      environment,
    );
    const headers = { Authorization: `Bearer ${JSON.parse(created.stdout).key}`, 'Content-Type': 'application/json' };
    await using folder = await createLocation('sqlite');
    const to = `sqlite:${join(folder.environment.SVC_DATA_DIR as string, 'moved')}`;
    {
      await using server = await startSvc(['serve'], environment);
      const post = (path: string, body: object, more = {}) =>
        fetch(server.url + path, { method: 'POST', headers: { ...headers, ...more }, body: JSON.stringify(body) });
      const { data } = (await (await post('/v1/consent/notices', noticeContent)).json()) as { data: { id: string } };
      assert.equal((await post(`/v1/consent/${data.id}/publish`, {})).status, 200);
      const captures = Array.from({ length: 40 }, async (_, index) => {
        const record = { subjectId: `subject-${index}`, purposes: { analytics: true } };
        const key = { 'Idempotency-Key': `capture-number-${index}` };
        return (await post(`/v1/consent/${data.id}/records`, record, key)).status;
      });
      assert.deepEqual([...new Set(await Promise.all(captures))], [201]);
      const verified = await runSvc(['verify'], environment);
      assert.equal(verified.code, 0, verified.stdout);
      const busy = await runSvc(['move', '--to', to], environment);
      assert.equal(busy.code, 2, busy.stderr);
      assert.match(busy.stderr, /A server or another command uses/);
      assert.equal((await server.stop()).code, 0);
    }
    const moved = await runSvc(['move', '--to', to], environment);
    assert.equal(moved.code, 0, moved.stderr);
  });

  for (const mode of ['transaction', 'statement'])
    test(`with pool_mode = ${mode} is refused at the start`, async () => {
      await using location = await createLocation('postgres');
      await using pooler = await startPgBouncer(mode);
      for (const words of [['serve'], ['migrate']]) {
        const { code, stdout, stderr } = await runSvc(words, through(location.environment, pooler.port));
        assert.deepEqual([code, stdout], [2, ''], stderr);
        assert.match(stderr, /^svc: The pooler in front of PostgreSQL .* Set pool_mode = session .*\n$/);
        assert.equal(stderr.trim().split('\n').length, 1);
      }
    });
});
