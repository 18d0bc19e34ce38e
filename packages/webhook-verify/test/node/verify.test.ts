import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import vm from 'node:vm';
import * as edge from '../../src/edge.ts';
import * as node from '../../src/node.ts';
import * as nodeAsync from '../../src/node-async.ts';
import { hostile } from './hostile.ts';
import { body, digest, event, now, otherSecret, secret, sign, text, time } from './vectors.ts';

const builds = { node, edge, 'Node as promises': nodeAsync };

test('the signature is HMAC-SHA256 over the time, a dot and the body: openssl computes the same', () => {
  // printf '1767225600.{}' | openssl dgst -sha256 -hmac whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw
  const signature = 't=1767225600,v1=feb46425ec12b10debfbfb9238a8ef06b7b00123ca87561938e3f0c02f91092c';
  assert.equal(sign('{}'), signature);
  assert.equal(node.verifySignature({ body: '{}', signature, secrets: secret, now }).timestamp, time);
});

for (const [name, build] of Object.entries(builds)) {
  const verifier = build.createWebhookVerifier({ secrets: secret, now });
  // The node build throws at once; a function that is async makes both the same.
  const construct = async (delivery: unknown) => verifier.constructEvent(delivery as node.SignedDelivery);
  const verify = async (delivery: unknown) => verifier.verifySignature(delivery as node.SignedDelivery);

  describe(`the ${name} build`, () => {
    test('accepts bytes, other views, buffers and text, and says what it found', async () => {
      const padded = Buffer.concat([Buffer.from('xx'), body, Buffer.from('x')]);
      const bodies = {
        bytes: body,
        'a part of a buffer': padded.subarray(2, -1),
        'a view of another kind': new DataView(padded.buffer, padded.byteOffset + 2, body.length),
        'a buffer': body.slice().buffer,
        text,
        'bytes of another realm': vm.runInNewContext('Uint8Array.from(bytes)', { bytes: [...body] }),
        'a buffer of another realm': vm.runInNewContext('Uint8Array.from(bytes).buffer', { bytes: [...body] }),
      };
      for (const [kind, one] of Object.entries(bodies)) {
        const found = await construct({ body: one, signature: sign(body) });
        assert.deepEqual(found, { secretIndex: 0, secretName: null, timestamp: time, event }, kind);
        assert.deepEqual(await verify({ body: one, signature: sign(body) }), {
          secretIndex: 0,
          secretName: null,
          timestamp: time,
        });
      }
    });

    test(`refuses ${hostile.length} hostile headers and bodies, each with its code`, async () => {
      for (const { code, name: what, ...one } of hostile) {
        const delivery = { body, signature: sign(body), ...one };
        await assert.rejects(construct(delivery), (error) => {
          assert.ok(error instanceof build.WebhookVerificationError, `${what}: ${error}`);
          assert.equal(error.code, code, what);
          assert.ok(!error.message.includes(secret) && !error.message.includes('subjectId'), what);
          assert.equal(error.cause, undefined);
          return true;
        });
        if (code === 'body_invalid') await verify(delivery);
        else await assert.rejects(verify(delivery), { code }, what);
      }
    });

    test('refuses a megabyte of header within a millisecond', async () => {
      const signature = `t=${time}${`,v1=${digest(body)}`.repeat(14_000)}`;
      await verify({ body, signature }).catch(() => undefined);
      // Of so many times one is not interrupted, however busy the machine is.
      let best = Number.POSITIVE_INFINITY;
      for (let turn = 0; turn < 1000 && best >= 1; turn += 1) {
        const before = performance.now();
        await verify({ body, signature }).catch(() => undefined);
        best = Math.min(best, performance.now() - before);
      }
      assert.ok(best < 1, `${best} ms`);
    });

    test('skips schemes that it does not know, whatever their values and wherever they are', async () => {
      const values = ['abc+/=_-.~', 'ed25519:AAAA', 'a b;"c"', '', 'v1=x', 't=1', 'ü', '"\\'];
      for (const value of values)
        for (const scheme of ['v2', 'v0', 'v100', 'ed25519', 'foo', '__proto__', 'V1', 'T'])
          for (const parts of [
            [`${scheme}=${value}`, `v1=${digest(body)}`],
            [`v1=${digest(body)}`, `${scheme}=${value}`],
          ])
            await verify({ body, signature: [`t=${time}`, ...parts].join(',') });
    });

    test('takes any of fourteen signatures, and any of its secrets, and says which secret matched', async () => {
      const wrong = `v1=${'0'.repeat(64)}`;
      const both = build.createWebhookVerifier({ secrets: [{ name: 'new', secret: otherSecret }, secret], now });
      const signature = `t=${time},${`${wrong},`.repeat(13)}v1=${digest(body)}`;
      assert.deepEqual(await both.verifySignature({ body, signature }), {
        secretIndex: 1,
        secretName: null,
        timestamp: time,
      });
      const rotation = `${sign(body)},v1=${digest(body, time, otherSecret)}`;
      assert.equal((await both.verifySignature({ body, signature: rotation })).secretName, 'new');
    });

    test('allows for exactly the tolerance, in both directions; 0 is one and Infinity is any', async () => {
      const check = async (toleranceSeconds: number | undefined, at: number, millisecond = 0) =>
        build
          .createWebhookVerifier({ secrets: secret, toleranceSeconds, now: () => time * 1000 + millisecond })
          .verifySignature({ body, signature: sign(body, at) });
      for (const tolerance of [0, 1, 300, 86_400]) {
        await check(tolerance, time - tolerance, 999);
        await check(tolerance, time + tolerance);
        await assert.rejects(check(tolerance, time - tolerance - 1), { code: 'timestamp_too_old' });
        await assert.rejects(check(tolerance, time + tolerance + 1, 999), { code: 'timestamp_too_new' });
      }
      await check(undefined, time - 300);
      await assert.rejects(check(undefined, time - 301), /301 seconds ago; 300 are allowed.*clock/);
      await assert.rejects(check(undefined, time + 301), /301 seconds in the future.*clock/);
      await check(Number.POSITIVE_INFINITY, 0);
    });

    test('refuses all while its clock gives no number', async () => {
      for (const toleranceSeconds of [300, Number.POSITIVE_INFINITY]) {
        for (const lostClock of [
          () => Number.NaN,
          () => undefined,
          () => BigInt(time) * 1000n,
          () => new Date(time * 1000),
          () => {
            throw new Error('no clock');
          },
        ]) {
          const lost = build.createWebhookVerifier({
            secrets: secret,
            toleranceSeconds,
            now: lostClock as () => number,
          });
          await assert.rejects(async () => lost.verifySignature({ body, signature: sign(body) }), {
            name: 'WebhookVerificationError',
            code: 'options_invalid',
          });
        }
      }
    });

    test('says at once what is wrong with its options', () => {
      const secrets = [' ', `${secret} `, ` ${secret}`, `${secret}\n`, 'whsec_', 'MfKQ', 1, [secret, ''], {}];
      for (const one of [...secrets, [[secret, '']], [{ name: 'a', secret: ' ' }]])
        assert.throws(() => build.createWebhookVerifier({ secrets: one as string }), { code: 'secret_invalid' });
      for (const toleranceSeconds of [-1, Number.NaN, '300', null])
        assert.throws(
          () => build.createWebhookVerifier({ secrets: secret, toleranceSeconds: toleranceSeconds as number }),
          { code: 'options_invalid' },
        );
      assert.throws(() => build.createWebhookVerifier({ secrets: secret, now: 5 as never }), {
        code: 'options_invalid',
      });
    });

    test('says at the first delivery that it was given no secret, so that a build can load it without one', async () => {
      for (const none of [undefined, null, '', [], [''], [{ name: 'new', secret: '' }]]) {
        const made = build.createWebhookVerifier({ secrets: none as string, now });
        for (const signature of [sign(body), sign(body, time, ''), `t=${time},v1=${'0'.repeat(64)}`]) {
          const refused = { name: 'WebhookVerificationError', code: 'secret_invalid' };
          await assert.rejects(async () => made.verifySignature({ body, signature }), refused);
          await assert.rejects(async () => made.constructEvent({ body, signature }), refused);
          const whole = { body, signature, secrets: none as string, now };
          await assert.rejects(async () => build.constructEvent(whole), refused);
        }
      }
    });

    test('refuses options that it does not know, which would leave the default in force', async () => {
      const delivery = { body, signature: sign(body) };
      for (const [wrong, name] of [
        [{ tolerance: 5 }, 'tolerance'],
        [{ replayGuard: {} }, 'replayGuard'],
        [{ toleranceseconds: undefined }, 'toleranceseconds'],
        [JSON.parse('{"__proto__": 1}'), '__proto__'],
      ]) {
        const refused = { code: 'options_invalid', message: new RegExp(`no option ${name}. Known: .*secrets.*now`) };
        assert.throws(() => build.createWebhookVerifier({ secrets: secret, now, ...wrong }), refused);
        await assert.rejects(
          async () => build.verifySignature({ ...delivery, secrets: secret, now, ...wrong }),
          refused,
        );
        await assert.rejects(
          async () => build.constructEvent({ ...delivery, secrets: secret, now, ...wrong }),
          refused,
        );
      }
      for (const call of [verifier.verifySignature, verifier.constructEvent])
        await assert.rejects(async () => call({ ...delivery, toleranceSeconds: 5 } as never), {
          code: 'options_invalid',
          message: 'There is no option toleranceSeconds. Known: body, signature.',
        });
    });

    test('refuses a validate that is async or returns something, and outlives what it rejects with', async () => {
      const unhandled: unknown[] = [];
      const listen = (reason: unknown) => unhandled.push(reason);
      process.on('unhandledRejection', listen);
      for (const validate of [async () => Promise.reject(new Error('refused')), async () => undefined, () => false]) {
        const made = build.createWebhookVerifier({ secrets: secret, now, validate: validate as never });
        const refused = { code: 'options_invalid', message: /async/ };
        await assert.rejects(async () => made.constructEvent({ body, signature: sign(body) }), refused);
      }
      await new Promise((resolve) => setImmediate(resolve));
      process.off('unhandledRejection', listen);
      assert.deepEqual(unhandled, []);
    });

    test('says what it must be given, when that is missing or arguments come one after the other', async () => {
      const whole = { name: 'WebhookVerificationError', code: 'options_invalid', message: /one object: \{ body, / };
      for (const args of [[], [null], [body, sign(body), secret], [text, sign(body), secret], [body.buffer]]) {
        const given = args as unknown as [never];
        assert.throws(() => build.createWebhookVerifier(...given), whole);
        await assert.rejects(async () => build.constructEvent(...given), whole);
        await assert.rejects(async () => build.verifySignature(...given), whole);
        await assert.rejects(async () => verifier.constructEvent(...given), whole);
        await assert.rejects(async () => verifier.verifySignature(...given), whole);
      }
    });

    test('verifies one delivery without a verifier', async () => {
      const delivery = { body, signature: sign(body), secrets: secret, now };
      assert.equal((await build.verifySignature(delivery)).secretIndex, 0);
      assert.deepEqual((await build.constructEvent(delivery)).event, event);
    });

    test('an error is known to another copy of the package, and nothing else is', async () => {
      const copy = await import(`../../src/error.ts?copy-of-${name}`);
      const error = await verify({ body: {}, signature: '' }).catch((one) => one);
      assert.equal(error instanceof copy.WebhookVerificationError, false);
      assert.equal(copy.WebhookVerificationError.isInstance(error), true);
      for (const other of [new Error('x'), null, undefined, 'x', { code: 'signature_missing' }])
        assert.equal(build.WebhookVerificationError.isInstance(other), false);
    });

    test('shows no secret when it is printed', async () => {
      const { inspect } = await import('node:util');
      assert.doesNotMatch(inspect(verifier, { depth: 9, showHidden: true }) + JSON.stringify(verifier), /whsec_/);
    });
  });
}

test('the node build is synchronous', () => {
  const delivery = { body, signature: sign(body), secrets: secret, now };
  assert.equal(node.verifySignature(delivery) instanceof Promise, false);
});

for (const [name, build] of Object.entries({ edge, 'Node as promises': nodeAsync }))
  test(`the build for ${name} gives promises, and throws nothing at a delivery`, async () => {
    const delivery = { body, signature: sign(body), secrets: secret, now };
    const verifier = build.createWebhookVerifier({ secrets: secret, now });
    for (const call of [
      () => build.verifySignature(delivery),
      () => build.constructEvent(delivery),
      () => verifier.verifySignature({ body, signature: sign(body) }),
      () => verifier.constructEvent({ body, signature: sign(body) }),
    ]) {
      const found = call();
      assert.ok(found instanceof Promise);
      await found;
    }
    const forged = { ...delivery, signature: sign('') };
    for (const call of [
      () => build.verifySignature(forged),
      () => build.constructEvent(forged),
      () => build.verifySignature({ ...forged, secrets: '' }),
      () => build.constructEvent(null as never),
      () => verifier.verifySignature({ body, signature: sign('') }),
      () => verifier.constructEvent({ body, signature: sign('') }),
      () => verifier.verifySignature(null as never),
    ])
      await assert.rejects(call(), node.WebhookVerificationError);
  });

// Whatever a type checker and a bundler choose for the package without a subpath, its calls are the same.
const sameCalls: (Pick<typeof edge, keyof typeof edge> & Pick<typeof nodeAsync, keyof typeof edge>)[] = [
  edge,
  nodeAsync,
];

test('the package without a subpath exports the same on every platform', () => {
  assert.deepEqual(Object.keys(sameCalls[0] ?? {}).sort(), Object.keys(sameCalls[1] ?? {}).sort());
});

test('what changes in a body while the edge build verifies it changes nothing', async () => {
  const changing = body.slice();
  const found = edge.constructEvent({ body: changing, signature: sign(body), secrets: secret, now });
  changing.fill(0x20);
  assert.deepEqual((await found).event, event);
});
