import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { pino } from 'pino';
import { prepareExport } from '../../ledger/export.ts';
import { CheckpointKeeper } from '../../proofs/checkpoint-keeper.ts';
import { describeOnEachDatabase, startTestServer, type TestServer } from '../harness.ts';
import { assertProblem } from '../http/problems.ts';
import { forgetTree } from '../ledger/exported.ts';
import { runVerify } from '../ledger/fixture.ts';
import { append, appendManyRecords, requestCheckpoint } from './ledger-requests.ts';

describeOnEachDatabase('a Merkle tree that is behind its ledger', (dialect) => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer(dialect);
  });
  after(() => server[Symbol.asyncDispose]());

  const keep = async () => {
    const keeper = new CheckpointKeeper({
      ...server.installation,
      interval: 3_600_000,
      log: pino({ level: 'silent' }),
    });
    while (await keeper.step(server.clock.now()));
  };

  test('and was deleted is rebuilt, even without new entries and with a checkpoint of all', async () => {
    const tenant = await server.createTenant('thrown-away');
    const of = { tenantId: tenant.id, ledger: 'audit' } as const;
    await append(server, tenant.id, 'audit', 300);
    const checkpoint = await requestCheckpoint(server, tenant, 'audit');
    const paths = ['inclusion-proof?sequence=7', 'consistency-proof?from=9', 'export'];
    const ask = (path: string) => server.request('GET', `/v1/ledgers/audit/${path}`, { key: tenant.key });
    const before = await Promise.all(paths.map(ask));
    await forgetTree(server.installation, of);
    for (const path of paths.slice(0, 2)) {
      const response = await ask(path);
      assertProblem(response, 'rate_limited');
      assert.equal(response.headers.get('retry-after'), '60');
    }
    const { code, lines } = await runVerify(server.installation, { tenant: 'thrown-away' });
    assert.equal(code, 1);
    assert.match(lines.join('\n'), /the tree has 0 entries, the latest checkpoint 303/);
    assert.deepEqual(await requestCheckpoint(server, tenant, 'audit'), checkpoint);
    await keep();
    assert.deepEqual(
      (await Promise.all(paths.map(ask))).map(({ text }) => text),
      before.map(({ text }) => text),
    );
    assert.equal((await runVerify(server.installation, { tenant: 'thrown-away' })).code, 0);
  });

  test('by many entries does not block: checkpoints on demand are rejected until the keeper has caught up', async () => {
    const tenant = await server.createTenant('very-much');
    await appendManyRecords(server, tenant.id, 20_001);
    assertProblem(await server.request('POST', '/v1/ledgers/consent/checkpoints', { key: tenant.key }), 'rate_limited');
    await keep();
    assert.equal((await requestCheckpoint(server, tenant, 'consent')).size, 20_001);
  });

  test('lets other requests run between the pages of an export', async () => {
    const tenant = await server.createTenant('many-pages');
    await appendManyRecords(server, tenant.id, 2600);
    const { database, signer } = server.installation;
    const of = { tenantId: tenant.id, ledger: 'consent' } as const;
    const checkpoint = await requestCheckpoint(server, tenant, 'consent');
    const [verifierKey, findShown] = [signer.verifierKey, async () => null];
    const wanted = { ...of, from: null, to: null, since: null, checkpoint, verifierKey, findShown };
    let turns = 0;
    let isDone = false;
    const count = () => {
      turns += 1;
      if (!isDone) setImmediate(count);
    };
    setImmediate(count);
    for await (const _ of (await prepareExport(database.kysely, wanted)).lines);
    isDone = true;
    assert.ok(turns >= 5, `${turns} turns for six pages`);
  });
});
