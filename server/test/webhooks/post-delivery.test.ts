import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openReceivers, startReceiver, withoutTiming, writeAnswer } from './receiver-helpers.ts';

const delivery = { headers: { 'content-type': 'application/json', 'svc-event': 'webhook.test' } };
const body = Buffer.from('{"id":"1","name":"Zoë"}');

describe('a delivery', () => {
  test('is one POST with its headers and exactly its bytes, which accepts no compressed response', async (context) => {
    const receiver = await startReceiver(context, (socket) => socket.write(writeAnswer(200, [], 'thanks')));
    const receivers = openReceivers(context);
    const outcome = await receivers.post({ ...delivery, url: `${receiver.url}?a=1&b=%20`, body });
    assert.deepEqual(withoutTiming(outcome), {
      outcome: 'answered',
      status: 200,
      retryAfter: null,
      excerpt: 'thanks',
      reused: false,
    });
    const [request] = receiver.requests;
    assert.deepEqual(request?.body, body);
    const [start, ...headers] = request?.head.split('\r\n') ?? [];
    assert.equal(start, 'POST /hook?a=1&b=%20 HTTP/1.1');
    assert.deepEqual(headers.toSorted(), [
      'accept-encoding: identity',
      'connection: keep-alive',
      `content-length: ${body.length}`,
      'content-type: application/json',
      `host: 127.0.0.1:${receiver.port}`,
      'svc-event: webhook.test',
    ]);
  });

  for (const status of [200, 204, 301, 304, 404, 410, 429, 500, 503, 599]) {
    test(`accepts the status ${status} as a response and keeps the connection`, async (context) => {
      const receiver = await startReceiver(context, (socket) => socket.write(writeAnswer(status)));
      const receivers = openReceivers(context);
      for (const reused of [false, true]) {
        const outcome = await receivers.post({ ...delivery, url: receiver.url, body });
        assert.deepEqual(withoutTiming(outcome), {
          outcome: 'answered',
          status,
          retryAfter: null,
          excerpt: '',
          reused,
        });
      }
      assert.equal(receiver.connections.length, 1);
    });
  }

  test('follows no redirect', async (context) => {
    const elsewhere = await startReceiver(context, (socket) => socket.write(writeAnswer(200)));
    const receiver = await startReceiver(context, (socket) =>
      socket.write(writeAnswer(307, [`Location: ${elsewhere.url}`])),
    );
    const outcome = await openReceivers(context).post({ ...delivery, url: receiver.url, body });
    assert.equal(outcome.outcome === 'answered' && outcome.status, 307);
    assert.equal(elsewhere.connections.length, 0);
  });

  for (const [given, expected] of [
    ['31536000', '31536000'],
    ['Fri, 31 Dec 2999 23:59:59 GMT', 'Fri, 31 Dec 2999 23:59:59 GMT'],
    ['9'.repeat(5000), '9'.repeat(100)],
  ] as const) {
    test(`reports Retry-After unchanged, ${given.slice(0, 30)}`, async (context) => {
      const receiver = await startReceiver(context, (socket) =>
        socket.write(writeAnswer(429, [`Retry-After: ${given}`])),
      );
      const outcome = await openReceivers(context).post({ ...delivery, url: receiver.url, body });
      assert.equal(outcome.outcome === 'answered' && outcome.retryAfter, expected);
    });
  }

  test('keeps the first 4 KiB of the response as text, whatever its bytes', async (context) => {
    const answers = [
      Buffer.from('a\0b\u0007c\r\nd\te\u202ef'),
      Buffer.from([0xff, 0x68, 0x69, 0xc3]),
      Buffer.concat([Buffer.alloc(4095, 'x'), Buffer.from('é and more')]),
      Buffer.from('x'.repeat(4096)),
    ];
    let next = 0;
    const receiver = await startReceiver(context, (socket) => {
      socket.write(writeAnswer(200, [], answers[next]));
      next += 1;
    });
    const receivers = openReceivers(context);
    const excerpts: string[] = [];
    for (const _ of answers) {
      const outcome = await receivers.post({ ...delivery, url: receiver.url, body });
      if (outcome.outcome === 'answered') excerpts.push(outcome.excerpt);
    }
    assert.deepEqual(excerpts, [
      'a\u{fffd}b\u{fffd}c\nd\te\u{fffd}f',
      '\u{fffd}hi\u{fffd}',
      'x'.repeat(4095),
      'x'.repeat(4096),
    ]);
    assert.equal(receiver.connections.length, 1);
  });

  test('reads 64 KiB of an endless response, uses its status, and closes the connection', async (context) => {
    let written = 0;
    const receiver = await startReceiver(context, (socket) => {
      socket.write('HTTP/1.1 200 X\r\nContent-Length: 1073741824\r\n\r\n');
      const chunk = Buffer.alloc(16 * 1024, 'z');
      const pour = () => {
        while (!socket.destroyed && written < 1_073_741_824) {
          written += chunk.length;
          if (!socket.write(chunk)) return;
        }
      };
      socket.on('drain', pour);
      pour();
    });
    const outcome = await openReceivers(context).post({ ...delivery, url: receiver.url, body });
    assert.deepEqual(withoutTiming(outcome), {
      outcome: 'answered',
      status: 200,
      retryAfter: null,
      excerpt: 'z'.repeat(4096),
      reused: false,
    });
    await receiver.allClosed();
    // The additional capacity of the buffers of both sockets.
    assert.ok(written < 16 * 1024 * 1024, `${written} bytes were written`);
  });

  test('accepts a response without a length, delimited by the end of the connection', async (context) => {
    const receiver = await startReceiver(context, (socket) => socket.end('HTTP/1.1 200 X\r\n\r\nall of it'));
    const outcome = await openReceivers(context).post({ ...delivery, url: receiver.url, body });
    assert.equal(outcome.outcome === 'answered' && outcome.excerpt, 'all of it');
  });

  test('does not read the body of a 204 as the next response', async (context) => {
    const receiver = await startReceiver(context, (socket) =>
      socket.write('HTTP/1.1 204 X\r\nContent-Length: 19\r\n\r\nHTTP/1.1 500 X\r\n\r\n'),
    );
    const receivers = openReceivers(context);
    for (const _ of [1, 2]) {
      const outcome = await receivers.post({ ...delivery, url: receiver.url, body });
      assert.equal(outcome.outcome === 'answered' && outcome.status, 204);
    }
    assert.equal(receiver.connections.length, 2);
  });
});
