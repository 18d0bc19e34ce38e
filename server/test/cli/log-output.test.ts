import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { hasDashboard } from '../../site/serve-dashboard.ts';
import { createLocation, type TestLocation } from '../harness.ts';
import { startSvcProcess } from './run-svc.ts';

const program = join(import.meta.dirname, '../../cli/svc.js');
const escapeCode = '\u001b';

describe('the log of a server', () => {
  const folderOf = ({ environment }: TestLocation) => environment.SVC_DATA_DIR as string;

  /** Runs a server on a pseudo terminal until it has started. @returns what the terminal showed. */
  async function runOnTerminal(command: string, where: TestLocation, environment: NodeJS.ProcessEnv = {}) {
    const { PATH, HOME } = process.env;
    const child: ChildProcess = spawn(
      'script',
      ['-qefc', `'${process.execPath}' '${program}' ${command}`, '/dev/null'],
      {
        env: { PATH, HOME, TERM: 'xterm', PORT: '0', ...where.environment, ...environment },
        stdio: ['pipe', 'pipe', 'inherit'],
      },
    );
    const exited = once(child, 'exit');
    let shown = '';
    for await (const text of child.stdout?.setEncoding('utf8').iterator({ destroyOnReturn: false }) ?? []) {
      shown += text;
      if (/API document|"baseUrl"/.test(shown)) break;
    }
    child.stdout?.on('data', (text) => {
      shown += text;
    });
    process.kill(JSON.parse(readFileSync(join(folderOf(where), 'server.json'), 'utf8')).pid, 'SIGTERM');
    assert.deepEqual(await exited, [0, null]);
    return shown.replaceAll('\r\n', '\n');
  }

  test('is JSON lines on standard output without a terminal', async () => {
    await using where = await createLocation('sqlite');
    await using server = await startSvcProcess(['serve'], { ...where.environment, SVC_LIMIT_VISITOR: '1' });
    const signIn = (email: string) =>
      fetch(`${server.url}/v1/auth/sign-in`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', Origin: server.url },
        body: JSON.stringify({ email, password: 'not the password at all' }),
      });
    assert.equal((await signIn('jane@example.com')).status, 401);
    const read = () => fetch(`${server.url}/v1/public/trust/unknown`);
    const statuses = [(await read()).status, (await read()).status, (await read()).status];
    const { stdout, stderr } = await server.stop('SIGTERM');
    assert.equal(stderr, '');
    assert.doesNotMatch(stdout, /jane@|127\.0\.0\.1/);
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    // A new minute between the requests reaches the limit again.
    const messages = [...new Set(lines.map(({ msg }) => msg))].filter((msg) => msg !== 'created a setup link');
    const limited = statuses.includes(429) ? ['limit reached'] : [];
    assert.deepEqual(limited, ['limit reached'], String(statuses));
    assert.deepEqual(messages, [
      ...['schema migrated', 'started', 'sign-in refused', ...limited],
      ...['stopping', 'stopped'],
    ]);
    const find = (msg: string) => lines.find((line) => line.msg === msg);
    const { level, version, schema, database, listensOn, baseUrl } = find('started');
    assert.deepEqual([level, database, listensOn, baseUrl], [30, 'SQLite', server.url, server.url]);
    assert.match(version, /^\d+\.\d+\.\d+/);
    assert.equal(find('schema migrated').migrations.at(-1), schema);
    assert.deepEqual(find('sign-in refused').tenantIds, []);
    assert.deepEqual([find('limit reached').policy, find('limit reached').limit], ['visitor', 1]);
    assert.match(find('limit reached').bucket, /^[\w:-]{20,}$/);
    assert.equal(find('stopping').signal, 'SIGTERM');
    assert.ok(Number.isInteger(find('stopped').milliseconds));
  });

  test('is readable on a terminal, in colour unless NO_COLOR is set, and the terminal shows the setup link', async () => {
    await using where = await createLocation('sqlite');
    const coloured = await runOnTerminal('serve', where);
    assert.ok(coloured.includes(`${escapeCode}[`), coloured);
    const plain = await runOnTerminal('serve', where, { NO_COLOR: '1' });
    assert.ok(!plain.includes(escapeCode), plain);
    assert.match(plain, /^Svc listens on http:\S+ \(SQLite in \S+\)\. Ctrl-C stops it\.$/m);
    assert.doesNotMatch(plain, /INFO {2}started/);
    assert.match(plain, /^\d\d:\d\d:\d\d INFO {2}stopping signal=SIGTERM$/m);
    assert.match(plain, /^\d\d:\d\d:\d\d INFO {2}stopped milliseconds=\d+$/m);
    assert.equal(/\/app\/setup#svc_setup_\w+\n/.test(plain), hasDashboard());
    assert.equal(existsSync(join(folderOf(where), 'setup-link.txt')), false);
  });

  test('is on standard error with --json, also on a terminal, and no secret is printed', async () => {
    await using where = await createLocation('sqlite');
    const shown = await runOnTerminal('serve --json', where);
    assert.match(shown, /started/);
    assert.doesNotMatch(shown, /svc_setup_/);
    assert.equal(existsSync(join(folderOf(where), 'setup-link.txt')), hasDashboard());
  });

  test('leaves the one-time values of the demo to a terminal, which shows them once', async () => {
    await using where = await createLocation('sqlite');
    const first = await runOnTerminal('demo', where, { NO_COLOR: '1' });
    const credentials = JSON.parse(readFileSync(join(folderOf(where), 'demo-credentials.json'), 'utf8'));
    const values = [credentials.apiKey, credentials.adminPassword, credentials.scimToken];
    for (const value of values) assert.equal(first.split(value).length, 2);
    assert.equal(/\/app\/start#svc_start_\w+\n/.test(first), hasDashboard(), first);
    const second = await runOnTerminal('demo', where, { NO_COLOR: '1' });
    for (const value of values) assert.ok(!second.includes(value));
  });
});
