import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import undici from 'undici';
import { openSocket } from '../../webhooks/transport/connection.ts';
import {
  openReceivers,
  startReceiver,
  stopTime,
  type TestReceiver,
  withoutTiming,
  writeAnswer,
} from './receiver-helpers.ts';

const delivery = { headers: {}, body: Buffer.from('{}') };

function failed(reason: string, message: string) {
  return { outcome: 'failed', reason, message, reused: false };
}

/** Asserts that no connection came before one that is opened now. */
async function assertUntouched(receiver: TestReceiver): Promise<void> {
  const own = connect(receiver.port, '127.0.0.1');
  await receiver.connected(1);
  assert.equal(receiver.connections[0]?.remotePort, own.localPort);
  own.destroy();
}

describe('a delivery without a complete response', () => {
  test('times out before the headers, and closes the connection', async (context) => {
    const receiver = await startReceiver(context, () => {});
    const { pass } = stopTime(context);
    const running = openReceivers(context).post({ ...delivery, url: receiver.url });
    await receiver.received(1);
    pass(14_999);
    assert.equal(await Promise.race([running, setImmediate('still running')]), 'still running');
    pass(1);
    assert.deepEqual(withoutTiming(await running), failed('timeout', 'There was no whole answer within 15 s.'));
    await receiver.allClosed();
  });

  test('times out inside the body as well', async (context) => {
    const { pass } = stopTime(context);
    const receiver = await startReceiver(context, (socket) => {
      socket.write('HTTP/1.1 200 X\r\nContent-Length: 10\r\n\r\nhalf');
    });
    const receivers = openReceivers(context);
    const running = receivers.post({ ...delivery, url: receiver.url });
    await headersCame();
    pass(15_000);
    assert.deepEqual(withoutTiming(await running), failed('timeout', 'There was no whole answer within 15 s.'));
    await receiver.allClosed();
  });

  test('times out while the name is resolved, and is not sent afterwards', async (context) => {
    const receiver = await startReceiver(context, () => {});
    const { pass } = stopTime(context);
    const asked = Promise.withResolvers<void>();
    const found = Promise.withResolvers<void>();
    const receivers = openReceivers(context, {
      lookup: async () => {
        asked.resolve();
        await found.promise;
        return [{ address: '127.0.0.1', family: 4 }];
      },
    });
    const running = receivers.post({ ...delivery, url: `http://receiver.example.com:${receiver.port}/` });
    await asked.promise;
    pass(15_000);
    assert.deepEqual(withoutTiming(await running), failed('timeout', 'There was no whole answer within 15 s.'));
    found.resolve();
    await assertUntouched(receiver);
  });

  test('is aborted with all others', async (context) => {
    const receiver = await startReceiver(context, () => {});
    const receivers = openReceivers(context);
    const posts = [1, 2].map(() => receivers.post({ ...delivery, url: receiver.url }));
    await receiver.received(2);
    receivers.close();
    for (const outcome of await Promise.all(posts))
      assert.deepEqual(withoutTiming(outcome), failed('aborted', 'The delivery was aborted.'));
    await receiver.allClosed();
  });

  test('is aborted while the name is resolved: the look-up is canceled and no connection opened', async (context) => {
    const receiver = await startReceiver(context, () => {});
    const asked = Promise.withResolvers<AbortSignal>();
    const found = Promise.withResolvers<void>();
    const receivers = openReceivers(context, {
      lookup: async (_hostname, signal) => {
        asked.resolve(signal);
        await found.promise;
        return [{ address: '127.0.0.1', family: 4 }];
      },
    });
    const isWanted = context.mock.fn(async () => true);
    const url = `http://receiver.example.com:${receiver.port}/`;
    const running = receivers.post({ ...delivery, url, isWanted });
    const signal = await asked.promise;
    receivers.close();
    assert.deepEqual(withoutTiming(await running), failed('aborted', 'The delivery was aborted.'));
    assert.equal(signal.aborted, true);
    found.resolve();
    await assertUntouched(receiver);
    assert.equal(isWanted.mock.callCount(), 0);
  });

  test('is aborted while the connection opens, which closes it', async (context) => {
    // Accepts the connection, but never answers the handshake.
    const receiver = await startReceiver(context, () => {});
    const opening = new AbortController();
    const target = { protocol: 'https:', hostname: '127.0.0.1', port: String(receiver.port) };
    const opened = openSocket(undici, { policy: { allowPrivate: true } }, target, opening.signal);
    await receiver.connected(1);
    const reason = new Error('stop');
    opening.abort(reason);
    await assert.rejects(opened, reason);
    await receiver.allClosed();
  });

  const broken = 'The receiver closed the connection before its answer was whole.';
  const notHttp = 'The answer is not valid HTTP/1.1 (HTTPParserError).';
  const answers: readonly (readonly [name: string, answer: string, reason: string, message: string])[] = [
    ['nothing at all', '', 'connection', broken],
    ['half of a head', 'HTTP/1.1 200 OK\r\nContent-', 'connection', broken],
    ['half of a body', 'HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf', 'connection', broken],
    ['half of a chunk', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab', 'connection', broken],
    ['the greeting of another service', 'SSH-2.0-OpenSSH_9.6\r\n', 'protocol', notHttp],
    ['bytes', '\x16\x03\x01\x02\0\x01', 'protocol', notHttp],
    ['HTTP/0.9', '<html>hello</html>', 'protocol', notHttp],
    ['a status of one digit', 'HTTP/1.1 2 OK\r\n\r\n', 'protocol', notHttp],
    [
      'two lengths',
      'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab',
      'protocol',
      'The answer is not valid HTTP/1.1 (ResponseContentLengthMismatchError).',
    ],
    ['a header without a name', 'HTTP/1.1 200 OK\r\n: x\r\n\r\n', 'protocol', notHttp],
    ['a chunk without a size', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n', 'protocol', notHttp],
    [
      'another protocol',
      'HTTP/1.1 101 X\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n',
      'protocol',
      'The answer is not valid HTTP/1.1 (invalid interim response).',
    ],
    [
      'endless headers',
      `HTTP/1.1 200 OK\r\n${`X-Filler: ${'x'.repeat(1000)}\r\n`.repeat(20)}\r\n`,
      'protocol',
      'The answer is not valid HTTP/1.1 (HeadersOverflowError).',
    ],
  ];
  for (const [name, answer, reason, message] of answers) {
    test(`fails when the response is ${name}, and the next one uses a new connection`, async (context) => {
      let isBroken = true;
      const receiver = await startReceiver(context, (socket) => {
        if (isBroken) socket.end(Buffer.from(answer, 'latin1'));
        else socket.write(writeAnswer(200));
        isBroken = false;
      });
      const receivers = openReceivers(context);
      const first = await receivers.post({ ...delivery, url: receiver.url });
      assert.deepEqual(withoutTiming(first), failed(reason, message));
      const second = await receivers.post({ ...delivery, url: receiver.url });
      assert.deepEqual([second.outcome, second.reused], ['answered', false]);
      assert.equal(receiver.connections.length, 2);
    });
  }

  test('fails when nothing listens, without details of the network', async (context) => {
    const receiver = await startReceiver(context, () => {});
    const port = await findDeafPort(receiver);
    const outcome = await openReceivers(context).post({ ...delivery, url: `http://127.0.0.1:${port}/` });
    assert.deepEqual(withoutTiming(outcome), failed('connection', 'The receiver refused the connection.'));
  });

  test('fails when the look-up fails or finds nothing, without details of the network', async (context) => {
    const error = Object.assign(new Error('getaddrinfo 10.0.0.2'), { code: 'EAI_AGAIN' });
    for (const [code, lookup] of [
      ['EAI_AGAIN', () => Promise.reject(error)],
      ['ENODATA', async () => []],
    ] as const) {
      const outcome = await openReceivers(context, { lookup }).post({
        ...delivery,
        url: 'https://receiver.example.com/',
      });
      const message = `The host name of the receiver cannot be resolved (${code}).`;
      assert.deepEqual(withoutTiming(outcome), failed('dns', message));
    }
  });
});

/** Resolves when the sender has read the next headers. */
function headersCame(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const listener = () => {
    unsubscribe('undici:request:headers', listener);
    resolve();
  };
  subscribe('undici:request:headers', listener);
  return promise;
}

/** A port without a listener that no process can bind: that of the near end of a connection. */
async function findDeafPort({ port }: TestReceiver): Promise<number> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  return socket.localPort ?? 0;
}
