import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';
import { backup } from '../../cli/backup.ts';
import { openInstallation } from '../../installation/installation.ts';
import { readSettings } from '../../settings.ts';
import { systemClock } from '../../storage/clock.ts';
import { createLocation, type TestLocation } from '../harness.ts';
import { fillLedgers } from '../ledger/fixture.ts';

const program = join(import.meta.dirname, '../../cli/svc.js');

/** As root and where namespaces are allowed, a real mount; for another user, folders without the right to write. */
const mounts = canMount();
const skip = mounts || process.getuid?.() !== 0 ? false : 'root may write everywhere, and nothing can be mounted here';

describe('read-only storage', { skip }, () => {
  let location: TestLocation;
  let folder: string;
  before(async () => {
    location = await createLocation('sqlite');
    const settings = readSettings(location.environment);
    folder = settings.dataDir;
    const installation = await openInstallation(settings);
    await fillLedgers(installation);
    const ignore = () => undefined;
    const quiet = { clock: systemClock, say: ignore, showProgress: ignore, result: ignore };
    await backup.run({ settings, options: { to: join(folder, 'backup') }, ...quiet });
    for (const [name, files] of Object.entries({
      crashed: ['svc.sqlite', 'svc.sqlite-wal', 'secret.key', 'checkpoints.log'],
      stopped: ['svc.sqlite', 'secret.key', 'checkpoints.log'],
    })) {
      if (name === 'stopped') await installation[Symbol.asyncDispose]();
      mkdirSync(join(folder, name));
      for (const file of files) cpSync(join(folder, file), join(folder, name, file));
    }
  });
  after(() => location[Symbol.asyncDispose]());

  /** Runs svc on a folder that cannot be written. */
  async function runReadOnly(name: string, ...words: readonly string[]) {
    const path = join(folder, name);
    const mount = 'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && exec "$@"';
    const [command = '', ...rest] = mounts
      ? ['unshare', '-rm', 'sh', '-c', mount, path, process.execPath, program, ...words]
      : [process.execPath, program, ...words];
    const { PATH = '' } = process.env;
    if (!mounts) chmodSync(path, 0o500);
    const child = spawn(command, rest, { env: { PATH, SVC_DATA_DIR: path, PORT: '0' } });
    const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
    if (!mounts) chmodSync(path, 0o700);
    return { code, stdout, stderr };
  }

  for (const [name, what] of [
    ['backup', 'a backup'],
    ['stopped', 'the folder of a server that was stopped'],
  ] as const) {
    test(`${what} verifies there`, async () => {
      const before = readdirSync(join(folder, name));
      const { code, stdout, stderr } = await runReadOnly(name, 'verify');
      assert.deepEqual([code, stderr], [0, ''], stdout);
      assert.ok(stdout.endsWith('Everything is as it was written.\n'), stdout);
      assert.deepEqual(readdirSync(join(folder, name)), before);
    });
  }

  test('the folder of a crashed server cannot be read there, which is not reported as tampering', async () => {
    const { code, stdout, stderr } = await runReadOnly('crashed', 'verify', '--json');
    assert.deepEqual([code, stderr], [4, ''], stdout);
    const { intact, exitCode, findings } = JSON.parse(stdout);
    assert.deepEqual([intact, exitCode, findings.length, findings[0].kind], [false, 4, 1, 'unreadable']);
    assert.match(
      findings[0].message,
      /svc\.sqlite-wal holds changes .* Copy both files to a folder that can be written/,
    );
  });

  test('a server does not start there, and prints the reason', async () => {
    for (const name of ['backup', 'stopped']) {
      const { code, stdout, stderr } = await runReadOnly(name, 'serve');
      assert.deepEqual([code, stdout], [2, ''], stderr);
      assert.match(stderr, /^svc: The data folder .* cannot be written \(.*\n$/);
      assert.equal(stderr.trim().split('\n').length, 1);
    }
  });
});

function canMount(): boolean {
  try {
    execFileSync('unshare', ['-rm', 'sh', '-c', 'mount -t tmpfs none /tmp'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
