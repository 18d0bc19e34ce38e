import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { findOrCreateAccount } from '../../../accounts/members/account-store.ts';
import { addMember } from '../../../accounts/members/membership.ts';
import { roleIds } from '../../../http/roles.ts';
import { systemSource } from '../../../ledger/audit/store.ts';
import { runUnitOfWork } from '../../../storage/database.ts';
import { createFreshTenant, describeServer } from '../../consent/helpers.ts';
import { runVerify } from '../../ledger/fixture.ts';
import {
  addPerson,
  changePeople,
  isSignedIn,
  readAudit,
  readState,
  readWebhooks,
  watch,
} from './membership-helpers.ts';

describeServer('changing members', (server) => {
  const addPeople = async (tenantId: string, count: number) => {
    const ids: string[] = [];
    for (let index = 0; index < count; index += 1) {
      const member = await addPerson(server, tenantId, { email: `${randomUUID()}@example.com` });
      ids.push(member?.userId as string);
    }
    return ids;
  };
  const assertIntact = async () => {
    const { report } = await runVerify(server.installation);
    assert.equal(report.intact, true, JSON.stringify(report.tenants.flatMap(({ rows }) => rows.faults)));
  };

  test('records and sends the change of each member, and of no other', async () => {
    const tenant = await createFreshTenant(server);
    const [first, second, third] = (await addPeople(tenant.id, 3)) as [string, string, string];
    await changePeople(server, tenant.id, [second], { isActivated: false });
    server.clock.advance(1000);
    const { result, events, webhooks } = await watch(server, tenant.id, () =>
      changePeople(server, tenant.id, [first, second], { role: 'dpo', isActivated: false }),
    );
    assert.deepEqual(
      [...result.values()].map(({ role, status }) => [role, status]),
      [
        ['dpo', 'suspended'],
        ['dpo', 'suspended'],
      ],
    );
    const recorded = events.map(({ action, targetId }) => [action, targetId]).sort();
    assert.deepEqual(
      recorded,
      [
        ['user.role_changed', first],
        ['user.role_changed', second],
        ['user.suspended', first],
      ].sort(),
    );
    const roleChange = events.find(({ action, targetId }) => action === 'user.role_changed' && targetId === first);
    const { states, ...diff } = roleChange.diff;
    assert.match(Object.values(states).join(), /^[0-9a-f]{64}$/);
    assert.deepEqual(diff, { before: { role: 'auditor' }, after: { role: 'dpo' } });
    const suspension = webhooks.find(({ type }) => type === 'user.suspended');
    assert.equal(suspension.data.userId, first);
    assert.deepEqual(suspension.data.before, { status: 'active' });
    assert.deepEqual(suspension.data.after, { status: 'suspended' });
    assert.deepEqual(webhooks.map(({ type, data }) => [type, data.userId]).sort(), recorded);
    assert.equal((await readAudit(server, tenant.id)).filter(({ targetId }) => targetId === third).length, 1);
  });

  test('skips members without a change and users who are not members', async () => {
    const [tenant, other] = [await createFreshTenant(server), await createFreshTenant(server)];
    const [member, gone] = (await addPeople(tenant.id, 2)) as [string, string];
    const [stranger] = (await addPeople(other.id, 1)) as [string];
    await changePeople(server, tenant.id, [member], { role: 'dpo', isActivated: false });
    await changePeople(server, tenant.id, [gone], { isDeleted: true });
    server.clock.advance(1000);
    const before = await readState(server);
    const ids = [member, member, gone, stranger, randomUUID()];
    const changed = await changePeople(server, tenant.id, ids, { role: 'dpo', isActivated: false });
    assert.deepEqual([...changed.keys()], [member]);
    assert.equal(await readState(server), before);
  });

  test('records a change of only names in the log, and sends no webhook', async () => {
    const tenant = await createFreshTenant(server);
    const [id] = (await addPeople(tenant.id, 1)) as [string];
    const { events, webhooks } = await watch(server, tenant.id, () =>
      changePeople(server, tenant.id, [id], { givenName: 'Ann' }),
    );
    assert.deepEqual(
      events.map(({ action, diff }) => [action, diff.before.givenName, diff.after.givenName]),
      [['user.updated', null, 'Ann']],
    );
    assert.deepEqual(webhooks, []);
  });

  test('ends the sessions of members who are no longer active, only in that tenant', async () => {
    for (const change of [{ isActivated: false }, { isAssigned: false }, { isDeleted: true }] as const) {
      const [tenant, other] = [await createFreshTenant(server), await createFreshTenant(server)];
      const email = `${randomUUID()}@example.com`;
      const here = await server.createMember({ tenantId: tenant.id, email });
      const there = await server.createMember({ tenantId: other.id, email });
      const colleague = await server.createMember({ tenantId: tenant.id });
      await changePeople(server, tenant.id, [here.userId], change);
      const seen = [here, there, colleague].map(({ session }) => isSignedIn(server, session));
      assert.deepEqual(await Promise.all(seen), [false, true, true], JSON.stringify(change));
      const sessions = await server.installation.database.kysely
        .selectFrom('sessions')
        .select('tenant_id')
        .where('user_id', '=', here.userId)
        .execute();
      assert.deepEqual(sessions, [{ tenant_id: other.id }]);
    }
  });

  test('does not end the session of a member whose role changes: the next request has the new one', async () => {
    const tenant = await createFreshTenant(server);
    const member = await server.createMember({ tenantId: tenant.id });
    const readKeys = () => server.request('GET', '/v1/users', { headers: member.session });
    assert.equal((await readKeys()).status, 200);
    await changePeople(server, tenant.id, [member.userId], { role: 'cs_agent' });
    assert.equal((await readKeys()).status, 403);
    assert.equal(await isSignedIn(server, member.session), true);
  });

  test('loses nothing in 32 concurrent changes', async () => {
    const tenant = await createFreshTenant(server);
    const ids = await addPeople(tenant.id, 4);
    const { events } = await watch(server, tenant.id, () =>
      Promise.all(
        Array.from({ length: 32 }, (_, index) =>
          index % 2 === 0
            ? changePeople(server, tenant.id, [ids[index % 4] as string], { externalId: `x-${index}` })
            : changePeople(server, tenant.id, ids, { role: roleIds[index % 5] as (typeof roleIds)[number] }),
        ),
      ),
    );
    for (const id of ids) {
      const own = events.filter(({ targetId }) => targetId === id);
      // Each change starts from the result of the previous one.
      const roles = own.filter(({ action }) => action === 'user.role_changed').map(({ diff }) => diff);
      for (const [index, { before }] of roles.entries())
        assert.deepEqual(before, index === 0 ? { role: 'auditor' } : roles[index - 1].after);
      const names = own.filter(({ action }) => action === 'user.updated').map(({ diff }) => diff);
      for (const [index, { before }] of names.entries())
        assert.equal(before.externalId, index === 0 ? null : names[index - 1].after.externalId);
    }
    const updates = events.filter(({ action }) => action === 'user.updated');
    assert.equal(updates.length, 16);
    await assertIntact();
  });

  test('changes more members in one unit of work than one statement takes', async () => {
    const tenant = await createFreshTenant(server);
    const count = 1100;
    const { kysely } = server.installation.database;
    const ids = await runUnitOfWork(server.installation.database, server.clock.now(), async (work) => {
      const emails = Array.from({ length: count }, (_, index) => `${index}-${tenant.slug}@example.com`);
      // Accounts are locked before tenants.
      for (const email of emails) await work.lockAccount((await findOrCreateAccount(work, email)).id);
      const added: string[] = [];
      for (const email of emails) {
        const accepted = { email, role: 'auditor', isActivated: true, isAccepted: true } as const;
        added.push((await addMember(work, systemSource(tenant.id), accepted, 'test'))?.user_id as string);
      }
      return added;
    });
    const inactive = ids.slice(0, 7);
    await changePeople(server, tenant.id, inactive, { isActivated: false });
    const { result, events, webhooks } = await watch(server, tenant.id, () =>
      changePeople(server, tenant.id, ids, { role: 'engineer', isActivated: false }),
    );
    assert.equal(result.size, count);
    const rows = await kysely.selectFrom('memberships').selectAll().where('tenant_id', '=', tenant.id).execute();
    assert.equal(rows.filter((row) => row.role === 'engineer' && row.deactivated_at !== null).length, count);
    const countOf = (type: string) => [
      new Set(events.filter(({ action }) => action === type).map(({ targetId }) => targetId)).size,
      new Set(webhooks.filter((webhook) => webhook.type === type).map(({ data }) => data.userId)).size,
    ];
    assert.deepEqual(countOf('user.role_changed'), [count, count]);
    assert.deepEqual(countOf('user.suspended'), [count - 7, count - 7]);
    assert.deepEqual([events.length, webhooks.length], [2 * count - 7, 2 * count - 7]);
    await changePeople(server, tenant.id, ids, { isDeleted: true });
    const page = await server.request('GET', '/v1/users', { key: tenant.key });
    assert.deepEqual(page.body.data.items, []);
    assert.equal((await readWebhooks(server, tenant.id)).length, count + 7 + 2 * count - 7 + count);
    await assertIntact();
  });
});
