import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { findOrCreateAccount } from '../../../accounts/members/account-store.ts';
import { addMember } from '../../../accounts/members/membership.ts';
import { roleIds } from '../../../http/roles.ts';
import { systemSource } from '../../../ledger/audit/store.ts';
import { runTransaction } from '../../../storage/database.ts';
import { createFreshTenant, describeServer, payload } from '../../consent/helpers.ts';
import { assertAbsent, needle } from '../../needle.ts';
import { assertIntact } from '../keys/keys.ts';
import { addPerson, changePeople, isSignedIn, readAudit, readWebhooks, watch } from './membership-helpers.ts';

describeServer('changing members', (server) => {
  const addPeople = async (tenantId: string, count: number) => {
    const ids: string[] = [];
    for (let index = 0; index < count; index += 1) {
      const member = await addPerson(server, tenantId, { email: `${randomUUID()}@example.com` });
      ids.push(member?.userId as string);
    }
    return ids;
  };

  const newEmail = () => `person-${randomUUID()}@example.com`;
  const readMember = async (key: string, id: string) =>
    payload(await server.request('GET', `/v1/users/${id}`, { key }), 200);

  test('adds a user of another tenant, without the attributes that that tenant entered', async () => {
    const [one, other] = [await createFreshTenant(server), await createFreshTenant(server)];
    const email = newEmail();
    const secret = { givenName: needle('given'), familyName: needle('family'), externalId: needle('external') };
    const theirs = await addPerson(server, one.id, { email, role: 'admin', ...secret, userName: email.toUpperCase() });
    const ours = await addPerson(server, other.id, { email, role: 'auditor' });
    assert.equal(ours?.userId, theirs?.userId);
    const member = await readMember(other.key, ours?.userId as string);
    assert.deepEqual(
      [member.email, member.displayName, member.givenName, member.familyName, member.externalId, member.role],
      [email, email, null, null, null, 'auditor'],
    );
    assert.equal(
      (await readMember(one.key, theirs?.userId as string)).displayName,
      `${secret.givenName} ${secret.familyName}`,
    );
    const recorded = JSON.stringify([await readAudit(server, other.id), await readWebhooks(server, other.id)]);
    assert.doesNotMatch(recorded, /"admin"/);
    assertAbsent(recorded, ...Object.values(secret), email.toUpperCase(), one.id);
  });

  test('creates one account when several tenants add the same new address concurrently', async () => {
    const tenants = await Promise.all([1, 2, 3, 4].map(() => createFreshTenant(server)));
    for (let round = 0; round < 5; round += 1) {
      const email = newEmail();
      const twice = [...tenants, ...tenants];
      const added = await Promise.all(twice.map(({ id }) => addPerson(server, id, { email })));
      const members = added.filter((member) => member !== undefined);
      assert.equal(members.length, tenants.length, 'each tenant has the person once');
      assert.equal(new Set(members.map(({ userId }) => userId)).size, 1);
      assert.deepEqual(members.map(({ tenantId }) => tenantId).sort(), tenants.map(({ id }) => id).sort());
    }
    await assertIntact(server);
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
    await assertIntact(server);
  });

  test('changes more members in one transaction than one statement takes', async () => {
    const tenant = await createFreshTenant(server);
    const count = 1100;
    const { kysely } = server.installation.database;
    const ids = await runTransaction(server.installation.database, server.clock.now(), async (tx) => {
      const emails = Array.from({ length: count }, (_, index) => `${index}-${tenant.slug}@example.com`);
      // Accounts are locked before tenants.
      for (const email of emails) await tx.lockAccount((await findOrCreateAccount(tx, email)).id);
      const added: string[] = [];
      for (const email of emails) {
        const accepted = { email, role: 'auditor', isActivated: true, isAccepted: true } as const;
        added.push((await addMember(tx, systemSource(tenant.id), accepted, 'test'))?.user_id as string);
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
    const members = kysely.selectFrom('memberships').select('user_id').where('tenant_id', '=', tenant.id);
    assert.deepEqual(await members.where('deleted_at', 'is', null).execute(), []);
    assert.equal((await readWebhooks(server, tenant.id)).length, count + 7 + 2 * count - 7 + count);
    await assertIntact(server);
  });
});
