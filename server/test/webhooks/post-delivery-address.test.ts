import assert from 'node:assert/strict';
import type { LookupAddress } from 'node:dns';
import { describe, test } from 'node:test';
import undici from 'undici';
import { DeliveryFailure, type Lookup, openSocket } from '../../webhooks/transport/connection.ts';
import { openReceivers, startReceiver, withoutTiming, writeAnswer } from './receiver-helpers.ts';

const delivery = { headers: {}, body: Buffer.from('{}') };
const loopback: LookupAddress = { address: '127.0.0.1', family: 4 };
const metadata: LookupAddress = { address: '169.254.169.254', family: 4 };
const refused = {
  outcome: 'failed',
  reason: 'refused_address',
  message: 'The receiver resolves to an address to which no delivery may go.',
  reused: false,
};

/** Answers look-ups one after the other, and counts them. */
function answerInTurn(...answers: readonly (readonly LookupAddress[])[]): {
  readonly lookup: Lookup;
  readonly names: string[];
} {
  const names: string[] = [];
  return {
    names,
    lookup: async (name) => {
      names.push(name);
      return answers[names.length - 1] ?? [metadata];
    },
  };
}

/** Asserts that no connection is given for a target. */
async function assertRefused(
  options: Parameters<typeof openSocket>[1],
  target: Parameters<typeof openSocket>[2],
): Promise<void> {
  const opened = openSocket(undici, options, target, new AbortController().signal);
  await assert.rejects(opened, new DeliveryFailure('refused_address', refused.message));
}

describe('the address of a delivery', () => {
  for (const [how, addresses] of [
    ['is private', [loopback]],
    ['is private over IPv6', [{ address: '::1', family: 6 }]],
    ['is IPv4 mapped into IPv6', [{ address: '::ffff:127.0.0.1', family: 6 }]],
    ['is private beside a public one', [{ address: '93.184.215.14', family: 4 }, loopback]],
    ['is private before a public one', [loopback, { address: '2606:2800:220:1::1', family: 6 }]],
    ['is no address', [{ address: 'localhost', family: 4 }]],
  ] as const) {
    test(`is rejected before any connection when it ${how}`, async (context) => {
      const receiver = await startReceiver(context, (socket) => socket.write(writeAnswer(200)));
      const { lookup } = answerInTurn(addresses);
      const receivers = openReceivers(context, { allowPrivate: false, lookup });
      const outcome = await receivers.post({ ...delivery, url: `https://hooks.example.com:${receiver.port}/` });
      assert.deepEqual(withoutTiming(outcome), refused);
      assert.equal(receiver.connections.length, 0);
    });
  }

  test('is rejected if one of several is private, also when private ones are allowed', async (context) => {
    const receiver = await startReceiver(context, (socket) => socket.write(writeAnswer(200)));
    const { lookup } = answerInTurn([loopback, metadata]);
    const receivers = openReceivers(context, { lookup });
    const outcome = await receivers.post({ ...delivery, url: `http://hooks.example.com:${receiver.port}/` });
    assert.deepEqual(withoutTiming(outcome), refused);
    assert.equal(receiver.connections.length, 0);
  });

  test('is the checked one: the name is resolved once per connection', async (context) => {
    const receiver = await startReceiver(context, (socket) => socket.write(writeAnswer(200)));
    const { lookup, names } = answerInTurn([loopback], [metadata]);
    const receivers = openReceivers(context, { lookup });
    const url = `http://hooks.example.com.:${receiver.port}/`;
    for (const _ of [1, 2, 3]) assert.equal((await receivers.post({ ...delivery, url })).outcome, 'answered');
    assert.deepEqual(names, ['hooks.example.com']);
    assert.deepEqual(receiver.connections.length, 1);
  });

  test('is checked again with each new connection', async (context) => {
    const receiver = await startReceiver(context, (socket) => socket.end(writeAnswer(200, ['Connection: close'])));
    const { lookup, names } = answerInTurn([loopback], [metadata], [loopback]);
    const receivers = openReceivers(context, { lookup });
    const url = `http://hooks.example.com:${receiver.port}/`;
    assert.equal((await receivers.post({ ...delivery, url })).outcome, 'answered');
    assert.deepEqual(withoutTiming(await receivers.post({ ...delivery, url })), refused);
    assert.equal((await receivers.post({ ...delivery, url })).outcome, 'answered');
    assert.equal(names.length, 3);
    assert.equal(receiver.connections.length, 2);
  });

  test('is checked before the connection when the address is written in the URL', async (context) => {
    const receiver = await startReceiver(context, () => {});
    const target = { protocol: 'http:', hostname: '127.0.0.1', port: String(receiver.port) };
    const options = { policy: { allowPrivate: false }, lookup: async () => [] };
    await assertRefused(options, target);
    // A connection of the test itself is the first one that the receiver sees.
    const own = new AbortController();
    const ended = fetch(`http://127.0.0.1:${receiver.port}/`, { signal: own.signal }).catch(() => undefined);
    await receiver.connected(1);
    own.abort();
    await ended;
    assert.equal(receiver.connections.length, 1);
  });

  test('is checked again on the open connection', async (context) => {
    const receiver = await startReceiver(context, () => {});
    // Stands for a network that routes elsewhere: the address of the look-up differs from that of the connection.
    const verdicts = [true, false];
    const policy = {
      get allowPrivate() {
        return verdicts.shift() ?? false;
      },
    };
    const target = { protocol: 'http:', hostname: 'hooks.example.com', port: String(receiver.port) };
    const options = { policy, lookup: async () => [loopback] };
    await assertRefused(options, target);
    await receiver.connected(1);
    await receiver.allClosed();
  });

  test('falls back to another checked one when the first does not answer', async (context) => {
    const receiver = await startReceiver(context, (socket) => socket.write(writeAnswer(200)));
    // Nothing listens at the first two.
    const addresses = ['127.0.0.2', '127.0.0.3', '127.0.0.1'].map((address) => ({ address, family: 4 }));
    const receivers = openReceivers(context, { lookup: answerInTurn(addresses).lookup });
    const outcome = await receivers.post({ ...delivery, url: `http://hooks.example.com:${receiver.port}/` });
    assert.equal(outcome.outcome, 'answered');
  });

  test('fails as one when none of several answers', async (context) => {
    const receiver = await startReceiver(context, (socket) => socket.write(writeAnswer(200)));
    const addresses = ['127.0.0.2', '127.0.0.3'].map((address) => ({ address, family: 4 }));
    const receivers = openReceivers(context, { lookup: answerInTurn(addresses).lookup });
    const outcome = await receivers.post({ ...delivery, url: `http://hooks.example.com:${receiver.port}/` });
    const message = 'The receiver refused the connection.';
    assert.deepEqual(withoutTiming(outcome), { outcome: 'failed', reason: 'connection', message, reused: false });
  });

  test('is resolved by the system by default', async (context) => {
    const receiver = await startReceiver(context, (socket) => socket.write(writeAnswer(200)));
    const strict = openReceivers(context, { allowPrivate: false });
    const url = `http://localhost:${receiver.port}/`;
    const answered = await openReceivers(context).post({ ...delivery, url });
    assert.equal(answered.outcome, 'answered');
    const outcome = await strict.post({ ...delivery, url });
    assert.equal(outcome.outcome === 'failed' && outcome.reason, 'refused_address');
    assert.equal(receiver.connections.length, 1);
  });

  for (const url of [
    'http://hooks.example.com/',
    'https://hooks.example.com:25/',
    'https://10.0.0.1/',
    'https://db/',
  ]) {
    test(`is not even resolved for ${url}, which the rules no longer allow`, async (context) => {
      const { lookup, names } = answerInTurn([loopback]);
      const outcome = await openReceivers(context, { allowPrivate: false, lookup }).post({ ...delivery, url });
      assert.ok(outcome.outcome === 'failed');
      assert.equal(outcome.reason, 'refused_address');
      assert.match(outcome.message, /^The address of the receiver must /);
      assert.deepEqual(names, []);
    });
  }
});
