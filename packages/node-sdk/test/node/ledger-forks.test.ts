import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Installation } from '../../../../server/installation/installation.ts';
import { nameOrigin, writeCheckpoint } from '../../../../server/ledger/checkpoint.ts';
import { openTestInstallation } from '../../../../server/test/harness.ts';
import { createLedger, exportText, type Ledger, latestOf, time } from '../../../../server/test/ledger/exported.ts';
import { Svc } from '../../src/index.ts';
import { LedgerVerificationError, verifyLedger } from '../../src/ledger/index.ts';
import { type ScriptedServer, startScriptedServer } from './scripted-server.ts';

describe('verifyLedger, of a server that has the key but two histories', () => {
  let installation: Installation;
  let ledger: Ledger;
  let server: ScriptedServer;
  let svc: Svc;
  /** The checkpoint that the server signs on request. */
  let signed: string;
  before(async () => {
    installation = await openTestInstallation('sqlite');
    ledger = await createLedger(installation, [1, 1, -1, 1, 1, 1]);
    const file = await exportText(installation, ledger.of, latestOf(ledger));
    server = await startScriptedServer((response, { method }) => {
      const [type, text] =
        method === 'POST'
          ? ['application/json; charset=utf-8', JSON.stringify({ data: { note: signed } })]
          : ['application/jsonl; charset=utf-8', file];
      response.writeHead(method === 'POST' ? 201 : 200, { 'Content-Type': type }).end(text);
    });
    svc = new Svc({ baseUrl: server.url, apiKey: 'svc_test_0123456789', retries: 0 });
  });
  after(async () => {
    await svc.close();
    await server[Symbol.asyncDispose]();
    await installation[Symbol.asyncDispose]();
  });

  const sign = (size: number, rootHash: Uint8Array, tenantId = ledger.of.tenantId): string => {
    const { signer } = installation;
    const origin = nameOrigin(signer.verifier.name, tenantId, 'audit');
    return signer.sign(
      writeCheckpoint({ origin, size, rootHash: Buffer.from(rootHash).toString('base64'), at: time(5) }),
    );
  };
  const verify = (note: string, keptCheckpoint?: string) => {
    signed = note;
    return verifyLedger(svc, { ledger: 'audit', publicKey: installation.signer.verifierKey, keptCheckpoint });
  };
  const assertFound = async (note: string, code: string, keptCheckpoint?: string) => {
    const error = await verify(note, keptCheckpoint).catch((caught: unknown) => caught);
    assert.ok(LedgerVerificationError.isInstance(error), String(error));
    assert.equal(error.code, code, error.message);
    assert.match(error.message, /the checkpoint just signed/);
  };

  test('finds entries other than those that it just signed, of the whole ledger and of a part', async () => {
    const { size } = latestOf(ledger);
    const other = Buffer.alloc(32, 7);
    const kept = ledger.checkpoints[0]?.note;
    for (let signedSize = 1; signedSize <= size; signedSize += 1) {
      await assertFound(sign(signedSize, other), 'history_rewritten');
      await assertFound(sign(signedSize, other), 'history_rewritten', kept);
    }
    await assertFound(sign(0, other), 'history_rewritten');
  });

  test('finds fewer entries than it just signed, and a checkpoint of another ledger', async () => {
    const { size, rootHash } = latestOf(ledger);
    await assertFound(sign(size + 1, Buffer.from(rootHash, 'base64')), 'ledger_shrunk');
    await assertFound(sign(size, Buffer.from(rootHash, 'base64'), 'another'), 'checkpoint_foreign');
  });

  test('finds good what was signed and grew since, and calls only a kept checkpoint consistent', async () => {
    for (const { note } of ledger.checkpoints) {
      assert.equal((await verify(note)).isConsistent, false);
      assert.equal((await verify(note, ledger.checkpoints[0]?.note)).isConsistent, true);
    }
  });
});
