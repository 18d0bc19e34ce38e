import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import type { Installation } from '../../installation/installation.ts';
import { recordEvents, systemSource } from '../../ledger/audit/store.ts';
import { canonicalize } from '../../ledger/canonical.ts';
import {
  appendEntries,
  emptyHead,
  hashEntry,
  type Link,
  nextTime,
  openChains,
  selectPrevious,
} from '../../ledger/entry.ts';
import { verifyChain } from '../../proofs/verify-chain.ts';
import { runTransaction, type Transaction } from '../../storage/database.ts';
import { newId } from '../../storage/rows.ts';
import { describeOnEachDatabase, openTestInstallation, TestClock } from '../harness.ts';

const now = '2026-11-21T12:00:00.000Z';

describeOnEachDatabase('appendEntries', (dialect) => {
  let installation: Installation;
  before(async () => {
    installation = await openTestInstallation(dialect);
  });
  after(() => installation[Symbol.asyncDispose]());

  /** Creates the empty chains of several tenants. */
  const createTenants = async (count: number) => {
    const ids = Array.from({ length: count }, newId);
    await write(now, async (tx) => {
      for (const id of ids) await openChains(tx, id);
    });
    return ids;
  };

  const write = <Result>(at: string, step: (tx: Transaction) => Promise<Result>) =>
    runTransaction({ ...installation.database, clock: () => at }, at, step);
  const append = (tx: Transaction, tenantIds: readonly string[]): Promise<readonly Link[]> =>
    appendEntries(
      tx,
      'audit',
      tenantIds.map((tenantId) => ({ tenantId, seal: ({ at }) => sealEvent(tenantId, at) })),
    );

  const readChain = (tenantId: string) =>
    installation.database.kysely
      .selectFrom('audit_events')
      .select(['sequence', 'at', 'hash'])
      .select(selectPrevious('audit'))
      .where('tenant_id', '=', tenantId)
      .orderBy('sequence')
      .execute();

  const assertChain = async (tenantId: string, entries: number) => {
    const { database } = installation;
    assert.deepEqual(await verifyChain(database.kysely, 'audit', tenantId), {
      ledger: 'audit',
      tenantId,
      entries,
      fault: null,
    });
  };

  test('interleaved tenants get chains without gaps, with the times of the clock', async () => {
    const step = fc.record({
      now: fc
        .integer({ min: 0, max: 100_000 })
        .map((offset) => new Date(Date.UTC(2026, 10, 21) + offset).toISOString()),
      owners: fc.array(fc.nat(2), { maxLength: 20 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 6 }), async (steps) => {
        const tenantIds = await createTenants(3);
        const expected = new Map<string, { links: Link[]; last: string }>(
          tenantIds.map((id) => [id, { links: [], last: '' }]),
        );
        for (const { now, owners } of steps) {
          const owned = owners.map((owner) => tenantIds[owner] as string);
          const links = await write(now, (tx) => append(tx, owned));
          assert.equal(links.length, owned.length);
          for (const [index, id] of owned.entries()) {
            const chain = expected.get(id) as { links: Link[]; last: string };
            const link = links[index] as Link;
            assert.equal(link.at, nextTime({ sequence: 0, hash: null, at: chain.last }, now, () => now).at);
            chain.last = link.at;
            chain.links.push(link);
          }
        }
        for (const [id, { links }] of expected) {
          assert.deepEqual(
            links.map(({ sequence }) => sequence),
            links.map((_, index) => index + 1),
          );
          assert.deepEqual(
            links.map(({ prevHash }) => prevHash),
            [null, ...links.map(({ hash }) => hash)].slice(0, links.length),
          );
          const stored = await readChain(id);
          assert.deepEqual(
            stored.map((row) => ({ sequence: row.sequence, at: row.at, hash: row.hash, prevHash: row.prev_hash })),
            links,
          );
          await assertChain(id, links.length);
        }
      }),
      { numRuns: dialect === 'sqlite' ? 40 : 15 },
    );
  });

  test('32 concurrent transactions on one tenant get one number each', async () => {
    const [tenantId] = (await createTenants(1)) as [string];
    const links = await Promise.all(
      Array.from({ length: 32 }, (_, index) =>
        write(`2026-11-21T12:00:00.${String(index).padStart(3, '0')}Z`, (tx) => append(tx, [tenantId])),
      ),
    );
    const numbers = links.flat().map(({ sequence }) => sequence);
    assert.deepEqual(
      numbers.toSorted((one, other) => one - other),
      [...Array(32).keys()].map((index) => index + 1),
    );
    await assertChain(tenantId, 32);
  });

  test('a change that waited for a lock gets a time that does not decrease', async () => {
    const clock = new TestClock();
    const { database } = installation;
    const falls: unknown[] = [];
    const note = (fall: unknown) => falls.push(fall);
    database.signals.on('clockFell', note);
    const [tenantId] = (await createTenants(1)) as [string];
    const run = (step: (tx: Transaction) => Promise<readonly Link[]>) =>
      runTransaction({ ...database, clock: clock.now }, clock.now(), step);
    let waited: Promise<readonly Link[]> | undefined;
    await run(async (tx) => {
      await tx.lockTenant(tenantId);
      waited = run((late) => append(late, [tenantId]));
      clock.advance(10_000);
      return append({ ...tx, now: clock.now() }, [tenantId]);
    });
    assert.deepEqual(
      (await waited)?.map(({ sequence, at }) => [sequence, at]),
      [[2, clock.now()]],
    );
    assert.deepEqual(falls, []);
    database.signals.off('clockFell', note);
  });

  test('32 concurrent transactions on the same tenants in different orders do not deadlock', async () => {
    const tenantIds = await createTenants(8);
    await Promise.all(
      Array.from({ length: 32 }, (_, index) => {
        const rotated = [...tenantIds.slice(index % 8), ...tenantIds.slice(0, index % 8)];
        return write(now, (tx) => append(tx, index % 2 === 0 ? rotated : rotated.toReversed()));
      }),
    );
    for (const id of tenantIds) await assertChain(id, 32);
  });

  test('a transaction that is rolled back leaves no gap, sequentially or concurrently', async () => {
    const [tenantId] = (await createTenants(1)) as [string];
    const settled = await Promise.allSettled(
      Array.from({ length: 32 }, (_, index) =>
        write(now, async (tx) => {
          await append(tx, [tenantId, tenantId]);
          if (index % 3 === 0) throw new Error('changed my mind');
        }),
      ),
    );
    const kept = settled.filter(({ status }) => status === 'fulfilled').length;
    assert.equal(kept, 21);
    await assertChain(tenantId, 42);
  });

  test('rejects a tenant without chains, and appends nothing for the other tenants', async () => {
    const [tenantId] = (await createTenants(1)) as [string];
    await assert.rejects(
      write(now, (tx) => append(tx, [tenantId, 'unknown'])),
      /tenant unknown has no audit chain/,
    );
    await assertChain(tenantId, 0);
  });

  test('appends more entries than fit into one statement, in order', async () => {
    const [tenantId] = (await createTenants(1)) as [string];
    const events = Array.from({ length: 700 }, (_, index) => ({
      source: systemSource(tenantId),
      event: { module: 'access' as const, action: 'test.counted', targetId: String(index), targetRef: null },
    }));
    await write(now, (tx) => recordEvents(tx, events));
    const progress: number[] = [];
    const { kysely } = installation.database;
    const { fault } = await verifyChain(kysely, 'audit', tenantId, (entries) => progress.push(entries));
    assert.deepEqual([fault, progress], [null, [500, 700]]);
    const rows = await installation.database.kysely
      .selectFrom('audit_events')
      .select('entry')
      .where('tenant_id', '=', tenantId)
      .orderBy('sequence')
      .execute();
    assert.deepEqual(
      rows.map(({ entry }) => JSON.parse(entry).targetId),
      events.map(({ event }) => event.targetId),
    );
  });
});

function sealEvent(tenantId: string, at: string) {
  const id = newId();
  const columns = { action: 'thing.done', at, id, module: 'access' };
  const entry = canonicalize({ actorId: null, actorType: 'system', targetId: null, tenantId, ...columns });
  return { entry, row: { ...columns, actor_type: 'system', actor_id: null, target_id: null, entry } };
}

const anyText = fc.string({ unit: 'grapheme', maxLength: 300 });
const anyHash = fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: 64, maxLength: 64 });
const anyTime = fc
  .date({ min: new Date('2020-01-01'), max: new Date('2040-01-01'), noInvalidDate: true })
  .map((date) => date.toISOString());

describe('hashEntry', () => {
  test('is SHA-256 over the previous hash in hex and the entry, both in UTF-8', () => {
    fc.assert(
      fc.property(anyHash, anyText, (previous, entry) => {
        const bytes = Buffer.concat([Buffer.from(previous, 'ascii'), Buffer.from(entry, 'utf8')]);
        assert.equal(hashEntry(previous, entry), createHash('sha256').update(bytes).digest('hex'));
      }),
    );
  });

  test('is SHA-256 over only the entry for the first one', () => {
    fc.assert(
      fc.property(anyText, (entry) => {
        assert.equal(hashEntry(null, entry), createHash('sha256').update(entry, 'utf8').digest('hex'));
      }),
    );
  });

  test('matches the known hash of a known chain', () => {
    // printf '{"a":1}' | sha256sum, then the hash followed by '{"b":2}'
    const first = hashEntry(null, '{"a":1}');
    assert.equal(first, '015abd7f5cc57a2dd94b7590f04ad8084273905ee33ec5cebeae62276a97f862');
    assert.equal(hashEntry(first, '{"b":2}'), 'baf9f83c9ebd3a7e019a3d0130608999938549f4da529dccc001740b3fb3194a');
  });
});

describe('nextTime', () => {
  const afterEntryAt = (last: string, now: string) =>
    nextTime({ sequence: 1, hash: 'a'.repeat(64), at: last }, now, () => now);
  const shift = (time: string, milliseconds: number) => new Date(Date.parse(time) + milliseconds).toISOString();

  test('is the time of the clock, even if it was set back', () => {
    fc.assert(
      fc.property(anyTime, anyTime, (last, now) => {
        const lag = Date.parse(last) - Date.parse(now);
        fc.pre(lag <= 0 || lag > 1000);
        assert.deepEqual(afterEntryAt(last, now), { at: now, hasFallen: lag > 0 });
      }),
    );
  });

  test('does not decrease if the clocks of two servers differ by up to a second', () => {
    const last = '2026-11-21T12:00:00.000Z';
    for (const lag of [1, 999, 1000])
      assert.deepEqual(afterEntryAt(last, shift(last, -lag)), { at: last, hasFallen: false });
    const earlier = shift(last, -1001);
    assert.deepEqual(afterEntryAt(last, earlier), { at: earlier, hasFallen: true });
  });

  test('is now for the first entry', () => {
    const now = '2026-11-21T12:00:00.000Z';
    assert.deepEqual(
      nextTime(emptyHead, now, () => now),
      { at: now, hasFallen: false },
    );
  });
});
