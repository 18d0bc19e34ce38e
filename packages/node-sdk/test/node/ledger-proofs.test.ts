import assert from 'node:assert/strict';
import { createPublicKey, hash as hashData, randomBytes, verify } from 'node:crypto';
import { describe, test } from 'node:test';
import referenceCanonicalize from 'canonicalize';
import fc from 'fast-check';
import { writeCheckpoint } from '../../../../server/ledger/checkpoint.ts';
import { leafOf } from '../../../../server/ledger/merkle.ts';
import { NoteSigner } from '../../../../server/ledger/signed-note.ts';
import { naivePath, naiveProof, naiveRoot } from '../../../../server/test/ledger/naive-merkle.ts';
import * as browser from '../../src/ledger/browser.ts';
import type { LedgerCrypto } from '../../src/ledger/bytes.ts';
import * as checkpoints from '../../src/ledger/checkpoint.ts';
import * as node from '../../src/ledger/index.ts';
import { sha256 as portableSha256 } from '../../src/ledger/sha256.ts';

const signer = new NoteSigner('a secret of at least thirty-two characters');
const publicKey = signer.verifierKey;
const at = '2026-11-21T12:00:00.000Z';
const origin = `${signer.verifier.name}/01a1fead-9aa2-7000-999d-bc20213b5957/audit`;
const sign = (size: number, rootHash: Buffer, log = origin) =>
  signer.sign(writeCheckpoint({ origin: log, size, rootHash: rootHash.toString('base64'), at }));
const base64 = (hashes: readonly Uint8Array[]) => hashes.map((hash) => Buffer.from(hash).toString('base64'));
/** A chain of so many hashes, as hex, and their leaves. */
const chain = Array.from({ length: 70 }, (_, number) => Buffer.alloc(32, number + 1).toString('hex'));
const leaves = chain.map(leafOf);
const codeOf = async (action: () => unknown): Promise<string | null> => {
  try {
    await action();
    return null;
  } catch (error) {
    assert.ok(node.LedgerVerificationError.isInstance(error), String(error));
    return error.code;
  }
};
const sha256 = (data: Uint8Array | string): Buffer => hashData('sha256', data, 'buffer');
const platforms = Object.entries({ node, browser });
const size = fc.integer({ min: 1, max: leaves.length });

for (const [platform, { verifyInclusion }] of platforms)
  describe(`verifyInclusion (${platform})`, () => {
    const proofOf = (index: number, size: number) => {
      const some = leaves.slice(0, size);
      const checkpoint = { note: sign(size, naiveRoot(some)) };
      return { sequence: index + 1, hashes: base64(naivePath(index, some)), checkpoint };
    };

    test('accepts every entry in every tree, in any notation of its hash', async () => {
      await fc.assert(
        fc.asyncProperty(size, fc.nat(), fc.boolean(), async (size, pick, isNamed) => {
          const index = pick % size;
          const hash = `${isNamed ? 'sha256:' : ''}${chain[index]}`;
          const { sequence, checkpoint } = await verifyInclusion({ hash, proof: proofOf(index, size), publicKey });
          assert.deepEqual([sequence, checkpoint.size, checkpoint.at], [index + 1, size, at]);
        }),
      );
    });

    test('rejects any other entry, index, tree or path', async () => {
      await fc.assert(
        fc.asyncProperty(size, fc.nat(), fc.nat(), fc.nat(70), async (size, pick, other, place) => {
          const index = pick % size;
          const proof = proofOf(index, size);
          const refuse = async (more: object, hash = chain[index] as string) =>
            assert.equal(
              await codeOf(() => verifyInclusion({ hash, proof: { ...proof, ...more }, publicKey })),
              'proof_invalid',
            );
          const stranger = other % chain.length;
          if (stranger !== index) await refuse({}, chain[stranger] as string);
          if (place !== index + 1) await refuse({ sequence: place });
          for (const sequence of [0, -1, 1.5, size + 1, Number.NaN]) await refuse({ sequence });
          await refuse({ hashes: [...proof.hashes, base64([leaves[0] as Buffer])[0]] });
          if (proof.hashes.length > 0) await refuse({ hashes: proof.hashes.slice(1) });
          if (proof.hashes.length > 0) await refuse({ hashes: ['', ...proof.hashes.slice(1)] });
          const another = { note: sign(size, Buffer.alloc(32)) };
          await refuse({ checkpoint: another });
          for (const hash of ['', 'x', (chain[index] as string).slice(2), `md5:${chain[index]}`])
            await refuse({}, hash);
        }),
      );
    });

    test('uses the stored checkpoint if one is given', async () => {
      const proof = proofOf(4, 9);
      const hash = chain[4] as string;
      const unsigned = { ...proof, checkpoint: { note: '' } };
      const checkpoint = sign(9, naiveRoot(leaves.slice(0, 9)));
      assert.equal((await verifyInclusion({ hash, proof: unsigned, publicKey, checkpoint })).sequence, 5);
      assert.equal(await codeOf(() => verifyInclusion({ hash, proof: unsigned, publicKey })), 'checkpoint_not_signed');
      const rewritten = sign(9, naiveRoot(leaves.slice(1, 10)));
      assert.equal(
        await codeOf(() => verifyInclusion({ hash, proof, publicKey, checkpoint: rewritten })),
        'proof_invalid',
      );
    });
  });

for (const [platform, { verifyConsistency }] of platforms)
  describe(`verifyConsistency (${platform})`, () => {
    const proofOf = (from: number, to: number) => {
      const some = leaves.slice(0, to);
      const checkpoint = { note: sign(to, naiveRoot(some)) };
      return { from, hashes: base64(naiveProof(from, some)), checkpoint };
    };
    const noteOf = (size: number) => sign(size, naiveRoot(leaves.slice(0, size)));

    test('accepts every two sizes of a growing tree', async () => {
      await fc.assert(
        fc.asyncProperty(fc.nat(leaves.length), size, async (one, other) => {
          const [from, to] = [Math.min(one, other), Math.max(one, other)];
          const newer = await verifyConsistency({ older: noteOf(from), proof: proofOf(from, to), publicKey });
          assert.equal(newer.size, to);
        }),
      );
    });

    test('rejects a rewritten past, a wrong proof, and a ledger that shrank', async () => {
      await fc.assert(
        fc.asyncProperty(size, size, fc.nat(), async (one, other, pick) => {
          const [from, to] = [Math.min(one, other), Math.max(one, other)];
          const proof = proofOf(from, to);
          const refuse = (older: string, more: object = {}) =>
            codeOf(() => verifyConsistency({ older, proof: { ...proof, ...more }, publicKey }));
          const past = leaves.slice(0, from).with(pick % from, Buffer.alloc(32));
          assert.equal(await refuse(sign(from, naiveRoot(past))), 'history_rewritten');
          const extra = base64([leaves[0] as Buffer]);
          assert.equal(await refuse(noteOf(from), { hashes: [...proof.hashes, ...extra] }), 'history_rewritten');
          if (proof.hashes.length > 0)
            assert.equal(await refuse(noteOf(from), { hashes: proof.hashes.slice(1) }), 'history_rewritten');
          assert.equal(await refuse(noteOf(from), { from: from + 1 }), 'history_rewritten');
          if (from < to)
            assert.equal(await refuse(noteOf(to), { from: to, checkpoint: { note: noteOf(from) } }), 'ledger_shrunk');
        }),
      );
    });

    test('rejects checkpoints of two ledgers, and of another key', async () => {
      const foreign = sign(3, naiveRoot(leaves.slice(0, 3)), origin.replace('audit', 'consent'));
      const stranger = new NoteSigner('the secret of another installation');
      const unsigned = stranger.sign(`${noteOf(3).split('\n\n')[0]}\n`);
      const proof = proofOf(3, 5);
      assert.equal(await codeOf(() => verifyConsistency({ older: foreign, proof, publicKey })), 'checkpoint_foreign');
      assert.equal(
        await codeOf(() => verifyConsistency({ older: unsigned, proof, publicKey })),
        'checkpoint_not_signed',
      );
      assert.equal(
        await codeOf(() => verifyConsistency({ older: noteOf(3), newer: unsigned, proof, publicKey })),
        'checkpoint_not_signed',
      );
    });
  });

for (const [platform, { openCheckpoint }] of platforms)
  describe(`openCheckpoint (${platform})`, () => {
    test('returns what the server signed', async () => {
      const rootHash = Buffer.alloc(32, 7);
      const { rootHash: root, ...rest } = await openCheckpoint(sign(12, rootHash), { publicKey: `${publicKey}\n` });
      const tenantId = '01a1fead-9aa2-7000-999d-bc20213b5957';
      assert.deepEqual(rest, { origin, tenantId, ledger: 'audit', size: 12, at });
      assert.deepEqual(Buffer.from(root), rootHash);
    });

    test('rejects a note with a byte changed, dropped or cut off', async () => {
      const note = Buffer.from(sign(12, Buffer.alloc(32, 7)));
      const assertShut = async (bytes: Buffer) =>
        assert.equal(await codeOf(() => openCheckpoint(bytes.toString(), { publicKey })), 'checkpoint_not_signed');
      for (let place = 0; place < note.length; place += 1) {
        const changed = Buffer.from(note);
        changed[place] = (changed[place] as number) ^ (1 << (place % 8));
        await assertShut(changed);
        await assertShut(Buffer.concat([note.subarray(0, place), note.subarray(place + 1)]));
        await assertShut(note.subarray(0, place));
      }
    });

    test('rejects a signed text that is not a checkpoint', async () => {
      const root = Buffer.alloc(32, 7).toString('base64');
      const time = `Timestamp: ${at}`;
      for (const text of [
        `${origin}\n01\n${root}\n${time}\n`,
        `${origin}\n-1\n${root}\n${time}\n`,
        `${origin}\n9007199254740993\n${root}\n${time}\n`,
        `${origin}\n1\n${root.slice(4)}\n${time}\n`,
        `${origin}\n1\n${root.slice(0, -2)}d=\n${time}\n`,
        `${origin}\n1\n${root}\n`,
        `${origin}\n1\n${root}\n${at}\n`,
        `${origin}\n1\n${root}\nTimestamp: 2026-02-30T12:00:00.000Z\n`,
        `${origin}\n1\n${root}\n${time}\nmore\n`,
        `a log\n1\n${root}\n${time}\n`,
        `log\n1\n${root}\n${time}\n`,
      ])
        assert.equal(
          await codeOf(() => openCheckpoint(signer.sign(text), { publicKey })),
          'checkpoint_not_signed',
          text,
        );
    });
  });

describe('a signed note', () => {
  const crypto: LedgerCrypto = {
    sha256,
    verifyEd25519: (publicKey, text, signature) => {
      const key = { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(publicKey).toString('base64url') };
      return verify(null, Buffer.from(text), createPublicKey({ key, format: 'jwk' }), signature);
    },
  };
  /** The example of C2SP signed-note, and that of the note package of Go. */
  const published = [
    {
      key: 'example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k',
      text: 'This is an example message.\n',
      signature:
        '— example.com/foo Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM=\n',
    },
    {
      key: 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW',
      text: "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n",
      signature:
        '— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n',
    },
  ] as const;

  test('that is published verifies with its key, beside other signatures, and with no other key', async () => {
    for (const [at, { key, text, signature }] of published.entries()) {
      const other = published[1 - at] as (typeof published)[number];
      assert.equal(checkpoints.writeKey(checkpoints.readKey(sha256, key)), key);
      assert.equal(await checkpoints.openNote(crypto, `${text}\n${signature}`, checkpoints.readKey(sha256, key)), text);
      assert.equal(
        await checkpoints.openNote(crypto, `${text}\n${other.signature}${signature}`, checkpoints.readKey(sha256, key)),
        text,
      );
      assert.equal(
        await checkpoints.openNote(crypto, `${text}\n${signature}`, checkpoints.readKey(sha256, other.key)),
        null,
      );
    }
  });

  test('is rejected if the signature of the key’s name does not verify, or a line is invalid', async () => {
    const [{ key, text, signature }] = published;
    const bytes = Buffer.from(signature.trim().split(' ')[2] ?? '', 'base64');
    bytes[60] = (bytes[60] as number) ^ 1;
    const forged = `— example.com/foo ${bytes.toString('base64')}\n`;
    for (const lines of [
      forged,
      signature + forged,
      forged + signature,
      `${signature}nonsense\n`,
      `${signature}— x ====\n`,
    ])
      assert.equal(
        await checkpoints.openNote(crypto, `${text}\n${lines}`, checkpoints.readKey(sha256, key)),
        null,
        lines,
      );
  });
});

describe('SHA-256 without node:crypto', () => {
  test('equals that of node:crypto, at every length around a block', () => {
    for (let length = 0; length <= 200; length += 1) {
      const data = randomBytes(length);
      assert.deepEqual(Buffer.from(portableSha256(data)), sha256(data));
    }
    const text = 'é\u{1F600}'.repeat(1000);
    assert.deepEqual(Buffer.from(portableSha256(text)), sha256(text));
  });
});

describe('canonicalize', () => {
  test('writes what the reference implementation of RFC 8785 writes', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string({ unit: fc.constantFrom('a', '\u{1F600}', '\uE000', '"', '\\', '\0') }),
    );
    fc.assert(
      fc.property(
        fc.jsonValue({ stringUnit: 'binary' }),
        fc.dictionary(text, fc.double({ noNaN: true, noDefaultInfinity: true })),
        (value, numbers) => {
          for (const one of [value, numbers]) assert.equal(node.canonicalize(one), referenceCanonicalize(one));
        },
      ),
      { numRuns: 1000 },
    );
  });

  test('rejects what is not JSON', () => {
    for (const value of [
      undefined,
      [undefined],
      { a: undefined },
      Number.NaN,
      [1 / 0],
      'a\uD83D',
      { '\uD83D': 1 },
      1n,
      new Date(),
      new Map(),
      () => 1,
      Symbol('s'),
    ])
      assert.throws(() => node.canonicalize(value), TypeError);
  });
});
