import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { scopes } from '../../../http/roles.ts';
import { describeServerOnEachDatabase } from '../../consent/helpers.ts';
import type { TestTenant } from '../../harness.ts';
import { assertProblem } from '../../http/problems.ts';
import { readAllRows } from '../../http/stored-rows.ts';
import { assertIntact, getToken, makeKey, readEvents } from './keys.ts';

describeServerOnEachDatabase('a key of another tenant', (server) => {
  let second: TestTenant;
  let third: TestTenant;
  let stranger: TestTenant;
  before(async () => {
    second = await server.createTenant('second');
    third = await server.createTenant('third');
    stranger = await server.createTenant('stranger');
  });

  const share = (name: string, ...tenants: readonly TestTenant[]) =>
    makeKey(server, { name, otherTenantIds: tenants.map(({ id }) => id) });
  const get = (id: string, { key }: TestTenant) => server.request('GET', `/v1/api-keys/${id}`, { key });
  const remove = (id: string, { key }: TestTenant) => server.request('DELETE', `/v1/api-keys/${id}`, { key });
  async function list({ key }: TestTenant, query = 'limit=100') {
    const { status, body, text } = await server.request('GET', `/v1/api-keys?${query}`, { key });
    assert.equal(status, 200, text);
    return body.data;
  }
  const find = async (id: string, tenant: TestTenant) =>
    (await list(tenant)).items.find((item: { readonly id: string }) => item.id === id);
  /** Result of a key in each tenant: 200, or the error code. */
  const reach = (key: string) =>
    Promise.all(
      [server.tenant, second, third].map(async ({ slug }) => {
        const headers = { 'Svc-Tenant': slug };
        const { status, body } = await server.request('GET', '/v1/tenant', { key, headers });
        return body.error?.code ?? status;
      }),
    );

  test('is listed by each tenant that it can act for, without the other tenants', async () => {
    const { id, key } = await share('Shared', second, third);
    const own = { ...(await get(id, server.tenant)).body.data };
    assert.deepEqual([own.tenantId, own.otherTenantIds], [server.tenant.id, [second.id, third.id]]);
    for (const tenant of [second, third]) {
      const expected = { ...own, otherTenantIds: [tenant.id] };
      assert.deepEqual((await get(id, tenant)).body.data, expected);
      assert.deepEqual(await find(id, tenant), expected);
    }
    assert.deepEqual(await find(id, server.tenant), own);
    assertProblem(await get(id, stranger), 'not_found');
    assert.equal(await find(id, stranger), undefined);
    for (const tenant of [server.tenant, second])
      for (const path of [`/v1/api-keys/${id}`, '/v1/api-keys?limit=100'])
        assert.ok(!(await server.request('GET', path, { key: tenant.key })).text.includes(key.slice(13)));
  });

  test('stands among the keys of the tenant in their order, is paged and found by its status', async () => {
    const tenant = await server.createTenant('paging');
    const expiresAt = new Date(server.clock.milliseconds() + 1000).toISOString();
    const made = [
      await share('1', tenant),
      await makeKey(server, { tenantId: tenant.id }),
      await makeKey(server, { otherTenantIds: [second.id, tenant.id], expiresAt }),
      await share('4', tenant, second),
      await share('not for it', second),
    ];
    const [one, two, three, four] = made.map(({ id }) => id) as [string, string, string, string];
    const first = await list(tenant, 'limit=3');
    const rest = await list(tenant, `limit=3&cursor=${first.nextCursor}`);
    const seen = [...first.items, ...rest.items].map(({ id }) => id);
    assert.deepEqual(seen.slice(0, 4), [four, three, two, one]);
    assert.deepEqual([seen.length, rest.nextCursor], [5, null]);
    server.clock.advance(1000);
    await remove(four, server.tenant);
    const idsOf = async (status: string) =>
      (await list(tenant, `status=${status}`)).items.map((item: { readonly id: string }) => item.id);
    assert.deepEqual([await idsOf('expired'), await idsOf('revoked')], [[three], [four]]);
    assert.deepEqual((await idsOf('active')).slice(0, 2), [two, one]);
  });

  test('no longer acts for a tenant that removes it, from its very next request on, nor do its access tokens', async () => {
    const made = await share('Removed', second, third);
    const { access_token } = await getToken(server, made);
    for (const key of [made.key, access_token]) assert.deepEqual(await reach(key), [200, 200, 200]);
    const { status, body } = await remove(made.id, second);
    assert.deepEqual([status, body.data.id, body.data.otherTenantIds], [200, made.id, []]);
    assert.deepEqual([body.data.status, body.data.revokedAt], ['active', null]);
    for (const key of [made.key, access_token, (await getToken(server, made)).access_token])
      assert.deepEqual(await reach(key), [200, 'tenant_not_allowed', 200]);
    assertProblem(await get(made.id, second), 'not_found');
    assert.equal(await find(made.id, second), undefined);
    assertProblem(await remove(made.id, second), 'not_found');
    assert.deepEqual((await get(made.id, server.tenant)).body.data.otherTenantIds, [third.id]);
    await remove(made.id, third);
    assert.deepEqual(await reach(made.key), [200, 'tenant_not_allowed', 'tenant_not_allowed']);
    assert.deepEqual((await get(made.id, server.tenant)).body.data.otherTenantIds, []);
    await assertIntact(server);
  });

  test('no longer reaches the tenant that removed it, nor do keys that it creates or that replace it', async () => {
    const { id, key } = await share('Giver', second, third);
    await remove(id, second);
    const body = { name: 'x', scopes: ['audit:read'], otherTenantIds: [second.id] };
    assertProblem(await server.request('POST', '/v1/api-keys', { key, body }), 'forbidden');
    const rotated = await server.request('POST', `/v1/api-keys/${id}/rotate`, { key });
    assert.deepEqual([rotated.status, rotated.body.data.otherTenantIds], [201, [third.id]]);
    assert.deepEqual(await reach(rotated.body.data.key), [200, 'tenant_not_allowed', 200]);
  });

  test('is recorded for both tenants when one removes it, and not for the others', async () => {
    const { id } = await share('Recorded', second, third);
    const { session, userId } = await server.createMember({ tenantId: second.id });
    const [before] = await readEvents(server, third.key, 1);
    const { status } = await server.request('DELETE', `/v1/api-keys/${id}`, { headers: session });
    assert.equal(status, 200);
    const [home] = await readEvents(server, server.tenant.key, 1);
    const { states, ...diff } = home.diff;
    assert.match(Object.values(states).join(), /^[0-9a-f]{64}$/);
    assert.deepEqual(diff, {
      before: { otherTenantIds: [second.id, third.id] },
      after: { otherTenantIds: [third.id] },
    });
    const [reached] = await readEvents(server, second.key, 1);
    assert.deepEqual(reached.diff, { tenantId: server.tenant.id, scopes: [...scopes], expiresAt: null });
    for (const { action, actorId, targetId, targetRef } of [home, reached])
      assert.deepEqual([action, actorId, targetId, targetRef], ['api_key.unshared', userId, id, 'Recorded']);
    assert.deepEqual((await readEvents(server, third.key, 1))[0], before);
    // A later revocation is recorded only for the tenants that it still reached.
    await remove(id, server.tenant);
    const actions = async ({ key }: TestTenant) =>
      (await readEvents(server, key)).filter(({ targetId }) => targetId === id).map(({ action }) => action);
    assert.deepEqual(await actions(second), ['api_key.unshared', 'api_key.shared']);
    assert.deepEqual(await actions(third), ['api_key.unshared', 'api_key.shared']);
    await assertIntact(server);
  });

  test('is rotated only in its own tenant, the only one that sees the replacement', async () => {
    const { id, key } = await share('Rotated', second, third);
    const before = await readAllRows(server.installation.database);
    for (const options of [{ key: second.key }, { key, headers: { 'Svc-Tenant': 'second' } }])
      assertProblem(await server.request('POST', `/v1/api-keys/${id}/rotate`, options), 'not_found');
    assert.equal(await readAllRows(server.installation.database), before);
    const rotated = await server.request('POST', `/v1/api-keys/${id}/rotate`, { key });
    const successor = rotated.body.data.id;
    assert.equal((await get(id, server.tenant)).body.data.replacedById, successor);
    assert.equal((await get(id, second)).body.data.replacedById, null);
    // Both are there for the second tenant to remove.
    for (const one of [id, successor]) assert.equal((await remove(one, second)).status, 200);
    for (const one of [key, rotated.body.data.key])
      assert.deepEqual(await reach(one), [200, 'tenant_not_allowed', 200]);
  });

  test('stays as it is when it was revoked before', async () => {
    const { id } = await share('Revoked', second);
    await remove(id, server.tenant);
    const before = await readAllRows(server.installation.database);
    const { status, body } = await remove(id, second);
    assert.deepEqual([status, body.data.status], [200, 'revoked']);
    assert.equal(await readAllRows(server.installation.database), before);
  });

  test('can remove itself from the tenant, which otherwise requires keys:write there', async () => {
    const { id, key } = await share('Itself', second);
    const weak = await server.createKey(
      second.id,
      scopes.filter((scope) => scope !== 'keys:write'),
    );
    assertProblem(await remove(id, { ...second, key: weak }), 'insufficient_scope');
    assertProblem(await remove(id, stranger), 'not_found');
    assert.deepEqual(await reach(key), [200, 200, 'tenant_not_allowed']);
    const options = { key, headers: { 'Svc-Tenant': 'second' } };
    assert.equal((await server.request('DELETE', `/v1/api-keys/${id}`, options)).status, 200);
    assertProblem(await server.request('DELETE', `/v1/api-keys/${id}`, options), 'tenant_not_allowed');
  });

  test('keeps the other tenants when several remove it concurrently, and records each once', async () => {
    const keys = await Promise.all([1, 2, 3].map((number) => share(`Raced ${number}`, second, third)));
    const answers = await Promise.all(
      keys.flatMap(({ id }) => [second, third, second, third].map(async (tenant) => (await remove(id, tenant)).status)),
    );
    assert.deepEqual(answers.sort(), [...Array(6).fill(200), ...Array(6).fill(404)]);
    for (const { id, key } of keys) {
      assert.deepEqual(await reach(key), [200, 'tenant_not_allowed', 'tenant_not_allowed']);
      for (const tenant of [second, third]) {
        const events = (await readEvents(server, tenant.key)).filter(({ targetId }) => targetId === id);
        assert.equal(events.filter(({ action }) => action === 'api_key.unshared').length, 1);
      }
    }
    await assertIntact(server);
  });

  test('can be removed while its own tenant revokes and rotates it', async () => {
    const keys = await Promise.all([1, 2, 3].map((number) => share(`Busy ${number}`, second)));
    const answers = await Promise.all(
      keys.flatMap(({ id, key }) => [
        server.request('POST', `/v1/api-keys/${id}/rotate`, { key }),
        remove(id, second),
        remove(id, server.tenant),
      ]),
    );
    for (const { status, text } of answers) assert.ok([200, 201, 401, 404, 409].includes(status), text);
    for (const { key } of keys) assert.deepEqual(await reach(key), Array(3).fill('unauthenticated'));
    await assertIntact(server);
  });
});
