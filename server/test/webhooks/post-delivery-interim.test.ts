import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { describe, type TestContext, test } from 'node:test';
import { makeCertificate } from './make-certificate.ts';
import { openReceivers, socketSent, startReceiver, stopTime, withoutTiming, writeAnswer } from './receiver-helpers.ts';

const delivery = { headers: {}, body: Buffer.from('{}') };
const goesOn = 'HTTP/1.1 100 Continue\r\n\r\n';
const hints = 'HTTP/1.1 103 Early Hints\r\nLink: </a>; rel=preload\r\nRetry-After: 1\r\n\r\n';

interface Pieces {
  readonly pieces: readonly (string | Buffer)[];
  /** Waits until the sender has read each piece before it sends the next one. */
  readonly areApart?: boolean;
  readonly isSecure?: boolean;
}

/** Posts two deliveries to a receiver that answers each in these pieces. */
async function post(context: TestContext, { pieces, areApart = false, isSecure = false }: Pieces) {
  const sender = Promise.withResolvers<Socket>();
  const answer = async (socket: Socket) => {
    for (const piece of pieces) {
      const arrival = areApart ? once(await sender.promise, 'readable') : undefined;
      socket.write(piece);
      await arrival;
    }
  };
  const certificate = isSecure ? makeCertificate({ name: '127.0.0.1' }) : undefined;
  const receiver = await startReceiver(context, (socket) => void answer(socket), certificate);
  const receivers = openReceivers(context, certificate === undefined ? {} : { authorities: certificate.cert });
  sender.resolve(socketSent());
  const outcomes = [];
  for (const _ of [1, 2]) outcomes.push(withoutTiming(await receivers.post({ ...delivery, url: receiver.url })));
  assert.equal(receiver.requests.length, 2);
  return { outcomes, connections: receiver.connections.length };
}

function answered(excerpt = '') {
  return { outcome: 'answered', status: 200, retryAfter: null, excerpt };
}

describe('interim responses that no one asked for', () => {
  const final = writeAnswer(200);
  const body = `${'x'.repeat(3000)}\r\n\r\n${goesOn}`;
  const cases: readonly (readonly [what: string, answer: Pieces, excerpt?: string])[] = [
    ['a 100 before the response', { pieces: [goesOn, final] }],
    ['a 100 in the same packet as the response', { pieces: [goesOn + final] }],
    ['a 100 that arrives before the response', { pieces: [goesOn, final], areApart: true }],
    ['several of 100', { pieces: [goesOn.repeat(3), goesOn, final], areApart: true }],
    ['a 103 with headers', { pieces: [hints, final] }],
    ['102, 103, 110 and 199', { pieces: [...[102, 103, 110, 199].map((code) => `HTTP/1.1 ${code} x\r\n\r\n`), final] }],
    ['a 100 without a reason', { pieces: ['HTTP/1.1 100\r\n\r\n', 'HTTP/1.1 100 \r\n\r\n', final] }],
    ['a 100 of HTTP/1.0', { pieces: ['HTTP/1.0 100 Continue\r\n\r\n', final] }],
    ['one byte at a time', { pieces: [...(goesOn + hints + final)], areApart: true }],
    ['one byte at a time, over TLS', { pieces: [...(goesOn + final)], areApart: true, isSecure: true }],
    ['a 100 over TLS, in the packet of the response', { pieces: [goesOn + final], isSecure: true }],
    [
      'a body like an interim response',
      { pieces: [goesOn + writeAnswer(200, [], body)] },
      body.replaceAll('\r\n', '\n'),
    ],
    ['60 kB of them', { pieces: [goesOn.repeat(2400), final] }],
    ['a large body behind', { pieces: [goesOn + writeAnswer(200, [], 'y'.repeat(60_000))] }, 'y'.repeat(4096)],
  ];
  for (const [what, answer, excerpt = ''] of cases)
    test(`do not fail a delivery: ${what}`, async (context) => {
      const { outcomes, connections } = await post(context, answer);
      assert.deepEqual(outcomes, [
        { ...answered(excerpt), reused: false },
        { ...answered(excerpt), reused: true },
      ]);
      assert.equal(connections, 1);
    });

  const invalid = 'The answer is not valid HTTP/1.1 (invalid interim response).';
  for (const [what, answer] of [
    ['101 without an upgrade', 'HTTP/1.1 101 Switching Protocols\r\n\r\n'],
    ['101 after a 100', `${goesOn}HTTP/1.1 101 X\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n`],
    ['more than 64 KiB of them', hints.repeat(1000)],
    ['one that does not end', `HTTP/1.1 103 Early Hints\r\n${'Link: </a>\r\n'.repeat(6000)}`],
  ] as const)
    test(`fail a delivery: ${what}`, async (context) => {
      const receiver = await startReceiver(context, (socket) => socket.write(answer));
      const outcome = await openReceivers(context).post({ ...delivery, url: receiver.url });
      assert.deepEqual(withoutTiming(outcome), {
        outcome: 'failed',
        reason: 'protocol',
        message: invalid,
        reused: false,
      });
      await receiver.allClosed();
    });

  test('fail a delivery when the connection closes after them, or nothing follows', async (context) => {
    const closed = await startReceiver(context, (socket) => socket.end(goesOn));
    const outcome = await openReceivers(context).post({ ...delivery, url: closed.url });
    assert.deepEqual(outcome.outcome === 'failed' && outcome.reason, 'connection');

    const { pass } = stopTime(context);
    const silent = await startReceiver(context, (socket) => socket.write(goesOn));
    const sending = socketSent();
    const running = openReceivers(context).post({ ...delivery, url: silent.url });
    await once(await sending, 'readable');
    pass(15_000);
    const late = await running;
    assert.deepEqual(late.outcome === 'failed' && late.reason, 'timeout');
  });
});
