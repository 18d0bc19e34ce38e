import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { describeServer } from '../consent/helpers.ts';
import { createScimClient, groupUrn, members, patchUrn, type ScimClient, userUrn } from './scim-client.ts';

describeServer('the events of SCIM changes', (server) => {
  let scim: ScimClient;
  let count = 0;
  before(async () => {
    scim = await createScimClient(server);
  });

  const createUser = (attributes: object = {}) => {
    count += 1;
    return scim.createUser(`user-${count}@example.com`, attributes);
  };
  const listEvents = async () => {
    const { body } = await server.request('GET', '/v1/audit?limit=200');
    return body.data.items as { readonly id: string; readonly action: string }[];
  };
  const listWebhooks = () =>
    server.installation.database.kysely.selectFrom('webhook_events').selectAll().orderBy('id').execute();

  /** The audit events and webhook events of a request, oldest first. */
  const watchEvents = async (request: () => Promise<unknown>) => {
    const [before, webhooksBefore] = [await listEvents(), await listWebhooks()];
    await request();
    const [events, webhooks] = [await listEvents(), await listWebhooks()];
    const fresh = events.slice(0, events.length - before.length).reverse();
    const details = [];
    for (const { id } of fresh) details.push((await server.request('GET', `/v1/audit/${id}`)).body.data);
    return {
      actions: fresh.map(({ action }) => action),
      details,
      webhooks: webhooks.slice(webhooksBefore.length).map(({ type, data }) => ({ type, ...JSON.parse(data) })),
    };
  };
  const patchActive = (id: string, value: boolean) =>
    scim.patch(`/Users/${id}`, { op: 'replace', path: 'active', value });

  test('is one event for the audit log and one for webhooks', async () => {
    let id = '';
    const steps: readonly (readonly [string, string, string, () => Promise<unknown>])[] = [
      [
        'user.provisioned',
        'SCIM: user created',
        'active',
        async () => {
          id = await scim.createUser('member@example.com');
        },
      ],
      ['user.suspended', 'SCIM: active set to false', 'suspended', () => patchActive(id, false)],
      ['user.reactivated', 'SCIM: active set to true', 'active', () => patchActive(id, true)],
      [
        'user.role_changed',
        'SCIM: role set to dpo',
        'active',
        () => scim.patch(`/Users/${id}`, { op: 'replace', path: 'roles', value: [{ value: 'dpo' }] }),
      ],
      [
        'user.suspended',
        'SCIM: removed from the group dpo',
        'suspended',
        () => scim.patch('/Groups/dpo', { op: 'remove', path: `members[value eq "${id}"]` }),
      ],
      [
        'user.reactivated',
        'SCIM: added to the group dpo',
        'active',
        () => scim.send('PUT', '/Groups/dpo', { schemas: [groupUrn], members: members(id) }),
      ],
      ['user.suspended', 'SCIM: group dpo deleted', 'suspended', () => scim.send('DELETE', '/Groups/dpo')],
      ['user.deprovisioned', 'SCIM: user deleted', 'deleted', () => scim.send('DELETE', `/Users/${id}`)],
      [
        'user.provisioned',
        'SCIM: user created',
        'active',
        async () => assert.equal(await scim.createUser('MEMBER@example.com'), id),
      ],
    ];
    for (const [step, [type, reason, status, request]] of steps.entries()) {
      const { actions, details, webhooks } = await watchEvents(request);
      assert.deepEqual(actions, [type]);
      const [{ actorType, module, targetId, diff, ...detail }] = details as [Record<string, unknown>];
      const { states, restored } = diff as { readonly states: object; readonly restored?: true };
      const isBack = type === 'user.provisioned' && step > 0 ? true : undefined;
      assert.deepEqual([restored, webhooks[0].restored], [isBack, isBack]);
      assert.equal(detail.reason, reason);
      assert.equal(actorType, 'api_key');
      assert.equal(module, 'identity');
      assert.equal(targetId, id);
      assert.deepEqual(Object.keys(states), ['user/1']);
      assert.equal(webhooks.length, 1);
      assert.equal(webhooks[0].type, type);
      assert.equal(webhooks[0].userId, id);
      assert.equal(webhooks[0].status, status);
    }
  });

  test('is nothing where nothing changes', async () => {
    const id = await createUser({ roles: [{ value: 'engineer' }] });
    for (const request of [
      () => patchActive(id, true),
      () => scim.patch(`/Users/${id}`, { op: 'replace', path: 'roles', value: [{ value: 'engineer' }] }),
      () => scim.patch('/Groups/engineer', { op: 'add', path: 'members', value: members(id) }),
      () => scim.patch('/Groups/engineer', { op: 'replace', path: 'members', value: members(id) }),
      () => scim.patch('/Groups/dpo', { op: 'remove', path: 'members', value: members(id) }),
      () =>
        scim.patch(
          '/Groups/engineer',
          { op: 'remove', path: `members[value eq "${id}"]` },
          { op: 'add', path: 'members', value: members(id) },
        ),
      () => scim.send('POST', '/Groups', { schemas: [groupUrn], displayName: 'engineer', members: [] }),
      () => scim.send('POST', '/Users', { schemas: [userUrn], userName: `user-${count}@example.com` }),
      () => scim.patch('/Groups/engineer', { op: 'replace', path: 'members', value: members('unknown') }),
      () => scim.send('DELETE', '/Users/unknown'),
      () => scim.send('PUT', `/Users/${id}`, { schemas: [userUrn], active: false }),
    ]) {
      const { actions, webhooks } = await watchEvents(request);
      assert.deepEqual([actions, webhooks], [[], []]);
    }
  });

  test('is an event for each person who is changed', async () => {
    const ids = [await createUser(), await createUser(), await createUser()];
    const { actions, details } = await watchEvents(() =>
      scim.send('PUT', '/Groups/auditor', { schemas: [groupUrn], members: members(...ids) }),
    );
    assert.deepEqual(actions, ['user.role_changed', 'user.role_changed', 'user.role_changed']);
    assert.deepEqual(details.map(({ targetId }) => targetId).sort(), ids.toSorted());
  });

  test('holds no token', async () => {
    const { body, text } = await server.request('GET', '/v1/audit?limit=200');
    assert.ok(body.data.items.length > 0);
    assert.ok(!text.includes(scim.token));
    for (const { id } of body.data.items)
      assert.ok(!(await server.request('GET', `/v1/audit/${id}`)).text.includes(scim.token));
  });

  test('ends the sessions of a suspended user in this tenant only, however the user was suspended', async () => {
    const elsewhere = await server.createTenant('elsewhere');
    const patch = (operation: object) => ({ schemas: [patchUrn], Operations: [operation] });
    for (const [method, path, body] of [
      ['PATCH', '/Users/{id}', patch({ op: 'replace', path: 'active', value: false })],
      ['DELETE', '/Users/{id}', undefined],
      ['PATCH', '/Groups/dpo', patch({ op: 'remove', path: 'members[value eq "{id}"]' })],
      ['PATCH', '/Groups/dpo', patch({ op: 'remove', path: 'members', value: [{ value: '{id}' }] })],
      ['PATCH', '/Groups/dpo', patch({ op: 'replace', path: 'members', value: [] })],
      ['PUT', '/Groups/dpo', { schemas: [groupUrn], members: [] }],
      ['DELETE', '/Groups/dpo', undefined],
    ] as const) {
      count += 1;
      const email = `signed-in-${count}@example.com`;
      const member = await server.createMember({ email, role: 'dpo' });
      const same = await server.createMember({ tenantId: elsewhere.id, email, role: 'dpo' });
      const bystander = await server.createMember({ role: 'admin' });
      const statusOf = async (headers: Readonly<Record<string, string>>) =>
        (await server.request('GET', '/v1/audit', { headers })).status;
      assert.equal(await statusOf(member.session), 200);
      const fill = (text: string) => text.replace('{id}', member.userId);
      const sent = body === undefined ? undefined : JSON.parse(fill(JSON.stringify(body)));
      assert.ok((await scim.send(method, fill(path), sent)).status < 300);
      assert.equal(await statusOf(member.session), 401, `${method} ${path}`);
      assert.equal(await statusOf(same.session), 200);
      assert.equal(await statusOf(bystander.session), 200);
    }
  });
});
