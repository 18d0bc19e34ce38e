import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createFetchHandler } from '../../src/fetch.ts';
import { createMemoryReplayStore, createReplayGuard, type ReplayGuard } from '../../src/replay.ts';
import { createSignedRequest, createTestClock, type SignedRequest } from '../../src/testing.ts';
import { event, otherSecret, secret } from './vectors.ts';

const clock = createTestClock();
const { now } = clock;

/** A receiver with a guard that counts. */
function receive(replay: ReplayGuard, secrets: string | readonly string[] = secret) {
  const calls: (string | null)[] = [];
  const duplicates: (string | null)[] = [];
  const handle = createFetchHandler({
    secrets,
    now,
    replay,
    handler: (_event, { deliveryId }) => calls.push(deliveryId),
    onDuplicate: (_event, { deliveryId }) => duplicates.push(deliveryId),
    onError: () => undefined,
  });
  const post = async (request: SignedRequest) => {
    const response = await handle(new Request('https://example.com', request));
    const { error, ...answer } = await response.json();
    return { status: response.status, code: error?.code, ...answer };
  };
  return { post, calls, duplicates };
}

const sign = (deliveryId: string, secrets: string | readonly string[] = secret) =>
  createSignedRequest({ event, secrets, now, deliveryId });

const change = (request: SignedRequest, headers: Readonly<Record<string, string>>): SignedRequest => ({
  ...request,
  headers: { ...request.headers, ...headers },
});

describe('a guard by delivery', () => {
  test('handles a delivery once over all its attempts, and reports the others', async () => {
    const { post, calls, duplicates } = receive(createReplayGuard({ now }));
    assert.deepEqual(await post(await sign('one')), { status: 200, code: undefined, received: true });
    clock.advance(30);
    const again = { status: 200, code: undefined, received: true, duplicate: true };
    assert.deepEqual(await post(await sign('one')), again);
    assert.deepEqual([calls, duplicates], [['one'], ['one']]);
  });

  test('handles an event again that was redelivered on purpose', async () => {
    const { post, calls } = receive(createReplayGuard({ now }));
    for (const id of ['one', 'two', 'two']) assert.equal((await post(await sign(id))).status, 200);
    assert.deepEqual(calls, ['one', 'two']);
  });

  test('hides no delivery of one endpoint from another that shares the store', async () => {
    const store = createMemoryReplayStore({ now });
    const one = receive(createReplayGuard({ store, now }));
    const other = receive(createReplayGuard({ store, now }), otherSecret);
    await one.post(await sign('of-one'));
    await other.post(await sign('of-other', otherSecret));
    assert.deepEqual([one.calls, other.calls], [['of-one'], ['of-other']]);
  });

  test('passes a delivery to each of two handlers with their own scopes', async () => {
    const store = createMemoryReplayStore({ now });
    const [one, other, same] = ['a:', 'b:', 'b:'].map((scope) => receive(createReplayGuard({ store, now, scope })));
    for (const handler of [one, other, same]) await handler?.post(await sign('one'));
    assert.deepEqual([one?.calls, other?.calls, same?.calls], [['one'], ['one'], []]);
  });

  test('is not bypassed by changing or removing unsigned parts', async () => {
    const { post, calls } = receive(createReplayGuard({ now }), [secret, otherSecret]);
    const genuine = await sign('one', [otherSecret, secret]);
    const { 'webhook-signature': proof, ...unproven } = genuine.headers;
    const foreign = (await sign('three', otherSecret)).headers['webhook-signature'];
    const others = await createSignedRequest({ event: {}, secrets: secret, now, deliveryId: 'two' });
    await post(genuine);
    for (const headers of [
      { 'svc-delivery': 'two' },
      { 'svc-delivery': 'two', 'webhook-id': 'two' },
      { 'svc-delivery': 'two', 'webhook-signature': others.headers['webhook-signature'] },
      { 'svc-delivery': 'two', 'webhook-signature': foreign },
      { 'svc-delivery': '' },
      { 'svc-delivery': 'é' },
      { 'svc-delivery': 'x'.repeat(2000) },
      { 'webhook-signature': proof.replaceAll('v1,', 'v1a,') },
      { 'webhook-signature': 'v1,' },
      { 'webhook-signature': 'v1,*** v1' },
      { 'webhook-signature': `${'v1,AAAA '.repeat(140)}${proof}` },
      { 'webhook-signature': `${'x'.repeat(5000)} ${proof}` },
    ])
      assert.deepEqual(await post(change(genuine, headers)), { status: 400, code: 'delivery_id_unsigned' });
    const stripped = { ...genuine, headers: unproven as SignedRequest['headers'] };
    assert.equal((await post(stripped)).code, 'delivery_id_unsigned');
    // Either signature is valid, and the delivery stays the same.
    for (const one of proof.split(' '))
      assert.equal((await post(change(genuine, { 'webhook-signature': `v1a,x ${one}` }))).duplicate, true);
    assert.deepEqual(calls, ['one']);
  });

  test('rejects a secret that cannot prove a delivery', () => {
    const replay = createReplayGuard();
    for (const wrong of ['whsec_!', 'whsec_a', 'whsec_****', ['whsec_?']])
      assert.throws(() => receive(replay, wrong), { code: 'secret_invalid' });
    receive(replay, ['whsec_?', secret]);
    receive(createReplayGuard({ by: 'event' }), 'whsec_!');
  });
});

test('a guard by event handles each event once, over all deliveries, and needs no proof', async () => {
  const { post, calls } = receive(createReplayGuard({ now, by: 'event' }));
  const genuine = await sign('one');
  const { 'webhook-signature': _, ...headers } = genuine.headers;
  await post({ ...genuine, headers: headers as SignedRequest['headers'] });
  assert.equal((await post(change(genuine, { 'svc-delivery': 'two' }))).duplicate, true);
  assert.equal((await post(await sign('three'))).duplicate, true);
  assert.deepEqual(calls, ['one']);
});

test('a store with an unknown response is a failure, and nothing is handled or lost', async () => {
  for (const wrong of [undefined, null, true, 'OK', 1]) {
    const store = { ...createMemoryReplayStore(), claim: () => wrong as never };
    const { post, calls } = receive(createReplayGuard({ store }));
    assert.deepEqual(await post(await sign('one')), { status: 500, code: 'receiver_failed' });
    assert.deepEqual(calls, []);
  }
});

test('an onDuplicate that rejects changes no response', async (context) => {
  const printed = context.mock.method(console, 'error', () => undefined);
  const onDuplicate = async () => Promise.reject(new Error('of the log'));
  const handle = createFetchHandler({
    secrets: secret,
    now,
    replay: createReplayGuard(),
    onDuplicate,
    handler: () => 1,
  });
  const genuine = await sign('one');
  for (let turn = 0; turn < 2; turn += 1)
    assert.equal((await handle(new Request('https://example.com', genuine))).status, 200);
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(printed.mock.callCount(), 1);
});
