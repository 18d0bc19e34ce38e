import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createExpressHandler } from '../../src/express.ts';
import { createFetchHandler } from '../../src/fetch.ts';
import { createLookupVerifier } from '../../src/lookup.ts';
import { WebhookVerificationError } from '../../src/node.ts';
import { createReplayGuard } from '../../src/replay.ts';
import { createKeyLookup } from '../../src/secret-verifier.ts';
import { createSignedRequest, tamperWithRequest } from '../../src/testing.ts';
import { event, now, otherSecret, secret, sign, time } from './vectors.ts';

/** Each tenant has its own address. */
const tenants: Readonly<Record<string, string | readonly string[] | undefined>> = {
  '/ada': secret,
  '/bob': [`${otherSecret}x`, otherSecret],
};
const forAda = await createSignedRequest({ event, secrets: secret, now, deliveryId: 'one' });
const forBob = await createSignedRequest({ event, secrets: otherSecret, now, deliveryId: 'two' });

function receive(secrets: NonNullable<Parameters<typeof createFetchHandler>[0]['secrets']>, isGuarded = false) {
  const handled: unknown[] = [];
  const errors: unknown[] = [];
  const handle = createFetchHandler({
    secrets,
    now,
    ...(isGuarded && { replay: createReplayGuard({ now }) }),
    handler: (_event, { secretIndex, deliveryId }) => handled.push([secretIndex, deliveryId]),
    onError: (error) => errors.push(error),
  });
  const post = async (path: string, request: RequestInit) => {
    const response = await handle(new Request(`https://example.com${path}`, request));
    const { error } = await response.json();
    return [response.status, error?.code];
  };
  return { post, handled, errors };
}

test('secrets are found by the request, synchronously or not, and each tenant has only its own', async () => {
  const lookUp = ({ request }: { readonly request: { readonly url: string } }) =>
    tenants[new URL(request.url).pathname] ?? null;
  for (const secrets of [lookUp, async (of: Parameters<typeof lookUp>[0]) => lookUp(of)]) {
    const { post, handled } = receive(secrets, true);
    assert.deepEqual(await post('/ada', forAda), [200, undefined]);
    assert.deepEqual(await post('/bob', forBob), [200, undefined]);
    assert.deepEqual(await post('/bob', forAda), [400, 'signature_mismatch']);
    assert.deepEqual(await post('/ada', forBob), [400, 'signature_mismatch']);
    assert.deepEqual(handled, [
      [0, 'one'],
      [1, 'two'],
    ]);
  }
});

test('secrets are found by a header', async () => {
  const { post } = receive(({ header }) => (header('x-tenant') === 'ada' ? secret : otherSecret));
  assert.deepEqual(await post('/', { ...forAda, headers: { ...forAda.headers, 'x-tenant': 'ada' } }), [200, undefined]);
  assert.deepEqual(await post('/', forAda), [400, 'signature_mismatch']);
  assert.deepEqual(await post('/', forBob), [200, undefined]);
});

test('an unknown tenant gets the same response as a wrong signature', async () => {
  const answers: unknown[] = [];
  for (const secrets of [() => null, () => undefined, () => otherSecret]) {
    const handle = createFetchHandler({ secrets, now, handler: () => assert.fail(), onError: () => undefined });
    const response = await handle(new Request('https://example.com', forAda));
    answers.push([response.status, await response.text()]);
  }
  assert.deepEqual(answers[0], answers[2]);
  assert.deepEqual(answers[1], answers[2]);
  assert.match(String(answers[0]), /^400,.*signature_mismatch/);
});

const forged = (at: number) => sign(forAda.body, at, `${secret}x`);

/** Attempts of a sender without the secret, each with the code of the response, the same for every tenant. */
const tries: Readonly<Record<string, { readonly code: string; readonly signature: string; readonly body?: unknown }>> =
  {
    'a wrong signature': { code: 'signature_mismatch', signature: forged(time) },
    'an old time': { code: 'timestamp_too_old', signature: forged(time - 301) },
    'the oldest time': { code: 'timestamp_too_old', signature: `t=0,v1=${'0'.repeat(64)}` },
    'a time in the future': { code: 'timestamp_too_new', signature: forged(time + 301) },
    'a body that was parsed': { code: 'body_not_bytes', signature: forged(time), body: event },
    'no body': { code: 'body_not_bytes', signature: forged(time), body: undefined },
    'no signature': { code: 'signature_missing', signature: '' },
    'a malformed signature': { code: 'signature_malformed', signature: 't=1' },
  };

for (const [what, { code, signature, ...rest }] of Object.entries(tries))
  test(`${what} gets the same response whether a tenant is known or not`, async () => {
    const given = { header: () => signature, body: forAda.body, request: undefined, ...rest };
    const answers: string[] = [];
    let calls = 0;
    for (const found of [secret, [otherSecret, secret], null, undefined])
      for (const wrap of [(value: typeof found) => value, async (value: typeof found) => value]) {
        const lookUp = () => {
          calls += 1;
          return wrap(found);
        };
        const verifier = createLookupVerifier({ secrets: lookUp, now });
        const error = await verifier.constructEvent(given as never).catch((thrown: unknown) => thrown);
        assert.ok(WebhookVerificationError.isInstance(error));
        assert.equal(error.code, code);
        answers.push(error.message);
      }
    assert.equal(new Set(answers).size, 1, answers.join('\n'));
    assert.equal(calls, code === 'signature_mismatch' ? 8 : 0);
  });

test('a slow look-up does not change the age of a delivery', async () => {
  const answers: string[] = [];
  for (const found of [secret, null]) {
    let present = time + 300;
    const lookUp = async () => {
      present += 1;
      return found;
    };
    const verifier = createLookupVerifier({ secrets: lookUp, now: () => present * 1000 });
    await verifier.constructEvent({ ...delivery(), body: 'x' }).catch(({ code }) => answers.push(code));
    if (found === null) continue;
    present = time + 300;
    assert.deepEqual((await verifier.constructEvent(delivery())).event, event);
  }
  assert.deepEqual(answers, ['signature_mismatch', 'signature_mismatch']);
});

test('an unsigned request causes no look-up', async () => {
  let calls = 0;
  const { post } = receive(() => {
    calls += 1;
    return secret;
  });
  assert.deepEqual(await post('/', tamperWithRequest(forAda, 'missing')), [400, 'signature_missing']);
  assert.deepEqual(await post('/', tamperWithRequest(forAda, 'repeated')), [400, 'signature_malformed']);
  assert.equal(calls, 0);
});

test('an exception of the look-up is passed on unchanged, and adapters respond with 500, even for an error of this package', async () => {
  for (const thrown of [
    new Error('the vault is sealed'),
    new WebhookVerificationError('signature_mismatch', 'of a webhook inside'),
    Object.freeze(new WebhookVerificationError('body_too_large', 'inside')),
    'a text',
    undefined,
  ])
    for (const lookUp of [() => Promise.reject(thrown), () => raise(thrown)]) {
      const { post, errors } = receive(lookUp);
      assert.deepEqual(await post('/', forAda), [500, 'receiver_failed']);
      assert.deepEqual(errors.length, 1);
      assert.equal(errors[0], thrown);
      const verifier = createLookupVerifier({ secrets: lookUp, now });
      const found = await verifier.constructEvent(delivery()).then(
        () => assert.fail(),
        (error) => error,
      );
      assert.equal(found, thrown);
    }
});

test('a look-up without a result is a failure of the receiver: the sender retries', async () => {
  for (const wrong of ['', [], [null], 'whsec_', 5, {}, [secret, '']]) {
    const { post, errors } = receive(() => wrong as never);
    assert.deepEqual(await post('/', forAda), [500, 'secret_invalid'], JSON.stringify(wrong));
    assert.ok(WebhookVerificationError.isInstance(errors[0]));
  }
});

test('a verifier without an adapter finds secrets too, and returns which matched', async () => {
  const verifier = createLookupVerifier<{ readonly tenant: string }>({
    secrets: async ({ request }) => [{ name: request.tenant, secret }],
    now,
  });
  const found = await verifier.constructEvent(delivery({ tenant: 'ada' }));
  assert.deepEqual(found, { secretIndex: 0, secretName: 'ada', timestamp: time, event });
  for (const wrong of [
    undefined,
    null,
    'x',
    { body: forAda.body },
    { ...delivery(), header: {} },
    { ...delivery(), now },
  ])
    await assert.rejects(verifier.constructEvent(wrong as never), { code: 'options_invalid' });
});

test('rejects invalid options beside a look-up immediately', () => {
  const handler = () => undefined;
  for (const wrong of [{ toleranceSeconds: -1 }, { now: 5 }, { validate: true }, { tolerance: 5 }]) {
    const options = { secrets: () => secret, ...(wrong as object) };
    assert.throws(() => createLookupVerifier(options), { code: 'options_invalid' });
    assert.throws(() => createExpressHandler({ ...options, handler }), { code: 'options_invalid' });
  }
});

test('keys are prepared once for the same text, and the least recently used are evicted', async () => {
  const prepared: string[] = [];
  const find = createKeyLookup({
    keys: async ({ request }: { readonly request: string }) => request,
    read: (keys: string) => keys,
    prepare: (text: string) => prepared.push(text),
    placeholder: () => 'placeholder',
  });
  const header = () => null;
  const ask = async (from: number, to: number) => {
    for (let place = from; place < to; place += 1) await find({ header, request: `key-${place}` });
  };
  await ask(0, 1000);
  await ask(0, 1000);
  assert.equal(prepared.length, 1000);
  await ask(0, 1);
  await ask(1000, 1001);
  await ask(0, 1);
  assert.equal(prepared.length, 1001);
  // The second was the oldest.
  await ask(1, 2);
  assert.equal(prepared.length, 1002);
  await ask(3, 1001);
  assert.equal(prepared.length, 1002);
});

function delivery<Request>(request?: Request) {
  const header = (name: string) => forAda.headers[name];
  return { body: forAda.body, header, request: request as Request };
}

function raise(error: unknown): never {
  throw error;
}
