import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ledgerCrypto } from '../../../../server/ledger/attestations.ts';
import { writeCheckpoint } from '../../../../server/ledger/checkpoint.ts';
import { NoteSigner } from '../../../../server/ledger/signed-note.ts';
import * as browser from '../../src/ledger/browser.ts';
import { writeKey } from '../../src/ledger/checkpoint.ts';
import * as node from '../../src/ledger/index.ts';
import { writeRotation } from '../../src/ledger/rotation.ts';

const at = '2026-11-21T12:00:00.000Z';
const first = new NoteSigner('the first secret of an installation');
const { name } = first.verifier;
const origin = `${name}/01a1fead-9aa2-7000-999d-bc20213b5957/audit`;
const later = `${name}/01a1fead-9aa2-7000-999d-bc20213b5957/consent`;
const log = `${name}/installation/log`;
const rootOf = (size: number): string => Buffer.alloc(32, size).toString('base64');

interface About {
  readonly origin: string;
  readonly size: number;
}

/** The text of a rotation from one signer to another. */
const write = (from: NoteSigner, to: NoteSigner, { origin, size }: About): string =>
  writeRotation({ origin, size, at, rootHash: rootOf(size), from: from.verifierKey, to: writeKey(to.named(name)) });
const rotate = (from: NoteSigner, to: NoteSigner, about: About): string =>
  to.cosign(from.sign(write(from, to, about)), name);
const signCheckpoint = (signer: NoteSigner, { origin, size }: About, rootHash = rootOf(size)): string =>
  signer.sign(writeCheckpoint({ origin, size, rootHash, at }));

/** The signer of a secret that follows another, under the name of the first. */
const follow = (before: NoteSigner, secret: string): NoteSigner => {
  const note = rotate(before, new NoteSigner(secret), { origin: log, size: 0 });
  return new NoteSigner(secret, [{ log: note, notes: new Map() }]);
};
const second = follow(first, 'the second secret of an installation');
const third = follow(second, 'the third secret of an installation');
const signers = [first, second, third];
const keys = signers.map(({ verifierKey }) => verifierKey);

const audit = [rotate(first, second, { origin, size: 5 }), rotate(second, third, { origin, size: 9 })];
const ofLog = [rotate(first, second, { origin: log, size: 2 }), rotate(second, third, { origin: log, size: 3 })];

/** The code of the error; null if there is none. */
const codeOf = async (action: Promise<unknown>): Promise<string | null> => {
  try {
    await action;
    return null;
  } catch (error) {
    assert.ok(node.LedgerVerificationError.isInstance(error), String(error));
    return error.code;
  }
};
const forge = (note: string, signer: NoteSigner): string => {
  const [text = '', signatures = ''] = note.split('\n\n');
  const lines = signatures.split('\n').map((line) => {
    const [dash, by = '', encoded = ''] = line.split(' ');
    const bytes = Buffer.from(encoded, 'base64');
    if (!bytes.subarray(0, 4).equals(signer.verifier.id)) return line;
    bytes[20] = (bytes[20] as number) ^ 1;
    return `${dash} ${by} ${bytes.toString('base64')}`;
  });
  return `${text}\n\n${lines.join('\n')}`;
};

for (const [platform, { followKey, openCheckpoint }] of Object.entries({ node, browser }))
  describe(`rotations of the key (${platform})`, () => {
    const codes = (publicKey: string | undefined, notes: readonly string[], rotations: readonly string[]) =>
      Promise.all(notes.map((note) => codeOf(openCheckpoint(note, { publicKey: publicKey as string, rotations }))));
    const isOpen = async (publicKey: string | undefined, note: string, rotations: readonly string[]) =>
      (await codes(publicKey, [note], rotations))[0] === null;

    test('lead from each key to the newest, in any order, repeated, and as the server returns them', async () => {
      const text = audit.map((note) => `${note}\n`).join('');
      for (const rotations of [
        audit,
        audit.toReversed(),
        [...audit, ...ofLog, ...audit],
        ofLog,
        [text],
        [`\uFEFF${text.replaceAll('\n', '\r\n')}`],
        ['', 'nonsense', ...audit, `${text}more`],
      ])
        for (const key of keys) assert.equal(await followKey(key, rotations), keys[2]);
      assert.equal(await followKey(`${keys[0]}\n`, audit.slice(0, 1)), keys[1]);
      for (const rotations of [[], [''], audit.slice(1)])
        assert.equal(await followKey(keys[0] as string, rotations), keys[0]);
    });

    test('open what each key signed, with any of the keys', async () => {
      const notes = [
        signCheckpoint(first, { origin, size: 5 }),
        signCheckpoint(first, { origin, size: 1 }),
        signCheckpoint(second, { origin, size: 9 }),
        signCheckpoint(third, { origin, size: 100 }),
      ];
      for (const key of keys) assert.deepEqual(await codes(key, notes, audit), [null, null, null, null]);
      const alone = notes.map(() => 'checkpoint_not_signed');
      assert.deepEqual(await codes(keys[2], notes, []), alone.with(3, null as never));
    });

    test('limit a former key to what its rotation states of the ledger', async () => {
      for (const key of keys) {
        assert.equal(await isOpen(key, signCheckpoint(first, { origin, size: 6 }), audit), false);
        assert.equal(await isOpen(key, signCheckpoint(second, { origin, size: 10 }, rootOf(9)), audit), false);
        assert.equal(await isOpen(key, signCheckpoint(first, { origin, size: 5 }, rootOf(7)), audit), false);
        assert.equal(await isOpen(key, signCheckpoint(first, { origin: later, size: 1 }), audit), false);
      }
      const twice = [...audit, rotate(first, second, { origin, size: 4 }), rotate(first, second, { origin, size: 50 })];
      assert.equal(await isOpen(keys[2], signCheckpoint(first, { origin, size: 5 }), twice), false);
      assert.equal(await isOpen(keys[2], signCheckpoint(first, { origin, size: 4 }), twice), true);
    });

    test('of the log lead to the key of a ledger that is newer, for which a former key does not count', async () => {
      const about = { origin: later, size: 3 };
      for (const key of keys) {
        assert.equal(await isOpen(key, signCheckpoint(third, about), ofLog), true);
        for (const former of [first, second])
          assert.equal(await isOpen(key, signCheckpoint(former, about), ofLog), false);
        assert.equal(await isOpen(key, signCheckpoint(second, { origin: log, size: 3 }), ofLog), true);
      }
    });

    test('count only if both keys signed, and if all names are of the installation', async () => {
      const [note = ''] = audit;
      const foreign = new NoteSigner('the secret of another installation');
      const text = write(first, second, { origin, size: 5 });
      const elsewhere = { origin: `${foreign.verifier.name}/x/audit`, size: 5 };
      const other = 'svc-000000000000';
      const renamed = text.replace(/\nTo: .*/, `\nTo: ${writeKey(second.named(other))}`);
      for (const wrong of [
        first.sign(text),
        second.sign(text),
        foreign.cosign(first.sign(text), name),
        foreign.cosign(second.sign(text), name),
        forge(note, first),
        forge(note, second),
        note.replace(/\n5 /, '\n50 '),
        note.replace(at, '2026-11-21T12:00:00.001Z'),
        rotate(first, second, elsewhere),
        second.cosign(first.sign(renamed), other),
        rotate(first, second, { origin: `${origin}${'x'.repeat(5000)}`, size: 5 }),
      ]) {
        assert.notEqual(wrong, note);
        assert.equal(await followKey(keys[0] as string, [wrong]), keys[0], wrong);
        assert.equal(await isOpen(keys[0], signCheckpoint(second, { origin, size: 6 }), [wrong]), false, wrong);
        assert.equal(await isOpen(keys[1], signCheckpoint(first, { origin, size: 5 }), [wrong]), false, wrong);
      }
      // Others may sign as well.
      assert.equal(await followKey(keys[0] as string, [foreign.cosign(note, foreign.verifier.name)]), keys[1]);
    });

    test('do not lead from a newer key over a former one, which may have leaked, to a third', async () => {
      const thief = follow(first, 'the secret of someone who has the first');
      const theft = [rotate(first, thief, { origin, size: 5 }), rotate(first, thief, { origin: log, size: 2 })];
      const rotations = [...theft, ...audit];
      for (const key of keys.slice(1)) {
        assert.equal(await followKey(key, rotations), keys[2]);
        assert.equal(await isOpen(key, signCheckpoint(thief, { origin, size: 6 }), rotations), false);
      }
      // With the older key, there is no way to know which one is right.
      assert.equal(await codeOf(followKey(keys[0] as string, rotations)), 'key_invalid');
      assert.equal(await isOpen(keys[0], signCheckpoint(second, { origin, size: 6 }), rotations), false);
    });

    test('do not lead in a circle', async () => {
      const back = third.cosign(first.sign(write(third, first, { origin, size: 12 })), name);
      for (const key of keys) assert.equal(await codeOf(followKey(key, [...audit, back])), 'key_invalid');
    });
  });

describe('many rotations of the key', () => {
  let verifications = 0;
  const { followKey, openCheckpoint } = node.createLedgerVerifier({
    ...ledgerCrypto,
    verifyEd25519: (...input) => {
      verifications += 1;
      return ledgerCrypto.verifyEd25519(...input);
    },
  });
  const countVerifications = async (action: () => Promise<unknown>): Promise<number> => {
    verifications = 0;
    await action();
    return verifications;
  };

  test('take two signatures each, in any order', async () => {
    const chain = [first];
    const rotations: string[] = [];
    for (let number = 1; number <= 200; number += 1) {
      const before = chain.at(-1) as NoteSigner;
      const next = follow(before, `secret number ${number} of an installation`);
      rotations.push(rotate(before, next, { origin, size: number }));
      chain.push(next);
    }
    const [oldest, newest] = [first.verifierKey, (chain.at(-1) as NoteSigner).verifierKey];
    for (const list of [rotations, rotations.toReversed()]) {
      assert.equal(
        await countVerifications(async () => assert.equal(await followKey(oldest, list), newest)),
        2 * rotations.length,
      );
      const open = () =>
        openCheckpoint(signCheckpoint(first, { origin, size: 1 }), { publicKey: newest, rotations: list });
      assert.equal(await countVerifications(open), 2 * rotations.length + 1);
    }
  });

  test('that are forged take one signature each, and more than a thousand are rejected', async () => {
    const key = first.verifierKey;
    const forged = Array.from({ length: 10_000 }, (_, size) =>
      forge(audit[0] as string, first).replace(/\n5 /, `\n${size} `),
    );
    const some = forged.slice(0, 1000);
    assert.equal(await countVerifications(async () => assert.equal(await followKey(key, some), key)), some.length);
    for (const list of [forged, forged.slice(0, 1001), [forged.slice(0, 1001).join('\n')], ['x'.repeat(10_000_000)]]) {
      const reject = async () => assert.equal(await codeOf(followKey(key, list)), 'key_invalid');
      assert.equal(await countVerifications(reject), 0);
    }
  });
});
