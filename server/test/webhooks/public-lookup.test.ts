import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { describe, test } from 'node:test';
import { createPublicLookup } from '../../webhooks/transport/connection.ts';
import { startNameServer } from './name-server.ts';
import { openReceivers, stopTime, withoutTiming } from './receiver-helpers.ts';

const one = [0x26, 0x06, ...Array.from({ length: 13 }, () => 0), 1];
const { signal } = new AbortController();

describe('the look-up of public names', () => {
  test('finds every address of both families, and queries only the given servers', async (context) => {
    const { address, questions } = await startNameServer(context, {
      'A hooks.example.com': [
        [8, 8, 8, 8],
        [10, 0, 0, 1],
      ],
      'AAAA hooks.example.com': [one],
    });
    const found = await createPublicLookup([address])('hooks.example.com', signal);
    assert.deepEqual(found, [
      { address: '2606::1', family: 6 },
      { address: '8.8.8.8', family: 4 },
      { address: '10.0.0.1', family: 4 },
    ]);
    assert.deepEqual(getEventListeners(signal, 'abort'), []);
    assert.deepEqual(questions.toSorted(), ['A hooks.example.com', 'AAAA hooks.example.com']);
  });

  for (const [family, zone, expected] of [
    ['IPv4', { 'A a.example.com': [[8, 8, 8, 8]] }, { address: '8.8.8.8', family: 4 }],
    ['IPv6', { 'AAAA a.example.com': [one] }, { address: '2606::1', family: 6 }],
  ] as const) {
    test(`accepts only ${family}`, async (context) => {
      const { address } = await startNameServer(context, zone);
      assert.deepEqual(await createPublicLookup([address])('a.example.com', signal), [expected]);
    });
  }

  for (const [silent, zone, expected] of [
    ['AAAA', { 'A a.example.com': [[8, 8, 8, 8]], 'AAAA a.example.com': 'silent' }, { address: '8.8.8.8', family: 4 }],
    ['A', { 'A a.example.com': 'silent', 'AAAA a.example.com': [one] }, { address: '2606::1', family: 6 }],
  ] as const) {
    test(`waits half a second, not longer, for a name server that never answers ${silent}`, async (context) => {
      const { address } = await startNameServer(context, zone);
      const { pass } = stopTime(context);
      let isFound = false;
      const found = createPublicLookup([address])('a.example.com', signal).finally(() => {
        isFound = true;
      });
      let passed = 0;
      for (; !isFound; passed += 100) {
        assert.ok(passed < 5_000);
        pass(100);
        // Time for an answer to arrive.
        await createPublicLookup([address])('b.example.com', signal).catch(() => {});
      }
      assert.ok(passed >= 500);
      assert.deepEqual(await found, [expected]);
      assert.deepEqual(getEventListeners(signal, 'abort'), []);
    });
  }

  test('waits for the other family while the first has no address', async (context) => {
    const { address, asked } = await startNameServer(context, {
      'A a.example.com': 'silent',
      'AAAA a.example.com': [],
    });
    const { pass } = stopTime(context);
    const controller = new AbortController();
    const lookup = createPublicLookup([address]);
    let hasEnded = false;
    const running = lookup('a.example.com', controller.signal).finally(() => {
      hasEnded = true;
    });
    await asked(2);
    for (const _ of [1, 2]) {
      // A query that is answered later than the empty response.
      await lookup('b.example.com', signal).catch(() => {});
      pass(10_000);
    }
    assert.equal(hasEnded, false);
    controller.abort();
    await assert.rejects(running, { code: 'ECANCELLED' });
  });

  test('distinguishes a name that does not exist from one that cannot be resolved', async (context) => {
    const { address } = await startNameServer(context, {
      'A none.example.com': 'none',
      'AAAA none.example.com': 'none',
    });
    const receivers = openReceivers(context, {
      allowPrivate: false,
      lookup: createPublicLookup([address]),
    });
    const post = (host: string) =>
      receivers.post({ url: `https://${host}/`, headers: {}, body: Buffer.from('{}') }).then(withoutTiming);
    const failed = { outcome: 'failed', reason: 'dns', reused: false };
    const message = 'The host name of the receiver does not exist.';
    assert.deepEqual(await post('none.example.com'), { ...failed, message });
    assert.deepEqual(await post('empty.example.com'), { ...failed, message });
  });

  test('rejects a name with one private address among its public ones', async (context) => {
    const { address } = await startNameServer(context, {
      'A hooks.example.com': [[8, 8, 8, 8]],
      'AAAA hooks.example.com': [one, [0xfd, ...Array.from({ length: 14 }, () => 0), 1]],
    });
    const receivers = openReceivers(context, {
      allowPrivate: false,
      lookup: createPublicLookup([address]),
    });
    const outcome = await receivers.post({ url: 'https://hooks.example.com/', headers: {}, body: Buffer.from('{}') });
    assert.equal(outcome.outcome === 'failed' && outcome.reason, 'refused_address');
  });

  test('is aborted by its signal', async (context) => {
    const { address, asked } = await startNameServer(context, {
      'A a.example.com': 'silent',
      'AAAA a.example.com': 'silent',
    });
    const controller = new AbortController();
    const running = createPublicLookup([address])('a.example.com', controller.signal);
    await asked(2);
    controller.abort();
    await assert.rejects(running, { code: 'ECANCELLED' });
    assert.deepEqual(getEventListeners(controller.signal, 'abort'), []);
  });

  test('is not delayed for others by many names whose servers never answer', async (context) => {
    const silent = Array.from({ length: 40 }, (_, at) => `n${at}.example.com`);
    const { address, asked } = await startNameServer(context, {
      ...Object.fromEntries(silent.flatMap((name) => [`A ${name}`, `AAAA ${name}`]).map((key) => [key, 'silent'])),
      'A hooks.example.com': [[10, 0, 0, 1]],
    });
    const { pass } = stopTime(context);
    const receivers = openReceivers(context, {
      allowPrivate: false,
      lookup: createPublicLookup([address]),
    });
    const post = (host: string) => receivers.post({ url: `https://${host}/`, headers: {}, body: Buffer.from('{}') });
    const stuck = silent.map(post);
    await asked(80);
    const outcome = await post('hooks.example.com');
    assert.equal(outcome.outcome === 'failed' && outcome.reason, 'refused_address');
    pass(15_000);
    for (const { outcome: how, ...rest } of await Promise.all(stuck)) {
      assert.deepEqual([how, 'reason' in rest && rest.reason], ['failed', 'timeout']);
    }
  });
});
