import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { verifyTlogProof as verifyInBrowser } from '../../../packages/node-sdk/src/ledger/browser.ts';
import { createLedgerVerifier } from '../../../packages/node-sdk/src/ledger/index.ts';
import { proofCreate } from '../../cli/proof.ts';
import { deriveSecrets } from '../../installation/installation.ts';
import { ledgerCrypto } from '../../ledger/attestations.ts';
import { findCheckpoint } from '../../ledger/checkpoint-store.ts';
import { hashNote, nameLogKey } from '../../ledger/installation-log.ts';
import { openTimestamp } from '../../ledger/timestamp.ts';
import { describeOnEachDatabase } from '../harness.ts';
import { openLog } from '../proofs/log-scene.ts';
import { TestWitness, writeKey } from '../proofs/test-witness.ts';
import { TestAuthority } from '../proofs/timestamp-authority.ts';

const secret = 'a secret of 32 characters or more';
const { verifyTlogProof } = createLedgerVerifier(ledgerCrypto);

describeOnEachDatabase('svc proof create', (dialect) => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-proof-'));
  after(() => rmSync(folder, { recursive: true }));
  const { signer } = deriveSecrets(secret);
  const publicKey = signer.verifierKey;

  test('writes what others verify offline: an entry, and a checkpoint with its timestamp and cosignatures', async () => {
    await using authority = await TestAuthority.start();
    await using witness = await TestWitness.start('w.example', nameLogKey(signer.verifier));
    const policy = join(folder, 'policy');
    writeFileSync(policy, `witness w ${witness.vkey} ${witness.url}\nquorum w\n`);
    await using scene = await openLog(dialect, {
      SVC_SECRET: secret,
      SVC_TIMESTAMP_URL: authority.url,
      SVC_TIMESTAMP_CA: authority.caFile,
      SVC_WITNESS_POLICY: policy,
    });
    const of = await scene.addTenant();
    await scene.addTenant();
    for (let count = 0; count < 4; count += 1) await scene.append(of);
    await scene.run();
    const { settings } = scene.installation;
    const create = async (options: Record<string, unknown>) => {
      let written: { file: string; hash: string; rotations: readonly string[] } | undefined;
      const context = {
        settings,
        options,
        say: () => undefined,
        result: (value: unknown) => (written = value as typeof written),
      };
      await proofCreate.run(context as unknown as Parameters<typeof proofCreate.run>[0]);
      assert.ok(written);
      return { ...written, proof: readFileSync(written.file, 'utf8') };
    };

    const { proof, hash, rotations } = await create({
      ...of,
      tenant: of.tenantId,
      sequence: 3,
      file: join(folder, 'entry'),
    });
    assert.deepEqual(rotations, []);
    assert.match(proof, /^c2sp\.org\/tlog-proof@v1\nindex 2\n(?:\S{44}\n)+\nsvc-/);
    for (const verify of [verifyTlogProof, verifyInBrowser]) {
      const entry = await verify(proof, { hash, publicKey });
      assert.deepEqual([entry.index, entry.size, entry.timestamp, entry.cosignatures], [2, 5, null, []]);
    }

    const checkpoint = await findCheckpoint(scene.queries, of);
    const kept = join(folder, 'kept');
    writeFileSync(kept, checkpoint?.note ?? '');
    const logged = await create({ checkpoint: kept, file: join(folder, 'checkpoint') });
    assert.equal(logged.hash, hashNote(checkpoint?.note ?? ''));
    const witnesses = [writeKey('unknown.example', 4, Buffer.alloc(32, 7)), witness.vkey];
    const options = { hash: logged.hash, publicKey, witnesses, quorum: 0 };
    for (const quorum of [undefined, 2])
      await assert.rejects(verifyTlogProof(logged.proof, { ...options, quorum }), { code: 'cosignatures_missing' });
    const verifyTimestamp = async (text: string, response: Uint8Array) =>
      (await openTimestamp(response, { text, nonce: null, authorities: [readFileSync(authority.caFile, 'utf8')] })).at;
    const { timestampedAt } = await verifyTlogProof(logged.proof, { ...options, quorum: 1, verifyTimestamp });
    const stored = await scene.readAttestations();
    assert.equal(timestampedAt, stored.find(({ kind }) => kind === 'timestamp')?.at);
    await assert.rejects(verifyTlogProof(proof, { hash, publicKey, verifyTimestamp }), { code: 'timestamp_missing' });
    for (const verify of [verifyTlogProof, verifyInBrowser]) {
      const shown = await verify(logged.proof, options);
      assert.equal(shown.origin, `${signer.verifier.name}/installation/log`);
      assert.deepEqual(shown.cosignatures, [{ witness: witness.vkey, at: '2026-11-21T12:01:00.000Z' }]);
      authority.verify(Buffer.from(shown.timestamp ?? '', 'base64'), shown.text);
    }

    // Every other character than those of the extra data, which is verified on its own, matters.
    const [format = '', , ...rest] = logged.proof.split('\n');
    const bare = [format, ...rest].join('\n');
    const { cosignatures } = await verifyTlogProof(bare, options);
    assert.equal(cosignatures.length, 1);
    const ownLine = bare.indexOf(`\u2014 ${signer.verifier.name}/`);
    for (let at = 0; at < ownLine; at += 1) {
      const changed = `${bare.slice(0, at)}${bare[at] === 'A' ? 'B' : 'A'}${bare.slice(at + 1)}`;
      await assert.rejects(verifyTlogProof(changed, options), { name: 'LedgerVerificationError' }, String(at));
    }
    const wrong = { ...options, hash: 'f'.repeat(64) };
    await assert.rejects(verifyTlogProof(bare, wrong), { code: 'proof_invalid' });
    await assert.rejects(verifyTlogProof('', options), { code: 'proof_invalid' });
    await assert.rejects(verifyTlogProof(bare, { ...options, witnesses: ['x'] }), { code: 'key_invalid' });
    await assert.rejects(
      verifyTlogProof(bare, { ...options, publicKey: deriveSecrets(`${secret}!`).signer.verifierKey }),
      {
        code: 'checkpoint_not_signed',
      },
    );
    const cut = bare.replace(/\u2014 w\.example .*\n/, '');
    assert.deepEqual((await verifyTlogProof(cut, options)).cosignatures, []);

    for (const [options, message] of [
      [{ file: join(folder, 'new') }, /needs either/],
      [{ checkpoint: kept, file: kept }, /already exists/],
      [{ checkpoint: policy, file: join(folder, 'new') }, /does not have this checkpoint/],
      [{ ...of, tenant: of.tenantId, sequence: 99, file: join(folder, 'new') }, /entry of the ledger/],
    ] as const)
      await assert.rejects(create(options), { name: 'UsageError', message });
  });
});
