import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { assertIntact } from '../../accounts/keys/keys.ts';
import { accept, goodPassword } from '../../accounts/members/invitation-helpers.ts';
import { changePeople, readAudit, readState } from '../../accounts/members/membership-helpers.ts';
import { assertProblem, createFreshTenant, describeServerOnEachDatabase, payload } from '../../consent/helpers.ts';
import type { TestMember } from '../../harness.ts';

describeServerOnEachDatabase('the tenants of a server', (server) => {
  let operator: Promise<TestMember> | undefined;
  const findOperator = () => {
    operator ??= server.createMember({ role: 'platform_admin' });
    return operator;
  };
  const ask = async (method: string, path: string, body?: unknown, headers: Readonly<Record<string, string>> = {}) => {
    const { session } = await findOperator();
    return server.request(method, path, { headers: { ...session, ...headers }, ...(body !== undefined && { body }) });
  };
  const input = (fields: object = {}) => ({
    slug: `t${randomUUID()}`,
    name: 'Acme',
    adminEmail: `first-${randomUUID()}@example.com`,
    ...fields,
  });

  test('are listed newest first, in pages, with the number of their members and notices', async () => {
    const [one, other] = [await createFreshTenant(server), await createFreshTenant(server)];
    await server.createMember({ tenantId: one.id });
    const suspended = await server.createMember({ tenantId: one.id });
    await changePeople(server, one.id, [suspended.userId], { isActivated: false });
    const former = await server.createMember({ tenantId: other.id });
    await changePeople(server, other.id, [former.userId], { isDeleted: true });
    await server.createNotice({ key: one.key, publish: false });
    const first = payload(await ask('GET', '/v1/tenants?limit=1'), 200);
    const second = payload(await ask('GET', `/v1/tenants?limit=1&cursor=${first.nextCursor}`), 200);
    const createdAt = server.clock.now();
    assert.deepEqual(first.items, [
      { id: other.id, slug: other.slug, name: other.slug, createdAt, members: 0, notices: 0 },
    ]);
    assert.deepEqual(second.items, [{ id: one.id, slug: one.slug, name: one.slug, createdAt, members: 2, notices: 1 }]);
    const { items, nextCursor } = payload(await ask('GET', '/v1/tenants?limit=100'), 200);
    assert.deepEqual([items.at(-1).id, nextCursor], [server.tenant.id, null]);
  });

  test('are created with an invitation for their first administrator', async () => {
    const { userId, email } = await findOperator();
    const wanted = input();
    const { tenant, invitation } = payload(await ask('POST', '/v1/tenants', wanted));
    assert.deepEqual(payload(await ask('GET', '/v1/tenants?limit=1'), 200).items, [tenant]);
    assert.deepEqual([tenant.slug, tenant.name], [wanted.slug, 'Acme']);
    assert.deepEqual([invitation.email, invitation.role, invitation.status], [wanted.adminEmail, 'admin', 'pending']);
    for (const { actorType, actorId, actorEmail } of await readAudit(server, tenant.id))
      assert.deepEqual([actorType, actorId, actorEmail], ['staff', userId, email]);
    assert.equal(payload(await accept(server, invitation.token), 200).tenant.id, tenant.id);
    const body = { email: wanted.adminEmail, password: goodPassword };
    const signedIn = payload(await server.request('POST', '/v1/auth/sign-in', { key: null, body }), 200);
    assert.deepEqual([signedIn.user.role, signedIn.tenant.slug], ['admin', wanted.slug]);
    assertProblem(await ask('GET', '/v1/audit', undefined, { 'Svc-Tenant': tenant.id }), '403 tenant_not_allowed');
    await assertIntact(server);
  });

  test('are created once by a request that is repeated', async () => {
    const body = input();
    const headers = { 'Idempotency-Key': `create-${body.slug}` };
    const first = payload(await ask('POST', '/v1/tenants', body, headers));
    assert.deepEqual(payload(await ask('POST', '/v1/tenants', body, headers)), first);
    const rows = await server.installation.database.kysely.selectFrom('idempotency_keys').select('body').execute();
    assert.ok(rows.every(({ body }) => !body.includes(first.invitation.token)));
  });

  test('have different slugs, even when they are created at once', async () => {
    const body = input();
    const answers = await Promise.all([1, 2, 3].map(() => ask('POST', '/v1/tenants', body)));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 409, 409]);
    const before = await readState(server);
    assertProblem(await ask('POST', '/v1/tenants', input({ slug: body.slug })), '409 conflict');
    assertProblem(await ask('POST', '/v1/tenants', input({ slug: server.tenant.slug })), '409 conflict');
    for (const [fields, path] of [
      [{ slug: 'No' }, 'body.slug'],
      [{ slug: '-no' }, 'body.slug'],
      [{ slug: randomUUID() }, 'body.slug'],
    ] as const)
      assertProblem(await ask('POST', '/v1/tenants', input(fields)), '422 validation_failed', [path]);
    assert.equal(await readState(server), before);
  });
});
