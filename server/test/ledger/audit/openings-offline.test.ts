import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import * as web from '../../../../packages/node-sdk/src/ledger/browser.ts';
import * as node from '../../../../packages/node-sdk/src/ledger/index.ts';
import { personal, recordErasure, recordEvent, systemSource } from '../../../ledger/audit/store.ts';
import { clearOpenings } from '../../../ledger/opening-store.ts';
import { runTransaction, type Transaction } from '../../../storage/database.ts';
import { payload } from '../../consent/helpers.ts';
import { describeOnOneDatabase, startTestServer, type TestServer } from '../../harness.ts';
import { assertAbsent } from '../../needle.ts';

const person = 'Ann.Smith@example.org';
const verifiers = [node, web];

describeOnOneDatabase('personal values of audit events, offline', (dialect) => {
  let server: TestServer;
  let publicKey: string;
  before(async () => {
    server = await startTestServer(dialect);
    publicKey = server.installation.signer.verifierKey;
    await run((tx) =>
      recordEvent(tx, source(), {
        module: 'identity',
        action: 'person.renamed',
        targetId: 'u',
        targetRef: personal(person),
        diff: { before: { name: null }, after: { name: personal('Ann'), role: 'dpo' } },
      }),
    );
    payload(await server.request('POST', '/v1/ledgers/audit/checkpoints'));
  });
  after(() => server[Symbol.asyncDispose]());

  const source = () => ({
    ...systemSource(server.tenant.id),
    actor: { type: 'user', id: 'a', email: person } as const,
  });
  const run = (step: (tx: Transaction) => Promise<unknown>) =>
    runTransaction(server.installation.database, server.clock.now(), step);
  const get = async (path: string) => payload(await server.request('GET', path), 200);
  const exportAudit = async () => (await server.request('GET', '/v1/ledgers/audit/export')).text;
  const read = async () => {
    const { id } = (await get('/v1/audit?action=person.renamed')).items[0];
    const event = await get(`/v1/audit/${id}`);
    const proof = await get(`/v1/ledgers/audit/inclusion-proof?id=${id}`);
    return { event, proof };
  };
  const codeOf = async (found: Promise<unknown>) =>
    found.then(
      () => null,
      (error: unknown) => (error as node.LedgerVerificationError).code,
    );
  const scope = () => ({ tenantId: server.tenant.id });

  test('an event verifies with its proof, which has the salts that the event does not show', async () => {
    const { event, proof } = await read();
    assert.deepEqual([event.actorEmail, event.targetRef, event.diff.after.name], [person, person, 'Ann']);
    assertAbsent(JSON.stringify(event), ...proof.openings.map(({ salt }: node.Opening) => salt));
    const paths = proof.openings.map(({ path }: node.Opening) => path).sort();
    assert.deepEqual(paths, ['actorEmail', 'diff.after.name', 'targetRef']);
    assertAbsent(JSON.stringify(proof.entry), person);
    for (const verifier of verifiers) {
      assert.deepEqual(await verifier.verifyEvents([{ ...event, proof }], scope()), { rows: 1, hashed: 1, linked: 0 });
      await verifier.verifyInclusion({ hash: event.hash, proof, publicKey });
      assert.equal(await codeOf(verifier.verifyEvents([event], scope())), 'hash_mismatch');
    }
  });

  test('a changed value, salt or path is refused, in an event, a proof and an export', async () => {
    const { event, proof } = await read();
    const file = await exportAudit();
    const openings = proof.openings as node.Opening[];
    const [first, second] = openings as [node.Opening, node.Opening];
    const lists = [
      openings.with(0, { ...first, value: `${first.value}x` }),
      openings.with(0, { ...first, salt: second.salt }),
      openings.with(0, { ...first, path: 'actorId' }),
      openings.with(0, { ...first, path: '__proto__' }),
      [...openings, first],
    ];
    for (const verifier of verifiers) {
      for (const changed of lists) {
        const wrong = { ...proof, openings: changed };
        const what = JSON.stringify(changed);
        assert.equal(
          await codeOf(verifier.verifyInclusion({ hash: event.hash, proof: wrong, publicKey })),
          'opening_mismatch',
        );
        assert.equal(
          await codeOf(verifier.verifyEvents([{ ...event, proof: wrong }], scope())),
          'opening_mismatch',
          what,
        );
        const copy = file.replace(JSON.stringify(openings), what);
        assert.notEqual(copy, file);
        assert.equal(await codeOf(verifier.verifyExport(copy, { publicKey })), 'opening_mismatch', what);
      }
      const shown = [
        { ...event, actorEmail: 'other@example.org' },
        { ...event, targetRef: null },
        { ...event, diff: { ...event.diff, after: { ...event.diff.after, name: 'Bea' } } },
        { ...event, diff: null },
      ];
      for (const changed of shown)
        assert.equal(await codeOf(verifier.verifyEvents([{ ...changed, proof }], scope())), 'opening_mismatch');
      const other = { ...event, diff: { ...event.diff, after: { ...event.diff.after, role: 'admin' } } };
      assert.equal(await codeOf(verifier.verifyEvents([{ ...other, proof }], scope())), 'hash_mismatch');
    }
  });

  test('everything verifies after an erasure: events and exports from before it, and those that follow', async () => {
    const before = await read();
    const file = await exportAudit();
    const { closed: atFirst } = await node.verifyExport(file, { publicKey });
    assert.equal(atFirst, 0);
    await run(async (tx) => {
      const { openings } = await clearOpenings(tx, server.tenant.id, person);
      const event = { module: 'privacy', action: 'subject.erased', targetId: null, targetRef: null } as const;
      await recordErasure(tx, systemSource(server.tenant.id), { audit: openings }, event);
    });
    payload(await server.request('POST', '/v1/ledgers/audit/checkpoints'));
    const { event, proof } = await read();
    assert.deepEqual([event.actorEmail, event.targetRef, event.diff.after.name], [null, null, 'Ann']);
    const later = await exportAudit();
    assertAbsent(later, person);
    for (const verifier of verifiers) {
      for (const one of [before, { event, proof }]) {
        assert.equal((await verifier.verifyEvents([{ ...one.event, proof: one.proof }], scope())).hashed, 1);
        await verifier.verifyInclusion({ hash: one.event.hash, proof: one.proof, publicKey });
      }
      assert.equal((await verifier.verifyExport(file, { publicKey })).closed, 0);
      assert.equal((await verifier.verifyExport(later, { publicKey })).closed, 1);
      const bare = file.replaceAll(/"openings":\[[^\n]*\]\}$/gm, '"openings":[]}');
      assert.ok((await verifier.verifyExport(bare, { publicKey })).closed >= 1);
    }
  });
});
