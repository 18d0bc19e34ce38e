import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { createFreshTenant, describeServer, payload } from '../../consent/helpers.ts';
import { runVerify } from '../../ledger/fixture.ts';
import { assertAbsent, needle } from '../../needle.ts';
import { addPerson, changePeople, readAudit, readState, readWebhooks, watch } from './membership-helpers.ts';

const newEmail = () => `person-${randomUUID()}@example.com`;

describeServer('adding a member', (server) => {
  const readMember = async (key: string, id: string) =>
    payload(await server.request('GET', `/v1/users/${id}`, { key }), 200);

  test('creates an account for a new address', async () => {
    const tenant = await createFreshTenant(server);
    const email = newEmail();
    const profile = { givenName: 'Ann', familyName: 'Lee', externalId: 'x-1', userName: email.toUpperCase() };
    const { result, events, webhooks } = await watch(server, tenant.id, () =>
      addPerson(server, tenant.id, { email, role: 'dpo', ...profile }),
    );
    assert.ok(result);
    const { userName, ...names } = profile;
    assert.deepEqual(await readMember(tenant.key, result.userId), {
      id: result.userId,
      email: userName,
      displayName: 'Ann Lee',
      ...names,
      role: 'dpo',
      status: 'active',
      canSignIn: false,
      mfaEnabled: false,
      createdAt: server.clock.now(),
      updatedAt: server.clock.now(),
      lastSignedInAt: null,
    });
    const [event, ...more] = events;
    assert.deepEqual(more, []);
    assert.deepEqual(
      [event.module, event.action, event.targetId, event.targetRef, event.reason],
      ['identity', 'user.provisioned', result.userId, userName, 'Added by a test'],
    );
    assert.deepEqual(event.diff.after, { role: 'dpo', status: 'active' });
    assert.deepEqual(webhooks, [
      {
        type: 'user.provisioned',
        data: {
          userId: result.userId,
          email: userName,
          role: 'dpo',
          status: 'active',
          after: { role: 'dpo', status: 'active' },
        },
        createdAt: server.clock.now(),
      },
    ]);
  });

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

  test('refuses a member, active or suspended, and changes nothing', async () => {
    const tenant = await createFreshTenant(server);
    const email = newEmail();
    const member = await addPerson(server, tenant.id, { email });
    for (const isActivated of [true, false]) {
      await changePeople(server, tenant.id, [member?.userId as string], { isActivated });
      const before = await readState(server);
      assert.equal(await addPerson(server, tenant.id, { email, role: 'admin', givenName: 'Other' }), undefined);
      assert.equal(await readState(server), before);
    }
  });

  test('adds a former member with the same id and the new attributes', async () => {
    const tenant = await createFreshTenant(server);
    const email = newEmail();
    const first = await addPerson(server, tenant.id, { email, role: 'admin', givenName: 'Ann', externalId: 'old' });
    const id = first?.userId as string;
    const createdAt = server.clock.now();
    await changePeople(server, tenant.id, [id], { isAssigned: false });
    await changePeople(server, tenant.id, [id], { isDeleted: true });
    assert.equal((await server.request('GET', `/v1/users/${id}`, { key: tenant.key })).status, 404);
    server.clock.advance(1000);
    const { result, events, webhooks } = await watch(server, tenant.id, () =>
      addPerson(server, tenant.id, { email, role: 'engineer', externalId: 'new' }),
    );
    assert.equal(result?.userId, id);
    const member = await readMember(tenant.key, id);
    assert.deepEqual(
      [member.role, member.status, member.givenName, member.externalId, member.createdAt, member.updatedAt],
      ['engineer', 'active', null, 'new', createdAt, server.clock.now()],
    );
    assert.deepEqual(
      [events.map(({ action }) => action), events[0].diff.restored, webhooks[0].data.restored],
      [['user.provisioned'], true, true],
    );
    const history = (await readAudit(server, tenant.id)).filter(({ targetId }) => targetId === id);
    assert.deepEqual(
      history.map(({ action }) => action),
      ['user.provisioned', 'user.suspended', 'user.deprovisioned', 'user.provisioned'],
    );
  });

  test('can make a suspended one', async () => {
    const tenant = await createFreshTenant(server);
    const member = await addPerson(server, tenant.id, { email: newEmail(), isActivated: false });
    assert.equal(member?.status, 'suspended');
    const [webhook] = await readWebhooks(server, tenant.id);
    assert.deepEqual([webhook.type, webhook.data.status], ['user.provisioned', 'suspended']);
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
    const { report } = await runVerify(server.installation);
    assert.equal(report.intact, true, JSON.stringify(report.tenants.flatMap(({ rows }) => rows.faults)));
  });
});
