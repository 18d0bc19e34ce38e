import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { describe, test } from 'node:test';
import type { Lookup } from '../../webhooks/transport/connection.ts';
import { makeCertificate } from './make-certificate.ts';
import {
  openReceivers,
  startReceiver,
  stopTime,
  type TestReceiver,
  withoutTiming,
  writeAnswer,
} from './receiver-helpers.ts';

const delivery = { headers: { 'svc-event-id': 'one' }, body: Buffer.from('{"a":1}') };
const name = 'receiver.example.com';
const authority = makeCertificate({ name: 'Some Authority', isAuthority: true });
const certificate = makeCertificate({ name, issuer: authority });
const answered = { outcome: 'answered', status: 200, retryAfter: null, excerpt: '' };
const broken = {
  outcome: 'failed',
  reason: 'connection',
  message: 'The receiver closed the connection before its answer was whole.',
};
const lookup: Lookup = async () => [{ address: '127.0.0.1', family: 4 }];

/** Behavior of a receiver at its second request, its third and so on; the first is answered. */
type Turn = (socket: Socket, receiver: TestReceiver) => void;
const answer: Turn = (socket) => socket.write(writeAnswer(200));
const close: Turn = (socket) => socket.destroy();
const stay: Turn = () => {};

interface Kept {
  readonly receiver: TestReceiver;
  readonly url: string;
}

describe('a delivery over a kept connection that breaks', () => {
  for (const [scheme, pair] of [
    ['http', undefined],
    ['https', certificate],
  ] as const) {
    const start = async (context: Parameters<typeof startReceiver>[0], turns: readonly Turn[]): Promise<Kept> => {
      const all = [answer, ...turns];
      const receiver = await startReceiver(
        context,
        (socket) => all[receiver.requests.length - 1]?.(socket, receiver),
        pair,
      );
      return { receiver, url: `${scheme}://${name}:${receiver.port}/hook` };
    };
    const trusted = { lookup, authorities: authority.cert };

    for (const [how, turn] of [
      ['closes it', close],
      ['ends it', (socket) => socket.end()],
      ['ends it after an interim response', (socket) => socket.end('HTTP/1.1 103 Early Hints\r\n\r\n')],
      ['resets it', (_socket, { connections }) => connections[0]?.resetAndDestroy()],
    ] as const satisfies readonly (readonly [string, Turn])[]) {
      test(`goes out once more over a new one when the receiver ${how} (${scheme})`, async (context) => {
        const { receiver, url } = await start(context, [turn, answer, answer]);
        const receivers = openReceivers(context, trusted);
        await receivers.post({ ...delivery, url });
        const second = await receivers.post({ ...delivery, url });
        assert.deepEqual(withoutTiming(second), { ...answered, reused: false });
        const [, lost, repeated] = receiver.requests;
        assert.deepEqual(repeated, lost);
        assert.deepEqual([receiver.requests.length, receiver.connections.length], [3, 2]);
        assert.deepEqual(withoutTiming(await receivers.post({ ...delivery, url })), { ...answered, reused: true });
      });
    }

    test(`does not go out a third time (${scheme})`, async (context) => {
      const { receiver, url } = await start(context, [close, close, answer]);
      const receivers = openReceivers(context, trusted);
      await receivers.post({ ...delivery, url });
      assert.deepEqual(withoutTiming(await receivers.post({ ...delivery, url })), { ...broken, reused: false });
      assert.equal(receiver.requests.length, 3);
      await receiver.allClosed();
    });

    test(`fails at once when part of the answer came (${scheme})`, async (context) => {
      const part = 'HTTP/1.1 200 X\r\nContent-Length: 5\r\n\r\nab';
      const { receiver, url } = await start(context, [(socket) => socket.end(part), answer]);
      const receivers = openReceivers(context, trusted);
      await receivers.post({ ...delivery, url });
      assert.deepEqual(withoutTiming(await receivers.post({ ...delivery, url })), { ...broken, reused: true });
      assert.equal(receiver.requests.length, 2);
    });

    test(`fails at once when the connection was new (${scheme})`, async (context) => {
      const receiver = await startReceiver(context, (socket) => socket.destroy(), pair);
      const url = `${scheme}://${name}:${receiver.port}/hook`;
      const outcome = await openReceivers(context, trusted).post({ ...delivery, url });
      assert.deepEqual(withoutTiming(outcome), { ...broken, reused: false });
      assert.equal(receiver.requests.length, 1);
    });
  }

  /** Has one connection kept, which breaks with the second request; then the receiver is silent. */
  const breakKept = async (context: Parameters<typeof startReceiver>[0]): Promise<Kept> => {
    const turns = [answer, close, stay];
    const receiver = await startReceiver(context, (socket) => turns[receiver.requests.length - 1]?.(socket, receiver));
    return { receiver, url: `http://${name}:${receiver.port}/hook` };
  };

  test('has one time limit for both tries', async (context) => {
    const { receiver, url } = await breakKept(context);
    const { pass } = stopTime(context);
    const receivers = openReceivers(context, { lookup });
    await receivers.post({ ...delivery, url });
    const running = receivers.post({ ...delivery, url });
    pass(10_000);
    await receiver.received(3);
    pass(5_000);
    const message = 'There was no whole answer within 15 s.';
    assert.deepEqual(withoutTiming(await running), { outcome: 'failed', reason: 'timeout', message, reused: false });
    await receiver.allClosed();
  });

  test('ends when it is aborted in the second try too', async (context) => {
    const { receiver, url } = await breakKept(context);
    const receivers = openReceivers(context, { lookup });
    await receivers.post({ ...delivery, url });
    const running = receivers.post({ ...delivery, url });
    await receiver.received(3);
    receivers.close();
    const message = 'The delivery was aborted.';
    assert.deepEqual(withoutTiming(await running), { outcome: 'failed', reason: 'aborted', message, reused: false });
    await receiver.allClosed();
  });

  test('looks the name up again, and goes nowhere that is not allowed', async (context) => {
    const { receiver, url } = await breakKept(context);
    const answers = ['127.0.0.1', '169.254.169.254'];
    const receivers = openReceivers(context, {
      lookup: async () => [{ address: answers.shift() ?? '', family: 4 }],
    });
    await receivers.post({ ...delivery, url });
    const outcome = await receivers.post({ ...delivery, url });
    const { reused, ...rest } = withoutTiming(outcome);
    assert.deepEqual([reused, 'reason' in rest && rest.reason], [false, 'refused_address']);
    assert.deepEqual([receiver.requests.length, answers], [2, []]);
  });
});
