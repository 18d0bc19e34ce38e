import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { nameOrigin, openCheckpoint, readCheckpoint, writeCheckpoint } from '../../ledger/checkpoint.ts';
import { NoteSigner } from '../../ledger/signed-note.ts';

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
