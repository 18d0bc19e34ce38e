import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { mkdirSync, mkdtempDisposableSync, readdirSync, renameSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { sql } from 'kysely';
import { readBackupName } from '../../cli/backups/backup-name.ts';
import { startHousekeeping } from '../../cli/server/housekeeping.ts';
import { startServer } from '../../cli/server/start-server.ts';
import { keepSetupLink } from '../../cli/setup-link.ts';
import { runTransaction } from '../../storage/database.ts';
import { capture, payload } from '../consent/helpers.ts';
import { startTestServer, type TestServer } from '../harness.ts';
import { allowPrivate, createEndpoint, openRequest, startScriptedReceiver } from '../webhooks/sending.ts';

type Options = NonNullable<Parameters<typeof startTestServer>[2]>;

/** A server whose log a test waits for. */
async function startLogging(environment: Readonly<Record<string, string>> = {}, options: Options = {}) {
  const lines: { readonly msg: string; readonly level: number }[] = [];
  const written = new EventEmitter();
  const writeLog = (line: string) => {
    lines.push(JSON.parse(line));
    written.emit('line');
  };
  const server = await startTestServer('sqlite', { SVC_LOG_LEVEL: 'info', ...environment }, { ...options, writeLog });
  /** Resolves when a message is in the log, and asserts its level. */
  const waitFor = async (level: 30 | 40 | 50, message: string) => {
    while (!lines.some(({ msg }) => msg === message)) await once(written, 'line');
    assert.equal(lines.find(({ msg }) => msg === message)?.level, level, message);
  };
  return { server, lines, waitFor };
}

/** Takes tables away, as a fault that no code expects. */
const hideTables = async ({ installation }: TestServer, ...names: readonly string[]) => {
  for (const name of names)
    await sql`alter table ${sql.table(name)} rename to ${sql.table(`hidden_${name}`)}`.execute(
      installation.database.kysely,
    );
};

const [info, warn, error] = [30, 40, 50] as const;

// The rows of the table of log messages that the test of a feature does not cause; `docs-site/test/log-messages.test.ts`
// has all of them.
describe('the log names', { timeout: 60_000 }, () => {
  test('a request, a task and a setup link that failed', async () => {
    const { server, waitFor } = await startLogging();
    await using _ = server;
    await hideTables(server, 'breach_incidents', 'erasure_jobs', 'tenants');
    assert.equal((await server.request('GET', '/v1/breach')).status, 500);
    await waitFor(error, 'request failed');
    const housekeeping = startHousekeeping(server.installation, server.app);
    await waitFor(error, 'housekeeping (privacy) failed');
    await housekeeping.stop();
    await using __ = keepSetupLink(server.installation, server.app.faults, 'https://svc.example.com/app/setup#1');
    await waitFor(error, 'checking the setup link failed');
  });

  test('backups, copies of erasures.log and rehearsals, made and failed', async () => {
    using folder = mkdtempDisposableSync(join(tmpdir(), 'svc-logged-backups-'));
    const target = join(folder.path, 'target');
    mkdirSync(target);
    const settings = { SVC_BACKUP_TO: target, SVC_BACKUP_KEEP: '1', SVC_BACKUP_REHEARSE_DAYS: '1' };
    const { server, waitFor } = await startLogging(settings);
    await using _ = server;
    const step = async () => {
      server.clock.advance(25 * 60 * 60 * 1000);
      await server.app.backups?.step();
    };
    const erase = async () => {
      const noticeId = await server.createNotice();
      payload(await capture(server, noticeId, { subjectId: 'nora' }, { key: server.tenant.key }));
      const path = '/v1/consent/subjects/nora/erase';
      payload(await server.request('POST', path, { body: { reason: 'requested' } }), 200);
    };
    await erase();
    await step();
    await waitFor(info, 'erasures.log copied');
    await waitFor(info, 'backup made');
    await waitFor(info, 'restore rehearsed');
    // The draft of an interrupted backup is a file: a folder in its place cannot be deleted.
    const name = readdirSync(target).find((one) => readBackupName(one)?.kind === 'archive') ?? '';
    mkdirSync(join(target, `${name}.draft`));
    await step();
    await waitFor(warn, 'old backups remain');
    renameSync(target, `${target}-away`);
    await erase();
    await step();
    await waitFor(error, 'erasures.log not copied');
    await waitFor(error, 'backup failed');
    await waitFor(error, 'rehearsal of a restore failed');
    await hideTables(server, 'backup_tasks');
    await erase();
    await waitFor(error, 'copying erasures.log failed');
  });

  test('last writes that failed', async () => {
    const { server, waitFor } = await startLogging();
    await using _ = server;
    payload(await server.request('GET', '/v1/tenant'), 200);
    await hideTables(server, 'api_keys');
    await server.close();
    await waitFor(error, 'the last writes failed');
  });

  test('a request that took a second or longer', async (context) => {
    const { server, lines, waitFor } = await startLogging();
    await using _ = server;
    const { port } = new URL(server.url);
    const socket = connect(Number(port), '127.0.0.1').setEncoding('utf8');
    const head = ['POST /v1/auth/sign-in HTTP/1.1', `Host: localhost:${port}`, `Origin: http://localhost:${port}`];
    const fields = ['Content-Type: application/json', 'Content-Length: 2', 'Expect: 100-continue'];
    socket.write([...head, ...fields, '', ''].join('\r\n'));
    // The server asks for the body, so it has started to measure.
    assert.match(String((await once(socket, 'data'))[0]), /^HTTP\/1\.1 100 /);
    const now = performance.now.bind(performance);
    context.mock.method(performance, 'now', () => now() + 1000);
    socket.write('{}');
    await once(socket, 'data');
    await waitFor(info, 'slow request');
    assert.equal(lines.length, 1);
    socket.destroy();
  });

  test('connections that are refused', async () => {
    for (const [environment, message] of [
      [
        { SVC_MAX_CONNECTIONS: '1', SVC_MAX_CONNECTIONS_ADDRESS: '9' },
        'connections are refused: raise SVC_MAX_CONNECTIONS',
      ],
      [
        { SVC_MAX_CONNECTIONS_ADDRESS: '1' },
        'connections of an address are refused: behind a proxy, set SVC_TRUSTED_PROXIES',
      ],
    ] as const) {
      const { server, lines, waitFor } = await startLogging(environment);
      await using _ = server;
      const sockets = [1, 2, 3].map(() => connect(Number(new URL(server.url).port), '127.0.0.1').on('error', () => {}));
      await Promise.all(sockets.slice(1).map((socket) => once(socket.resume(), 'close')));
      await waitFor(warn, message);
      assert.equal(lines.length, 1, 'once a minute');
      sockets[0]?.destroy();
    }
  });

  test('what the scheduled verification found, and one that failed', async () => {
    const { server, waitFor } = await startLogging();
    await using _ = server;
    const { session: headers } = await server.createMember({ role: 'platform_admin' });
    await server.createNotice();
    await sql`update consent_notices set domain = 'example.org'`.execute(server.installation.database.kysely);
    payload(await server.request('POST', '/v1/system/verifications', { headers }));
    await waitFor(error, 'verification found something');
    await server.app.verifier.idle();
    await hideTables(server, 'tenants');
    const { database, clock } = server.installation;
    await runTransaction(database, clock(), (tx) => server.app.verifier.begin(tx));
    await waitFor(error, 'verification failed');
    await server.app.verifier.idle();
  });

  test('each fault of the sender', async () => {
    await using receiver = await startScriptedReceiver();
    const { server, waitFor } = await startLogging(allowPrivate, { sends: true });
    await using _ = server;
    const { kysely } = server.installation.database;
    await createEndpoint(server, server.tenant, receiver.url);
    await kysely.updateTable('webhook_endpoints').set({ url: 'no address' }).execute();
    await openRequest(server, server.tenant, 'one');
    await waitFor(error, 'an attempt broke off');
    await kysely.updateTable('webhook_endpoints').set({ url: receiver.url }).execute();
    await hideTables(server, 'webhook_attempts', 'webhook_redeliveries');
    await openRequest(server, server.tenant, 'two');
    await waitFor(error, 'sending failed');
    await waitFor(error, 'redelivering failed');
    await hideTables(server, 'webhook_deliveries');
    await waitFor(error, 'looking for deliveries failed');
    await server.close();
    await waitFor(error, 'the sender stopped badly');
  });

  test('a sender that started badly', async () => {
    const { server, waitFor } = await startLogging();
    await using _ = server;
    const { installation, app } = server;
    const restart = async () => {
      await using __ = await startServer(installation, { log: app.faults.log, housekeeping: false });
    };
    await hideTables(server, 'webhook_deliveries');
    await sql`pragma query_only = on`.execute(installation.database.kysely);
    await restart();
    await waitFor(error, 'the sender started badly');
  });

  test('remains of erasures that an earlier process left, which a server removes', async () => {
    const { server, waitFor } = await startLogging();
    await using _ = server;
    const { installation, app } = server;
    const { kysely } = installation.database;
    await sql`pragma user_version = -1`.execute(kysely);
    await using __ = await startServer(installation, { log: app.faults.log });
    await waitFor(info, 'removed what was left of erased values');
    const { rows } = await sql`pragma user_version`.execute(kysely);
    assert.deepEqual(rows, [{ user_version: 0 }]);
  });
});
