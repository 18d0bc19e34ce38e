import assert from 'node:assert/strict';
import { createPublicKey, generateKeyPairSync, sign as signBytes, verify } from 'node:crypto';
import { describe, test } from 'node:test';
import { inspect } from 'node:util';
import fc from 'fast-check';
import { createAsymmetricVerifier } from '../../src/asymmetric.ts';
import { type AsymmetricOptions, createVerifierOver } from '../../src/asymmetric-verifier.ts';
import { ed25519 as edge } from '../../src/ed25519-edge.ts';
import { ed25519 as node } from '../../src/ed25519-node.ts';
import { WebhookVerificationError } from '../../src/error.ts';
import { createFetchHandler } from '../../src/fetch.ts';
import { createReplayGuard } from '../../src/replay.ts';
import { createSignedRequest, createTestKeyPair, tamperings, tamperWithRequest } from '../../src/testing.ts';
import { body, event, now, secret, text, time } from './vectors.ts';

/** A pair of keys created without the package, in the text format of Standard Webhooks. */
function createPair() {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const raw = Buffer.from(publicKey.export({ format: 'jwk' }).x as string, 'base64url');
  return { publicKey: `whpk_${raw.toString('base64')}`, privateKey };
}

const pair = createPair();
const other = createPair();
const id = '0197b5a0-0000-7000-8000-00000000000d';

/** The signature as the contract describes it, computed without the package. */
function signAs(payload: Uint8Array | string, at: number | string = time, as = id, key = pair.privateKey): string {
  return `v1a,${signBytes(null, Buffer.concat([Buffer.from(`${as}.${at}.`), Buffer.from(payload)]), key).toString('base64')}`;
}

const shared = `v1,${Buffer.alloc(32, 7).toString('base64')}`;
const good = signAs(body);
const headersOf = (headers: Readonly<Record<string, unknown>> = {}) => {
  const all: Readonly<Record<string, unknown>> = {
    'webhook-id': id,
    'webhook-timestamp': String(time),
    'webhook-signature': `${shared} ${good}`,
    ...headers,
  };
  return (name: string) => all[name] as string | undefined;
};
const deliver = (headers?: Readonly<Record<string, unknown>>, given: unknown = body) => ({
  body: given as Uint8Array,
  header: headersOf(headers),
  request: undefined,
});

test('the signature is Ed25519 as in RFC 8032: its third test vector is a valid key', async () => {
  // RFC 8032, section 7.1, TEST 3: the public key, and the seed that the same section gives for it.
  const publicKey = Buffer.from('fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025', 'hex');
  const seed = Buffer.from('c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7', 'hex');
  const privateKey = `whsk_${seed.toString('base64')}`;
  const { headers } = await createSignedRequest({
    event: body,
    secrets: secret,
    privateKeys: privateKey,
    now,
    deliveryId: id,
  });
  const verifier = createAsymmetricVerifier({ publicKeys: `whpk_${publicKey.toString('base64')}`, now });
  assert.equal((await verifier.verifySignature(deliver(headers))).deliveryId, id);
});

interface Hostile {
  readonly name: string;
  readonly code: string;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

const signature = (name: string, value: unknown, code = 'signature_malformed'): Hostile => ({
  name,
  code,
  headers: { 'webhook-signature': value },
});
const timestamp = (value: unknown): Hostile => ({
  name: `the time ${JSON.stringify(value)?.slice(0, 40)}`,
  code: 'signature_malformed',
  headers: { 'webhook-timestamp': value, 'webhook-signature': signAs(body, String(value)) },
});
const identifier = (value: unknown): Hostile => ({
  name: `the id ${JSON.stringify(value)?.slice(0, 40)}`,
  code: 'signature_malformed',
  headers: { 'webhook-id': value, 'webhook-signature': signAs(body, time, String(value)) },
});
const missing = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].flatMap((name) =>
  [undefined, null, ''].map((value) => ({
    name: `${name} is ${value}`,
    code: 'signature_missing',
    headers: { [name]: value },
  })),
);
const signed = (name: string, payload: string): Hostile => ({
  name,
  code: 'body_invalid',
  body: payload,
  headers: { 'webhook-signature': signAs(payload) },
});
const at = (seconds: number) => ({
  'webhook-timestamp': String(seconds),
  'webhook-signature': signAs(body, seconds),
});

const hostile: readonly Hostile[] = [
  ...missing,
  signature('an array', [good]),
  signature('a number', 1),
  signature('an object', { toString: () => good }),
  signature('no v1a', shared),
  signature('the scheme of shared secrets with its bytes', good.replace('v1a', 'v1')),
  signature('joined by a comma', `${good}, ${good}`),
  signature('joined by only a comma', `${good},${good}`),
  signature('two spaces', `${shared}  ${good}`),
  signature('a space before', ` ${good}`),
  signature('a space after', `${good} `),
  signature('a tab', `${shared}\t${good}`),
  signature('a line break', `${good}\n`),
  signature('upper case', good.replace('v1a', 'V1A')),
  signature('no padding', good.slice(0, -2)),
  signature('half the padding', good.slice(0, -1)),
  signature('base64url', `v1a,${'-_'.repeat(43)}==`),
  signature('bits behind the last byte', `${good.slice(0, -3)}B==`),
  signature('63 bytes', `v1a,${Buffer.alloc(63).toString('base64')}`),
  signature('65 bytes', `v1a,${Buffer.alloc(65).toString('base64')}`),
  signature('nothing after the comma', `v1a, ${good}`),
  signature('an equals sign', good.replace(',', '=')),
  signature('hex', `v1a,${Buffer.alloc(64).toString('hex')}`),
  signature('a malformed one beside a good one', `${good} v1a,AAAA`),
  signature('a scheme without a name', `${good} ,x`),
  signature('headers joined by a comma', `${shared}, ${good}`),
  signature('1,025 characters', `${good} v2,${'a'.repeat(1025 - good.length - 4)}`),
  signature('a megabyte of signatures', `${good} `.repeat(11_000).trimEnd()),
  signature('a megabyte of spaces', ' '.repeat(1_000_000)),
  signature('zeros', `v1a,${Buffer.alloc(64).toString('base64')}`, 'signature_mismatch'),
  signature('another key', signAs(body, time, id, other.privateKey), 'signature_mismatch'),
  signature('another time', signAs(body, time + 1), 'signature_mismatch'),
  signature('another id', signAs(body, time, 'other'), 'signature_mismatch'),
  signature('another body', signAs(`${text}\n`), 'signature_mismatch'),
  ...['1e9', `0${time}`, `+${time}`, `-${time}`, `${time}.0`, ` ${time}`, `${time} `, '0x6955b900'].map(timestamp),
  ...['NaN', '1767225600000', '9'.repeat(400), '１７６７２２５６００', [String(time)], time].map(timestamp),
  ...['a b', 'a.b', `${id}.${time}`, 'é', 'a\n', 'x'.repeat(129), 'x'.repeat(1_000_000), [id], 5].map(identifier),
  { name: '301 seconds ago', code: 'timestamp_too_old', headers: at(time - 301) },
  { name: '301 seconds ahead', code: 'timestamp_too_new', headers: at(time + 301) },
  { name: 'another body', code: 'signature_mismatch', body: text.replace('access', 'erase') },
  { name: 'an empty body', code: 'signature_mismatch', body: '' },
  { name: 'a parsed body', code: 'body_not_bytes', body: event },
  { name: 'no body', code: 'body_not_bytes', body: null },
  { name: 'a proxy of bytes', code: 'body_not_bytes', body: new Proxy(body, {}) },
  signed('no JSON', 'hello'),
  signed('a list', '[]'),
  signed('no id', JSON.stringify({ ...event, id: undefined })),
];

for (const [name, ed25519] of Object.entries({ node, edge })) {
  const create = (options: Partial<AsymmetricOptions<unknown>> = {}) =>
    createVerifierOver<unknown>(ed25519, { publicKeys: pair.publicKey, now, ...options });
  const verifier = create();

  describe(`v1a by the ${name} build`, () => {
    test('accepts signatures of the key in any position, and returns the details', async () => {
      const found = { secretIndex: 0, secretName: null, timestamp: time, deliveryId: id };
      for (const value of [good, `${shared} ${good}`, `${good} ${shared}`, `v2,x v99b,y ${good} v1,z`]) {
        const delivery = deliver({ 'webhook-signature': value });
        assert.deepEqual(await verifier.verifySignature(delivery), found);
        assert.deepEqual(await verifier.constructEvent(delivery), { ...found, event });
      }
    });

    test('accepts any of its keys, returns which, and the first listed if several match', async () => {
      const keys = [{ name: 'new', publicKey: other.publicKey }, pair.publicKey];
      const both = create({ publicKeys: keys });
      const byOld = await both.verifySignature(deliver());
      assert.deepEqual([byOld.secretIndex, byOld.secretName], [1, null]);
      const byBoth = `${good} ${signAs(body, time, id, other.privateKey)}`;
      const found = await both.verifySignature(deliver({ 'webhook-signature': byBoth }));
      assert.deepEqual([found.secretIndex, found.secretName], [0, 'new']);
    });

    test(`rejects ${hostile.length} hostile headers and bodies, each with its code`, async () => {
      for (const { name: what, code, ...one } of hostile) {
        const delivery = deliver(one.headers, 'body' in one ? one.body : body);
        await assert.rejects(
          verifier.constructEvent(delivery),
          (error) => {
            assert.ok(error instanceof WebhookVerificationError, `${what}: ${error}`);
            assert.equal(error.code, code, what);
            assert.ok(!error.message.includes('subjectId'), what);
            return true;
          },
          what,
        );
        if (code === 'body_invalid') await verifier.verifySignature(delivery);
        else await assert.rejects(verifier.verifySignature(delivery), { code }, what);
      }
    });

    test('rejects a megabyte of header within a millisecond', async () => {
      const delivery = deliver({ 'webhook-signature': `${good} `.repeat(11_000) });
      // The fastest of so many runs is not interrupted, however busy the machine is.
      let best = Number.POSITIVE_INFINITY;
      for (let turn = 0; turn < 1000 && best >= 1; turn += 1) {
        const before = performance.now();
        await verifier.verifySignature(delivery).catch(() => undefined);
        best = Math.min(best, performance.now() - before);
      }
      assert.ok(best < 1, `${best} ms`);
    });

    test('accepts exactly the tolerance, in both directions', async () => {
      for (const toleranceSeconds of [0, 1, 300]) {
        const strict = create({ toleranceSeconds });
        await strict.verifySignature(deliver(at(time - toleranceSeconds)));
        await strict.verifySignature(deliver(at(time + toleranceSeconds)));
        await assert.rejects(strict.verifySignature(deliver(at(time - toleranceSeconds - 1))), {
          code: 'timestamp_too_old',
        });
        await assert.rejects(strict.verifySignature(deliver(at(time + toleranceSeconds + 1))), {
          code: 'timestamp_too_new',
        });
      }
      await create({ toleranceSeconds: Number.POSITIVE_INFINITY }).verifySignature(deliver(at(0)));
    });

    test('rejects invalid options immediately', () => {
      const raw = pair.publicKey.slice(5);
      for (const wrong of [
        'whpk_',
        raw,
        secret,
        `${pair.publicKey} `,
        `whpk_${raw.slice(0, -1)}`,
        `whpk_${raw}AAAA`,
        `whpk_${raw.slice(0, -2)}B=`,
        `whpk_${Buffer.alloc(33).toString('base64')}`,
        [pair.publicKey, ''],
        { publicKey: 1 },
        5,
      ])
        assert.throws(() => create({ publicKeys: wrong as string }), { code: 'public_key_invalid' });
      for (const wrong of [{ toleranceSeconds: Number.NaN }, { now: 5 as never }, { validate: {} as never }])
        assert.throws(() => create(wrong), { code: 'options_invalid' });
      assert.throws(() => createVerifierOver(ed25519, undefined as never), { code: 'options_invalid' });
    });

    test('reports a missing key at the first delivery, so that a build can load it without one', async () => {
      for (const none of [undefined, null, '', [], ['']])
        await assert.rejects(create({ publicKeys: none as string }).verifySignature(deliver()), {
          code: 'public_key_invalid',
        });
    });

    test('rejects unknown options', async () => {
      const refused = { code: 'options_invalid', message: /no option tolerance\. Known: publicKeys, toleranceSeconds/ };
      assert.throws(() => create({ tolerance: 5 } as never), refused);
      await assert.rejects(verifier.verifySignature({ ...deliver(), tolerance: 5 } as never), {
        code: 'options_invalid',
      });
    });

    test('skips unknown schemes, whatever their values', async () => {
      for (const value of ['ed25519:AAAA', '"', 'a,b', '', 'v1a'])
        for (const scheme of ['v2', 'foo', '__proto__', 'V1A'])
          for (const parts of [
            [`${scheme},${value}`, good],
            [good, `${scheme},${value}`],
          ])
            await verifier.verifySignature(deliver({ 'webhook-signature': parts.join(' ') }));
    });

    test('reports missing arguments', async () => {
      for (const wrong of [undefined, null, body, { body }, { body, header: {} }])
        await assert.rejects(verifier.verifySignature(wrong as never), { code: 'options_invalid' });
    });

    test('responds alike, after the same number of comparisons, for known and unknown tenants', async () => {
      const tries = [
        deliver({ 'webhook-signature': signAs('x') }),
        deliver({ 'webhook-timestamp': String(time - 301) }),
        deliver({ 'webhook-timestamp': '0' }),
        deliver({ 'webhook-timestamp': String(time + 301) }),
        deliver({ 'webhook-signature': '' }),
        deliver({ 'webhook-id': 'a.b' }),
        deliver({}, event),
      ];
      for (const tried of tries) {
        const answers: string[] = [];
        for (const publicKeys of [
          () => pair.publicKey,
          async () => other.publicKey,
          () => null,
          async () => undefined,
        ]) {
          let compared = 0;
          const counting = {
            importKey: async (bytes: Uint8Array<ArrayBuffer>) => {
              const check = await ed25519.importKey(bytes);
              return (...given: Parameters<typeof check>) => {
                compared += 1;
                return check(...given);
              };
            },
          };
          const looking = createVerifierOver(counting, { publicKeys, now });
          const error = await looking.constructEvent(tried).catch((thrown: unknown) => thrown);
          assert.ok(WebhookVerificationError.isInstance(error));
          answers.push(`${compared} ${error.code} ${error.message}`);
        }
        assert.equal(new Set(answers).size, 1, answers.join('\n'));
      }
    });

    test('finds public keys by the request, and passes on errors of the look-up', async () => {
      const keys: Readonly<Record<string, string | null>> = { ada: pair.publicKey, bob: other.publicKey, none: null };
      const found = create({ publicKeys: async ({ request }) => keys[String(request)] ?? null });
      assert.equal((await found.constructEvent({ ...deliver(), request: 'ada' })).event.id, event.id);
      for (const request of ['bob', 'none'])
        await assert.rejects(found.verifySignature({ ...deliver(), request }), {
          code: 'signature_mismatch',
          message: /another public key/,
        });
      const thrown = new Error('the vault is sealed');
      const failing = create({ publicKeys: () => Promise.reject(thrown) });
      await assert.rejects(failing.verifySignature(deliver()), (error) => error === thrown);
      await assert.rejects(create({ publicKeys: () => secret }).verifySignature(deliver()), {
        code: 'public_key_invalid',
      });
    });

    test('ignores changes of a body while it is verified', async () => {
      const changing = body.slice();
      const found = verifier.constructEvent(deliver({}, changing));
      changing.fill(0x20);
      assert.deepEqual((await found).event, event);
    });
  });
}

test('both builds agree on any signature, any bytes, any time and any id without a dot', async () => {
  const ids = fc.string({ unit: fc.constantFrom(...'abXY09_-+/=~!'), minLength: 1, maxLength: 128 });
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), fc.nat(4e9), ids, fc.nat(63), async (bytes, at, as, place) => {
      const value = signAs(bytes, at, as);
      const broken = Buffer.from(value.slice(4), 'base64');
      broken[place] = (broken[place] as number) ^ 1;
      for (const [one, isGood] of [
        [value, true],
        [`v1a,${broken.toString('base64')}`, false],
      ] as const) {
        const headers = { 'webhook-id': as, 'webhook-timestamp': String(at), 'webhook-signature': one };
        for (const ed25519 of [node, edge]) {
          const verifier = createVerifierOver(ed25519, { publicKeys: pair.publicKey, now: () => at * 1000 });
          const found = await verifier.verifySignature(deliver(headers, bytes)).catch((error) => error.code);
          const whole = { secretIndex: 0, secretName: null, timestamp: at, deliveryId: as };
          assert.deepEqual(found, isGood ? whole : 'signature_mismatch');
        }
      }
    }),
    { numRuns: 50 },
  );
});

test('reports a platform without Ed25519', async () => {
  const lacking = createVerifierOver(
    { importKey: (bytes) => edge.importKey(bytes.subarray(1)) },
    { publicKeys: pair.publicKey, now },
  );
  await assert.rejects(lacking.verifySignature(deliver()), { code: 'algorithm_unsupported', message: /no Ed25519/ });
});

test('an adapter verifies by public keys, and a guard uses the id that they prove', async () => {
  const handled: unknown[] = [];
  const handle = createFetchHandler({
    verifier: createAsymmetricVerifier({ publicKeys: [{ name: 'main', publicKey: pair.publicKey }], now }),
    replay: createReplayGuard({ now }),
    handler: (given, { request: _, ...context }) => handled.push([given, context]),
    onError: () => undefined,
  });
  const post = async (headers: Readonly<Record<string, string>>) => {
    const response = await handle(new Request('https://example.com', { method: 'POST', headers, body }));
    const { error, duplicate } = await response.json();
    return [response.status, error?.code ?? duplicate];
  };
  const headers = { 'webhook-id': id, 'webhook-timestamp': String(time), 'webhook-signature': `${shared} ${good}` };
  assert.deepEqual(await post({ ...headers, 'svc-delivery': 'not signed' }), [200, undefined]);
  assert.deepEqual(await post({ ...headers, 'svc-delivery': 'changed' }), [200, true]);
  assert.deepEqual(await post({ ...headers, 'webhook-id': 'changed' }), [400, 'signature_mismatch']);
  assert.deepEqual(await post({ ...headers, 'webhook-signature': shared }), [400, 'signature_malformed']);
  assert.deepEqual(await post({ 'svc-signature': 'x' }), [400, 'signature_missing']);
  assert.deepEqual(handled, [[event, { secretIndex: 0, secretName: 'main', timestamp: time, deliveryId: id }]]);
});

test('an adapter accepts either secrets or a verifier, and a guard that can prove ids', () => {
  const verifier = createAsymmetricVerifier({ publicKeys: pair.publicKey });
  const handler = () => undefined;
  const run = async () => 'handled' as const;
  for (const wrong of [
    { verifier, secrets: secret },
    { verifier, toleranceSeconds: 5 },
    { verifier, now },
    { verifier, validate: () => undefined },
    { verifier, toleranceSeconds: 0 },
    { verifier, toleranceSeconds: '' },
    { verifier, secrets: null },
    { verifier: {} },
    { verifier: { constructEvent: run } },
    { verifier: { checkHeaders: run } },
    { verifier: null },
    { secrets: secret, replay: { run } },
  ])
    assert.throws(() => createFetchHandler({ handler, ...wrong } as never), { code: 'options_invalid' });
  createFetchHandler({ handler, secrets: secret, replay: { run, by: 'event' } });
});

test('the placeholder key for unknown tenants is verifiably not computed', async () => {
  const verifiedBy: Buffer[] = [];
  const looking = createVerifierOver(
    {
      importKey: (bytes) => {
        verifiedBy.push(Buffer.from(bytes));
        return node.importKey(bytes);
      },
    },
    { publicKeys: () => null, now },
  );
  await assert.rejects(looking.verifySignature(deliver()), { code: 'signature_mismatch' });
  assert.deepEqual(verifiedBy, [Buffer.from('c'.repeat(43), 'base64')]);
});

test('the testing kit signs as the server does, and its tampered requests are rejected', async () => {
  const { publicKey, privateKey } = await createTestKeyPair();
  const request = await createSignedRequest({ event, secrets: secret, privateKeys: privateKey, now, deliveryId: id });
  const [first, second, ...rest] = request.headers['webhook-signature'].split(' ');
  assert.deepEqual([first?.slice(0, 3), second?.slice(0, 4), rest], ['v1,', 'v1a,', []]);
  const x = Buffer.from(publicKey.slice(5), 'base64').toString('base64url');
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  const bytes = Buffer.from(`${id}.${time}.${text}`);
  assert.ok(verify(null, bytes, key, Buffer.from(second?.slice(4) ?? '', 'base64')));
  const verifier = createAsymmetricVerifier({ publicKeys: publicKey, now });
  assert.deepEqual((await verifier.constructEvent(deliver(request.headers, request.body))).event, event);
  for (const [tampering, code] of Object.entries(tamperings)) {
    const changed = tamperWithRequest(request, tampering as keyof typeof tamperings);
    const given = { body: changed.body, header: (name: string) => changed.headers[name], request: undefined };
    await assert.rejects(verifier.verifySignature(given), { code }, tampering);
  }
  for (const wrong of ['', 'whsk_', publicKey, `${privateKey}A`])
    await assert.rejects(createSignedRequest({ event, secrets: secret, privateKeys: wrong }), {
      code: 'options_invalid',
    });
});

test('shows no key when it is printed', () => {
  const verifier = createAsymmetricVerifier({ publicKeys: pair.publicKey });
  assert.doesNotMatch(inspect(verifier, { depth: 9, showHidden: true }) + JSON.stringify(verifier), /whpk_/);
});
