import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { roleIds } from '../../http/roles.ts';
import { changingRows } from '../../ledger/audit/rows.ts';
import { describeSettings } from '../../settings.ts';
import { createLocation, type TestLocation } from '../harness.ts';
import { workingState } from '../ledger/tamper.ts';
import { assertUsageError, runSvc } from './run-svc.ts';

const commands = [
  'serve',
  'demo',
  'demo remove',
  'migrate',
  'health',
  'tenant create',
  'user create',
  'user reset',
  'user reactivate',
  'user erase',
  'key create',
  'scim-token create',
  'backup',
  'backup list',
  'restore',
  'import',
  'move',
  'verify',
  'export create',
  'export verify',
  'proof create',
  'widgets',
];

describe('the command line', () => {
  let location: TestLocation;
  let environment: Readonly<Record<string, string>>;
  before(async () => {
    location = await createLocation('sqlite');
    environment = { SVC_DATA_DIR: join(location.environment.SVC_DATA_DIR as string, 'untouched') };
  });
  after(() => location[Symbol.asyncDispose]());

  const run = (...words: readonly string[]) => runSvc(words, environment);

  /** Asserts that arguments are rejected with exit code 2 and these hints, and that no data folder was created. */
  async function assertRefused(words: readonly string[], ...hints: readonly string[]): Promise<void> {
    const refused = await run(...words);
    for (const hint of hints) assertUsageError(refused, hint);
    assert.ok(!existsSync(environment.SVC_DATA_DIR as string));
  }

  test('explains every command, even with invalid settings', async () => {
    await Promise.all(
      commands.map(async (command) => {
        const { code, stdout, stderr } = await runSvc([...command.split(' '), '--help'], { ...environment, PORT: 'x' });
        assert.deepEqual([code, stderr], [0, '']);
        assert.ok(stdout.startsWith(`svc ${command}: `), stdout);
        for (const option of ['--json', '--help']) assert.ok(stdout.includes(option), stdout);
        if (command === 'user create') for (const role of roleIds) assert.ok(stdout.includes(role), role);
        if (command !== 'serve') return;
        for (const { name, meaning } of describeSettings()) {
          assert.ok(stdout.includes(name) && stdout.includes(meaning), name);
        }
      }),
    );
  });

  test('lists its commands with --help and without arguments', async () => {
    const [asked, silent] = await Promise.all([run('--help'), run()]);
    assert.deepEqual([asked.code, silent.code], [0, 2]);
    for (const command of commands) {
      assert.ok(asked.stdout.includes(command));
      assert.ok(silent.stdout.includes(command));
    }
  });

  test('lists the commands that start with a word', async () => {
    for (const [word, own, other] of [
      ['tenant', 'tenant create', 'key create'],
      ['key', 'key create', 'tenant create'],
    ] as const) {
      for (const help of ['--help', '-h', 'help']) {
        const { code, stdout, stderr } = await run(word, help);
        assert.deepEqual([code, stderr], [0, '']);
        assert.ok(stdout.startsWith(`Usage: svc ${word} <command>`), stdout);
        assert.ok(stdout.includes(own) && !stdout.includes(other), stdout);
      }
    }
  });

  test('names what svc verify does not check', async () => {
    const { stdout } = await run('verify', '--help');
    for (const { table } of changingRows) assert.ok(stdout.includes(table), table);
    for (const table of workingState) assert.match(stdout, new RegExp(`[(\\s]${table}[,)]`));
  });

  test('rejects unknown commands', async () => {
    const unknown = [['nonsense'], ['tenant'], ['key', 'delete', '--id', 'x']];
    await Promise.all(unknown.map((words) => assertRefused(words, words.join(' '), 'verify')));
  });

  test('rejects options, arguments and values that a command does not accept, by name', async () => {
    const tenant = ['tenant', 'create'];
    const key = (change: object) => [
      ...['key', 'create'],
      ...Object.entries({ tenant: 'acme', name: 'site', scopes: 'all', ...change }).map(
        ([name, to]) => `--${name}=${to}`,
      ),
    ];
    for (const [words, ...hints] of [
      [['migrate', '--nonsense'], '--nonsense'],
      [['verify', '--tenant'], '--tenant'],
      [['verify', '--json=yes'], '--json'],
      [['verify', '-x'], '-x'],
      [['verify', 'now'], 'now'],
      [['key', 'create', '--name', 'x'], '--tenant', '--scopes'],
      [tenant, '--slug', '--name'],
      [[...tenant, '--slug', 'acme'], '--name'],
      [[...tenant, '--slug', 'Acme Ltd', '--name', 'Acme'], '--slug', 'lower-case'],
      ...['', '   ', 'x'.repeat(201)].map((name) => [key({ name }), '--name'] as const),
      [key({ scopes: 'audit:read,audit:write' }), '--scopes', 'audit:write', 'consent:read'],
      ...['', ',', 'ALL', 'audit:read,'].map((scopes) => [key({ scopes }), '--scopes'] as const),
      ...['', 'prod', 'LIVE'].map((environment) => [key({ environment }), '--environment', 'live', 'test'] as const),
      ...['', 'tomorrow', '2027-01-31', '2027-02-30T00:00:00Z'].map(
        (expires) => [key({ expires }), '--expires', '2027-01-31T00:00:00Z'] as const,
      ),
      ...['2020-01-31T00:00:00Z', new Date().toISOString()].map(
        (expires) => [key({ expires }), '--expires', 'in the future'] as const,
      ),
    ] as const)
      await assertRefused(words, ...hints);
  });

  test('names invalid settings', async () => {
    const wrong = { ...environment, PORT: '99999', SVC_LOG_LEVEL: 'loud' };
    const { code, stdout, stderr } = await runSvc(['serve'], wrong);
    assert.deepEqual([code, stdout], [2, '']);
    assert.match(stderr, /PORT/);
    assert.match(stderr, /SVC_LOG_LEVEL/);
  });
});

describe('--env-file', () => {
  test('reads settings, and the environment has priority', async () => {
    await using location = await createLocation('sqlite');
    const folder = location.environment.SVC_DATA_DIR as string;
    const file = join(folder, 'settings');
    writeFileSync(file, `# Svc\nSVC_DATA_DIR="${join(folder, 'data')}"\nSVC_LOG_LEVEL=nonsense\n`);
    // An empty variable counts as absent.
    const { code, stderr } = await runSvc(['migrate', '--env-file', file], { SVC_DATA_DIR: '' });
    assert.deepEqual({ code, stderr }, { code: 0, stderr: '' });
    assert.ok(existsSync(join(folder, 'data/svc.sqlite')));
    writeFileSync(file, 'SVC_DATADIR=/data\n');
    const misspelled = await runSvc(['migrate', '--env-file', file]);
    assert.equal(misspelled.code, 2);
    assert.match(misspelled.stderr, /SVC_DATADIR: is no setting; did you mean SVC_DATA_DIR\?/);
  });

  test('is refused if it cannot be read', async () => {
    const { code, stderr } = await runSvc(['migrate', '--env-file', '/nowhere/settings']);
    assert.equal(code, 2);
    assert.match(stderr, /^svc: --env-file \/nowhere\/settings cannot be read: /);
  });
});
