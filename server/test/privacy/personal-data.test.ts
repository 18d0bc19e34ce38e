import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { dsrRows } from '../../ledger/audit/rows.ts';
import { hashRow } from '../../ledger/audit/store.ts';
import { readAudit } from '../accounts/members/membership-helpers.ts';
import { createFreshTenant, describeServer, payload, readTables } from '../consent/helpers.ts';
import { runVerify } from '../ledger/fixture.ts';
import { PrivacyClient } from './requests.ts';

/** Values that name a person, or were written about one. */
const personal = {
  subjectId: 'ann.smith@example.org',
  notes: 'Ann called twice',
  method: 'Ann showed her passport',
  extensionReason: 'Ann has many accounts',
  reason: 'Ann is another person',
  title: 'Ann lost her laptop',
  description: 'Ann left it on a train',
  category: 'Letters to Ann',
  notificationReason: 'Ann encrypted it',
};

describeServer('personal data', (server) => {
  const fill = async () => {
    const client = new PrivacyClient(server, await createFreshTenant(server));
    const { id } = await client.opened({ subjectId: personal.subjectId, notes: personal.notes });
    payload(await client.editDsr(id, { identityCheck: { method: personal.method } }), 200);
    payload(await client.extend(id, personal.extensionReason), 200);
    payload(await client.complete(id, { outcome: 'rejected', reason: personal.reason }), 200);
    const { title, description, category, notificationReason } = personal;
    const breach = await client.reported({ title, description, dataCategories: [category] });
    payload(await client.edit(breach.id, { notificationReason, status: 'closed' }), 200);
    payload(await client.edit(breach.id, { title: `${title}!`, description: `${description}!`, status: 'open' }), 200);
    return { client, dsrId: id as string, breachId: breach.id as string };
  };

  test('is stored in its row, and elsewhere only in webhook events', async () => {
    await fill();
    const allowed: Readonly<Record<string, readonly string[]>> = {
      subjectId: ['dsr_requests', 'webhook_events'],
      notes: ['dsr_requests'],
      method: ['dsr_requests'],
      extensionReason: ['dsr_requests'],
      reason: ['dsr_requests'],
      title: ['breach_incidents'],
      description: ['breach_incidents'],
      category: ['breach_incidents'],
      notificationReason: ['breach_incidents'],
    };
    const tables = Object.entries(await readTables(server));
    for (const [name, text] of Object.entries(personal)) {
      const found = tables.filter(([, rows]) => rows.some((row) => row.includes(text))).map(([table]) => table);
      assert.deepEqual(found.sort(), allowed[name], name);
    }
  });

  test('is not confirmed by a hash in the audit log: equal requests have different hashes', async () => {
    const { client, dsrId } = await fill();
    const { kysely } = server.installation.database;
    const row = await kysely.selectFrom('dsr_requests').selectAll().where('id', '=', dsrId).executeTakeFirstOrThrow();
    const events = (await readAudit(server, client.tenant.id)).filter(({ targetId }) => targetId === dsrId);
    assert.deepEqual(events.at(-1).diff.states, { 'dsr/1': hashRow(dsrRows, row) });
    assert.match(String(row.salt), /^[\w-]{22}$/);
    const salts = await kysely.selectFrom('dsr_requests').select('salt').execute();
    assert.equal(new Set(salts.map(({ salt }) => salt)).size, salts.length);
    // Without the salt, the other values give another hash.
    assert.notEqual(hashRow(dsrRows, { ...row, salt: 'A'.repeat(22) }), events.at(-1).diff.states['dsr/1']);
  });

  test('matches the audit log; a changed row is reported', async () => {
    const { dsrId, breachId } = await fill();
    const { kysely } = server.installation.database;
    const faults = async () => (await runVerify(server.installation)).report.tenants.flatMap(({ rows }) => rows.faults);
    assert.deepEqual(await faults(), []);
    const issue = 'the row differs from the audit log';
    const move = (id: string, to: string) =>
      sql`update dsr_requests set due_at = ${to} where id = ${id}`.execute(kysely);
    const { due_at: dueAt } = await kysely
      .selectFrom('dsr_requests')
      .select('due_at')
      .where('id', '=', dsrId)
      .executeTakeFirstOrThrow();
    await move(dsrId, '2030-01-01T00:00:00.000Z');
    assert.deepEqual(await faults(), [{ table: 'dsr_requests', id: dsrId, issue }]);
    await move(dsrId, dueAt);
    await sql`update breach_incidents set severity = 'low' where id = ${breachId}`.execute(kysely);
    assert.deepEqual(await faults(), [{ table: 'breach_incidents', id: breachId, issue }]);
    await sql`update breach_incidents set severity = 'high' where id = ${breachId}`.execute(kysely);
    assert.deepEqual(await faults(), []);
  });
});
