import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { describe, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { openReceivers, startReceiver, writeAnswer } from './receiver-helpers.ts';

const delivery = { headers: {}, body: Buffer.from('{}') };

describe('the connections to receivers', () => {
  test('are not kept when a delivery fails', async (context) => {
    const receiver = await startReceiver(context, (socket) => socket.destroy());
    const receivers = openReceivers(context);
    const posts = Array.from({ length: 5 }, () => receivers.post({ ...delivery, url: receiver.url }));
    for (const outcome of await Promise.all(posts)) assert.equal(outcome.outcome, 'failed');
    assert.equal(receiver.requests.length, 5);
    assert.equal((await receivers.post({ ...delivery, url: receiver.url })).reused, false);
  });

  test('are at most 256 between two deliveries: the one that was unused longest is closed', async (context) => {
    // Otherwise a connection closes after four seconds, which a busy machine can need.
    const answer = writeAnswer(200, ['Keep-Alive: timeout=600']);
    const receiver = await startReceiver(context, (socket) => socket.write(answer));
    const receivers = openReceivers(context);
    const post = (hook: number) => receivers.post({ ...delivery, url: `${receiver.url}/${hook}` });
    for (let hook = 0; hook < 257; hook += 1) await post(hook);
    await receiver.closed(1);
    assert.equal((await post(1)).reused, true);
    assert.equal((await post(0)).reused, false);
  });

  test('are closed after a minute without a delivery, even if the receiver would keep them longer', async (context) => {
    const answer = writeAnswer(200, ['Keep-Alive: timeout=600']);
    const receiver = await startReceiver(context, (socket) => socket.write(answer));
    const timers = context.mock.method(globalThis, 'setTimeout');
    await openReceivers(context).post({ ...delivery, url: receiver.url });
    // A connection is unused one turn of the event loop after the answer.
    await setImmediate();
    const delays = timers.mock.calls.map(({ arguments: [, delay] }) => delay);
    assert.ok(delays.includes(60_000), `no timer of a minute, but of ${delays} ms`);
  });

  test('are used again from the last one on, so that those that are not needed grow old and close', async (context) => {
    const used: Socket[] = [];
    const receiver = await startReceiver(context, (socket) => {
      used.push(socket);
      if (used.length !== 1) socket.write(writeAnswer(200));
    });
    const receivers = openReceivers(context);
    const first = receivers.post({ ...delivery, url: receiver.url });
    await receiver.received(1);
    await receivers.post({ ...delivery, url: receiver.url });
    used[0]?.write(writeAnswer(200));
    await first;
    for (const _ of [1, 2, 3]) await receivers.post({ ...delivery, url: receiver.url });
    assert.deepEqual(
      used.map((socket) => used.indexOf(socket)),
      [0, 1, 0, 0, 0],
    );
  });

  test('are forgotten when the receiver closes them between two deliveries', async (context) => {
    const receiver = await startReceiver(context, (socket) => socket.write(writeAnswer(200)));
    const receivers = openReceivers(context);
    await receivers.post({ ...delivery, url: receiver.url });
    receiver.connections[0]?.end();
    await receiver.allClosed();
    const outcome = await receivers.post({ ...delivery, url: receiver.url });
    assert.deepEqual([outcome.outcome, outcome.reused], ['answered', false]);
    assert.equal(receiver.connections.length, 2);
  });

  test('are closed with the receivers, and nothing is left', async (context) => {
    const receiver = await startReceiver(context, (socket) => socket.write(writeAnswer(200)));
    const receivers = openReceivers(context);
    await Promise.all(Array.from({ length: 40 }, () => receivers.post({ ...delivery, url: receiver.url })));
    assert.ok(receiver.connections.every((socket) => !socket.destroyed));
    receivers.close();
    await receiver.allClosed();
    receivers.close();
  });
});
