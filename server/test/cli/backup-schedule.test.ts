import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, watch, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { readBackupName } from '../../cli/backups/backup-name.ts';
import { capture, payload } from '../consent/helpers.ts';
import { describeOnEachDatabase, startTestServer, type TestServer } from '../harness.ts';
import { environmentOf, runSvc, startSvc } from './run-svc.ts';

const hour = 60 * 60 * 1000;

describeOnEachDatabase('backups by the server', (dialect) => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-schedule-'));
  after(() => rmSync(folder, { recursive: true, force: true }));
  let made = 0;

  const newFolder = () => {
    made += 1;
    const target = join(folder, `${made}`);
    mkdirSync(target);
    return target;
  };
  const kinds = (target: string) => readdirSync(target).map((name) => readBackupName(name)?.kind ?? name);
  const readBackups = async (server: TestServer) => {
    const headers = (await server.createMember({ role: 'platform_admin' })).session;
    return payload(await server.request('GET', '/v1/system', { headers }), 200).backups;
  };
  const step = async (server: TestServer) => {
    assert.ok(server.app.backups !== null);
    await server.app.backups.step();
  };
  const eraseOne = async (server: TestServer) => {
    const { key } = server.tenant;
    const noticeId = await server.createNotice();
    payload(await capture(server, noticeId, { subjectId: 'nora.k@corp.example' }, { key }));
    const path = '/v1/consent/subjects/nora.k@corp.example/erase';
    payload(await server.request('POST', path, { key, body: { reason: 'asked for it' } }), 200);
  };

  test('are made when they are due, and shown with the state of the server', async () => {
    const target = newFolder();
    await using server = await startTestServer(dialect, { SVC_BACKUP_TO: target, SVC_BACKUP_HOURS: '6' });
    assert.deepEqual(await readBackups(server), { target, isEncrypted: false, tasks: [] });
    await step(server);
    await step(server);
    assert.deepEqual(kinds(target), ['archive']);
    const [name] = readdirSync(target);
    const { tasks } = await readBackups(server);
    const at = server.clock.now();
    assert.deepEqual(tasks, [
      { ...tasks[0], task: 'backup', status: 'completed', startedAt: at, completedAt: at, name, fault: null },
    ]);
    server.clock.advance(6 * hour);
    await step(server);
    assert.deepEqual(kinds(target), ['archive', 'archive']);
  });

  test('are made when the clock was ahead before', async () => {
    const target = newFolder();
    await using server = await startTestServer(dialect, { SVC_BACKUP_TO: target });
    await step(server);
    const ahead = '2999-01-01T00:00:00.000Z';
    const set = (columns: object) =>
      server.installation.database.kysely
        .updateTable('backup_tasks')
        .set(columns)
        .where('task', '=', 'backup')
        .execute();
    server.clock.advance(1000);
    await set({ started_at: ahead, finished_at: ahead });
    await step(server);
    assert.equal(kinds(target).length, 2);
    server.clock.advance(1000);
    await set({ status: 'running', heartbeat_at: ahead });
    await step(server);
    assert.equal(kinds(target).length, 3);
  });

  test('leave no copy of the database or its secret when the server stops or was killed', async () => {
    await using server = await startTestServer(dialect, { SVC_BACKUP_TO: newFolder() });
    const { dataDir } = server.installation.settings;
    const { backups } = server.app;
    assert.ok(backups !== null);
    const watcher = watch(dataDir);
    const drafted = new Promise<void>((resolve) => {
      watcher.on('change', (_, name) => (name === 'backup-draft' ? resolve() : undefined));
    });
    const stepped = backups.step();
    await drafted;
    watcher.close();
    backups.interrupt();
    await stepped;
    assert.ok(!existsSync(join(dataDir, 'backup-draft')));

    const killed = newFolder();
    for (const name of ['backup-draft', 'rehearsal-draft', 'restore-draft']) mkdirSync(join(killed, name));
    await using _ = await startSvc(['serve'], { SVC_DATA_DIR: killed });
    assert.deepEqual(
      readdirSync(killed).filter((name) => name.endsWith('-draft')),
      [],
    );
  });

  test('report a failure, keep what there is, and try again after a quarter of an hour', async () => {
    const target = newFolder();
    await using server = await startTestServer(dialect, { SVC_BACKUP_TO: join(target, 'later') });
    await step(server);
    const [failed] = (await readBackups(server)).tasks;
    assert.deepEqual([failed.status, failed.completedAt], ['failed', null]);
    assert.match(failed.fault, /There is no folder .* for backups/);
    mkdirSync(join(target, 'later'));
    await step(server);
    assert.deepEqual(kinds(join(target, 'later')), []);
    server.clock.advance(hour / 4);
    await step(server);
    assert.deepEqual(kinds(join(target, 'later')), ['archive']);
    assert.equal((await readBackups(server)).tasks[0].fault, null);
  });

  test('copy erasures.log after an erasure by itself, in place of the copy before', async () => {
    const target = newFolder();
    await using server = await startTestServer(dialect, { SVC_BACKUP_TO: target, SVC_BACKUP_HOURS: '0' });
    await eraseOne(server);
    while (kinds(target).length === 0) await server.app.backups?.idle().then(() => new Promise(setImmediate));
    assert.deepEqual(kinds(target), ['erasures']);
    const [first] = readdirSync(target);
    await step(server);
    assert.deepEqual(readdirSync(target), [first]);
    server.clock.advance(1000);
    await eraseOne(server);
    await step(server);
    assert.deepEqual(kinds(target), ['erasures']);
    assert.notEqual(readdirSync(target)[0], first);
  });

  test('are rehearsed: a damaged backup is reported', async () => {
    const target = newFolder();
    const settings = { SVC_BACKUP_TO: target, SVC_BACKUP_REHEARSE_DAYS: '1' };
    await using server = await startTestServer(dialect, settings);
    await server.createNotice();
    await step(server);
    const rehearsal = async () =>
      (await readBackups(server)).tasks.find(({ task }: { readonly task: string }) => task === 'rehearsal');
    const [name = ''] = readdirSync(target);
    const held = await rehearsal();
    assert.deepEqual([held.status, held.fault, held.name], ['completed', null, name]);
    assert.ok(!readdirSync(server.installation.settings.dataDir).includes('rehearsal-draft'));
    const bytes = readFileSync(join(target, name));
    writeFileSync(join(target, name), bytes.subarray(0, bytes.length - 20));
    await server.installation.database.kysely
      .updateTable('backup_tasks')
      .set({ started_at: '2020-01-01T00:00:00.000Z' })
      .where('task', '=', 'rehearsal')
      .execute();
    await step(server);
    assert.match((await rehearsal()).fault, /is damaged or incomplete/);
  });

  test('are rehearsed: a backup of another installation under the name of this one is reported', async () => {
    const [target, other] = [newFolder(), newFolder()];
    await using forger = await startTestServer(dialect, { SVC_BACKUP_TO: other });
    await step(forger);
    const settings = { SVC_BACKUP_TO: target, SVC_BACKUP_HOURS: '0', SVC_BACKUP_REHEARSE_DAYS: '1' };
    await using server = await startTestServer(dialect, settings);
    const [name = ''] = readdirSync(other);
    const own = name.replace(forger.installation.signer.verifier.name, server.installation.signer.verifier.name);
    writeFileSync(join(target, own), readFileSync(join(other, name)));
    await step(server);
    const { tasks } = await readBackups(server);
    const { fault } = tasks.find(({ task }: { readonly task: string }) => task === 'rehearsal');
    assert.match(fault, /has the secret of another installation than svc-/);
  });

  if (dialect === 'postgres')
    test('have what is outside of PostgreSQL, which svc restore puts in place', async () => {
      const target = newFolder();
      await using server = await startTestServer(dialect, { SVC_BACKUP_TO: target });
      await step(server);
      await eraseOne(server);
      await step(server);
      const to = newFolder();
      const environment = { ...environmentOf(server), SVC_BACKUP_TO: target, SVC_DATA_DIR: to };
      const restored = await runSvc(['restore', '--latest'], environment);
      assert.deepEqual([restored.code, restored.stderr], [0, '']);
      assert.match(restored.stdout, /Restore the database, and run: svc restore --in-place --yes/);
      assert.deepEqual(readdirSync(to).sort(), ['checkpoints.log', 'erasures.log', 'secret.key', 'svc.lock']);
      const own = (name: string) => readFileSync(join(server.installation.settings.dataDir, name), 'utf8');
      for (const name of ['erasures.log', 'secret.key']) assert.equal(readFileSync(join(to, name), 'utf8'), own(name));
      const other = await runSvc(['restore', '--latest'], {
        ...environment,
        SVC_DATA_DIR: newFolder(),
        SVC_SECRET: 'a secret of another installation that is kept here',
      });
      assert.equal(other.code, 1);
      assert.match(other.stderr, /has only backups of another installation/);
      const without = await runSvc(['restore', '--latest'], { SVC_BACKUP_TO: target, SVC_DATA_DIR: newFolder() });
      assert.match(without.stderr, /is of an installation on PostgreSQL: set DATABASE_URL/);
    });
});
