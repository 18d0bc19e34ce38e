import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { describeOnEachDatabase, startTestServer, type TestServer } from '../harness.ts';
import { assertProblem } from '../http/problems.ts';
import { naiveLeaf, naiveRoot, readNote } from '../ledger/naive-merkle.ts';
import { append, fetchPublicKey, readChain, requestCheckpoint } from './ledger-requests.ts';

describeOnEachDatabase('checkpoints on demand', (dialect) => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer(dialect);
  });
  after(() => server[Symbol.asyncDispose]());

  const list = (key: string, ledger: string, query = '') =>
    server.request('GET', `/v1/ledgers/${ledger}/checkpoints${query}`, { key });
  const requested = async (tenantId: string) =>
    (await readChain(server, tenantId, 'audit')).filter(({ entry }) => entry.includes('"checkpoint.requested"'));

  test('are missing before the first one, and the error says how to create one', async () => {
    const { key } = await server.createTenant('without');
    for (const ledger of ['audit', 'consent']) {
      assert.deepEqual((await list(key, ledger)).body.data, { items: [], nextCursor: null });
      for (const path of ['checkpoints/latest', 'consistency-proof?from=0', 'export']) {
        const response = await server.request('GET', `/v1/ledgers/${ledger}/${path}`, { key });
        const { message } = assertProblem(response, 'checkpoint_missing');
        assert.ok(message.includes(`POST /v1/ledgers/${ledger}/checkpoints`), message);
      }
    }
    assertProblem(
      await server.request('GET', '/v1/ledgers/audit/inclusion-proof?sequence=1', { key }),
      'checkpoint_missing',
    );
  });

  for (const ledger of ['audit', 'consent'] as const) {
    test(`of the ${ledger} ledger cover every entry and verify with the public key`, async () => {
      const tenant = await server.createTenant(`whole-${ledger}`);
      await append(server, tenant.id, ledger, 5);
      const shown = await requestCheckpoint(server, tenant, ledger);
      const hashes = (await readChain(server, tenant.id, ledger)).map(({ hash }) =>
        naiveLeaf(Buffer.from(hash, 'hex')),
      );
      const note = readNote(shown.note, await fetchPublicKey(server));
      assert.ok(note);
      const key = (await fetchPublicKey(server)).split('+')[0];
      assert.deepEqual(note, { origin: `${key}/${tenant.id}/${ledger}`, size: hashes.length, root: naiveRoot(hashes) });
      assert.deepEqual(
        [shown.ledger, shown.size, shown.rootHash, shown.at],
        [ledger, note.size, note.root.toString('base64'), server.clock.now()],
      );
      assert.ok(shown.note.includes(`\nTimestamp: ${shown.at}\n`));
      const latest = await server.request('GET', `/v1/ledgers/${ledger}/checkpoints/latest`, { key: tenant.key });
      assert.deepEqual(latest.body.data, shown);
    });

    test(`of the ${ledger} ledger stay the same while nothing is added, without an audit event`, async () => {
      const tenant = await server.createTenant(`same-${ledger}`);
      const first = await requestCheckpoint(server, tenant, ledger);
      assert.equal((await requested(tenant.id)).length, 1);
      server.clock.advance(60_000);
      assert.deepEqual(await requestCheckpoint(server, tenant, ledger), first);
      assert.equal((await requested(tenant.id)).length, 1);
      await append(server, tenant.id, ledger, 1);
      const second = await requestCheckpoint(server, tenant, ledger);
      // A request for a checkpoint of the audit log is recorded in the audit log.
      assert.equal(second.size, first.size + (ledger === 'audit' ? 2 : 1));
      assert.equal((await requested(tenant.id)).length, 2);
      assert.deepEqual((await list(tenant.key, ledger)).body.data.items, [second, first]);
    });
  }

  test('of an empty ledger have the root of an empty tree', async () => {
    const tenant = await server.createTenant('nothing');
    const { size, rootHash } = await requestCheckpoint(server, tenant, 'consent');
    assert.deepEqual([size, rootHash], [0, '47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=']);
  });

  test('have the time of the clock, even if it was set back', async () => {
    const tenant = await server.createTenant('clock');
    server.clock.advance(60_000);
    await append(server, tenant.id, 'consent', 1);
    server.clock.advance(-60_000);
    assert.equal((await requestCheckpoint(server, tenant, 'consent')).at, server.clock.now());
    server.clock.advance(60_000);
  });

  test('are valid and one per size when requested concurrently', async () => {
    const tenant = await server.createTenant('many');
    await append(server, tenant.id, 'consent', 3);
    const ledgers = Array.from({ length: 12 }, (_, number) => (number % 2 === 0 ? 'audit' : 'consent'));
    const all = await Promise.all(ledgers.map((ledger) => requestCheckpoint(server, tenant, ledger)));
    const key = await fetchPublicKey(server);
    const hashes = (await readChain(server, tenant.id, 'audit')).map(({ hash }) => naiveLeaf(Buffer.from(hash, 'hex')));
    for (const { ledger, size, note } of all) {
      if (ledger === 'consent') assert.equal(size, 3);
      else assert.deepEqual(readNote(note, key)?.root, naiveRoot(hashes.slice(0, size)));
    }
    const listed = (await list(tenant.key, 'audit')).body.data.items.map(({ size }: { size: number }) => size);
    assert.deepEqual(
      listed,
      [...new Set(listed)].sort((one, other) => (other as number) - (one as number)),
    );
  });

  test('are listed page by page, newest first', async () => {
    const tenant = await server.createTenant('pages');
    const sizes: number[] = [];
    for (let round = 0; round < 7; round += 1) {
      await append(server, tenant.id, 'consent', 1);
      sizes.unshift((await requestCheckpoint(server, tenant, 'consent')).size);
    }
    const seen: number[] = [];
    let cursor = '';
    do {
      const { body } = await list(tenant.key, 'consent', `?limit=3${cursor}`);
      assert.ok(body.data.items.length <= 3);
      seen.push(...body.data.items.map(({ size }: { size: number }) => size));
      cursor = body.data.nextCursor === null ? '' : `&cursor=${body.data.nextCursor}`;
    } while (cursor !== '');
    assert.deepEqual(seen, sizes);
    const { nextCursor } = (await list(tenant.key, 'consent', '?limit=3')).body.data;
    assertProblem(await list(tenant.key, 'audit', `?cursor=${nextCursor}`), 'invalid_cursor');
    assertProblem(await list(server.tenant.key, 'consent', `?cursor=${nextCursor}`), 'invalid_cursor');
    assertProblem(await list(tenant.key, 'consent', '?limit=101'), 'validation_failed');
  });
});
