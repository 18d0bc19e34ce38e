import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { NoteSigner } from '../../../../server/ledger/signed-note.ts';
import { startTestServer, type TestServer } from '../../../../server/test/harness.ts';
import { AbortError, Svc } from '../../src/index.ts';
import {
  LedgerVerificationError,
  openCheckpoint,
  verifyExport,
  verifyInclusion,
  verifyLedger,
} from '../../src/ledger/index.ts';

describe('verifyLedger', () => {
  let server: TestServer;
  let svc: Svc;
  let noticeId: string;
  before(async () => {
    server = await startTestServer();
    svc = new Svc({ baseUrl: server.url, apiKey: server.tenant.key });
    noticeId = await server.createNotice();
  });
  after(async () => {
    await svc.close();
    await server[Symbol.asyncDispose]();
  });

  const capture = (subjectId: string) => {
    server.clock.advance(1000);
    return svc.consent.records.capture(noticeId, { subjectId, purposes: { analytics: true } });
  };

  for (const ledger of ['audit', 'consent'] as const) {
    test(`verifies the whole ${ledger} ledger of a server, and again from the stored checkpoint`, async () => {
      await capture('anna');
      const progress: number[] = [];
      const first = await verifyLedger(svc, { ledger, onProgress: (entries) => progress.push(entries) });
      assert.deepEqual([first.newer, first.isConsistent, first.checkpoint.ledger], [0, false, ledger]);
      assert.equal(progress.at(-1), first.entries);
      assert.equal(first.publicKey, server.installation.signer.verifierKey);
      const { publicKey, note, checkpoint } = first;
      for (let number = 0; number < 5; number += 1) await capture(`subject ${number} \u2028`);
      const kept = { ledger, publicKey, keptCheckpoint: note, tenantId: checkpoint.tenantId };
      const second = await verifyLedger(svc, kept);
      assert.ok(second.isConsistent && second.entries >= first.entries + 5);
      await capture('later');
      const third = await verifyLedger(svc, { ...kept, keptCheckpoint: second.note, signFirst: false });
      assert.ok(third.newer >= 1);
      assert.equal(third.entries, second.entries);
      assert.equal((await openCheckpoint(third.note, { publicKey })).size, third.entries);
    });
  }

  test('requires the given key, and the tenant', async () => {
    const publicKey = new NoteSigner('the secret of another installation').verifierKey;
    const refuse = (options: object, code: string) =>
      assert.rejects(verifyLedger(svc, { ledger: 'consent', ...options }), (error) => {
        assert.ok(LedgerVerificationError.isInstance(error), String(error));
        assert.equal(error.code, code);
        return true;
      });
    await refuse({ publicKey }, 'checkpoint_not_signed');
    await refuse({ publicKey: 'x' }, 'key_invalid');
    await refuse({ tenantId: 'another' }, 'export_foreign');
    await refuse({ keptCheckpoint: 'x' }, 'checkpoint_not_signed');
    const { note } = await verifyLedger(svc, { ledger: 'audit' });
    await refuse({ keptCheckpoint: note }, 'checkpoint_foreign');
  });

  test('detects rows changed in the database', async () => {
    const { note, publicKey } = await verifyLedger(svc, { ledger: 'consent' });
    const { kysely } = server.installation.database;
    const { captured_at } = await kysely
      .selectFrom('consent_records')
      .select('captured_at')
      .where('sequence', '=', 2)
      .executeTakeFirstOrThrow();
    await kysely.executeQuery((await import('kysely')).CompiledQuery.raw('drop trigger consent_records_refuse_update'));
    const set = (text: string) =>
      kysely
        .updateTable('consent_records')
        .set({ captured_at: text } as never)
        .where('sequence', '=', 2)
        .execute();
    await set('2020-02-20T20:20:20.020Z');
    const error = await verifyLedger(svc, { ledger: 'consent', publicKey, keptCheckpoint: note }).catch(
      (caught) => caught,
    );
    assert.deepEqual([error.code, error.sequence, error.line], ['hash_mismatch', 2, 3]);
    await set(captured_at);
    assert.equal((await verifyLedger(svc, { ledger: 'consent', publicKey, keptCheckpoint: note })).isConsistent, true);
  });

  test('aborts with the reason of its signal', async () => {
    const reason = new Error('enough');
    const controller = new AbortController();
    controller.abort(reason);
    await assert.rejects(verifyLedger(svc, { ledger: 'audit', signal: controller.signal }), (error) => {
      assert.ok(AbortError.isInstance(error), String(error));
      return error.cause === reason;
    });
  });

  test('consists of functions that accept responses of the resources', async () => {
    const record = await capture('parts');
    const { publicKey, note } = await verifyLedger(svc, { ledger: 'consent' });
    const verified = await verifyExport(await svc.ledgers.consent.export(), { publicKey, checkpoint: note });
    assert.ok(verified.isConsistent);
    const proof = await svc.ledgers.consent.proveInclusion({ sequence: record.sequence });
    assert.equal((await verifyInclusion({ hash: record.ledgerHash, proof, publicKey })).sequence, record.sequence);
  });
});
