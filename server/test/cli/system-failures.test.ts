import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';
import { createLocation, type TestLocation } from '../harness.ts';
import { runSvc, runSvcProcess } from './run-svc.ts';

const program = join(import.meta.dirname, '../../cli/svc.js');
const canMount = () => {
  try {
    execFileSync('unshare', ['-rm', 'sh', '-c', 'mount -t tmpfs none /tmp'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};

/** Asserts that a command failed with one sentence. */
function assertSentence(ended: { code: number | null; stderr: string }, code: number, message: RegExp): void {
  assert.equal(ended.code, code, ended.stderr);
  assert.match(ended.stderr, /^svc: [^\n]+\n$/);
  assert.match(ended.stderr, message);
}

describe('a failure of the system', () => {
  let location: TestLocation;
  let folder: string;
  before(async () => {
    location = await createLocation('sqlite');
    folder = location.environment.SVC_DATA_DIR as string;
    await runSvc(['tenant', 'create', '--slug', 'acme', '--name', 'Acme'], location.environment);
  });
  after(() => location[Symbol.asyncDispose]());

  const exported = (file: string) => ['export', 'create', '--tenant', 'acme', '--ledger', 'audit', '--file', file];
  const backup = (to: string) => ['backup', '--to', to];

  for (const [name, place, message] of [
    ['a folder of /proc', () => '/proc/x', /^svc: The data folder \/proc\/x cannot be written \(ENOENT, /],
    [
      'a path below a file',
      () => join(folder, 'svc.sqlite', 'x'),
      /cannot be written \(ENOTDIR, a part of the path is not a folder\)/,
    ],
    ['a file', () => join(folder, 'svc.sqlite'), /cannot be written \(EEXIST, /],
    ['a name that is too long', () => join(folder, 'x'.repeat(300)), /cannot be written \(ENAMETOOLONG, /],
  ] as const)
    test(`is one sentence if SVC_DATA_DIR is ${name}`, { timeout: 60_000 }, async () => {
      for (const words of [['serve'], ['demo'], ['migrate'], ['tenant', 'create', '--slug', 'other', '--name', 'B']])
        assertSentence(await runSvc(words, { SVC_DATA_DIR: place() }), 2, message);
    });

  test('is one sentence if an output cannot be created', async () => {
    const below = join(folder, 'svc.sqlite', 'x');
    for (const words of [exported(below), backup(below)])
      assertSentence(
        await runSvc(words, location.environment),
        2,
        /x cannot be created: a part of the path is not a folder/,
      );
    assertSentence(await runSvc(backup('/proc/x'), location.environment), 2, /There is no folder for \/proc\/x/);
  });

  test('is one sentence if the output of a command is lost, which does not count as done', {
    skip: !existsSync('/dev/full'),
  }, async () => {
    for (const words of [['verify'], ['widgets', '--json'], ['scim-token', 'create', '--tenant', 'acme', '--json']]) {
      const child = spawn('sh', ['-c', 'exec "$@" > /dev/full', 'sh', process.execPath, program, ...words], {
        env: { PATH: process.env.PATH, ...location.environment },
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, 'close')]);
      assertSentence({ code, stderr }, 1, /The output cannot be written: the disk is full: free some space/);
    }
  });

  test('is one sentence if the files of the process are limited', async () => {
    const large = 'for file in 1; do ulimit -f 4; exec "$@"; done';
    const child = spawn('sh', ['-c', large, 'sh', process.execPath, program, ...backup(join(folder, 'limited'))], {
      env: { PATH: process.env.PATH, NODE_DISABLE_COMPILE_CACHE: '1', ...location.environment },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, 'close')]);
    assertSentence({ code, stderr }, 1, /cannot be|limit/);
    assert.ok(!existsSync(join(folder, 'limited')));
  });

  describe('on a full disk', { skip: canMount() ? false : 'nothing can be mounted here' }, () => {
    /** Runs commands with a file system of 8 kB mounted at `$DISK`; the last one lists what is left there. */
    async function runOnSmallDisk(words: readonly string[], environment: Readonly<Record<string, string>> = {}) {
      const disk = join(folder, 'disk');
      mkdirSync(disk, { recursive: true });
      const script = `mount -t tmpfs -o size=8k none "$0" && "$@"; code=$?; echo "left: $(ls -A "$0")"; exit $code`;
      const child = spawn('unshare', ['-rm', 'sh', '-c', script, disk, process.execPath, program, ...words], {
        env: { PATH: process.env.PATH, NODE_DISABLE_COMPILE_CACHE: '1', ...location.environment, ...environment },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      const [stdout, stderr, [code]] = await Promise.all([
        text(child.stdout),
        text(child.stderr),
        once(child, 'close'),
      ]);
      return { code, stderr, left: /left: (.*)\n$/.exec(stdout)?.[1] };
    }

    test('is one sentence, and an incomplete file is removed', async () => {
      // The export of a ledger with so many entries does not fit.
      for (let tenant = 0; tenant < 12; tenant += 1)
        await runSvc(
          ['key', 'create', '--tenant', 'acme', '--name', `${tenant} ${'x'.repeat(60)}`, '--scopes', 'all'],
          location.environment,
        );
      const disk = join(folder, 'disk');
      for (const words of [exported(join(disk, 'e.jsonl')), backup(join(disk, 'copy'))]) {
        const { left, ...ended } = await runOnSmallDisk(words);
        assertSentence(ended, 1, /disk.*the disk is full: free some space|cannot be written: the disk is full/i);
        assert.equal(left, '', words.join(' '));
      }
    });

    test('is one sentence if it is that of the data folder', async () => {
      const { stderr, code } = await runOnSmallDisk(['migrate'], { SVC_DATA_DIR: join(folder, 'disk') });
      assertSentence(
        { code, stderr },
        1,
        /The database cannot be used: .*\(SQLITE_(FULL|IOERR\w*)\)\. (Free some space|See the system log)/,
      );
    });
  });

  test('does not change the exit codes of commands that succeed', async () => {
    const file = join(folder, 'e.jsonl');
    assert.equal((await runSvcProcess(exported(file), location.environment)).code, 0);
    assert.equal((await runSvcProcess(['verify'], location.environment)).code, 0);
    writeFileSync(join(folder, 'note'), 'x');
    assert.ok(readdirSync(folder).includes('e.jsonl'));
  });
});
