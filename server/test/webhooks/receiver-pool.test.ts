import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { describe, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { openReceivers, startReceiver, writeAnswer } from './receiver-helpers.ts';

const delivery = { headers: {}, body: Buffer.from('{}') };

describe('the connections to receivers', () => {
  test('are so many of one owner to one origin; what comes beyond waits for its turn, in order', async (context) => {
    const held: Socket[] = [];
    const receiver = await startReceiver(context, (socket) => held.push(socket));
    const receivers = openReceivers(context, { connectionsPerOwner: 3 });
    const posts = Array.from({ length: 8 }, (_, at) => receivers.post({ ...delivery, url: `${receiver.url}/${at}` }));
    for (let count = 1; count <= 8; count += 1) {
      await receiver.received(Math.min(8, count + 2));
      assert.ok(receiver.connections.length <= 3);
      held.shift()?.write(writeAnswer(200));
    }
    for (const outcome of await Promise.all(posts)) {
      assert.equal(outcome.outcome, 'answered');
      assert.ok(outcome.timing.queued !== null);
    }
    const last = receiver.requests.slice(3).map(({ head }) => head.split(' ')[1]);
    assert.deepEqual(last, ['/hook/3', '/hook/4', '/hook/5', '/hook/6', '/hook/7']);
    assert.deepEqual(receivers.usage, { shares: 1, kept: 3 });
  });

  test('give their turn on when a delivery fails', async (context) => {
    const receiver = await startReceiver(context, (socket) => socket.destroy());
    const receivers = openReceivers(context, { connectionsPerOwner: 1 });
    const posts = Array.from({ length: 5 }, () => receivers.post({ ...delivery, url: receiver.url }));
    for (const outcome of await Promise.all(posts)) assert.equal(outcome.outcome, 'failed');
    assert.equal(receiver.requests.length, 5);
    assert.deepEqual(receivers.usage, { shares: 0, kept: 0 });
  });

  test('of one origin do not wait for those of another', async (context) => {
    const hanging = await startReceiver(context, () => {});
    const receiver = await startReceiver(context, (socket) => socket.write(writeAnswer(200)));
    const receivers = openReceivers(context, { connectionsPerOwner: 1 });
    const controller = new AbortController();
    const { signal } = controller;
    const stuck = [1, 2, 3].map(() => receivers.post({ ...delivery, url: hanging.url, signal }));
    await hanging.received(1);
    assert.equal((await receivers.post({ ...delivery, url: receiver.url })).outcome, 'answered');
    controller.abort();
    await Promise.all(stuck);
  });

  test('of one owner at an origin do not wait for those of another, and are not used by it', async (context) => {
    const receiver = await startReceiver(context, (socket, { head }) => {
      if (!head.includes('/slow ')) socket.write(writeAnswer(200));
    });
    const receivers = openReceivers(context, { connectionsPerOwner: 1 });
    const controller = new AbortController();
    const post = (owner: string, path = '') =>
      receivers.post({ ...delivery, owner, url: `${receiver.url}${path}`, signal: controller.signal });
    const stuck = [1, 2].map(() => post('one', '/slow'));
    await receiver.received(1);
    const outcomes = [await post('two'), await post('three'), await post('two')];
    assert.deepEqual(
      outcomes.map(({ outcome, reused }) => [outcome, reused]),
      [
        ['answered', false],
        ['answered', false],
        ['answered', true],
      ],
    );
    assert.deepEqual(receivers.usage, { shares: 3, kept: 2 });
    controller.abort();
    await Promise.all(stuck);
    assert.deepEqual(receivers.usage, { shares: 2, kept: 2 });
  });

  test('of many owners at one origin are kept to one bound', async (context) => {
    const receiver = await startReceiver(context, (socket) => socket.write(writeAnswer(200)));
    const receivers = openReceivers(context, { keptConnections: 2 });
    for (const owner of ['one', 'two', 'three', 'four'])
      await receivers.post({ ...delivery, owner, url: receiver.url });
    assert.deepEqual(receivers.usage, { shares: 2, kept: 2 });
    assert.equal((await receivers.post({ ...delivery, owner: 'four', url: receiver.url })).reused, true);
    assert.equal((await receivers.post({ ...delivery, owner: 'one', url: receiver.url })).reused, false);
  });

  test('are kept to a bound over all origins: the one that was unused longest is closed', async (context) => {
    const receivers = openReceivers(context, { keptConnections: 2 });
    const all = await Promise.all(
      [1, 2, 3, 4].map(() => startReceiver(context, (socket) => socket.write(writeAnswer(200)))),
    );
    for (const { url } of all) await receivers.post({ ...delivery, url });
    assert.deepEqual(receivers.usage, { shares: 2, kept: 2 });
    await Promise.all(all.slice(0, 2).map((receiver) => receiver.allClosed()));
    // Now the third is the one that was used last.
    const [first, , third] = all;
    if (first === undefined || third === undefined) throw new Error('There are four.');
    assert.equal((await receivers.post({ ...delivery, url: third.url })).reused, true);
    assert.equal((await receivers.post({ ...delivery, url: first.url })).reused, false);
    assert.equal((await receivers.post({ ...delivery, url: third.url })).reused, true);
    assert.deepEqual(receivers.usage, { shares: 2, kept: 2 });
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
    assert.deepEqual(receivers.usage, { shares: 1, kept: 2 });
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
    assert.deepEqual(receivers.usage, { shares: 1, kept: 1 });
    receiver.connections[0]?.end();
    while (receivers.usage.kept > 0) await setImmediate();
    assert.deepEqual(receivers.usage, { shares: 0, kept: 0 });
    const outcome = await receivers.post({ ...delivery, url: receiver.url });
    assert.deepEqual([outcome.outcome, outcome.reused], ['answered', false]);
    assert.deepEqual(receivers.usage, { shares: 1, kept: 1 });
    assert.equal(receiver.connections.length, 2);
  });

  test('are closed with the receivers, and nothing is left', async (context) => {
    const receiver = await startReceiver(context, (socket) => socket.write(writeAnswer(200)));
    const receivers = openReceivers(context, { connectionsPerOwner: 4 });
    await Promise.all(Array.from({ length: 40 }, () => receivers.post({ ...delivery, url: receiver.url })));
    assert.equal(receiver.connections.length, 4);
    await receivers.close();
    await receiver.allClosed();
    assert.deepEqual(receivers.usage, { shares: 0, kept: 0 });
    await receivers.close();
  });
});
