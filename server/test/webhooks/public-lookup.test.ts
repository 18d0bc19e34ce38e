import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createPublicLookup } from '../../webhooks/transport/connection.ts';
import { startNameServer } from './name-server.ts';
import { openReceivers, stopTime, withoutTiming } from './receiver-helpers.ts';

const one = [0x26, 0x06, ...Array.from({ length: 13 }, () => 0), 1];

describe('the look-up of public names', () => {
  test('finds every address of both families, and queries only the given servers', async (context) => {
    const { address, questions } = await startNameServer(context, {
      'A hooks.example.com': [
        [8, 8, 8, 8],
        [10, 0, 0, 1],
      ],
      'AAAA hooks.example.com': [one],
    });
    const found = await createPublicLookup([address])('hooks.example.com', new AbortController().signal);
    assert.deepEqual(found, [
      { address: '2606::1', family: 6 },
      { address: '8.8.8.8', family: 4 },
      { address: '10.0.0.1', family: 4 },
    ]);
    assert.deepEqual(questions.toSorted(), ['A hooks.example.com', 'AAAA hooks.example.com']);
  });

  for (const [family, zone, expected] of [
    ['IPv4', { 'A a.example.com': [[8, 8, 8, 8]] }, { address: '8.8.8.8', family: 4 }],
    ['IPv6', { 'AAAA a.example.com': [one] }, { address: '2606::1', family: 6 }],
  ] as const) {
    test(`accepts only ${family}`, async (context) => {
      const { address } = await startNameServer(context, zone);
      const found = await createPublicLookup([address])('a.example.com', new AbortController().signal);
      assert.deepEqual(found, [expected]);
    });
  }

  test('is canceled by its signal', async (context) => {
    const { address, asked } = await startNameServer(context, {
      'A a.example.com': 'silent',
      'AAAA a.example.com': 'silent',
    });
    const aborter = new AbortController();
    const found = createPublicLookup([address])('a.example.com', aborter.signal);
    await asked(2);
    aborter.abort();
    await assert.rejects(found, { code: 'ECANCELLED' });
  });

  test('fails for a name that does not exist, and for one without addresses', async (context) => {
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
    for (const [host, code] of [
      ['none.example.com', 'ENOTFOUND'],
      ['empty.example.com', 'ENODATA'],
    ] as const) {
      const message = `The host name of the receiver cannot be resolved (${code}).`;
      assert.deepEqual(await post(host), { ...failed, message });
    }
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
