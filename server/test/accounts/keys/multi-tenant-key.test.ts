import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { before, test } from 'node:test';
import { addMember, changeMembers } from '../../../accounts/members/membership.ts';
import { staffRole } from '../../../http/roles.ts';
import { systemSource } from '../../../ledger/audit/store.ts';
import { runTransaction } from '../../../storage/database.ts';
import { describeServerOnEachDatabase } from '../../consent/helpers.ts';
import type { TestTenant } from '../../harness.ts';
import { assertProblem } from '../../http/problems.ts';
import { readAllRows } from '../../http/stored-rows.ts';
import { assertIntact, getToken, makeKey, postKey, readEvents } from './keys.ts';

describeServerOnEachDatabase('a key of several tenants', (server) => {
  let second: TestTenant;
  let third: TestTenant;
  let stranger: TestTenant;
  before(async () => {
    second = await server.createTenant('second');
    third = await server.createTenant('third');
    stranger = await server.createTenant('stranger');
  });

  const makeShared = () => makeKey(server, { otherTenantIds: [second.id, third.id] });
  const as = (tenant: string) => ({ headers: { 'Svc-Tenant': tenant } });
  const tenantOf = async (key: string, headers = {}) => {
    const { status, body } = await server.request('GET', '/v1/tenant', { key, headers });
    return status === 200 ? body.data.slug : body.error.code;
  };

  test('acts for its own tenant, or for the one of its list that Svc-Tenant names by id or slug', async () => {
    const made = await makeShared();
    const { access_token } = await getToken(server, made);
    for (const key of [made.key, access_token]) {
      assert.equal(await tenantOf(key), 'first');
      for (const { id, slug } of [server.tenant, second, third]) {
        for (const name of [id, slug]) assert.equal(await tenantOf(key, as(name).headers), slug);
      }
      for (const name of [stranger.id, stranger.slug, 'unknown', randomUUID(), '', `${second.slug},${third.slug}`])
        assert.equal(await tenantOf(key, as(name).headers), 'tenant_not_allowed', name);
    }
  });

  test('reads and changes only the data of the tenant it names, and is recorded in its audit log', async () => {
    const { id, key } = await makeShared();
    const notice = await server.createNotice({ key: second.key });
    const named = await server.request('GET', `/v1/consent/${notice}`, { key, ...as('second') });
    assert.equal(named.status, 200);
    for (const options of [{ key }, { key, ...as('third') }])
      assertProblem(await server.request('GET', `/v1/consent/${notice}`, options), 'not_found');
    const archived = await server.request('POST', `/v1/consent/${notice}/archive`, { key, ...as('second') });
    assert.equal(archived.status, 200);
    const [event] = await readEvents(server, second.key, 1);
    assert.deepEqual([event.action, event.actorType, event.actorId], ['consent_notice.archived', 'api_key', id]);
    const own = await readEvents(server, server.tenant.key, 3);
    assert.ok(own.every(({ action }) => action !== 'consent_notice.archived'));
  });

  test('manages the keys of the tenant it names, and no others', async () => {
    const { id, key } = await makeShared();
    const made = await postKey(server, {}, { key, ...as('second') });
    const get = (one: string, options: object) => server.request('GET', `/v1/api-keys/${one}`, { key, ...options });
    assert.equal((await get(made.id, as('second'))).status, 200);
    assertProblem(await get(made.id, {}), 'not_found');
    assert.equal(await tenantOf(made.key), 'insufficient_scope');
    assert.equal((await server.request('GET', '/v1/audit', { key: made.key })).status, 200);
    const own = await makeKey(server);
    for (const [method, path] of [
      ['DELETE', `/v1/api-keys/${own.id}`],
      ['POST', `/v1/api-keys/${own.id}/rotate`],
      ['POST', `/v1/api-keys/${id}/rotate`],
    ] as const)
      assertProblem(await server.request(method, path, { key, ...as('second') }), 'not_found');
    const revoked = await server.request('DELETE', `/v1/api-keys/${made.id}`, { key, ...as('second') });
    assert.equal(revoked.status, 200);
  });

  test('may hand on the tenants that it has, whichever it acts for, and no others', async () => {
    const { key } = await makeShared();
    const body = (...otherTenantIds: readonly string[]) => ({ name: 'x', scopes: ['audit:read'], otherTenantIds });
    const post = (options: object) => server.request('POST', '/v1/api-keys', { key, ...options });
    assert.equal((await post({ body: body(second.id) })).status, 201);
    assert.equal((await post({ ...as('second'), body: body(server.tenant.id, third.id) })).status, 201);
    const before = await readAllRows(server.installation.database);
    const answers = await Promise.all(
      [
        { body: body(stranger.id) },
        { body: body(second.id, stranger.id) },
        { body: body(randomUUID()) },
        { ...as('second'), body: body(stranger.id) },
        { key: server.tenant.key, body: body(second.id) },
      ].map(post),
    );
    const messages = answers.map((answer) => assertProblem(answer, 'forbidden').message);
    assert.equal(new Set(messages).size, 1);
    assert.equal(await readAllRows(server.installation.database), before);
  });

  test('is made by a person for tenants that they administer at this moment', async () => {
    const email = `${randomUUID()}@example.com`;
    const { session, userId } = await server.createMember({ email });
    const change = (step: Parameters<typeof runTransaction<unknown>>[2]) =>
      runTransaction(server.installation.database, server.clock.now(), step);
    const join = (tenantId: string, member: object) =>
      change((tx) => addMember(tx, systemSource(tenantId), { email, isActivated: true, ...member } as never, 'test'));
    const body = (tenantId: string) => ({ name: 'x', scopes: ['audit:read'], otherTenantIds: [tenantId] });
    const post = async (tenantId: string) =>
      (await server.request('POST', '/v1/api-keys', { headers: session, body: body(tenantId) })).status;
    assert.equal(await post(second.id), 403);
    await join(second.id, { role: 'admin', isAccepted: true });
    await join(third.id, { role: 'dpo', isAccepted: true });
    await join(stranger.id, { role: 'admin', isAccepted: false });
    assert.deepEqual([await post(second.id), await post(third.id), await post(stranger.id)], [201, 403, 403]);
    const platform = await server.createTenant('platform');
    await join(platform.id, { role: staffRole, isAccepted: true });
    assert.equal(await post(platform.id), 403);
    await change((tx) => changeMembers(tx, systemSource(second.id), [userId], { isActivated: false }, 'test'));
    assert.equal(await post(second.id), 403);
  });

  test('is rotated only by callers who could create it', async () => {
    const { id, key } = await makeShared();
    const rotate = (caller: string) => server.request('POST', `/v1/api-keys/${id}/rotate`, { key: caller });
    const { key: half } = await makeKey(server, { otherTenantIds: [second.id] });
    const before = await readAllRows(server.installation.database);
    for (const caller of [server.tenant.key, half]) assertProblem(await rotate(caller), 'forbidden');
    assert.equal(await readAllRows(server.installation.database), before);
    const { status, body } = await rotate(key);
    assert.deepEqual([status, body.data.otherTenantIds], [201, [second.id, third.id]]);
    assert.equal(await tenantOf(body.data.key, as('third').headers), 'third');
  });

  test('is recorded in the audit logs of its tenants when it is created and revoked', async () => {
    const caller = await makeShared();
    const made = await postKey(server, { name: 'Shared', otherTenantIds: [second.id] }, { key: caller.key });
    const [shared] = await readEvents(server, second.key, 1);
    assert.deepEqual(
      [shared.action, shared.actorId, shared.targetId, shared.targetRef, shared.diff],
      [
        'api_key.shared',
        caller.id,
        made.id,
        'Shared',
        { tenantId: server.tenant.id, scopes: ['audit:read'], expiresAt: null },
      ],
    );
    await server.request('DELETE', `/v1/api-keys/${made.id}`);
    const [unshared] = await readEvents(server, second.key, 1);
    assert.deepEqual([unshared.action, unshared.targetId], ['api_key.unshared', made.id]);
    const attempts = await Promise.all(
      [undefined, as('second')].map((options) => server.request('GET', '/v1/audit', { key: made.key, ...options })),
    );
    for (const { status } of attempts) assert.equal(status, 401);
    await assertIntact(server);
  });

  test('can be made in a circle at the same moment', async () => {
    const { key } = await makeShared();
    const tenants = [server.tenant, second, third];
    const made = await Promise.all(
      tenants.flatMap(({ slug, id }) =>
        [1, 2, 3].map(() => {
          const otherTenantIds = tenants.map((tenant) => tenant.id).filter((other) => other !== id);
          return postKey(server, { otherTenantIds }, { key, ...as(slug) });
        }),
      ),
    );
    assert.equal(new Set(made.map(({ key }) => key)).size, 9);
    await assertIntact(server);
  });
});
