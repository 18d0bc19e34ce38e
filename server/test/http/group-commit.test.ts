import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { GroupCommit } from '../../http/group-commit.ts';
import { Problem } from '../../http/problem.ts';
import type { Outcome } from '../../storage/database.ts';
import { DatabaseUnavailable } from '../../storage/unavailable.ts';

/** A writer whose batches wait until they are released, one by one. */
class Gate {
  readonly batches: (readonly string[])[] = [];
  #open: (() => void)[] = [];
  #arrived: (() => void)[] = [];

  readonly write = async (items: readonly string[]): Promise<readonly Outcome<string>[]> => {
    this.batches.push(items);
    for (const notify of this.#arrived.splice(0)) notify();
    await new Promise<void>((resolve) => this.#open.push(resolve));
    return items.map((item) => ({ result: `${item} written` }));
  };

  async untilBatch(count: number): Promise<void> {
    while (this.batches.length < count) await new Promise<void>((resolve) => this.#arrived.push(resolve));
  }

  open(): void {
    this.#open.shift()?.();
  }
}

/** As the database refuses a row. */
const refused = Object.assign(new Error('refused'), { code: 'SQLITE_CONSTRAINT_CHECK' });
const writeAll = async (items: readonly string[]) => items.map((item) => ({ result: `${item} written` }));

describe('GroupCommit', () => {
  test('gives each item its own result or its own error', async () => {
    const commits = new GroupCommit<number, number>(async (items) =>
      items.map((item) => (item % 3 === 0 ? { error: new Error(`no ${item}`) } : { result: item * 10 })),
    );
    const settled = await Promise.allSettled([1, 2, 3, 4, 6].map((item) => commits.submit(item)));
    assert.deepEqual(
      settled.map((one) => (one.status === 'fulfilled' ? one.value : one.reason.message)),
      [10, 20, 'no 3', 40, 'no 6'],
    );
  });

  test('an undefined result and an undefined error are distinguished', async () => {
    const commits = new GroupCommit<boolean, undefined>(async (items) =>
      items.map((fails) => (fails ? { error: undefined } : { result: undefined })),
    );
    const settled = await Promise.allSettled([commits.submit(true), commits.submit(false)]);
    assert.deepEqual(
      settled.map(({ status }) => status),
      ['rejected', 'fulfilled'],
    );
  });

  test('writes items that arrive while a batch runs together as the next one, in order', async () => {
    const gate = new Gate();
    const commits = new GroupCommit<string, string>(gate.write);
    const first = commits.submit('a');
    await gate.untilBatch(1);
    const later = ['b', 'c', 'd'].map((item) => commits.submit(item));
    gate.open();
    assert.equal(await first, 'a written');
    await gate.untilBatch(2);
    gate.open();
    assert.deepEqual(await Promise.all(later), ['b written', 'c written', 'd written']);
    assert.deepEqual(gate.batches, [['a'], ['b', 'c', 'd']]);
  });

  test('keeps the order of arrival over all batches, whatever their sizes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 700 }), { minLength: 1, maxLength: 6 }), async (bursts) => {
        const written: number[] = [];
        const commits = new GroupCommit<number, number>(async (items) => {
          written.push(...items);
          return items.map((item) => ({ result: item }));
        });
        let next = 0;
        const submitted: Promise<number>[] = [];
        for (const size of bursts) {
          for (let index = 0; index < size; index += 1) submitted.push(commits.submit(next++));
          await new Promise((resolve) => setImmediate(resolve));
        }
        assert.deepEqual(await Promise.all(submitted), [...Array(next).keys()]);
        assert.deepEqual(written, [...Array(next).keys()]);
      }),
      { numRuns: 30 },
    );
  });

  test('never runs two batches at once', async () => {
    let running = 0;
    const commits = new GroupCommit<number, number>(async (items) => {
      assert.equal(++running, 1);
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
      return items.map((item) => ({ result: item }));
    });
    await Promise.all(Array.from({ length: 1500 }, (_, item) => commits.submit(item)));
  });

  test('an item that the database rejects does not fail the others', async () => {
    const written: string[] = [];
    const commits = new GroupCommit<string, string>(async (items) => {
      if (items.includes('poison')) throw refused;
      written.push(...items);
      return writeAll(items);
    });
    const items = ['a', 'poison', 'b', 'poison', 'c'];
    const settled = await Promise.allSettled(items.map((item) => commits.submit(item)));
    assert.deepEqual(
      settled.map((one) => (one.status === 'fulfilled' ? one.value : one.reason)),
      ['a written', refused, 'b written', refused, 'c written'],
    );
    assert.deepEqual(written, ['a', 'b', 'c']);
  });

  test('a failure that no item caused fails them all immediately', async () => {
    let writes = 0;
    const commits = new GroupCommit<string, string>(async () => {
      writes += 1;
      throw new Error('the disk is full');
    });
    const settled = await Promise.allSettled(['a', 'b', 'c'].map((item) => commits.submit(item)));
    assert.ok(settled.every(({ status }) => status === 'rejected'));
    assert.equal(writes, 1);
  });

  test('waiting items fail with the batch if the database is unusable, but not if a row was locked', async () => {
    for (const [code, isWritten] of [
      ['ECONNREFUSED', false],
      ['55P03', true],
    ] as const) {
      const gate = new Gate();
      const commits = new GroupCommit<string, string>(async (items) => {
        const outcomes = await gate.write(items);
        if (gate.batches.length > 1) return outcomes;
        throw new DatabaseUnavailable(Object.assign(new Error('no'), { code }));
      });
      const first = assert.rejects(commits.submit('first'), DatabaseUnavailable);
      await gate.untilBatch(1);
      const waiting = Promise.allSettled([commits.submit('waiting')]);
      gate.open();
      await first;
      await Promise.race([gate.untilBatch(2), waiting]);
      gate.open();
      assert.equal((await waiting)[0]?.status, isWritten ? 'fulfilled' : 'rejected', code);
    }
  });

  test('continues after a write that failed', async () => {
    let broken = true;
    const commits = new GroupCommit<string, string>(async (items) => {
      if (broken) throw refused;
      return writeAll(items);
    });
    await assert.rejects(commits.submit('a'), refused);
    broken = false;
    assert.equal(await commits.submit('b'), 'b written');
  });

  test('does not write a batch twice if an outcome is missing', async () => {
    const written: string[] = [];
    const commits = new GroupCommit<string, string>(async (items) => {
      written.push(...items);
      return (await writeAll(items)).slice(1);
    });
    const settled = await Promise.allSettled(['a', 'b'].map((item) => commits.submit(item)));
    assert.deepEqual(written, ['a', 'b']);
    assert.ok(settled.some(({ status }) => status === 'rejected'));
  });

  test('drain resolves when all waiting items are written', async () => {
    const gate = new Gate();
    const commits = new GroupCommit<string, string>(gate.write);
    const submitted = [commits.submit('a')];
    await gate.untilBatch(1);
    submitted.push(commits.submit('b'));
    let drained = false;
    const draining = commits.drain().then(() => {
      drained = true;
    });
    gate.open();
    await gate.untilBatch(2);
    assert.equal(drained, false);
    gate.open();
    await draining;
    assert.deepEqual(await Promise.all(submitted), ['a written', 'b written']);
  });

  test('drain resolves immediately when nothing waits', async () => {
    await new GroupCommit<string, string>(writeAll).drain();
  });

  test('rejects items beyond its capacity as unavailable, and accepts more once it has capacity', async () => {
    const gate = new Gate();
    const commits = new GroupCommit<string, string>(gate.write);
    const first = commits.submit('first');
    await gate.untilBatch(1);
    const waiting = Array.from({ length: 20_000 }, () => commits.submit('waits'));
    await assert.rejects(
      commits.submit('one too many'),
      (error) =>
        error instanceof Problem && error.code === 'unavailable' && error.options.headers?.['Retry-After'] === '1',
    );
    for (let batch = 1; batch <= 41; batch += 1) {
      await gate.untilBatch(batch);
      gate.open();
    }
    await Promise.all([first, ...waiting]);
    assert.equal(gate.batches.length, 41);
    const next = commits.submit('next');
    await gate.untilBatch(42);
    gate.open();
    assert.equal(await next, 'next written');
  });
});
