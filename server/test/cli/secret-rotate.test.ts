import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { sql } from 'kysely';
import {
  deriveSecrets,
  findInstallation,
  type InstallationRow,
  openInstallation,
} from '../../installation/installation.ts';
import { writeErasure } from '../../ledger/erasure-log.ts';
import { readRotations } from '../../ledger/rotation-store.ts';
import { readSettings } from '../../settings.ts';
import { computeCode, createEnrolledMember } from '../accounts/mfa/authenticator.ts';
import { describeOnEachDatabase, startTestServer, TestClock, type TestServer } from '../harness.ts';
import { changeRow, type Row, readRows, tamper } from '../ledger/tamper.ts';
import { allowPrivate, createEndpoint, type ReceivedDelivery, startScriptedReceiver } from '../webhooks/sending.ts';
import { assertUsageError, environmentOf, runSvc, startSvc } from './run-svc.ts';

const subject = 'someone who leaves';

async function erase(server: TestServer, subjectId: string): Promise<void> {
  const { status, text } = await server.request('POST', `/v1/consent/subjects/${encodeURIComponent(subjectId)}/erase`, {
    body: { reason: 'The person asked for it.' },
  });
  assert.equal(status, 200, text);
}

describeOnEachDatabase('svc secret rotate', (dialect) => {
  /** A server that stopped, with something of everything that depends on the secret. */
  const openScene = async () => {
    const server = await startTestServer(dialect, allowPrivate, { clock: new TestClock(Date.now) });
    const { key } = server.tenant;
    const member = await server.createMember();
    const enrolled = await createEnrolledMember(server);
    const noticeId = await server.createNotice();
    const capture = (subjectId: string, name: string, url = server.url) =>
      fetch(`${url}/v1/consent/${noticeId}/records`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json', 'Idempotency-Key': name },
        body: JSON.stringify({ subjectId, purposes: { analytics: true } }),
      });
    const first = await (await capture('someone', 'before-the-rotation')).json();
    await capture(subject, 'another-one');
    await erase(server, subject);
    const { body } = await server.request('POST', '/v1/api-keys', {
      body: { name: 'made before', scopes: ['audit:read'] },
      headers: { 'Idempotency-Key': 'a-key-with-a-secret' },
    });
    return { server, member, enrolled, capture, first, madeKey: body };
  };
  /** Ends the server with its connections, and keeps its data. */
  const stop = async (server: TestServer) => {
    await server.close();
    await server.installation.database.close();
  };
  const readSecrets = ({ installation }: TestServer) =>
    readFileSync(join(installation.settings.dataDir, 'secret.key'), 'utf8').trim().split('\n');

  test('keeps sessions, passwords, second factors, keys, retries and webhook secrets working', async () => {
    const { server, member, enrolled, capture, first, madeKey } = await openScene();
    await using _ = server;
    await using receiver = await startScriptedReceiver();
    const arrived = Promise.withResolvers<ReceivedDelivery>();
    receiver.reply = (one) => {
      arrived.resolve(one);
      return { status: 204 };
    };
    const endpoint = await createEndpoint(server, server.tenant, receiver.url);
    await stop(server);
    const environment = { ...environmentOf(server), ...allowPrivate };
    const [former] = readSecrets(server);
    const rotated = await runSvc(['secret', 'rotate'], environment);
    assert.deepEqual([rotated.code, rotated.stderr], [0, '']);
    assert.equal(readSecrets(server).length, 2);
    assert.equal(readSecrets(server)[1], former);
    const verified = await runSvc(['verify'], environment);
    assert.equal(verified.code, 0, verified.stdout);

    await using next = await startSvc(['serve'], environment);
    const send = async (method: string, path: string, body: object | null, headers: Record<string, string>) => {
      const answer = await fetch(next.url + path, {
        method,
        headers: { ...(body !== null && { 'Content-Type': 'application/json' }), ...headers },
        body: body && JSON.stringify(body),
      });
      return { status: answer.status, headers: answer.headers, body: await answer.json() };
    };
    const bearer = { Authorization: `Bearer ${server.tenant.key}` };
    assert.equal((await send('GET', '/v1/me', null, { Cookie: member.session.Cookie as string })).status, 200);
    const signIn = (email: string, password: string) =>
      send('POST', '/v1/auth/sign-in', { email, password }, { Origin: next.url });
    assert.equal((await signIn(member.email, member.password)).status, 200);
    assert.equal((await signIn(member.email, 'another password of a member')).status, 401);
    const { challengeId } = (await signIn(enrolled.email, enrolled.password)).body.data;
    const code = computeCode(enrolled.secret, Date.now() + 30_000);
    assert.equal((await send('POST', '/v1/auth/challenge', { challengeId, code }, {})).status, 200);
    assert.equal((await send('GET', '/v1/audit', null, { Authorization: `Bearer ${madeKey.data.key}` })).status, 200);
    const again = await capture('someone', 'before-the-rotation', next.url);
    assert.equal(again.headers.get('idempotent-replayed'), 'true');
    assert.deepEqual(await again.json(), first);
    const retried = await send(
      'POST',
      '/v1/api-keys',
      { name: 'made before', scopes: ['audit:read'] },
      { ...bearer, 'Idempotency-Key': 'a-key-with-a-secret' },
    );
    assert.deepEqual(retried.body, madeKey);
    assert.equal((await send('POST', `/v1/webhooks/${endpoint.id}/test`, null, bearer)).status, 201);
    const delivery = await arrived.promise;
    const [, time, signature] = /^t=(\d+),v1=([0-9a-f]+)$/.exec(String(delivery.headers['svc-signature'])) ?? [];
    assert.equal(createHmac('sha256', endpoint.secret).update(`${time}.${delivery.body}`).digest('hex'), signature);
    const { code: ended } = await next.stop();
    assert.equal(ended, 0);
    const after = await runSvc(['verify'], environment);
    assert.equal(after.code, 0, after.stdout);
  });

  test('makes what a former secret seals worth nothing', async () => {
    const { server } = await openScene();
    await using _ = server;
    const environment = environmentOf(server);
    const sessions = await readRows(server.installation.database, 'sessions');
    const { secret_hash: hash } = (await findInstallation(server.installation.database.kysely)) as InstallationRow;
    // A row that grants nothing must not grant something afterwards.
    const [other] = await readRows(server.installation.database, 'users');
    await changeRow(server.installation.database, 'users', other as Row, { email: 'someone@else.example' });
    await stop(server);
    assert.equal((await runSvc(['secret', 'rotate'], environment)).code, 0);
    const found = await runSvc(['verify'], environment);
    assert.match(found.stdout, /users [\w-]+: the seal does not hold/);
    await using opened = await openInstallation(readSettings(environment));
    const { database } = opened;
    // The row as it was: whoever knows the former secret can write any such row.
    for (const row of sessions) await changeRow(database, 'sessions', row, { seal: row.seal ?? null });
    const verified = await runSvc(['verify'], environment);
    assert.equal(verified.code, 1, verified.stdout);
    assert.match(verified.stdout, /sessions [\w-]+: the seal does not hold/);
    await database.kysely.updateTable('installation').set({ secret_hash: hash }).execute();
    const started = await runSvc(['tenant', 'create', '--slug', 'other', '--name', 'Other'], environment);
    assert.equal(started.code, 2, started.stdout);
    assert.match(started.stderr, /is used with a former secret/);
  });

  test('ends every session if it is asked to', async () => {
    const { server, member } = await openScene();
    await using _ = server;
    const environment = environmentOf(server);
    await stop(server);
    assert.equal((await runSvc(['secret', 'rotate', '--end-sessions'], environment)).code, 0);
    assert.equal((await runSvc(['verify'], environment)).code, 0);
    await using next = await startSvc(['serve'], environment);
    const headers = { Cookie: member.session.Cookie as string };
    assert.equal((await fetch(`${next.url}/v1/me`, { headers })).status, 401);
  });

  test('takes no erasure that a former secret names', async () => {
    const { server } = await openScene();
    await using _ = server;
    const environment = environmentOf(server);
    const { dataDir } = server.installation.settings;
    const { seal } = server.installation;
    await stop(server);
    assert.equal((await runSvc(['secret', 'rotate'], environment)).code, 0);
    const tenantId = server.tenant.id;
    const erased = { kind: 'subject', records: [[1, '0'.repeat(32)]], requests: [] } as const;
    const line = writeErasure(seal, { tenantId, number: 2, at: new Date(Date.now() - 600_000).toISOString(), erased });
    {
      await using opened = await openInstallation(readSettings(environment));
      await opened.database.kysely.insertInto('erasures').values({ tenant_id: tenantId, number: 2, line }).execute();
    }
    // It completes the log of the copy from the database.
    const copy = join(dataDir, 'copy');
    assert.equal((await runSvc(['backup', '--to', copy], environment)).code, 0);
    const copied = readFileSync(join(copy, 'erasures.log'), 'utf8');
    assert.match(copied, /"kind":"subject"/);
    assert.ok(!copied.includes(line.slice(line.indexOf(' '))));
    const verified = await runSvc(['verify'], environment);
    assert.notEqual(verified.code, 0, verified.stdout);
  });

  test('lets who keeps the former key verify what was exported before and after', async () => {
    const { server } = await openScene();
    await using _ = server;
    const environment = environmentOf(server);
    const { verifierKey: former } = server.installation.signer;
    await stop(server);
    const inFolder = (name: string) => join(server.installation.settings.dataDir, name);
    const words = ['--tenant', server.tenant.slug, '--ledger', 'audit'];
    const exportTo = (name: string) => runSvc(['export', 'create', ...words, '--file', inFolder(name)], environment);
    assert.equal((await exportTo('before.jsonl')).code, 0);
    assert.equal((await runSvc(['secret', 'rotate'], environment)).code, 0);
    assert.equal((await exportTo('after.jsonl')).code, 0);
    for (const name of ['before.jsonl', 'after.jsonl']) {
      const verified = await runSvc(['export', 'verify', '--file', inFolder(name), '--key', former]);
      assert.deepEqual([verified.code, verified.stderr], [0, '']);
      assert.equal(/The key in --key was rotated/.test(verified.stdout), name === 'after.jsonl');
    }
    const proof = [...words, '--sequence', '1', '--file', inFolder('entry.tlog-proof'), '--json'];
    const { rotations } = JSON.parse((await runSvc(['proof', 'create', ...proof], environment)).stdout);
    assert.equal(rotations.length, 2);
  });

  test('leaves notes that svc verify compares', async () => {
    const { server } = await openScene();
    await using _ = server;
    const environment = environmentOf(server);
    await stop(server);
    for (let time = 0; time < 2; time += 1) assert.equal((await runSvc(['secret', 'rotate'], environment)).code, 0);
    await using opened = await openInstallation(readSettings(environment));
    const rows = await opened.database.kysely.selectFrom('key_rotations').selectAll().execute();
    assert.equal(rows.length, 6);
    const { tenant_id: tenantId, ledger, number, note } = rows[0] as (typeof rows)[number];
    const which = sql`where tenant_id = ${tenantId} and ledger = ${ledger} and number = ${number}`;
    const other = rows.find((row) => row.number !== number && row.ledger === ledger) as (typeof rows)[number];
    const openKey = async () =>
      deriveSecrets(readSecrets(server)[0] as string, await readRotations(opened.database.kysely)).signer.verifier;
    const changes = [
      sql`update key_rotations set note = ${`${note}`.replace(/^\S+/, 'other')} ${which}`,
      sql`update key_rotations set note = ${other.note} ${which}`,
      sql`update key_rotations set number = 7 ${which}`,
      sql`update key_rotations set ledger = 'other' ${which}`,
      sql`delete from key_rotations ${which}`,
      sql`insert into key_rotations values (${tenantId}, 'consent', 99, 'no note')`,
    ];
    for (const change of changes) {
      await tamper(opened.database, async (queries) => void (await change.execute(queries)));
      const verified = await runSvc(['verify'], environment);
      assert.equal(verified.code, 1, verified.stdout);
      assert.equal((await openKey()).name, server.installation.signer.verifier.name);
      await tamper(opened.database, async (queries) => {
        await sql`delete from key_rotations`.execute(queries);
        await queries
          .insertInto('key_rotations')
          .values([...rows])
          .execute();
      });
    }
    const verified = await runSvc(['verify'], environment);
    assert.equal(verified.code, 0, verified.stdout);
  });

  test('is completed by the next command if it was interrupted after its commit', async () => {
    const { server } = await openScene();
    await using _ = server;
    const environment = environmentOf(server);
    await stop(server);
    const file = join(server.installation.settings.dataDir, 'secret.key');
    const [former] = readSecrets(server);
    // Interrupted before its commit.
    writeFileSync(file, `${former}\nnext,${'n'.repeat(43)}\n`);
    assert.equal((await runSvc(['verify'], environment)).code, 0);
    const erasures = readFileSync(join(server.installation.settings.dataDir, 'erasures.log'));
    assert.equal((await runSvc(['secret', 'rotate'], environment)).code, 0);
    const [present] = readSecrets(server);
    assert.deepEqual(readSecrets(server), [present, former]);
    writeFileSync(file, `${former}\nnext,${present}\n`);
    writeFileSync(join(server.installation.settings.dataDir, 'erasures.log'), erasures);
    const early = await runSvc(['verify'], environment);
    assert.equal(early.code, 2, early.stdout);
    assert.match(early.stderr, /The rotation of the secret has not reached this data folder/);
    const completed = await runSvc(['tenant', 'create', '--slug', 'other', '--name', 'Other'], environment);
    assert.equal(completed.code, 0, completed.stderr);
    assert.deepEqual(readSecrets(server), [present, former]);
    assert.equal((await runSvc(['verify'], environment)).code, 0);
  });

  test('is refused while a server runs, and changes nothing', async () => {
    const { server } = await openScene();
    await using _ = server;
    const environment = environmentOf(server);
    await stop(server);
    const before = readSecrets(server);
    await using _running = await startSvc(['serve'], environment);
    const refused = await runSvc(['secret', 'rotate'], environment);
    assertUsageError(refused, / uses .*\. Stop it first\./);
    assert.deepEqual(readSecrets(server), before);
  });

  test('takes the new secret from a file where it is a setting', async () => {
    const former = 'the-secret-of-before-at-least-so-long';
    const server = await startTestServer(dialect, { SVC_SECRET: former });
    await using _ = server;
    const { key } = server.tenant;
    await stop(server);
    const environment = environmentOf(server);
    const file = join(server.installation.settings.dataDir, 'new-secret');
    const rotate = (words: readonly string[], secret = former) =>
      runSvc(['secret', 'rotate', ...words], { ...environment, SVC_SECRET: secret });
    assertUsageError(await rotate([]), /name it with --new-secret/);
    assertUsageError(await rotate(['--new-secret', file]), /cannot be read \(ENOENT\)/);
    writeFileSync(file, 'too short');
    assertUsageError(await rotate(['--new-secret', file]), /must have 32 characters or more/);
    writeFileSync(file, former);
    assertUsageError(await rotate(['--new-secret', file]), /has or had this secret/);
    const next = 'the-secret-of-after-at-least-so-long';
    writeFileSync(file, `${next}\n`);
    const rotated = await rotate(['--new-secret', file]);
    assert.deepEqual([rotated.code, rotated.stderr], [0, '']);
    assert.match(rotated.stdout, /Set SVC_SECRET of every server to the new secret, a comma, and the former one\./);
    // Its last step, if it was interrupted there.
    assert.equal((await rotate(['--new-secret', file])).code, 0);
    const verify = (secret: string) => runSvc(['verify'], { ...environment, SVC_SECRET: secret });
    for (const secret of [next, `${next}, ${former}`]) assert.equal((await verify(secret)).code, 0);
    for (const secret of [former, `${former},${next}`])
      await assert.rejects(startSvc(['serve'], { ...environment, SVC_SECRET: secret }), /secret/);
    await using running = await startSvc(['serve'], { ...environment, SVC_SECRET: `${next},${former}` });
    const answer = await fetch(`${running.url}/v1/audit`, { headers: { Authorization: `Bearer ${key}` } });
    assert.equal(answer.status, 200);
  });

  if (dialect === 'sqlite')
    test('leaves backups of before to those who say that they want one', async () => {
      const { server } = await openScene();
      await using _ = server;
      const { dataDir } = server.installation.settings;
      const target = join(dataDir, 'backups');
      mkdirSync(target);
      const environment = { ...environmentOf(server), SVC_BACKUP_TO: target };
      const folder = join(dataDir, 'folder');
      for (const words of [['backup'], ['backup', '--to', folder]])
        assert.equal((await runSvc(words, environment)).code, 0);
      await erase(server, 'someone');
      await stop(server);
      assert.equal((await runSvc(['secret', 'rotate'], environment)).code, 0);
      const to = (name: string) => {
        const path = join(dataDir, name);
        mkdirSync(path);
        for (const file of ['secret.key', 'erasures.log', 'checkpoints.log'])
          copyFileSync(join(dataDir, file), join(path, file));
        return { ...environment, SVC_DATA_DIR: path };
      };
      const refusal = /only with --former-secret/;
      const first = to('first');
      for (const words of [['--latest'], ['--from', folder]]) {
        const refused = await runSvc(['restore', ...words], first);
        assert.notEqual(refused.code, 0);
        assert.match(refused.stderr, refusal);
      }
      for (const words of [['--latest'], ['--from', folder]]) {
        const place = to(words[0] as string);
        const restored = await runSvc(['restore', ...words, '--former-secret'], place);
        assert.deepEqual([restored.code, restored.stderr], [0, '']);
        assert.match(restored.stdout, /Erased again from erasures\.log: 1 data subjects with 1 records/);
        const verified = await runSvc(['verify'], place);
        assert.equal(verified.code, 0, verified.stdout);
        const secrets = readFileSync(join(place.SVC_DATA_DIR, 'secret.key'), 'utf8').trim().split('\n');
        assert.deepEqual(secrets, readSecrets(server).toReversed());
        const rotated = await runSvc(['secret', 'rotate'], place);
        assert.deepEqual([rotated.code, rotated.stderr], [0, '']);
        assert.equal((await runSvc(['verify'], place)).code, 0);
      }
      assert.equal((await runSvc(['backup'], environment)).code, 0);
      const latest = await runSvc(['restore', '--latest'], first);
      assert.deepEqual([latest.code, latest.stderr], [0, '']);
      assert.equal((await runSvc(['verify'], first)).code, 0);
    });
});
