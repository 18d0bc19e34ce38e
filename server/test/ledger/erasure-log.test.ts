import assert from 'node:assert/strict';
import { appendFileSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { type ErasureLine, ErasureLog } from '../../ledger/erasure-log.ts';
import { completeErasures } from '../../ledger/erasure-store.ts';
import { replayErasures, UnknownErasure } from '../../privacy/erasure/replay.ts';
import { payload } from '../consent/helpers.ts';
import { describeOnEachDatabase, startTestServer, type TestServer } from '../harness.ts';
import { assertAbsent, needle } from '../needle.ts';
import { runVerify } from './fixture.ts';
import { tamper } from './tamper.ts';

describeOnEachDatabase('erasures.log', (dialect) => {
  let server: TestServer;
  let noticeId: string;
  let made = 0;
  beforeEach(async () => {
    server = await startTestServer(dialect);
    noticeId = await server.createNotice();
  });
  afterEach(() => server[Symbol.asyncDispose]());

  const erase = async (subject: string) => {
    const headers = { 'Idempotency-Key': `erasure-log-${++made}` };
    const body = { subjectId: subject, purposes: { analytics: true } };
    payload(await server.request('POST', `/v1/consent/${noticeId}/records`, { headers, body }), 201);
    const path = `/v1/consent/subjects/${subject}/erase`;
    payload(await server.request('POST', path, { body: { reason: 'Asked for it' } }), 200);
  };
  const openLog = (name: string) => {
    const { settings, seal } = server.installation;
    return new ErasureLog(join(settings.dataDir, name), seal);
  };
  const fail = (issue: string) => {
    throw new Error(issue);
  };
  const read = (log: ErasureLog): readonly ErasureLine[] => [...log.read(fail)];
  const own = () => server.installation.erasures.file;
  const lines = () => readFileSync(own(), 'utf8').split('\n').slice(0, -1);
  const complete = (log: ErasureLog) => completeErasures(server.installation.database.kysely, log);

  test('has each erasure when its response is sent, with numbers and no values', async () => {
    const subjects = [needle('first'), needle('second')];
    for (const subject of subjects) await erase(subject);
    const found = read(openLog('erasures.log'));
    assert.deepEqual(
      found.map(({ tenantId, number, erased }) => [tenantId, number, erased.kind]),
      [
        [server.tenant.id, 1, 'subject'],
        [server.tenant.id, 2, 'subject'],
      ],
    );
    assertAbsent(readFileSync(own(), 'utf8'), ...subjects);
    assert.equal((await runVerify(server.installation)).code, 0);
  });

  test('of another server gets what it lacks, once, also after it was cut off', async () => {
    for (const name of ['first', 'second']) await erase(`${name}@example.com`);
    const other = openLog('other.log');
    await complete(other);
    const { file } = other;
    assert.equal(readFileSync(file, 'utf8'), readFileSync(own(), 'utf8'));
    await complete(other);
    await complete(openLog('other.log'));
    assert.equal(readFileSync(file, 'utf8'), readFileSync(own(), 'utf8'));
    await erase('third@example.com');
    truncateSync(file, readFileSync(file).length - 20);
    await complete(openLog('other.log'));
    assert.deepEqual(read(openLog('other.log')), read(openLog('erasures.log')));
    rmSync(file);
    await complete(other);
    assert.deepEqual(read(other), read(openLog('erasures.log')));
  });

  test('gets no line that was put into the database without the secret', async () => {
    await erase('first@example.com');
    const [line = ''] = lines();
    const forged = line.replace(/ 1 /, ' 99 ');
    const row = { tenant_id: server.tenant.id, number: 99, line: forged };
    await tamper(server.installation.database, (queries) => queries.insertInto('erasures').values(row).execute());
    const other = openLog('forged.log');
    await complete(other);
    assert.deepEqual(read(other), read(openLog('erasures.log')));
    await tamper(server.installation.database, (queries) =>
      queries.deleteFrom('erasures').where('number', '=', 99).execute(),
    );
  });

  test('is refused if a line is changed, forged, missing or of another kind', async () => {
    for (const name of ['first', 'second', 'third']) await erase(`${name}@example.com`);
    const all = lines();
    const write = (text: string) => {
      const log = openLog('changed.log');
      writeFileSync(log.file, text);
      return log;
    };
    const join = (some: readonly string[]) => some.map((line) => `${line}\n`).join('');
    const [first = '', second = '', ...rest] = all;
    const changed = first.replace(/"records":\[\[(\d+)/, (_, number) => `"records":[[${Number(number) + 1}`);
    assert.notEqual(changed, first);
    assert.throws(() => read(write(join([changed, second, ...rest]))), /line 1 was not written by this installation/);
    assert.throws(() => read(write(join([...all, 'x'.repeat(300_000)]))), /line 4 was not written/);
    assert.throws(() => read(write(join([...all, '']))), /line 4 was not written/);
    assert.throws(() => read(write(join([first, ...rest]))), /it lacks erasure 2 of the tenant /);
    assert.equal(read(write(join([rest[0] as string, second, first, first]))).length, 4);
    // A crash during an append.
    const cut = write(join(all));
    appendFileSync(cut.file, first.slice(0, 50));
    assert.equal(read(cut).length, 3);
    cut.append([second]);
    assert.equal(read(cut).length, 4);
    const issues: string[] = [];
    assert.equal([...write(join([changed, second])).read((issue) => issues.push(issue))].length, 1);
    assert.equal(issues.length, 2);
    const unknown = {
      ...(read(openLog('erasures.log'))[0] as ErasureLine),
      line: 'not in the database',
      erased: { kind: 'other' },
    } as never;
    const { database, box } = server.installation;
    await assert.rejects(replayErasures(database, box, [unknown], server.clock.now()), UnknownErasure);
  });

  test('erases no entry of another history that has the same number', async () => {
    const headers = { 'Idempotency-Key': 'erasure-log-innocent' };
    const body = { subjectId: 'innocent', purposes: { analytics: true } };
    const made = payload(await server.request('POST', `/v1/consent/${noticeId}/records`, { headers, body }), 201);
    const { tenant, installation, clock } = server;
    const hash = made.ledgerHash.slice('sha256:'.length, 'sha256:'.length + 32);
    const replay = (of: string) => {
      const erased = { kind: 'subject', records: [[made.sequence, of]], requests: [] } as const;
      const line = { line: 'of another history', tenantId: tenant.id, number: 9, at: clock.now(), erased };
      return replayErasures(installation.database, installation.box, [line], clock.now());
    };
    assert.equal((await replay(hash.replaceAll(/./g, '0'))).records, 0);
    assert.equal((await replay(hash)).records, 1);
    assert.equal((await runVerify(installation)).code, 0);
  });

  test('erases nothing again that the history has erased already: who came back stays', async () => {
    const { database, box, settings } = server.installation;
    const { id: elsewhere } = await server.createTenant(`elsewhere-${dialect}`);
    const email = 'back.again@example.com';
    const { userId } = await server.createMember({ email, role: 'engineer' });
    await server.createMember({ tenantId: elsewhere, email, role: 'engineer' });
    payload(await server.request('POST', `/v1/users/${userId}/erase`, { body: { reason: 'Left' } }), 200);
    await server.createMember({ email, role: 'engineer' });
    const log = openLog('returned.log');
    await completeErasures(database.kysely, log, new Set());
    const lines = [...log.read(fail)];
    assert.ok(
      lines.some(({ erased }) => erased.kind === 'user' && erased.userId === userId),
      settings.dataDir,
    );
    const counts = await replayErasures(database, box, lines, server.clock.now());
    assert.ok(Object.values(counts).every((count) => count === 0));
    assert.equal(payload(await server.request('GET', `/v1/users/${userId}`), 200).email, email);
  });
});
