import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { createMemoryReplayStore, createReplayGuard } from '../../src/replay.ts';
import { createTestClock } from '../../src/testing.ts';

const fail = () => {
  throw new Error('failed');
};

describe('the guard', () => {
  test('runs a handler once, until that is forgotten', async () => {
    const clock = createTestClock();
    const guard = createReplayGuard({ now: clock.now, ttlSeconds: 60 });
    let calls = 0;
    const run = () => guard.run('e', () => (calls += 1));
    assert.deepEqual([await run(), await run()], ['handled', 'done']);
    clock.advance(59.999);
    assert.equal(await run(), 'done');
    clock.advance(0.001);
    assert.equal(await run(), 'handled');
    assert.equal(calls, 2);
  });

  test('lets a handler that failed be tried again, and passes its error on', async () => {
    const guard = createReplayGuard();
    await assert.rejects(guard.run('e', fail), /failed/);
    assert.equal(await guard.run('e', () => undefined), 'handled');
  });

  test('says that a handler is running, until its lease ends', async () => {
    const clock = createTestClock();
    const guard = createReplayGuard({ now: clock.now, leaseSeconds: 10 });
    let failLate: (error: Error) => void = () => undefined;
    const dead = guard.run('e', () => new Promise((_resolve, reject) => (failLate = reject)));
    const inside: string[] = [];
    assert.equal(await guard.run('e', () => undefined), 'running');
    clock.advance(10);
    await guard.run('e', async () => {
      // The late failure of the first handler must not release the claim of this one.
      failLate(new Error('late'));
      await assert.rejects(dead, /late/);
      inside.push(await guard.run('e', () => undefined));
    });
    assert.deepEqual(inside, ['running']);
    assert.equal(await guard.run('e', () => undefined), 'done');
  });

  test('works with a store elsewhere that answers later', async () => {
    const calls: string[] = [];
    const store = {
      claim: async (id: string, seconds: number) => {
        calls.push(`claim ${id} ${seconds}`);
        return 'claimed' as const;
      },
      complete: async (id: string, seconds: number) => calls.push(`complete ${id} ${seconds}`),
      release: async (id: string) => calls.push(`release ${id}`),
    };
    const guard = createReplayGuard({ store });
    await guard.run('a', () => undefined);
    await assert.rejects(guard.run('b', fail));
    assert.deepEqual(calls, ['claim a 300', 'complete a 90000', 'claim b 300', 'release b']);
  });

  test('passes the error of the handler on, also when the store fails at that', async () => {
    const broken = () => {
      throw new Error('of the store');
    };
    for (const release of [broken, async () => broken()]) {
      const guard = createReplayGuard({ store: { ...createMemoryReplayStore(), release } });
      await assert.rejects(guard.run('e', fail), /failed/);
    }
  });

  test('says what is wrong with its options', () => {
    for (const options of [{ ttlSeconds: 0 }, { leaseSeconds: -1 }, { ttlSeconds: Number.NaN }])
      assert.throws(() => createReplayGuard(options), { code: 'options_invalid' });
    const store = createMemoryReplayStore();
    for (const options of [
      null,
      'x',
      { by: 'x' },
      { scope: 1 },
      { now: 1 },
      { store: null },
      { ttl: 5 },
      { store: {} },
      { store: { ...store, claim: undefined } },
      { store: { ...store, complete: 1 } },
      { store: { ...store, release: undefined } },
    ])
      assert.throws(() => createReplayGuard(options as never), { code: 'options_invalid' }, JSON.stringify(options));
    for (const options of [{ maxEntries: 0 }, { now: 1 }, { size: 5 }, null] as never[])
      assert.throws(() => createMemoryReplayStore(options as never), { code: 'options_invalid' });
  });
});

describe('the store in memory', () => {
  test('forgets what was done first when it is full, and never what runs', async () => {
    const store = createMemoryReplayStore({ maxEntries: 2 });
    await store.claim('a', 60);
    await store.claim('b', 60);
    assert.equal(store.claim('c', 60), 'running');
    store.complete('b', 60);
    assert.equal(store.claim('c', 60), 'claimed');
    assert.equal(store.claim('a', 60), 'running');
    store.release('a');
    assert.equal(store.claim('b', 60), 'claimed');
  });

  test('never lets two run the same id at once, nor one that is done', () => {
    const step = fc.record({
      act: fc.constantFrom('claim', 'complete', 'release', 'wait'),
      id: fc.constantFrom('a', 'b', 'c'),
    });
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        const clock = createTestClock();
        const store = createMemoryReplayStore({ now: clock.now });
        const model = new Map<string, { readonly state: string; readonly until: number }>();
        for (const { act, id } of steps) {
          const known = model.get(id);
          const state = known !== undefined && known.until > clock.now() ? known.state : undefined;
          if (act === 'wait') clock.advance(7);
          else if (act === 'claim') {
            assert.equal(store.claim(id, 10), state ?? 'claimed');
            if (state === undefined) model.set(id, { state: 'running', until: clock.now() + 10_000 });
          } else if (state === 'running') {
            if (act === 'release') model.delete(id);
            else model.set(id, { state: 'done', until: clock.now() + 20_000 });
            if (act === 'release') store.release(id);
            else store.complete(id, 20);
          }
        }
      }),
    );
  });
});

test('a guard runs nothing without an id, since all that have none would be the same', async () => {
  const guard = createReplayGuard();
  for (const wrong of [undefined, null, '', 5])
    await assert.rejects(
      guard.run(wrong as never, () => assert.fail()),
      { code: 'options_invalid' },
    );
});
