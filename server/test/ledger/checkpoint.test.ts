import assert from 'node:assert/strict';
import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { readKey } from '../../../packages/node-sdk/src/ledger/checkpoint.ts';
import { nameOrigin, openCheckpoint, readCheckpoint, writeCheckpoint } from '../../ledger/checkpoint.ts';
import { sha256 } from '../../ledger/merkle.ts';
import { NoteSigner, type NoteVerifier, openNote } from '../../ledger/signed-note.ts';
import { readNote } from './naive-merkle.ts';

const signer = new NoteSigner('a secret of at least thirty-two characters');
const checkpoint = fc.record(
  {
    origin: fc.uuid().map((id) => nameOrigin('svc-0123456789ab', id, 'audit')),
    size: fc.nat({ max: Number.MAX_SAFE_INTEGER }),
    rootHash: fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => Buffer.from(bytes).toString('base64')),
    at: fc
      .date({ min: new Date(0), max: new Date('9999-12-31T23:59:59.999Z'), noInvalidDate: true })
      .map((date) => date.toISOString()),
  },
  { noNullPrototype: true },
);

describe('a checkpoint', () => {
  test('has four lines: the log, its size, its root, and the time', () => {
    const text = writeCheckpoint({
      origin: 'log',
      size: 12,
      rootHash: Buffer.alloc(32).toString('base64'),
      at: '2026-11-21T12:00:00.000Z',
    });
    assert.equal(text, `log\n12\n${'A'.repeat(43)}=\nTimestamp: 2026-11-21T12:00:00.000Z\n`);
  });

  test('parses to what was written, signed or unsigned', () => {
    fc.assert(
      fc.property(checkpoint, (written) => {
        assert.deepEqual(readCheckpoint(writeCheckpoint(written)), written);
        assert.deepEqual(openCheckpoint(signer.sign(writeCheckpoint(written)), signer.verifier), written);
      }),
    );
  });

  test('accepts only the canonical spelling, even if signed', () => {
    const root = Buffer.alloc(32, 7).toString('base64');
    const time = 'Timestamp: 2026-11-21T12:00:00.000Z';
    const wrong = [
      `log\n01\n${root}\n${time}\n`,
      `log\n+1\n${root}\n${time}\n`,
      `log\n-1\n${root}\n${time}\n`,
      `log\n1e3\n${root}\n${time}\n`,
      `log\n9007199254740993\n${root}\n${time}\n`,
      `log\n1\n${root.slice(0, -1)}\n${time}\n`,
      `log\n1\n${root.slice(0, -2)}d=\n${time}\n`,
      `log\n1\n${root.slice(4)}\n${time}\n`,
      `log\n1\n${root}\n`,
      `log\n1\n${root}\n${time}`,
      `log\n1\n${root}\n${time}\nmore\n`,
      `a log\n1\n${root}\n${time}\n`,
      `\n1\n${root}\n${time}\n`,
      `log\r\n1\r\n${root}\r\n${time}\r\n`,
    ];
    for (const text of wrong) {
      assert.equal(readCheckpoint(text), null, text);
      assert.equal(openCheckpoint(signer.sign(text), signer.verifier), null, text);
    }
  });
});

/** Published notes with their keys: the example of C2SP signed-note, and that of the note package of Go. */
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
const [example, other] = published;
const requireKey = (text: string): NoteVerifier => {
  const signer = readKey(sha256, text);
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(signer.key).toString('base64url') };
  return { ...signer, publicKey: createPublicKey({ key: jwk, format: 'jwk' }), former: [] };
};
const secret = 'a secret of at least thirty-two characters';

describe('a signed note', () => {
  test('of the specification, and one that Go signed, opens with its key', () => {
    for (const { key, text, signature } of published)
      assert.equal(openNote(`${text}\n${signature}`, requireKey(key)), text);
  });

  test('opens with no other key', () => {
    assert.equal(openNote(`${example.text}\n${example.signature}`, requireKey(other.key)), null);
    const impostor = { ...requireKey(example.key), publicKey: generateKeyPairSync('ed25519').publicKey };
    assert.equal(openNote(`${example.text}\n${example.signature}`, impostor), null);
  });

  test('opens with signatures of other keys in any position', () => {
    const foreign = other.signature;
    for (const lines of [foreign + example.signature, example.signature + foreign])
      assert.equal(openNote(`${example.text}\n${lines}`, requireKey(example.key)), example.text);
  });

  test('does not open with a line after the text that is not a signature', () => {
    const { text, signature, key } = example;
    for (const line of [
      'nonsense\n',
      '\n',
      '- example.com/foo AAAA\n',
      '— example.com/foo ====\n',
      '—  AAAA\n',
      '— a+b AAAA\n',
    ])
      assert.equal(openNote(`${text}\n${signature}${line}`, requireKey(key)), null, line);
  });

  test('does not open with an invalid signature under the name of the key', () => {
    const { text, signature, key } = example;
    const [, , encoded = ''] = signature.trim().split(' ');
    const bytes = Buffer.from(encoded, 'base64');
    bytes[60] = (bytes[60] as number) ^ 1;
    const forged = `— example.com/foo ${bytes.toString('base64')}\n`;
    assert.equal(openNote(`${text}\n${forged}`, requireKey(key)), null);
    assert.equal(openNote(`${text}\n${signature}${forged}`, requireKey(key)), null);
  });

  test('does not open with any byte changed, dropped or added', () => {
    const note = Buffer.from(`${other.text}\n${other.signature}`);
    const verifier = requireKey(other.key);
    for (let at = 0; at < note.length; at += 1) {
      for (let bit = 0; bit < 8; bit += 1) {
        const changed = Buffer.from(note);
        changed[at] = (changed[at] as number) ^ (1 << bit);
        assert.equal(openNote(changed.toString(), verifier), null, `byte ${at}, bit ${bit}`);
      }
      const dropped = Buffer.concat([note.subarray(0, at), note.subarray(at + 1)]).toString();
      assert.equal(openNote(dropped, verifier), null, `byte ${at} dropped`);
      assert.equal(openNote(note.toString('utf8', 0, at), verifier), null, `cut at ${at}`);
    }
    fc.assert(
      fc.property(fc.nat(note.length), fc.constantFrom(' ', '\n', 'A', '=', '\u2028'), (at, more) => {
        const text = note.toString();
        fc.pre(at <= text.length);
        assert.equal(openNote(text.slice(0, at) + more + text.slice(at), verifier), null);
      }),
    );
  });

  test('that Svc signed opens with only the text of the key', () => {
    const signer = new NoteSigner(secret);
    fc.assert(
      fc.property(fc.stringMatching(/^[ -~]{0,40}$/), (line) => {
        const note = signer.sign(`${line}\nmore\n`);
        assert.equal(openNote(note, requireKey(signer.verifierKey)), `${line}\nmore\n`);
        assert.equal(readNote(note, signer.verifierKey)?.origin, line);
      }),
    );
  });
});

describe('the key of an installation', () => {
  test('is the same for the same secret, and different for a different one', () => {
    assert.equal(new NoteSigner(secret).verifierKey, new NoteSigner(secret).verifierKey);
    assert.notEqual(new NoteSigner(secret).verifierKey, new NoteSigner(`${secret}.`).verifierKey);
    assert.match(new NoteSigner(secret).verifierKey, /^svc-[0-9a-f]{12}\+[0-9a-f]{8}\+[A-Za-z0-9+/]{44}$/);
  });

  test('is parsed from its text, with surrounding white space', () => {
    const { verifierKey, verifier } = new NoteSigner(secret);
    for (const text of [verifierKey, `${verifierKey}\n`, ` ${verifierKey}\r\n`]) {
      const read = requireKey(text);
      assert.deepEqual([read.name, read.id], [verifier.name, verifier.id]);
      assert.ok(read.publicKey.equals(verifier.publicKey));
    }
  });

  test('is not parsed from any other text', () => {
    const { key } = example;
    const ecdsa =
      'rekor.sigstore.dev+c0d23d6a+AjBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABNhtmPtrWm3U1eQXBogSMdGvXwBcK5AW5i0hrZLOC96l+smGNM7nwZ4QvFK/4sueRoVj//QP22Ni4Qt9DPfkWLc=';
    for (const text of [
      '',
      '+',
      'x',
      ecdsa,
      key.slice(1),
      key.slice(0, -1),
      `${key}A`,
      key.replace('530d', '530e'),
      `${key}\n${key}`,
    ])
      assert.throws(() => readKey(sha256, text), { code: 'key_invalid' }, text);
  });
});
