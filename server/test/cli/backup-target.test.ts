import assert from 'node:assert/strict';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, describe, test } from 'node:test';
import { generateX25519Identity, identityToRecipient } from 'age-encryption';
import { readBackupName } from '../../cli/backups/backup-name.ts';
import { capture, payload } from '../consent/helpers.ts';
import { startTestServer, type TestServer } from '../harness.ts';
import { assertUsageError, environmentOf, runSvc } from './run-svc.ts';

describe('svc backup at a target, and svc restore from it', () => {
  let server: TestServer;
  let folder: string;
  let target: string;
  let key: string;
  let otherKey: string;
  let clear: Readonly<Record<string, string>>;
  let encrypted: Readonly<Record<string, string>>;
  let made = 0;

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'svc-backups-'));
    server = await startTestServer('sqlite');
    const identity = await generateX25519Identity();
    [key, otherKey] = [join(folder, 'key.txt'), join(folder, 'other-key.txt')];
    writeFileSync(key, `# created: 2026-11-30\n${identity}\n`);
    writeFileSync(otherKey, `${await generateX25519Identity()}\n`);
    clear = {
      ...environmentOf(server),
      get SVC_BACKUP_TO() {
        return target;
      },
    };
    const recipients = `${await identityToRecipient(identity)}, ${await identityToRecipient(await generateX25519Identity())}`;
    encrypted = { ...environmentOf(server), SVC_BACKUP_AGE_RECIPIENTS: recipients };
  });
  after(async () => {
    await server[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });
  beforeEach(() => {
    target = newFolder();
    mkdirSync(target);
  });

  const newFolder = () => {
    made += 1;
    return join(folder, `${made}`);
  };
  const backUp = async (environment: Readonly<Record<string, string>> = clear) => {
    const { code, stdout, stderr } = await runSvc(['backup', '--json'], { ...environment, SVC_BACKUP_TO: target });
    assert.deepEqual([code, stderr], [0, '']);
    return JSON.parse(stdout).name as string;
  };
  const restore = async (words: readonly string[], environment = {}, to = newFolder()) => {
    const ended = await runSvc(['restore', ...words], { SVC_DATA_DIR: to, SVC_BACKUP_TO: target, ...environment });
    return { to, ...ended };
  };
  /** Asserts that nothing was restored, with one sentence about the reason. */
  const assertNotRestored = (
    { to, code, stderr }: Awaited<ReturnType<typeof restore>>,
    reason: RegExp,
    exitCode = 1,
  ) => {
    assert.equal(code, exitCode, stderr);
    assert.match(stderr, /^svc: [^\n]+\.\n$/);
    assert.match(stderr, reason);
    assert.deepEqual(
      readdirSync(to).filter((name) => name !== 'secret.key'),
      ['svc.lock'],
    );
  };

  test('restores the newest encrypted backup into a new folder, where everything verifies', async () => {
    await server.createNotice();
    await backUp();
    const name = await backUp(encrypted);
    assert.deepEqual(
      readdirSync(target).filter((one) => one.endsWith('.age')),
      [name],
    );
    const bytes = readFileSync(join(target, name));
    assert.match(bytes.toString('latin1'), /^age-encryption\.org\/v1\n-> X25519 /);
    assertNotRestored(await restore(['--latest']), /is encrypted: name the file with your age key with --age-identity/);
    assertNotRestored(
      await restore(['--latest', '--age-identity', otherKey]),
      /is none of those that .* was encrypted to/,
    );
    assertNotRestored(await restore(['--latest', '--age-identity', join(folder, 'none')]), /cannot be read/);
    const empty = join(folder, 'empty.txt');
    writeFileSync(empty, '# no key\n');
    assertNotRestored(await restore(['--latest', '--age-identity', empty]), /has no age key/);

    const restored = await restore(['--latest'], { SVC_BACKUP_AGE_IDENTITY_FILE: key });
    assert.deepEqual([restored.code, restored.stderr], [0, '']);
    const names = ['checkpoints.log', 'erasures.log', 'secret.key', 'svc.lock', 'svc.sqlite'];
    assert.deepEqual(readdirSync(restored.to).sort(), names);
    const verified = await runSvc(['verify'], { SVC_DATA_DIR: restored.to });
    assert.equal(verified.code, 0, verified.stdout + verified.stderr);
  });

  test('restores the newest backup from before a time', async () => {
    const times = [];
    for (let count = 0; count < 2; count += 1) times.push(readBackupName(await backUp())?.at as string);
    const restored = await restore(['--before', times[0] as string, '--json']);
    assert.equal(restored.code, 0, restored.stderr);
    const chosen = await restore(['--before', times[0] as string]);
    assert.ok(chosen.stdout.includes(`was made at ${times[0]}.`), chosen.stdout);
    assertNotRestored(
      await restore(['--before', '2020-01-01T00:00:00Z']),
      /has no backup of this installation from 2020/,
    );
  });

  test('rejects a damaged or truncated backup', async () => {
    for (const environment of [clear, encrypted]) {
      const file = join(target, await backUp(environment));
      const words = environment === clear ? ['--latest'] : ['--latest', '--age-identity', key];
      const bytes = readFileSync(file);
      for (const part of [0, 0.01, 0.5, 0.999]) {
        truncateSync(file, Math.floor(bytes.length * part));
        assertNotRestored(await restore(words), /is damaged or incomplete: take another backup/);
        writeFileSync(file, bytes);
      }
      bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] as number) ^ 1;
      writeFileSync(file, bytes);
      assertNotRestored(await restore(words), /is damaged or incomplete: take another backup/);
      rmSync(file);
    }
  });

  test('rejects a backup of another installation, given a secret', async () => {
    await backUp();
    const to = newFolder();
    mkdirSync(to);
    writeFileSync(join(to, 'secret.key'), 'a secret of another installation that is kept here\n');
    assertNotRestored(await restore(['--latest'], {}, to), /has only backups of another installation/);
    const own = readdirSync(target)[0] as string;
    writeFileSync(join(target, own.replace(/^svc-[0-9a-f]{12}/, 'svc-000000000000')), '');
    assertNotRestored(await restore(['--latest']), /has backups of several installations/);
    const secret = readFileSync(join(server.installation.settings.dataDir, 'secret.key'), 'utf8').trim();
    assert.equal((await restore(['--latest'], { SVC_SECRET: secret })).code, 0);
  });

  test('rejects a backup of another installation under the name of this one', async () => {
    const own = await backUp(encrypted);
    await using forger = await startTestServer('sqlite');
    const folder = newFolder();
    mkdirSync(folder);
    const { code, stderr } = await runSvc(['backup'], {
      ...environmentOf(forger),
      SVC_BACKUP_TO: folder,
      SVC_BACKUP_AGE_RECIPIENTS: encrypted.SVC_BACKUP_AGE_RECIPIENTS as string,
    });
    assert.equal(code, 0, stderr);
    const forged = own.replace(/-\d{8}T/, '-29990101T');
    copyFileSync(join(folder, readdirSync(folder)[0] as string), join(target, forged));
    const words = ['--latest', '--age-identity', key];
    const reason = /has the secret of another installation than svc-[0-9a-f]{12}: take another backup/;
    assertNotRestored(await restore(words), reason);
    const { dataDir } = server.installation.settings;
    const to = newFolder();
    mkdirSync(to);
    copyFileSync(join(dataDir, 'secret.key'), join(to, 'secret.key'));
    assertNotRestored(await restore(words, {}, to), reason);
  });

  test('prints the ledger key of the backup on a new machine', async () => {
    await backUp();
    const publicKey = server.installation.signer.verifierKey;
    const restored = await restore(['--latest']);
    assert.equal(restored.code, 0, restored.stderr);
    assert.ok(restored.stdout.includes(`Its ledger key is ${publicKey} `), restored.stdout);
  });

  test('rejects a backup in the clear where keys of age are set or given, unless the command allows it', async () => {
    await backUp();
    const reason = /is not encrypted, so anyone who can write to .* can have made it: .* only with --unencrypted/;
    assertNotRestored(await restore(['--latest', '--age-identity', key]), reason);
    const recipients = { SVC_BACKUP_AGE_RECIPIENTS: encrypted.SVC_BACKUP_AGE_RECIPIENTS };
    assertNotRestored(await restore(['--latest'], recipients), reason);
    const allowed = await restore(['--latest', '--unencrypted'], recipients);
    assert.deepEqual([allowed.code, allowed.stderr], [0, '']);
  });

  test('keeps the newest ones, and what is no backup of this installation', async () => {
    const first = await backUp();
    const at = first.slice(first.indexOf('-2') + 1);
    const foreign = [
      'notes.txt',
      `svc-000000000000-${at}`,
      first.replace('.tar.gz', '.zip'),
      first.replace(/-2\d{7}T/, '-x'),
      first.replace('.tar.gz', `.erasures-0-${'0'.repeat(32)}.log.gz`),
    ];
    for (const name of foreign) writeFileSync(join(target, name), '');
    const old = first.replace(/-\d{8}T/, '-20200101T');
    writeFileSync(join(target, old), '');
    writeFileSync(join(target, `${old}.draft`), 'what a crash left');
    const second = await backUp({ ...clear, SVC_BACKUP_KEEP_DAYS: '365' });
    assert.deepEqual(readdirSync(target).sort(), [...foreign, first, second].sort());
    const third = await backUp({ ...clear, SVC_BACKUP_KEEP: '1' });
    assert.deepEqual(readdirSync(target).sort(), [...foreign, third].sort());
  });

  test('lists the backups of the installation', async () => {
    const [first, second] = [await backUp(), await backUp(encrypted)];
    writeFileSync(join(target, first.replace(/^svc-[0-9a-f]{12}/, 'svc-000000000000')), '');
    const { stdout } = await runSvc(['backup', 'list', '--json'], { ...clear, SVC_BACKUP_TO: target });
    const { backups, erasuresAt, ...rest } = JSON.parse(stdout);
    assert.deepEqual([rest, erasuresAt], [{ target }, null]);
    assert.deepEqual(
      backups.map((one: { readonly name: string; readonly isEncrypted: boolean }) => [one.name, one.isEncrypted]),
      [
        [second, true],
        [first, false],
      ],
    );
  });

  test('leaves older backups and no draft when the target or the data folder fails', async () => {
    const name = await backUp();
    const fail = async (to: string, reason: RegExp) => {
      const { code, stderr } = await runSvc(['backup'], { ...clear, SVC_BACKUP_TO: to, SVC_BACKUP_KEEP: '1' });
      assert.equal(code, 1, stderr);
      assert.match(stderr, /^svc: [^\n]+\.\n$/);
      assert.match(stderr, reason);
    };
    await fail(join(target, 'none'), /There is no folder .* for backups: create it, or mount its disk/);
    await fail(join(target, name), /cannot be used: a part of the path is not a folder/);
    await fail('/proc/self', /cannot be used: /);
    assert.deepEqual(readdirSync(target), [name]);
    assert.ok(!readdirSync(server.installation.settings.dataDir).includes('backup-draft'));
  });

  test('rejects settings with which a backup could not be opened', async () => {
    const s3 = { SVC_BACKUP_S3_ACCESS_KEY_ID: 'x', SVC_BACKUP_S3_SECRET_ACCESS_KEY: 'x' };
    const good = encrypted.SVC_BACKUP_AGE_RECIPIENTS as string;
    const rows: readonly (readonly [Readonly<Record<string, string>>, RegExp])[] = [
      [{ SVC_BACKUP_AGE_RECIPIENTS: `${good.slice(0, 20)}q${good.slice(21)}` }, /is no public key of age/],
      [{ SVC_BACKUP_AGE_RECIPIENTS: 'ssh-ed25519 AAAA' }, /"ssh-ed25519" is no public key of age/],
      [{ ...s3, SVC_BACKUP_TO: 's3://bucket' }, /a backup on S3 needs SVC_BACKUP_AGE_RECIPIENTS/],
      [{ SVC_BACKUP_AGE_RECIPIENTS: good, SVC_BACKUP_REHEARSE_DAYS: '7' }, /needs SVC_BACKUP_AGE_IDENTITY_FILE/],
    ];
    for (const [settings, hint] of rows)
      for (const command of ['backup', 'serve'])
        assertUsageError(
          await runSvc([command], { ...environmentOf(server), SVC_BACKUP_TO: target, ...settings }),
          hint,
        );
    assertUsageError(await runSvc(['backup'], environmentOf(server)), 'set SVC_BACKUP_TO');
    assertUsageError(
      await restore(['--latest', '--in-place']),
      'Give one of --from, --latest, --before and --in-place',
    );
  });

  test('erases again what was erased after the backup, by the newest copy of erasures.log', async () => {
    await using own = await startTestServer('sqlite', { SVC_BACKUP_TO: target });
    const { key: apiKey } = own.tenant;
    const noticeId = await own.createNotice();
    payload(await capture(own, noticeId, { subjectId: 'nora.k@corp.example' }, { key: apiKey }));
    const backups = own.app.backups;
    assert.ok(backups !== null);
    await backups.step();
    const [archive] = readdirSync(target);
    const path = '/v1/consent/subjects/nora.k@corp.example/erase';
    payload(await own.request('POST', path, { key: apiKey, body: { reason: 'asked for it' } }), 200);
    await backups.step();
    const files = readdirSync(target).map((name) => readBackupName(name));
    assert.deepEqual(files.map((file) => file?.kind).sort(), ['archive', 'erasures']);
    assert.ok(files.some((file) => file?.name === archive));
    const restored = await restore(['--latest']);
    assert.equal(restored.code, 0, restored.stderr);
    assert.match(restored.stdout, /Erased again from erasures\.log: 1 data subjects with 1 records/);
    assert.doesNotMatch(restored.stdout, /is not known/);
    assert.ok(!readFileSync(join(restored.to, 'svc.sqlite')).includes('nora.k@corp.example'));
    const verified = await runSvc(['verify'], { SVC_DATA_DIR: restored.to });
    assert.equal(verified.code, 0, verified.stdout + verified.stderr);
  });

  test('uses the copy of erasures.log at the target in a restore of a folder and in place', async () => {
    await using own = await startTestServer('sqlite', { SVC_BACKUP_TO: target });
    const { key: apiKey } = own.tenant;
    const noticeId = await own.createNotice();
    payload(await capture(own, noticeId, { subjectId: 'nora.k@corp.example' }, { key: apiKey }));
    const from = newFolder();
    assert.equal((await runSvc(['backup', '--to', from], environmentOf(own))).code, 0);
    const path = '/v1/consent/subjects/nora.k@corp.example/erase';
    payload(await own.request('POST', path, { key: apiKey, body: { reason: 'asked for it' } }), 200);
    await own.app.backups?.step();
    const erased = /Erased again from erasures\.log: 1 data subjects with 1 records/;
    const restored = await restore(['--from', from]);
    assert.deepEqual([restored.code, restored.stderr], [0, '']);
    assert.match(restored.stdout, erased);
    const accepted = await restore(['--in-place', '--yes'], {}, from);
    assert.deepEqual([accepted.code, accepted.stderr], [0, '']);
    assert.match(accepted.stdout, erased);
    const gone = await restore(['--from', from], { SVC_BACKUP_TO: join(target, 'none') });
    assertNotRestored(gone, /There is no folder .* for backups/);
  });

  test('merges a copy of erasures.log with another history, and keeps it at the target', async () => {
    await using own = await startTestServer('sqlite', { SVC_BACKUP_TO: target });
    const { key: apiKey } = own.tenant;
    const noticeId = await own.createNotice();
    for (const subjectId of ['first', 'second', 'third'])
      payload(await capture(own, noticeId, { subjectId }, { key: apiKey }));
    const erase = async (on: TestServer, subjectId: string) =>
      payload(
        await on.request('POST', `/v1/consent/subjects/${subjectId}/erase`, {
          key: apiKey,
          body: { reason: 'asked for it' },
        }),
        200,
      );
    await own.app.backups?.step();
    const log = join(own.installation.settings.dataDir, 'erasures.log');
    const before = readFileSync(log);
    await erase(own, 'first');
    await own.app.backups?.step();
    const other = readdirSync(target).find((name) => readBackupName(name)?.kind === 'erasures') as string;
    // As in a restored copy of the server, which erases something else. Two lines, because a log of the size that this
    // process copied last counts as unchanged: it is only appended to.
    writeFileSync(log, before);
    await own.installation.database.kysely.deleteFrom('erasures').execute();
    own.clock.advance(1000);
    for (const subjectId of ['second', 'third']) await erase(own, subjectId);
    await own.app.backups?.step();
    const copies = readdirSync(target).filter((name) => readBackupName(name)?.kind === 'erasures');
    assert.equal(copies.length, 2);
    assert.ok(copies.includes(other));
    const restored = await restore(['--latest']);
    assert.deepEqual([restored.code, restored.stderr], [0, '']);
    assert.match(restored.stdout, /Erased again from erasures\.log: 3 data subjects with 3 records/);
  });
});
