import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import pg from 'pg';
import { verifyExport, verifyInclusion } from '../../../packages/node-sdk/src/ledger/index.ts';
import { findPrograms } from '../../../tools/test/postgres.ts';
import { personal, recordErasure, recordEvent, systemSource } from '../../ledger/audit/store.ts';
import { ErasureLog, erasureFile, writeErasure } from '../../ledger/erasure-log.ts';
import { clearOpenings } from '../../ledger/opening-store.ts';
import { eraseExpired } from '../../privacy/erasure/retention.ts';
import { runTransaction } from '../../storage/database.ts';
import { removeRemains } from '../../storage/erased-remains.ts';
import { payload } from '../consent/helpers.ts';
import { base, ControlClient } from '../controls/helpers.ts';
import { evidenceItem } from '../controls/samples.ts';
import { describeOnEachDatabase, startTestServer, type TestServer } from '../harness.ts';
import { runVerify } from '../ledger/fixture.ts';
import { day, PrivacyClient } from '../privacy/requests.ts';
import { createEndpoint } from '../webhooks/sending.ts';
import { type Environment, environmentOf, runSvc } from './run-svc.ts';

/** Every value that identifies the people who are erased below. */
const erasedMember = 'erased.member@example.com';
const erasedGuest = 'erased.guest@example.com';
const erasedValues = [
  'erased.person@example.com',
  'Erased Name',
  'erased notes',
  'Stolen from the erased',
  'asked.long.ago@example.com',
  erasedMember,
  erasedGuest,
  'single.person@example.com',
  'renamed.person@example.com',
  'Lost by the erased',
  'Report on the erased',
  'the-erased.txt',
  'a file about the erased',
] as const;
/** True if a text contains a value, also as bytes in a dump. */
const hasValue = (text: string, value: string) =>
  text.includes(value) || text.includes(Buffer.from(value).toString('hex'));
const [subject] = erasedValues;
const kept = 'kept.person@example.com';

describeOnEachDatabase('a restore of a backup from before an erasure', (dialect) => {
  let server: TestServer;
  let client: PrivacyClient;
  let noticeId: string;
  let folder: string;
  before(async () => {
    server = await startTestServer(dialect);
    client = new PrivacyClient(server, server.tenant);
    noticeId = await server.createNotice();
    folder = join(server.installation.settings.dataDir, 'copies');
    mkdirSync(folder);
    await createEndpoint(server, server.tenant, 'https://hooks.example.com/', { status: 'paused' });
  });
  after(() => server[Symbol.asyncDispose]());

  let made = 0;
  const inFolder = () => join(folder, `${++made}`);
  const record = async (subjectId: string) =>
    payload(
      await server.request('POST', `/v1/consent/${noticeId}/records`, {
        headers: { 'Idempotency-Key': `restored-key-${++made}` },
        body: { subjectId, ip: '192.0.2.7', ua: subjectId, purposes: { analytics: true } },
      }),
    );
  const environment = (dataDir = server.installation.settings.dataDir): Environment => ({
    ...environmentOf(server),
    SVC_DATA_DIR: dataDir,
  });
  /** Copies the data as an administrator would. @returns the folder of the backup. */
  const backUp = async () => {
    const to = inFolder();
    if (dialect === 'sqlite') {
      const { code, stderr } = await runSvc(['backup', '--to', to], environment());
      assert.deepEqual([code, stderr], [0, '']);
    } else {
      mkdirSync(to);
      writeFileSync(join(to, 'dump.sql'), dump());
    }
    return to;
  };
  const runProgram = (name: string, words: readonly string[], input?: Buffer) => {
    const url = server.installation.settings.databaseUrl as string;
    const ended = spawnSync(join(findPrograms(['pg_dump', 'psql']) as string, name), ['--dbname', url, ...words], {
      ...(input !== undefined && { input }),
      maxBuffer: 1e9,
    });
    assert.equal(ended.status, 0, String(ended.error ?? ended.stderr));
    return ended.stdout;
  };
  const dump = () => runProgram('pg_dump', []);
  const query = async (text: string) => {
    const database = new pg.Client({ connectionString: server.installation.settings.databaseUrl as string });
    await database.connect();
    await database.query(text);
    await database.end();
  };
  /** Restores a backup with the log of erasures of the server. @returns the folder of the restored data. */
  const restore = async (from: string, words: readonly string[] = [], prepare = (_: string) => {}) => {
    const { dataDir } = server.installation.settings;
    const to = inFolder();
    mkdirSync(to);
    for (const name of ['checkpoints.log', 'erasures.log', 'secret.key'])
      if (existsSync(join(dataDir, name))) writeFileSync(join(to, name), readFileSync(join(dataDir, name)));
    prepare(to);
    if (dialect === 'postgres') {
      await query('drop schema public cascade; create schema public');
      runProgram('psql', ['--quiet', '--set', 'ON_ERROR_STOP=1', '--file', '-'], readFileSync(join(from, 'dump.sql')));
    }
    const how = dialect === 'sqlite' ? ['--from', from] : ['--in-place', '--yes'];
    return { to, ...(await runSvc(['restore', ...how, ...words, '--json'], environment(to))) };
  };
  const readBytes = (directory: string) =>
    readdirSync(directory, { withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ name }) => readFileSync(join(directory, name), 'latin1'));
  /** The data folder of a server, a new backup of it, and for PostgreSQL a dump. */
  const contents = (dataDir: string, backup: string) =>
    [...readBytes(dataDir), ...readBytes(backup), ...(dialect === 'postgres' ? [dump().toString()] : [])].join('\n');
  const assertNowhere = (text: string) => {
    for (const value of erasedValues) assert.ok(!hasValue(text, value), value);
    assert.ok(text.includes(kept));
  };
  const verified = async (dataDir: string) => {
    const { code, lines } = await runVerify({ settings: { ...server.installation.settings, dataDir } });
    assert.equal(code, 0, lines.join('\n'));
  };
  const run: <Result>(step: Parameters<typeof runTransaction<Result>>[2]) => Promise<Result> = (step) =>
    runTransaction(server.installation.database, server.clock.now(), step);

  test('erases again what was erased since, and everything verifies', async () => {
    const { installation, tenant, clock } = server;
    payload(await client.send('PATCH', '/v1/tenant', { dsrTextDays: 30, breachTextDays: 30 }), 200);
    const first = await record(subject);
    const other = await record(kept);
    const request = await client.opened({ subjectId: subject, notes: 'erased notes' });
    const member = await server.createMember({ email: erasedMember, role: 'engineer' });
    payload(await server.request('POST', '/v1/users/invitations', { body: { email: erasedGuest, role: 'auditor' } }));
    const keyOf = (key: string) => ({ headers: { 'Idempotency-Key': key } });
    const stolen = { title: 'Stolen from the erased', description: '?', discoveredAt: clock.now(), severity: 'low' };
    const breach = payload(await client.send('POST', '/v1/breach', stolen, keyOf('expired-breach')));
    const longAgo = { subjectId: 'asked.long.ago@example.com', type: 'access' };
    const expired = payload(await client.send('POST', '/v1/dsr', longAgo, keyOf('expired-request')));
    const asked = { subjectId: 'single.person@example.com', type: 'access' };
    const single = payload(await client.send('POST', '/v1/dsr', asked, keyOf('single-request')));
    const renaming = { subjectId: 'renamed.person@example.com', type: 'access' };
    const renamed = payload(await client.send('POST', '/v1/dsr', renaming, keyOf('renamed-request')));
    payload(await client.editDsr(renamed.id, { subjectId: 'customer-17' }), 200);
    const wronged = payload(await client.send('POST', '/v1/dsr', { subjectId: kept, type: 'access' }));
    const lost = { title: 'Lost by the erased', description: '?', discoveredAt: clock.now(), severity: 'low' };
    const lostOne = payload(await client.send('POST', '/v1/breach', lost, keyOf('single-breach')));
    const controls = new ControlClient(server, server.tenant);
    const control = await controls.create();
    const [evidence, file] = ['Report on the erased', 'a file about the erased'];
    const about = new URLSearchParams({ ...evidenceItem, title: evidence, name: 'the-erased.txt' });
    const upload = `${base}/controls/${control}/evidence/files?${about}`;
    const textFile = {
      rawBody: file,
      headers: { 'Content-Type': 'text/plain', 'Idempotency-Key': 'upload-of-evidence' },
    };
    const item = payload(await server.request('POST', upload, textFile));
    const readErased = async () =>
      payload(await server.request('GET', `${base}/controls/${control}/evidence/${item.id}`), 200);
    await run((tx) =>
      recordEvent(tx, systemSource(tenant.id), {
        module: 'identity',
        action: 'user.updated',
        targetId: null,
        targetRef: personal('Erased Name'),
      }),
    );
    const checkpoint = payload(await server.request('POST', '/v1/ledgers/consent/checkpoints')).note;
    const exported = (await server.request('GET', '/v1/ledgers/consent/export')).text;
    const proofOf = async () =>
      payload(await server.request('GET', `/v1/ledgers/consent/inclusion-proof?sequence=${first.sequence}`), 200);
    const proof = await proofOf();
    // In the backup, the request and the breach are open.
    const old = await backUp();
    for (const value of erasedValues) assert.ok(hasValue(readBytes(old).join(''), value), value);

    for (const { id } of [request, expired]) payload(await client.complete(id), 200);
    payload(await client.edit(breach.id, { status: 'closed', notificationReason: 'No risk' }), 200);
    await record(subject);
    const erase = `/v1/consent/subjects/${subject}/erase`;
    const { counts } = payload(await server.request('POST', erase, { body: { reason: 'Asked for it' } }), 200);
    assert.deepEqual([counts.records, counts.requests], [2, 1]);
    payload(await client.complete(renamed.id), 200);
    const eraseRenamed = '/v1/consent/subjects/customer-17/erase';
    assert.equal(payload(await client.send('POST', eraseRenamed, { reason: 'Asked for it' }), 200).counts.responses, 1);
    // In the backup, this request has another subject, whose records stay.
    payload(await client.editDsr(wronged.id, { subjectId: 'customer-18' }), 200);
    payload(await client.complete(wronged.id), 200);
    payload(await client.send('POST', '/v1/consent/subjects/customer-18/erase', { reason: 'Asked for it' }), 200);
    const eraseMember = `/v1/users/${member.userId}/erase`;
    payload(await server.request('POST', eraseMember, { body: { reason: 'Asked for it' } }), 200);
    const guest = await runSvc(['user', 'erase', '--email', erasedGuest], environment());
    assert.deepEqual([guest.code, guest.stderr], [0, '']);
    payload(await client.complete(single.id), 200);
    payload(await client.edit(lostOne.id, { status: 'closed', notificationReason: 'No risk' }), 200);
    const eraseItem = `${base}/controls/${control}/evidence/${item.id}/erase`;
    for (const path of [`/v1/dsr/${single.id}/erase`, `/v1/breach/${lostOne.id}/erase`, eraseItem])
      assert.equal(payload(await client.send('POST', path, { reason: 'Asked for it' }), 200).counts.responses, 1);
    clock.advance(31 * day);
    await eraseExpired(installation.database, clock.now());
    for (const value of ['Erased Name'])
      await run(async (tx) => {
        const { openings } = await clearOpenings(tx, tenant.id, value);
        const event = { module: 'identity', action: 'person.erased', targetId: null, targetRef: null } as const;
        await recordErasure(tx, systemSource(tenant.id), { audit: openings }, event);
      });
    const { size } = (await readErased()).file;
    assert.deepEqual([size, (await readErased()).title], [file.length, null]);
    const { dataDir } = installation.settings;
    assert.ok(await removeRemains(installation.database));
    assertNowhere(contents(dataDir, await backUp()));
    await verified(dataDir);
    const publicKey = installation.signer.verifierKey;
    const later = (await server.request('GET', '/v1/ledgers/consent/export')).text;
    for (const text of [exported, later]) await verifyExport(text, { publicKey, checkpoint });
    for (const one of [proof, await proofOf()])
      await verifyInclusion({ hash: first.ledgerHash, proof: one, publicKey, checkpoint });

    // In the backup, this number has a record of another history, which stays.
    const { seal } = installation;
    const log = new ErasureLog(join(dataDir, erasureFile), seal);
    log.open();
    const foreign = { kind: 'subject', records: [[other.sequence, 'f'.repeat(32)]], requests: [] } as const;
    const number = log.last(tenant.id) + 1;
    log.append([writeErasure(seal, { tenantId: tenant.id, number, at: clock.now(), erased: foreign })]);
    await server.close();
    const restored = await restore(old);
    assert.deepEqual([restored.code, restored.stderr], [0, '']);
    const { erased } = JSON.parse(restored.stdout);
    assert.deepEqual([erased.subjects, erased.records, erased.requests, erased.breaches], [1, 1, 5, 2]);
    assert.deepEqual([erased.evidence, erased.files], [1, 1]);
    assert.equal(erased.users, 2);
    assert.ok(erased.auditEvents > 0);
    const settings = { ...installation.settings, dataDir: restored.to };
    const again = inFolder();
    if (dialect === 'sqlite') await runSvc(['backup', '--to', again], environment(restored.to));
    else mkdirSync(again);
    assertNowhere(contents(restored.to, again));
    await verified(restored.to);
    const kept1 = join(restored.to, 'kept.note');
    writeFileSync(kept1, checkpoint);
    const { code, lines } = await runVerify({ settings }, { checkpoint: [kept1] });
    assert.equal(code, 0, lines.join('\n'));
    assert.equal(other.subjectId, kept);

    // Nothing is left to erase, also not from the backup that was just made.
    const target = inFolder();
    if (dialect === 'postgres') return;
    const next = await runSvc(['restore', '--from', again, '--json'], { SVC_DATA_DIR: target });
    const none = JSON.parse(next.stdout).erased as Record<string, number>;
    assert.ok(Object.values(none).every((count) => count === 0));
    await verified(target);
  });

  if (dialect === 'sqlite')
    test('is found by svc verify if it was put in place without svc restore, and so is a log that lacks lines', async () => {
      await using other = await startTestServer(dialect);
      const { dataDir } = other.installation.settings;
      const notice = await other.createNotice();
      const { slug } = other.tenant;
      const erase = async (subjectId: string) => {
        const body = { subjectId, purposes: { analytics: true } };
        const headers = { 'Idempotency-Key': `key-of-${subjectId}` };
        payload(await other.request('POST', `/v1/consent/${notice}/records`, { headers, body }));
        const path = `/v1/consent/subjects/${subjectId}/erase`;
        payload(await other.request('POST', path, { body: { reason: 'Asked for it' } }), 200);
      };
      await erase('first');
      const old = inFolder();
      const { code, stderr } = await runSvc(['backup', '--to', old], { SVC_DATA_DIR: dataDir });
      assert.deepEqual([code, stderr], [0, '']);
      await erase('second');
      await erase('third');
      await other.close();
      const log = readFileSync(join(dataDir, 'erasures.log'), 'utf8');
      const findings = async (folder: string, text: string) => {
        writeFileSync(join(folder, 'erasures.log'), text);
        const { report, code } = await runVerify({ settings: { ...other.installation.settings, dataDir: folder } });
        const about = report.findings.filter(({ about }) => about === 'erasure');
        return [code, ...about.map(({ kind, message }) => `${kind}: ${message}`)].join('\n');
      };
      assert.equal(await findings(dataDir, log), '0');
      assert.match(
        await findings(old, log),
        new RegExp(
          `^1\ntampered: ${slug}: the database lacks erasures 2, 3 that erasures.log has: it is an older copy`,
        ),
      );
      const cut = await findings(dataDir, `${log.split('\n')[0]}\n`);
      assert.match(cut, new RegExp(`^3\nunchecked: ${slug}: erasures.log lacks erasures 2, 3 of`));
      const first = log.split('\n').slice(0, 2).join('\n');
      assert.match(await findings(dataDir, `${first}\n`), /erasures\.log lacks erasure 3 of .* would not repeat it\./);
      assert.match(
        await findings(dataDir, log.replace('"kind":"subject"', '"kind":"nothing"')),
        /tampered: .*line 1 was not/,
      );
    });

  if (dialect === 'sqlite')
    test('is refused without a log that is whole, unless the command says to go on', async () => {
      const from = await backUp();
      const attempt = async (prepare: (to: string) => void, words: readonly string[] = []) => {
        const { to, code, stderr } = await restore(from, words, prepare);
        return { stderr, code, isThere: existsSync(join(to, 'svc.sqlite')), to };
      };
      const change = (to: string) => {
        const file = join(to, 'erasures.log');
        writeFileSync(file, readFileSync(file, 'latin1').replace('"kind":"subject"', '"kind":"nothing"'));
      };
      const lose = (to: string) => rmSync(join(to, 'erasures.log'));
      const block = (to: string) => {
        lose(to);
        mkdirSync(join(to, 'erasures.log'));
      };
      for (const [prepare, issue] of [
        [change, /erasures\.log: line 1 was not written by this installation, or was changed\. /],
        [lose, /erasures\.log: it is missing\. .*--without-erasures/],
        [block, /erasures\.log: it cannot be read \(EISDIR\)\. /],
      ] as const) {
        const { code, stderr, isThere } = await attempt(prepare);
        assert.deepEqual([code, isThere], [2, false], stderr);
        assert.match(stderr, issue);
      }
      for (const prepare of [change, lose]) {
        const { code, stderr, to } = await attempt(prepare, ['--without-erasures']);
        assert.deepEqual([code, stderr], [0, '']);
        await verified(to);
      }
    });
});
