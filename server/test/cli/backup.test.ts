import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { lockFolder } from '../../storage/folder-lock.ts';
import { ControlClient } from '../controls/helpers.ts';
import { evidenceItem } from '../controls/samples.ts';
import { noticeContent, startTestServer, type TestServer } from '../harness.ts';
import { runSvc } from './run-svc.ts';

describe('svc backup and svc restore', () => {
  let server: TestServer;
  let folder: string;
  let dataDir: string;
  let made = 0;
  before(async () => {
    server = await startTestServer('sqlite');
    dataDir = server.installation.settings.dataDir;
    folder = join(dataDir, 'copies');
    mkdirSync(folder);
  });
  after(() => server[Symbol.asyncDispose]());

  const inFolder = (): string => {
    made += 1;
    return join(folder, `${made}`);
  };
  const backUp = async (...words: readonly string[]) => {
    const to = inFolder();
    const ended = await runSvc(['backup', '--to', to, ...words], { SVC_DATA_DIR: dataDir });
    return { to, ...ended };
  };
  const restore = async (from: string, to = inFolder(), environment = {}) => {
    const ended = await runSvc(['restore', '--from', from], { SVC_DATA_DIR: to, ...environment });
    return { to, ...ended };
  };
  const createNotice = () =>
    server.request('POST', '/v1/consent/notices', { key: server.tenant.key, body: noticeContent });

  test('restore everything that was committed, while the server keeps writing', async () => {
    await createNotice();
    const controlId = await new ControlClient(server, server.tenant).create();
    const about = new URLSearchParams({ ...evidenceItem, name: 'visitors.txt' });
    const path = `/v1/control-framework/controls/${controlId}/evidence/files?${about}`;
    assert.equal((await server.request('POST', path, { rawBody: 'The visitors of October' })).status, 201);
    let isWriting = true;
    const writing = (async () => {
      while (isWriting) assert.equal((await createNotice()).status, 201);
    })();
    const { to, code, stdout, stderr } = await backUp();
    isWriting = false;
    await writing;
    assert.deepEqual([code, stderr], [0, '']);
    assert.match(stdout, /\d+ bytes are in .*, with the secret: keep it as safe as the server itself\./);
    assert.deepEqual(readdirSync(to).sort(), ['checkpoints.log', 'erasures.log', 'secret.key', 'svc.sqlite']);
    // The format of a rollback journal (SQLite file format, section 1.3.3), which can be read on read-only storage.
    assert.deepEqual([...readFileSync(join(to, 'svc.sqlite')).subarray(18, 20)], [1, 1]);
    assert.equal(statSync(to).mode & 0o777, 0o700);
    for (const name of readdirSync(to)) assert.equal(statSync(join(to, name)).mode & 0o777, 0o600, name);

    const restored = await restore(to);
    assert.deepEqual([restored.code, restored.stderr], [0, '']);
    assert.match(restored.stdout, / had no erasures\.log: what was erased after the backup is not known\.\n/);
    assert.match(restored.stdout, /\nNothing in erasures\.log had to be erased again\.\n/);
    assert.deepEqual(readdirSync(restored.to).sort(), [
      'checkpoints.log',
      'erasures.log',
      'secret.key',
      'svc.lock',
      'svc.sqlite',
    ]);
    const verified = await runSvc(['verify', '--json'], { SVC_DATA_DIR: restored.to });
    assert.equal(verified.code, 0, verified.stdout + verified.stderr);
    assert.deepEqual(JSON.parse(verified.stdout).tenants[0].files, { checked: 1, erased: 0, faults: [] });
  });

  test('print one JSON value with --json', async () => {
    const { to, stdout } = await backUp('--json');
    const { size } = statSync(join(to, 'svc.sqlite'));
    assert.deepEqual(JSON.parse(stdout), { folder: to, bytes: size, hasSecret: true });
  });

  test('leave out the secret with --without-secret, and say why it is needed', async () => {
    const { to, stdout } = await backUp('--without-secret');
    assert.deepEqual(readdirSync(to).sort(), ['checkpoints.log', 'erasures.log', 'svc.sqlite']);
    assert.match(stdout, /keep secret\.key elsewhere; nothing can be restored without it/);
    const refused = await restore(to);
    assert.deepEqual([refused.code, existsSync(refused.to)], [2, false]);
    assert.match(refused.stderr, /There is no secret\.key in/);
    const secret = readFileSync(join(dataDir, 'secret.key'), 'utf8').trim();
    const taken = await restore(to, undefined, { SVC_SECRET: secret });
    assert.deepEqual(
      [taken.code, readdirSync(taken.to).sort()],
      [0, ['checkpoints.log', 'erasures.log', 'svc.lock', 'svc.sqlite']],
    );
  });

  test('reject a secret that is not that of the backup', async () => {
    const { to } = await backUp();
    const other = await restore(to, undefined, { SVC_SECRET: 'another secret of thirty-two letters' });
    assert.equal(other.code, 2);
    assert.match(other.stderr, /not the one that the backup was made with/);
    assert.deepEqual(readdirSync(other.to), ['svc.lock']);
    const taken = inFolder();
    mkdirSync(taken);
    writeFileSync(join(taken, 'secret.key'), 'a secret of another installation that is kept here\n');
    const kept = await restore(to, taken);
    assert.equal(kept.code, 2);
    assert.match(kept.stderr, /is of another installation: .* has another secret/);
    assert.deepEqual(readdirSync(taken), ['secret.key', 'svc.lock']);
  });

  test('refuse a data folder in which a server runs, and a server refuses one during a restore', async () => {
    const log = join(dataDir, 'checkpoints.log');
    const before = readFileSync(log, 'utf8');
    const accepted = await runSvc(['restore', '--in-place', '--yes'], { SVC_DATA_DIR: dataDir });
    assert.deepEqual(
      [accepted.code, accepted.stderr],
      [2, `svc: A server or another command uses ${dataDir}. Stop it first.\n`],
    );
    assert.equal(readFileSync(log, 'utf8'), before);
    const { to: backup } = await backUp();
    // As in the folder of a server whose database was moved away.
    const moved = inFolder();
    {
      using _ = lockFolder(moved, 'shared');
      const refused = await restore(backup, moved);
      assert.deepEqual([refused.code, readdirSync(moved)], [2, ['svc.lock']]);
      assert.match(refused.stderr, /^svc: A server or another command uses /);
    }
    assert.equal((await restore(backup, moved)).code, 0);
    using _ = lockFolder(moved, 'exclusive');
    const started = await runSvc(['serve'], { SVC_DATA_DIR: moved, PORT: '0' });
    assert.equal(started.code, 2);
    assert.match(
      started.stderr,
      /^svc: svc restore, svc move or svc secret rotate is running in .*\. Try again when it is done\.\n$/,
    );
  });

  test('replace no existing files', async () => {
    const { to } = await backUp();
    const again = await runSvc(['backup', '--to', to], { SVC_DATA_DIR: dataDir });
    assert.deepEqual([again.code, again.stderr], [2, `svc: ${to} already exists; it was not changed.\n`]);
    const before = readFileSync(join(to, 'svc.sqlite'));
    const over = await restore(to, to);
    assert.equal(over.code, 2);
    assert.match(
      over.stderr,
      /Files of a database exist: .*svc\.sqlite\. They were not replaced\. Stop the server and move it away/,
    );
    assert.deepEqual(readFileSync(join(to, 'svc.sqlite')), before);
  });

  test('refuse a folder with a leftover write-ahead log, which would be applied to the restored database', async () => {
    const { to } = await backUp();
    for (const end of ['-wal', '-shm', '-journal']) {
      const left = inFolder();
      mkdirSync(left);
      writeFileSync(join(left, `svc.sqlite${end}`), 'pages');
      const refused = await restore(to, left);
      assert.equal(refused.code, 2);
      assert.ok(refused.stderr.includes(join(left, `svc.sqlite${end}`)), refused.stderr);
      assert.deepEqual(readdirSync(left), [`svc.sqlite${end}`]);
    }
  });

  test('create nothing from a damaged file', async () => {
    const { to } = await backUp();
    const file = join(to, 'svc.sqlite');
    const bytes = readFileSync(file);
    bytes.fill(0xff, 8192, 16384);
    writeFileSync(file, bytes);
    const restored = await restore(to);
    assert.equal(restored.code, 1);
    assert.match(restored.stderr, /^svc: .*(damaged|cannot be copied)/);
    assert.deepEqual(readdirSync(restored.to), ['svc.lock']);
    const copied = await runSvc(['backup', '--to', join(folder, 'of-damaged')], { SVC_DATA_DIR: to });
    assert.equal(copied.code, 1);
    assert.ok(!existsSync(join(folder, 'of-damaged')));
  });

  test('report what is missing', async () => {
    const nowhere = inFolder();
    const nothing = await runSvc(['backup', '--to', inFolder()], { SVC_DATA_DIR: nowhere });
    assert.deepEqual([nothing.code, existsSync(nowhere)], [2, false]);
    assert.match(nothing.stderr, /There is no database in/);
    const deep = await runSvc(['backup', '--to', join(nowhere, 'a', 'b')], { SVC_DATA_DIR: dataDir });
    assert.match(deep.stderr, /There is no folder for/);
    const empty = await restore(nowhere);
    assert.match(empty.stderr, /There is no backup in/);
    rmSync(nowhere, { recursive: true, force: true });
  });

  test('leave PostgreSQL to its own tools', async () => {
    const environment = { SVC_DATA_DIR: dataDir, DATABASE_URL: 'postgres://localhost:1/none' };
    const restored = await runSvc(['restore', '--from', folder], environment);
    assert.deepEqual([restored.code, /pg_restore/.test(restored.stderr)], [2, true]);
  });
});
