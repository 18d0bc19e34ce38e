import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { describe, test } from 'node:test';
import { openReceivers, startReceiver, writeAnswer } from './receiver-helpers.ts';

const delivery = { headers: {}, body: Buffer.from('{}') };

describe('the connections to receivers', () => {
  test('of one owner at an origin are not used by another', async (context) => {
    const receiver = await startReceiver(context, (socket) => socket.write(writeAnswer(200)));
    const receivers = openReceivers(context);
    const reused: boolean[] = [];
    for (const owner of ['one', 'two', 'one', 'two'])
      reused.push((await receivers.post({ ...delivery, owner, url: receiver.url })).reused);
    assert.deepEqual(reused, [false, false, true, true]);
  });

  test('are not kept when a delivery fails', async (context) => {
    const receiver = await startReceiver(context, (socket) => socket.destroy());
    const receivers = openReceivers(context);
    const posts = Array.from({ length: 5 }, () => receivers.post({ ...delivery, url: receiver.url }));
    for (const outcome of await Promise.all(posts)) assert.equal(outcome.outcome, 'failed');
    assert.equal(receiver.requests.length, 5);
    assert.equal((await receivers.post({ ...delivery, url: receiver.url })).reused, false);
  });

  test('of many owners at one origin are kept to one bound', async (context) => {
    const receiver = await startReceiver(context, (socket) => socket.write(writeAnswer(200)));
    const receivers = openReceivers(context, { keptConnections: 2 });
    for (const owner of ['one', 'two', 'three', 'four'])
      await receivers.post({ ...delivery, owner, url: receiver.url });
    await receiver.closed(2);
    assert.equal((await receivers.post({ ...delivery, owner: 'four', url: receiver.url })).reused, true);
    assert.equal((await receivers.post({ ...delivery, owner: 'one', url: receiver.url })).reused, false);
  });

  test('are kept to a bound over all origins: the one that was unused longest is closed', async (context) => {
    const receivers = openReceivers(context, { keptConnections: 2 });
    const all = await Promise.all(
      [1, 2, 3, 4].map(() => startReceiver(context, (socket) => socket.write(writeAnswer(200)))),
    );
    for (const { url } of all) await receivers.post({ ...delivery, url });
    await Promise.all(all.slice(0, 2).map((receiver) => receiver.allClosed()));
    // Now the third is the one that was used last.
    const [first, , third] = all;
    if (first === undefined || third === undefined) throw new Error('There are four.');
    assert.equal((await receivers.post({ ...delivery, url: third.url })).reused, true);
    assert.equal((await receivers.post({ ...delivery, url: first.url })).reused, false);
    assert.equal((await receivers.post({ ...delivery, url: third.url })).reused, true);
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
    await receivers.close();
    await receiver.allClosed();
    await receivers.close();
  });
});
