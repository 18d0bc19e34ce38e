import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { describeOnOneDatabase, startTestServer, type TestServer, type TestTenant } from '../harness.ts';
import { naiveLeaf, readNote, rootOfPath, rootsOfProof } from '../ledger/naive-merkle.ts';
import {
  append,
  appendManyRecords,
  fetchPublicKey,
  readChain,
  requestCheckpoint,
  type ShownCheckpoint,
} from './ledger-requests.ts';

const decode = (hashes: readonly string[]) => hashes.map((hash) => Buffer.from(hash, 'base64'));

// The verifier is independent: naive-merkle.ts implements the definitions of RFC 6962 literally.
describeOnOneDatabase('proofs of the API verify with only the public key', (dialect) => {
  let server: TestServer;
  let key: string;
  before(async () => {
    server = await startTestServer(dialect);
    key = await fetchPublicKey(server);
  });
  after(() => server[Symbol.asyncDispose]());

  const ask = async (tenant: TestTenant, path: string) => {
    const response = await server.request('GET', `/v1/ledgers/${path}`, { key: tenant.key });
    assert.equal(response.status, 200, response.text);
    return response.body.data;
  };
  const open = ({ note, size }: ShownCheckpoint) => {
    const opened = readNote(note, key);
    assert.equal(opened?.size, size);
    return opened as NonNullable<typeof opened>;
  };

  for (const ledger of ['audit', 'consent'] as const) {
    test(`${ledger}: of every entry in every checkpoint, and between every two checkpoints`, async () => {
      const tenant = await server.createTenant(`small-${ledger}`);
      const checkpoints: ShownCheckpoint[] = [];
      for (const count of [1, 1, 2, 3]) {
        await append(server, tenant.id, ledger, count);
        checkpoints.push(await requestCheckpoint(server, tenant, ledger));
      }
      const chain = await readChain(server, tenant.id, ledger);
      for (const checkpoint of checkpoints) {
        const { size, root } = open(checkpoint);
        for (const { sequence, hash } of chain.slice(0, size)) {
          const proof = await ask(tenant, `${ledger}/inclusion-proof?sequence=${sequence}&size=${size}`);
          const leaf = naiveLeaf(Buffer.from(hash, 'hex'));
          assert.deepEqual(proof.checkpoint, checkpoint);
          assert.deepEqual([proof.sequence, proof.hash, proof.leafHash], [sequence, hash, leaf.toString('base64')]);
          assert.deepEqual(rootOfPath(leaf, sequence - 1, size, decode(proof.hashes)), root);
        }
        for (const earlier of checkpoints.filter((one) => one.size <= size)) {
          const proof = await ask(tenant, `${ledger}/consistency-proof?from=${earlier.size}&to=${size}`);
          const older = open(earlier);
          assert.deepEqual([proof.from, proof.checkpoint], [older.size, checkpoint]);
          const roots = rootsOfProof(older.size, size, older.root, decode(proof.hashes));
          assert.deepEqual(roots, [older.root, root]);
        }
      }
      const latest = checkpoints.at(-1) as ShownCheckpoint;
      assert.deepEqual((await ask(tenant, `${ledger}/inclusion-proof?sequence=1`)).checkpoint, latest);
      assert.deepEqual((await ask(tenant, `${ledger}/consistency-proof?from=1`)).checkpoint, latest);
      assert.deepEqual((await ask(tenant, `${ledger}/consistency-proof?from=0`)).hashes, []);
    });
  }

  test('of an event are the same by id and by number', async () => {
    const tenant = await server.createTenant('by-id');
    await append(server, tenant.id, 'audit', 3);
    await requestCheckpoint(server, tenant, 'audit');
    for (const { id, sequence } of await readChain(server, tenant.id, 'audit')) {
      const byId = await ask(tenant, `audit/inclusion-proof?id=${id}`);
      assert.deepEqual(byId, await ask(tenant, `audit/inclusion-proof?sequence=${sequence}`));
    }
  });

  test('over several tiles that grew in several steps', async () => {
    const tenant = await server.createTenant('large');
    const checkpoints: ShownCheckpoint[] = [];
    for (const count of [200, 100, 512, 700]) {
      await appendManyRecords(server, tenant.id, count);
      checkpoints.push(await requestCheckpoint(server, tenant, 'consent'));
    }
    const chain = await readChain(server, tenant.id, 'consent');
    const { size, root } = open(checkpoints.at(-1) as ShownCheckpoint);
    assert.equal(size, 1512);
    for (const sequence of [1, 200, 201, 255, 256, 257, 300, 512, 768, 769, 1024, 1280, 1281, 1511, 1512]) {
      const proof = await ask(tenant, `consent/inclusion-proof?sequence=${sequence}`);
      const leaf = naiveLeaf(Buffer.from(chain[sequence - 1]?.hash as string, 'hex'));
      assert.deepEqual(rootOfPath(leaf, sequence - 1, size, decode(proof.hashes)), root);
    }
    for (const checkpoint of checkpoints) {
      const older = open(checkpoint);
      const proof = await ask(tenant, `consent/consistency-proof?from=${older.size}`);
      assert.deepEqual(rootsOfProof(older.size, size, older.root, decode(proof.hashes)) ?? [older.root], [
        older.root,
        root,
      ]);
    }
  });
});
