import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, watch, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, describe, test } from 'node:test';
import { generateX25519Identity, identityToRecipient } from 'age-encryption';
import { S3mini } from 's3mini';
import { installPackages } from '../../../tools/test/apt.ts';
import { findProgram } from '../../../tools/test/find-program.ts';
import { installS3Server, startS3Server } from '../../../tools/test/s3-server.ts';
import { startTestServer, type TestServer } from '../harness.ts';
import { type Environment, environmentOf, runSvc, spawnSvc } from './run-svc.ts';

const missing = installS3Server();
const age = findProgram('age') ?? (installPackages('age') ? findProgram('age') : undefined);

/** Rows of this many bytes make the backup larger than one part of an upload. */
const rows = Array.from({ length: 12 }, () => 2 * 1024 * 1024);

describe('backups on S3', { skip: missing ?? false }, () => {
  const stack = new AsyncDisposableStack();
  let server: TestServer;
  let folder: string;
  let environment: Environment;
  let s3: S3mini;
  let identityFile: string;
  /** Handles a request before it is forwarded; returns true if it was answered. */
  let intercept: (request: IncomingMessage, response: ServerResponse) => boolean | Promise<boolean>;

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'svc-s3-'));
    stack.defer(() => rmSync(folder, { recursive: true, force: true }));
    const real = stack.use(await startS3Server('bucket'));
    const proxy = createServer(async (incoming, outgoing) => {
      if (await intercept(incoming, outgoing)) return;
      const { method, headers } = incoming;
      const forwarded = request(`${real.url}${incoming.url}`, { method: method as string, headers }, (answer) => {
        outgoing.writeHead(answer.statusCode as number, answer.headers);
        answer.pipe(outgoing);
      });
      forwarded.on('error', () => outgoing.destroy());
      incoming.pipe(forwarded);
    });
    await once(proxy.listen(0, '127.0.0.1'), 'listening');
    stack.defer(() => {
      proxy.closeAllConnections();
      proxy.close();
    });
    server = stack.use(await startTestServer('sqlite'));
    for (const [minute, bytes] of rows.entries())
      await server.installation.database.kysely
        .insertInto('rate_limits')
        .values({ bucket: randomBytes(bytes).toString('base64'), minute, requests: 1 })
        .execute();
    const identity = await generateX25519Identity();
    identityFile = join(folder, 'key.txt');
    writeFileSync(identityFile, `${identity}\n`);
    const endpoint = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    environment = {
      ...environmentOf(server),
      SVC_BACKUP_TO: 's3://bucket/of/svc',
      SVC_BACKUP_S3_ENDPOINT: endpoint,
      SVC_BACKUP_S3_ACCESS_KEY_ID: 'key',
      SVC_BACKUP_S3_SECRET_ACCESS_KEY: 'secret',
      SVC_BACKUP_AGE_RECIPIENTS: await identityToRecipient(identity),
      SVC_BACKUP_AGE_IDENTITY_FILE: identityFile,
    };
    s3 = new S3mini({ accessKeyId: 'key', secretAccessKey: 'secret', endpoint: `${real.url}/bucket` });
  });
  after(() => stack.disposeAsync());
  beforeEach(async () => {
    intercept = () => false;
    for (const key of await listKeys()) await s3.deleteObject(key);
  });

  const listKeys = async () => ((await s3.listObjects()) ?? []).map(({ Key }) => Key);
  /** The answer to a list of unfinished uploads; this server answers 404 for none. */
  const hasUploads = async () =>
    s3.listMultipartUploads('/').then(
      (listed) => /UploadId/.test(JSON.stringify(listed).replaceAll('UploadIdMarker', '')),
      () => false,
    );
  const isPart = ({ method, url = '' }: IncomingMessage, number: number) =>
    method === 'PUT' && url.includes(`partNumber=${number}&`);
  const assertFailed = ({ code, stderr }: { code: number | null; stderr: string }, reason: RegExp) => {
    assert.equal(code, 1, stderr);
    assert.match(stderr, /^svc: [^\n]+\.\n$/);
    assert.match(stderr, reason);
  };
  /** Lets the next process take the task of one that was killed, without the minute of waiting. */
  const forgetHeartbeat = () =>
    server.installation.database.kysely
      .updateTable('backup_tasks')
      .set({ heartbeat_at: '2020-01-01T00:00:00.000Z' })
      .execute();

  test('are uploaded in parts, listed, and restored where everything verifies', async () => {
    const parts = new Set<string>();
    intercept = (incoming) => {
      const [, number] = /partNumber=(\d+)/.exec(incoming.url ?? '') ?? [];
      if (number !== undefined) parts.add(number);
      return false;
    };
    const { code, stdout, stderr } = await runSvc(['backup', '--json'], environment);
    assert.deepEqual([code, stderr], [0, '']);
    const { name, bytes, fault } = JSON.parse(stdout);
    assert.ok(parts.size > 1);
    assert.deepEqual([fault, await listKeys()], [null, [`of/svc/${name}`]]);
    const listed = JSON.parse((await runSvc(['backup', 'list', '--json'], environment)).stdout);
    assert.deepEqual(
      listed.backups.map((one: { readonly name: string; readonly bytes: number }) => [one.name, one.bytes]),
      [[name, bytes]],
    );
    const to = join(folder, 'restored');
    const restored = await runSvc(['restore', '--latest'], { ...environment, SVC_DATA_DIR: to });
    assert.deepEqual([restored.code, restored.stderr], [0, '']);
    const verified = await runSvc(['verify'], { SVC_DATA_DIR: to });
    assert.equal(verified.code, 0, verified.stdout + verified.stderr);
  });

  test('are not called damaged when the connection breaks off', async () => {
    await runSvc(['backup'], environment);
    intercept = ({ method, url = '' }, outgoing) => {
      if (method !== 'GET' || !url.endsWith('.age')) return false;
      outgoing.writeHead(200, { 'content-length': 1_000_000 });
      outgoing.write('age-encryption.org/v1\n', () => outgoing.destroy());
      return true;
    };
    const to = join(folder, 'broken-off');
    const restored = await runSvc(['restore', '--latest'], { ...environment, SVC_DATA_DIR: to });
    assertFailed(restored, /The connection to the target broke off while .* was read: try again/);
  });

  test('are opened by age and tar', {
    skip: age === undefined ? 'age is missing: apt-get install age' : false,
  }, async () => {
    const { stdout } = await runSvc(['backup', '--json'], environment);
    const response = await s3.getObjectResponse(`of/svc/${JSON.parse(stdout).name}`);
    const archive = join(folder, 'archive');
    writeFileSync(archive, Buffer.from(await (response as Response).arrayBuffer()));
    const to = join(folder, 'opened');
    mkdirSync(to);
    const script = '"$1" -d -i "$2" "$3" | tar xz -C "$4"';
    const words = ['-euc', script, 'sh', age as string, identityFile, archive, to];
    const opened = spawnSync('sh', words, { encoding: 'utf8' });
    assert.deepEqual([opened.status, opened.stderr], [0, '']);
    assert.deepEqual(readdirSync(to).sort(), ['checkpoints.log', 'erasures.log', 'secret.key', 'svc.sqlite']);
    const own = join(server.installation.settings.dataDir, 'secret.key');
    assert.equal(readFileSync(join(to, 'secret.key'), 'utf8'), readFileSync(own, 'utf8'));
  });

  test('survive a server that fails for a moment, and one that is slow', async () => {
    let failures = 0;
    intercept = async (incoming, outgoing) => {
      if (isPart(incoming, 2) && failures < 2) {
        failures += 1;
        if (failures === 1) incoming.socket.destroy();
        else outgoing.writeHead(503).end();
        return true;
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
      return false;
    };
    const { code, stderr } = await runSvc(['backup'], environment);
    assert.deepEqual([code, stderr, failures], [0, '', 2]);
    assert.equal((await listKeys()).length, 1);
  });

  test('leave nothing when the server refuses, is away, or dies in the middle', async () => {
    await runSvc(['backup'], environment);
    const before = await listKeys();
    const refused = '<Error><Code>AccessDenied</Code><Message>no</Message></Error>';
    intercept = (_incoming, outgoing) => {
      outgoing.writeHead(403, { 'content-type': 'application/xml' }).end(refused);
      return true;
    };
    assertFailed(await runSvc(['backup'], environment), /403 AccessDenied\): check SVC_BACKUP_S3_ACCESS_KEY_ID/);
    assertFailed(await runSvc(['backup', 'list'], environment), /403 AccessDenied/);
    intercept = () => false;
    assertFailed(
      await runSvc(['backup'], { ...environment, SVC_BACKUP_TO: 's3://none' }),
      /404.*: check that the bucket none exists/,
    );
    intercept = (incoming) => {
      if (!isPart(incoming, 2)) return false;
      incoming.socket.destroy();
      return true;
    };
    const kept = { ...environment, SVC_BACKUP_KEEP: '1' };
    assertFailed(await runSvc(['backup'], kept), /cannot be reached \(\w+\)/);
    intercept = () => false;
    assert.deepEqual([await listKeys(), await hasUploads()], [before, false]);
  });

  test('leave no half object after a kill in the middle, and the next one cleans up', async () => {
    const reached = Promise.withResolvers<void>();
    intercept = (incoming) => {
      if (!isPart(incoming, 2)) return false;
      reached.resolve();
      return true;
    };
    const child = spawnSvc(['backup'], environment);
    const ended = once(child, 'close');
    await reached.promise;
    child.kill('SIGKILL');
    await ended;
    assert.deepEqual([await listKeys(), await hasUploads()], [[], true]);
    intercept = () => false;
    assertFailed(await runSvc(['backup'], environment), /Another backup is being made/);
    await forgetHeartbeat();
    const { code, stderr } = await runSvc(['backup'], environment);
    assert.deepEqual([code, stderr], [0, '']);
    assert.deepEqual([(await listKeys()).length, await hasUploads()], [1, false]);
    assert.ok(!readdirSync(server.installation.settings.dataDir).includes('backup-draft'));
  });

  test('leave no half file in a folder after a kill in the middle', async () => {
    const target = join(folder, 'target');
    mkdirSync(target);
    const settings = { ...environment, SVC_BACKUP_TO: target };
    const watcher = watch(target);
    const begun = once(watcher, 'change');
    const child = spawnSvc(['backup'], settings);
    const ended = once(child, 'close');
    await begun;
    child.kill('SIGKILL');
    await ended;
    watcher.close();
    assert.ok(
      readdirSync(target).every((name) => name.endsWith('.age.draft')),
      readdirSync(target).join(),
    );
    await forgetHeartbeat();
    const { code, stdout, stderr } = await runSvc(['backup', '--json'], settings);
    assert.deepEqual([code, stderr], [0, '']);
    assert.deepEqual(readdirSync(target), [JSON.parse(stdout).name]);
  });
});
