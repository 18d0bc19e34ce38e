import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, test } from 'node:test';
import canonicalize from 'canonicalize';
import fc from 'fast-check';
import { sql } from 'kysely';
import type { Installation } from '../../../installation/installation.ts';
import { findEvent, listEvents, putPersonal } from '../../../ledger/audit/events.ts';
import {
  type MaybePersonal,
  Personal,
  personal,
  recordErasure,
  recordEvent,
  recordEvents,
  systemSource,
  takePersonal,
} from '../../../ledger/audit/store.ts';
import type { Opening } from '../../../ledger/entry.ts';
import { clearOpenings } from '../../../ledger/opening-store.ts';
import { runTransaction, type Transaction } from '../../../storage/database.ts';
import { describeOnEachDatabase, openTestInstallation } from '../../harness.ts';
import { assertAbsent, needle } from '../../needle.ts';
import { fillLedgers, runVerify } from '../fixture.ts';
import { changeRow, type Row, readRows } from '../tamper.ts';

const address = 'Ann.Smith@example.org';
const [ann, bea] = [needle('ann'), needle('bea')];
const event = { module: 'identity', targetId: 'u', targetRef: personal(address) } as const;

describeOnEachDatabase('personal values of audit events', (dialect) => {
  let installation: Installation;
  let tenantId: string;
  let otherId: string;
  before(async () => {
    installation = await openTestInstallation(dialect);
    const [tenant, other] = await fillLedgers(installation);
    [tenantId, otherId] = [tenant?.id as string, other?.id as string];
  });
  after(() => installation[Symbol.asyncDispose]());

  const run = <Result>(step: (tx: Transaction) => Promise<Result>) =>
    runTransaction(installation.database, '2026-11-21T13:00:00.000Z', step);
  const actor = { type: 'user', id: 'a', email: address } as const;
  const record = (tenant: string, action: string, more: object = {}) =>
    run((tx) => recordEvent(tx, { ...systemSource(tenant), actor }, { ...event, action, ...more }));
  const newest = async (tenant = tenantId) => {
    const { rows } = await listEvents(installation.database.kysely, tenant, {}, null, 1);
    const item = rows[0];
    return { item, detail: await findEvent(installation.database.kysely, tenant, item?.id as string) };
  };
  const openingsOf = async (sequence: number) =>
    (await readRows(installation.database, 'audit_openings')).filter(
      (row) => row.tenant_id === tenantId && row.sequence === sequence,
    );
  const lastRow = async () =>
    (await readRows(installation.database, 'audit_events')).filter((row) => row.tenant_id === tenantId).at(-1) as Row;
  const findings = async () => {
    const { report } = await runVerify(installation);
    return report.findings.filter((found) => found.tenantId === tenantId).map(({ about, message }) => [about, message]);
  };
  const erase = (value: string, tenant = tenantId) =>
    run(async (tx) => {
      const { openings } = await clearOpenings(tx, tenant, value);
      const erasure = { module: 'privacy', action: 'subject.erased', targetId: null, targetRef: null } as const;
      if (openings.length > 0) await recordErasure(tx, systemSource(tenant), { audit: openings }, erasure);
      return openings;
    });

  test('are in the entry as commitments, each with a salt of its own, and read as before', async () => {
    const diff = { before: { userName: personal(ann) }, after: { role: 'dpo', names: ['x', personal(bea)] } };
    await record(tenantId, 'person.changed', { diff, reason: personal(`${ann} asked`) });
    const { item, detail } = await newest();
    assert.deepEqual([item?.actorEmail, item?.targetRef], [address, address]);
    assert.deepEqual(detail?.diff, { before: { userName: ann }, after: { role: 'dpo', names: ['x', bea] } });
    assert.equal(detail?.reason, `${ann} asked`);
    const { entry, sequence } = (await lastRow()) as { entry: string; sequence: number };
    assertAbsent(entry, address, ann, bea);
    const openings = (await openingsOf(sequence)) as unknown as Opening[];
    const paths = ['actorEmail', 'diff.after.names.1', 'diff.before.userName', 'reason', 'targetRef'];
    assert.deepEqual(openings.map(({ path }) => path).sort(), paths);
    assert.equal(new Set(openings.map(({ salt }) => salt)).size, paths.length);
    const { commitments } = JSON.parse(entry);
    for (const { path, salt, value } of openings) {
      const text = `${salt}${path}\0${value}`;
      assert.equal(commitments[path], createHash('sha256').update(text).digest('hex'), path);
    }
    assert.deepEqual(await findings(), []);
  });

  test('have no row where an event names no person', async () => {
    await run((tx) => recordEvent(tx, systemSource(tenantId), { ...event, action: 'thing.done', targetRef: 'plain' }));
    const { entry, sequence } = (await lastRow()) as { entry: string; sequence: number };
    assert.deepEqual(await openingsOf(sequence), []);
    assert.ok(!entry.includes('commitments'));
  });

  test('read null once they are erased, in this tenant only, and everything verifies', async () => {
    await record(tenantId, 'person.added');
    await record(otherId, 'person.added');
    const before = await readRows(installation.database, 'audit_events');
    assert.ok((await erase(address)).length >= 2);
    const { rows } = await listEvents(installation.database.kysely, tenantId, { action: 'person.added' }, null, 1);
    assert.deepEqual([rows[0]?.actorEmail, rows[0]?.targetRef, rows[0]?.targetId], [null, null, 'u']);
    assert.equal((await newest(otherId)).item?.targetRef, address);
    const events = await readRows(installation.database, 'audit_events');
    for (const row of before) assert.ok(events.some(({ hash }) => hash === row.hash));
    const stored = JSON.stringify(await readRows(installation.database, 'audit_openings'));
    assert.equal(stored.split(address).length - 1, 2, 'only the two of the other tenant');
    assert.deepEqual(await findings(), []);
    assert.deepEqual(await erase(address), []);
    assert.deepEqual(await erase(address.toLowerCase(), otherId), []);
  });

  test('are cleared for a whole value, not for all that begin like it', async () => {
    const [one = '', other = ''] = ['a', 'b'].map((end) => 'x'.repeat(300) + end);
    for (const text of [one, other]) await record(tenantId, 'person.described', { reason: personal(text) });
    await erase(one);
    const stored = JSON.stringify(await readRows(installation.database, 'audit_openings'));
    assert.deepEqual([stored.includes(one), stored.includes(other)], [false, true]);
  });

  test('are cleared a thousand at a time', async () => {
    const many = Array.from({ length: 1100 }, () => ({
      source: systemSource(tenantId),
      event: { ...event, action: 'person.seen', targetRef: personal('many@example.org') },
    }));
    const { sequence } = (await lastRow()) as { sequence: number };
    await run((tx) => recordEvents(tx, many));
    assert.equal((await erase('many@example.org')).length, 1000);
    const covered = { audit: { targetRef: `${sequence + 1}-${sequence + 1000}` } };
    assert.deepEqual((await newest()).detail?.diff, { sequences: covered });
    assert.equal((await erase('many@example.org')).length, 100);
    assert.deepEqual(await erase('many@example.org'), []);
    assert.deepEqual(await findings(), []);
  });

  test('of a later event are covered by no erasure', async () => {
    const next = (await lastRow()).sequence as number;
    const later = { sequence: next + 2, path: 'targetRef' };
    const erasure = { module: 'privacy', action: 'subject.erased', targetId: null, targetRef: null } as const;
    await run((tx) => recordErasure(tx, systemSource(tenantId), { audit: [later] }, erasure));
    await record(tenantId, 'person.added');
    assert.deepEqual(await findings(), []);
    const opening = (await openingsOf(later.sequence)).find(({ path }) => path === later.path) as Row;
    await changeRow(installation.database, 'audit_openings', opening, { salt: null, value: null });
    const found = await findings();
    await changeRow(installation.database, 'audit_openings', opening, opening);
    assert.equal(found.length, 1);
    assert.match(String(found[0]), /targetRef is missing, and no event says that it was erased$/);
  });

  test('change in no way but by an erasure: the database refuses', async () => {
    await record(tenantId, 'person.added');
    const { sequence } = (await lastRow()) as { sequence: number };
    const where = `where tenant_id = '${tenantId}' and sequence = ${sequence}`;
    const refused = [
      `update audit_openings set value = 'x' ${where}`,
      `update audit_openings set value = null ${where}`,
      `update audit_openings set salt = null ${where}`,
      `update audit_openings set salt = null, value = null, path = 'x' ${where} and path = 'targetRef'`,
      `update audit_openings set salt = null, value = null, sequence = 0 ${where} and path = 'targetRef'`,
      `delete from audit_openings ${where}`,
    ];
    const before = await openingsOf(sequence);
    for (const statement of refused)
      await assert.rejects(sql.raw(statement).execute(installation.database.kysely), /append-only/, statement);
    assert.deepEqual(await openingsOf(sequence), before);
    assert.deepEqual(await findings(), []);
  });
});

const anyEvent: fc.Arbitrary<Readonly<Record<string, MaybePersonal>>> = fc
  .letrec<{ part: MaybePersonal }>((tie) => ({
    part: fc.oneof(
      { maxDepth: 4 },
      fc.oneof(fc.string(), fc.integer(), fc.constant(null), fc.boolean()),
      fc.string().map((text) => new Personal(text)),
      fc.array(tie('part'), { maxLength: 3 }),
      fc.dictionary(fc.stringMatching(/^[a-z][A-Za-z]{0,4}$/), tie('part'), { maxKeys: 3 }),
    ),
  }))
  .part.chain((part) => fc.dictionary(fc.stringMatching(/^[a-z]{1,4}$/), fc.constant(part), { maxKeys: 3 }));

/** An event with its personal texts as they are. */
function reveal(part: unknown): unknown {
  if (part instanceof Personal) return part.value;
  if (Array.isArray(part)) return part.map(reveal);
  if (typeof part !== 'object' || part === null) return part;
  return Object.fromEntries(Object.entries(part).map(([name, value]) => [name, reveal(value)]));
}

test('taking the personal texts of an event and putting them back gives the event as it was', () => {
  fc.assert(
    fc.property(anyEvent, (wanted) => {
      const { rest, found } = takePersonal(wanted);
      const text = canonicalize(rest) as string;
      assert.equal(new Set(found.map(({ path }) => path)).size, found.length);
      const read = JSON.parse(text);
      putPersonal(read, found);
      assert.deepEqual(canonicalize(read), canonicalize(reveal(wanted)));
      // Nothing is copied, or changed in place, without need.
      if (found.length === 0) assert.equal(rest, wanted);
    }),
  );
});
