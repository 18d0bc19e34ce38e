import assert from 'node:assert/strict';
import { request as startRequest } from 'node:http';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import { describeOnOneDatabase, startTestServer, type TestServer, type TestTenant } from '../harness.ts';
import { assertInvalid, assertProblem } from '../http/problems.ts';
import { verifyFile } from '../ledger/exported.ts';
import { append, appendManyRecords, fetchPublicKey, readChain, requestCheckpoint } from './ledger-requests.ts';

describeOnOneDatabase('the export of the API', (dialect) => {
  let server: TestServer;
  let tenant: TestTenant;
  let key: string;
  before(async () => {
    server = await startTestServer(dialect);
    tenant = server.tenant;
    key = await fetchPublicKey(server);
  });
  after(() => server[Symbol.asyncDispose]());

  const ask = (path: string, of = tenant) => server.request('GET', `/v1/ledgers/${path}`, { key: of.key });
  const parse = (text: string) =>
    text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));

  test('is refused to a link of another tenant or user', async () => {
    const [own, other] = [await server.createTenant('link-own'), await server.createTenant('link-other')];
    await requestCheckpoint(server, own, 'audit');
    assert.equal((await ask(`audit/export?tenant=${own.id}`, own)).status, 200);
    assertProblem(await ask(`audit/export?tenant=${other.id}`, own), 'tenant_not_allowed');
    assertInvalid(await ask('audit/export?tenant=', own), 'query.tenant');
    // A download from one tab must not run as the user who has signed in in another tab since.
    const [shown, present] = [
      await server.createMember({ tenantId: own.id }),
      await server.createMember({ tenantId: own.id }),
    ];
    const follow = (user: string) =>
      server.request('GET', `/v1/ledgers/audit/export?tenant=${own.id}&user=${user}`, { headers: present.session });
    assert.equal((await follow(present.userId)).status, 200);
    assert.deepEqual(assertProblem(await follow(shown.userId), 'forbidden').details, [
      { path: 'query.user', issue: 'is not the caller' },
    ]);
  });

  for (const ledger of ['audit', 'consent'] as const) {
    test(`holds the ${ledger} ledger up to the latest checkpoint, and verifies with only the public key`, async () => {
      const own = await server.createTenant(`whole-${ledger}`);
      await append(server, own.id, ledger, 3);
      const earlier = await requestCheckpoint(server, own, ledger);
      await append(server, own.id, ledger, 3);
      const latest = await requestCheckpoint(server, own, ledger);
      await append(server, own.id, ledger, 2);
      const { status, headers, text } = await ask(`${ledger}/export`, own);
      assert.equal(status, 200, text);
      assert.equal(headers.get('content-type'), 'application/jsonl; charset=utf-8');
      assert.equal(headers.get('content-disposition'), `attachment; filename="${ledger}-${latest.size}.jsonl"`);
      const [header, ...lines] = parse(text);
      const chain = await readChain(server, own.id, ledger);
      assert.deepEqual([header.first, header.last, header.newer], [1, latest.size, 2]);
      assert.equal(header.checkpoint, latest.note);
      assert.equal(header.verifierKey, key.trim());
      assert.deepEqual(
        lines.map(({ sequence, hash, entry }) => [sequence, hash, entry]),
        chain.slice(0, latest.size).map(({ sequence, hash, entry }) => [sequence, hash, JSON.parse(entry)]),
      );
      const { fault, isConsistent } = await verifyFile(text, key, earlier.note);
      assert.deepEqual([fault, isConsistent], [null, true]);
    });
  }

  test('of a range contains the range and its neighbours, with any time offset', async () => {
    const own = await server.createTenant('range');
    const times: string[] = [];
    for (let number = 0; number < 6; number += 1) {
      await append(server, own.id, 'audit', 1);
      times.push(server.clock.now());
    }
    const earlier = await requestCheckpoint(server, own, 'audit');
    await append(server, own.id, 'audit', 3);
    await requestCheckpoint(server, own, 'audit');
    const [from, to] = [times[3] as string, times[5] as string];
    const shifted = encodeURIComponent(from.replace('Z', '+00:00'));
    const { text } = await ask(`audit/export?from=${shifted}&to=${to}&since=${earlier.size}`, own);
    const [header, ...lines] = parse(text);
    assert.deepEqual([header.from, header.to], [from, to]);
    assert.deepEqual(
      lines.map(({ entry }) => entry.at),
      times.slice(2, 6),
    );
    const report = await verifyFile(text, key, earlier.note);
    assert.deepEqual([report.fault, report.isConsistent, report.entries], [null, true, 4]);
  });

  test('of a range before or after all entries is empty; an inverted range is rejected', async () => {
    const own = await server.createTenant('nothing-there');
    await append(server, own.id, 'audit', 3);
    await requestCheckpoint(server, own, 'audit');
    const ranges = ['to=2020-01-01T00:00:00Z', 'from=2100-01-01T00:00:00Z'];
    for (const range of ranges) {
      const { text } = await ask(`audit/export?${range}`, own);
      const { fault, entries = 0 } = await verifyFile(text, key);
      assert.equal(fault, null, range);
      assert.ok(entries <= 2, `${range}: ${entries}`);
    }
    const wrong = await ask('audit/export?from=2100-01-01T00:00:00Z&to=2020-01-01T00:00:00Z', own);
    assertInvalid(wrong, 'query.to');
  });

  test('supports HEAD without reading the ledger, and keeps serving', async () => {
    await requestCheckpoint(server, tenant, 'audit');
    const head = await server.request('HEAD', '/v1/ledgers/audit/export');
    assert.deepEqual([head.status, head.text], [200, '']);
    assert.equal(head.headers.get('content-type'), 'application/jsonl; charset=utf-8');
    assert.equal((await ask('audit/export')).status, 200);
  });

  let made: Promise<{ readonly own: TestTenant; readonly size: number }> | undefined;
  /** A tenant with more records than fit into the connection buffers between server and client; created once. */
  const createLarge = () => {
    const make = async () => {
      const own = await server.createTenant('large');
      for (let part = 0; part < 12; part += 1) await appendManyRecords(server, own.id, 1000);
      return { own, size: (await requestCheckpoint(server, own, 'consent')).size };
    };
    made ??= make();
    return made;
  };

  /** Starts an export and reads only its first bytes. */
  const startReading = (own: TestTenant) =>
    new Promise<{ readonly ended: Promise<string>; leave(): void; goOn(): void }>((resolve, reject) => {
      const headers = { Authorization: `Bearer ${own.key}` };
      const request = startRequest(`${server.url}/v1/ledgers/consent/export`, { headers }, (response) => {
        const ended = new Promise<string>((end) => {
          response.once('end', () => end('whole')).once('error', () => end('broken off'));
        });
        response.once('readable', () => {
          response.read(1);
          resolve({ ended, leave: () => request.destroy(), goOn: () => response.resume() });
        });
      });
      request.once('error', reject).end();
    });

  test('of several pages is complete; a client that disconnects does not affect others', async () => {
    const { own, size } = await createLarge();
    for (let times = 0; times < 15; times += 1) (await startReading(own)).leave();
    const { text } = await ask('consent/export', own);
    assert.equal(text.match(/\n/g)?.length, size + 1);
    const { fault, entries } = await verifyFile(text, key);
    assert.deepEqual([fault, entries], [null, size]);
  });

  test('is aborted, and visibly incomplete, if the database fails meanwhile', async () => {
    const { own } = await createLarge();
    const { kysely } = server.installation.database;
    const reading = await startReading(own);
    await sql`alter table consent_records rename to consent_records_gone`.execute(kysely);
    try {
      reading.goOn();
      assert.equal(await reading.ended, 'broken off');
    } finally {
      await sql`alter table consent_records_gone rename to consent_records`.execute(kysely);
    }
    assert.equal((await ask('consent/export', own)).status, 200);
  });
});
