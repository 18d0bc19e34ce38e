import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';

const root = join(import.meta.dirname, '../../..');
const readme = readFileSync(join(root, 'README.md'), 'utf8');
const run = promisify(execFile);

const folder = mkdtempSync(join(tmpdir(), 'svc-readme-'));

// Runs the commands of the README as a reader would paste them: in a folder with ./data, against a listening server.
describe('the README', () => {
  let server: ChildProcess;
  let baseUrl: string;

  before(async () => {
    server = spawn(process.execPath, [join(root, 'server/cli/svc.js'), 'demo'], {
      cwd: folder,
      env: { ...process.env, PORT: '0', SVC_DATA_DIR: 'data' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    for await (const line of createInterface({ input: server.stdout as NodeJS.ReadableStream })) {
      if (line.includes('demo-credentials.json')) break;
    }
    baseUrl = JSON.parse(readFileSync(join(folder, 'data/demo-credentials.json'), 'utf8')).baseUrl;
  });

  after(async () => {
    server.kill('SIGTERM');
    await once(server, 'exit');
    rmSync(folder, { recursive: true });
  });

  test('captures a record and reads it back', async () => {
    const answers = parseAnswers(await paste('# Capture a record.'));
    const [captured, ledger, subject, audit] = answers;
    assert.equal(captured.data.subjectId, 'customer-42');
    assert.deepEqual(ledger.data.data[0], captured.data);
    assert.deepEqual(subject.data.items, [captured.data]);
    assert.equal(audit.data.items[0].action, 'consent.recorded');
  });

  test('creates and publishes a notice', async () => {
    const [published, shown] = parseAnswers(await paste('/v1/consent/notices"'));
    assert.equal(published.data.status, 'published');
    assert.equal(shown.data.name, 'Shop');
  });

  test('verifies an export offline against a kept checkpoint', async () => {
    const text = await paste('svc-ledger-key');
    assert.match(text, /✓ \d+ entries, numbers 1 to \d+, are covered by the checkpoint/);
    assert.match(text, /✓ No entry that the earlier checkpoint \(.+\) covers was changed/);
  });

  test('adopts a control and opens a data-subject request', async () => {
    const [readiness, evidence, control, request] = parseAnswers(await paste('# Evidence for a control'));
    assert.ok(readiness.data.totalControls > 0);
    assert.equal(evidence.data.title, 'Signed policy');
    assert.equal(control.data.status, 'implemented');
    assert.equal(request.data.status, 'open');
  });

  test('delivers webhooks and redelivers dead letters', async () => {
    const { apiKey: key } = JSON.parse(readFileSync(join(folder, 'data/demo-credentials.json'), 'utf8'));
    const call = async (method: string, path: string, body?: object) => {
      const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
      const answer = await fetch(`${baseUrl}${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
      return (await answer.json()).data;
    };
    const [{ id }] = (await call('GET', '/v1/webhooks')).items;
    const port = await findFreePort();
    await call('PATCH', `/v1/webhooks/${id}`, { url: `http://127.0.0.1:${port}/` });

    await using taking = await startReceiver(port);
    const [completed, sent, detail] = parseAnswers(await paste('# Cause events: open and fulfil'));
    assert.equal(completed.data.status, 'completed');
    assert.equal(sent.data.items[0].eventType, 'dsr.completed');
    assert.equal(detail.data.event.data.dsrId, completed.data.id);
    await taking.says(/✓ dsr\.completed/);
    await taking[Symbol.asyncDispose]();

    await using gone = await startReceiver(port, '--gone');
    await call('POST', '/v1/dsr', { subjectId: 'customer-43', type: 'access' });
    await gone.says(/✗ 410/);
    // The endpoint is disabled in a change of its own, after the answer.
    while ((await call('GET', `/v1/webhooks/${id}`)).status !== 'disabled');
    await gone[Symbol.asyncDispose]();

    await using again = await startReceiver(port);
    const [dead, enabled, count, order] = parseAnswers(await paste('# The dead letters and their reasons.'));
    assert.ok(dead.data.items.some((item: { reason: string }) => item.reason === 'gone'));
    assert.equal(enabled.data.status, 'enabled');
    assert.ok(count.data.count >= 1);
    assert.equal(order.data.total, count.data.count);
    await again.says(/✓ dsr\.created/);
  });

  test('signs in and enrolls a second factor', async () => {
    const answers = parseAnswers(await paste('# Enroll an authenticator'));
    const [signedIn, me, enrolled, enabled, disabled] = answers;
    assert.equal(signedIn.data.status, 'signed_in');
    assert.equal(me.data.user.role, 'admin');
    assert.equal(enrolled.data.backupCodes.length, 10);
    assert.equal(enabled.data.enabled, true);
    assert.equal(disabled.data.enabled, false);
  });

  test('provisions and suspends a user over SCIM', async () => {
    const [created, suspended] = parseAnswers(await paste('# Suspend, then remove.'));
    assert.equal(created.userName, 'ada@example.com');
    assert.deepEqual([created.active, suspended.active], [true, false]);
  });

  test('creates a key and exchanges it for an access token', async () => {
    const [audit] = parseAnswers(await paste('# A narrower key for a program'));
    assert.equal(audit.data.items[0].action, 'access_token.issued');
  });

  test('verifies the chains', async () => {
    assert.match(await paste('npx @svc/server verify'), /Everything is as it was written/);
  });

  test('runs the production commands', async () => {
    const output = await paste('npx @svc/server migrate');
    assert.match(output, /Created tenant acme/);
    assert.match(output, /svc_live_[0-9A-Za-z]{38}/);
    assert.match(output, /grace@example.com is a member of acme/);
    assert.match(output, /scim_[0-9A-Za-z]{38}/);
  });

  /** Runs the shell block that contains a text, with the port of the test and `npx @svc/server` found in the repository. */
  async function paste(part: string): Promise<string> {
    const block = [...readme.matchAll(/```sh\n([\s\S]*?)```/g)]
      .map(([, text]) => text as string)
      .find((text) => text.includes(part));
    assert.ok(block, `no block with ${part}`);
    const script = block
      .replaceAll('http://localhost:8787', baseUrl)
      .replaceAll('npx @svc/server', `node ${join(root, 'server/cli/svc.js')}`);
    const PATH = `${dirname(process.execPath)}${delimiter}${process.env.PATH}`;
    const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', script], {
      cwd: folder,
      env: { ...process.env, PATH },
    });
    return stdout;
  }
});

/** `npm run receiver` on a port, with what it has printed. */
async function startReceiver(port: number, ...words: readonly string[]) {
  const args = ['-C', '@svc/source', join(root, 'server/site/demo/receiver.ts'), '--port', String(port), ...words];
  const child = spawn(process.execPath, args, { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] });
  let printed = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    printed += text;
  });
  const says = async (pattern: RegExp) => {
    while (!pattern.test(printed)) await once(child.stdout, 'data');
  };
  await says(/Waiting for events/);
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGTERM');
    await once(child, 'exit');
  };
  return { says, [Symbol.asyncDispose]: stop };
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

/** The JSON answers that curl wrote one behind the other. */
// biome-ignore lint/suspicious/noExplicitAny: answers of several shapes
function parseAnswers(output: string): any[] {
  return JSON.parse(`[${output.trim().replaceAll(/}\s*{/g, '},{')}]`);
}
