import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';

const root = join(import.meta.dirname, '../../..');
const readme = readFileSync(join(root, 'README.md'), 'utf8');
const run = promisify(execFile);

// What the README says works as pasted, works as pasted: in a folder with ./data, against a server that listens.
describe('the README', () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-readme-'));
  let server: ChildProcess;
  let baseUrl: string;

  before(async () => {
    server = spawn(process.execPath, [join(root, 'server/main.ts')], {
      cwd: folder,
      env: { ...process.env, PORT: '0', SVC_DATA_DIR: 'data' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    for await (const line of createInterface({ input: server.stdout as NodeJS.ReadableStream })) {
      if (line.includes('They also stand in')) break;
    }
    baseUrl = JSON.parse(readFileSync(join(folder, 'data/demo-credentials.json'), 'utf8')).baseUrl;
  });

  after(async () => {
    server.kill('SIGTERM');
    await once(server, 'exit');
    rmSync(folder, { recursive: true });
  });

  test('its capture and read-back', async () => {
    const answers = parseAnswers(await paste('# Capture a record.'));
    const [captured, ledger, subject, audit] = answers;
    assert.equal(captured.data.subjectId, 'customer-42');
    assert.deepEqual(ledger.data.data[0], captured.data);
    assert.deepEqual(subject.data.data, [captured.data]);
    assert.equal(audit.data.items[0].action, 'consent.recorded');
  });

  test('its new notice', async () => {
    const [published, shown] = parseAnswers(await paste('/v1/consent/notices"'));
    assert.equal(published.data.status, 'published');
    assert.equal(shown.data.name, 'Shop');
  });

  test('its proof to somebody else', async () => {
    const text = await paste('svc-ledger-key');
    assert.match(text, /✓ \d+ entries, numbers 1 to \d+, are those that the checkpoint/);
    assert.match(text, /✓ Nothing that the earlier checkpoint \(.+\) spoke of was changed/);
  });

  test('its controls and request of a data subject', async () => {
    const [readiness, evidence, control, request] = parseAnswers(await paste('# Evidence for a control'));
    assert.ok(readiness.data.totalControls > 0);
    assert.equal(evidence.data.title, 'Signed policy');
    assert.equal(control.data.status, 'implemented');
    assert.equal(request.data.status, 'open');
  });

  test('its sign-in and second factor', async () => {
    const answers = parseAnswers(await paste('# Enrol an authenticator'));
    const [signedIn, me, enrolled, enabled, disabled] = answers;
    assert.equal(signedIn.data.status, 'signed_in');
    assert.equal(me.data.user.role, 'admin');
    assert.equal(enrolled.data.backupCodes.length, 10);
    assert.equal(enabled.data.enabled, true);
    assert.equal(disabled.data.enabled, false);
  });

  test('its SCIM calls', async () => {
    const [created, suspended] = parseAnswers(await paste('# Suspend, then remove.'));
    assert.equal(created.userName, 'ada@example.com');
    assert.deepEqual([created.active, suspended.active], [true, false]);
  });

  test('its key and access token', async () => {
    const [audit] = parseAnswers(await paste('# A narrower key for a program'));
    assert.equal(audit.data.items[0].action, 'access_token.issued');
  });

  test('its proof', async () => {
    assert.match(await paste('npx svc verify'), /Everything is as it was written/);
  });

  test('its commands for a real start', async () => {
    const output = await paste('npx svc migrate');
    assert.match(output, /Created tenant acme/);
    assert.match(output, /svc_live_[0-9A-Za-z]{38}/);
    assert.match(output, /grace@example.com is a member of acme/);
    assert.match(output, /scim_[0-9A-Za-z]{38}/);
  });

  /** Runs the shell block that contains a text, with the port of the test and `npx svc` found in the repository. */
  async function paste(part: string): Promise<string> {
    const block = [...readme.matchAll(/```sh\n([\s\S]*?)```/g)]
      .map(([, text]) => text as string)
      .find((text) => text.includes(part));
    assert.ok(block, `no block with ${part}`);
    const script = block
      .replaceAll('http://localhost:8787', baseUrl)
      .replaceAll('npx svc', `node ${join(root, 'server/cli/svc.ts')}`);
    const PATH = `${dirname(process.execPath)}${delimiter}${process.env.PATH}`;
    const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', script], {
      cwd: folder,
      env: { ...process.env, PATH },
    });
    return stdout;
  }
});

/** The JSON answers that curl wrote one behind the other. */
// biome-ignore lint/suspicious/noExplicitAny: answers of several shapes
function parseAnswers(output: string): any[] {
  return JSON.parse(`[${output.trim().replaceAll(/}\s*{/g, '},{')}]`);
}
