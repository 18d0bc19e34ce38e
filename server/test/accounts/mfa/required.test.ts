import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem, createFreshTenant, describeServer, payload } from '../../consent/helpers.ts';
import type { TestMember, TestTenant } from '../../harness.ts';
import { assertIntact } from '../keys/keys.ts';
import { createEnrolledMember, readMfa, readSession, showCode, startEnrolment, verify } from './authenticator.ts';

describeServer('a second factor that the tenant requires', (server) => {
  type Session = TestMember['session'];
  const require = async ({ key }: TestTenant, requireSecondFactor: boolean) =>
    payload(await server.request('PATCH', '/v1/tenant', { key, body: { requireSecondFactor } }), 200);
  const createStrictTenant = async () => {
    const tenant = await createFreshTenant(server);
    await require(tenant, true);
    return tenant;
  };
  const read = (session: Session) => server.request('GET', '/v1/users', { headers: session });
  const change = (session: Session) =>
    server.request('PATCH', '/v1/tenant', { headers: session, body: { name: 'Example' } });
  const disable = ({ password }: TestMember, session: Session) =>
    server.request('DELETE', '/v1/me/mfa/totp', { headers: session, body: { password } });

  test('blocks a member before enrolment and after it is disabled', async () => {
    const tenant = await createStrictTenant();
    const member = await server.createMember({ tenantId: tenant.id });
    const assertRefused = async (session: Session) => {
      for (const response of [await read(session), await change(session)])
        assertProblem(response, '403 second_factor_required');
    };
    await assertRefused(member.session);
    const { secret } = await startEnrolment(server, member);
    await assertRefused(member.session);
    const enrolled = readSession(server, await verify(server, member, showCode(server, secret)));
    for (const response of [await read(enrolled), await change(enrolled)]) payload(response, 200);
    const disabled = await disable(member, enrolled);
    assert.equal(disabled.status, 200, disabled.text);
    await assertRefused(readSession(server, disabled));
  });

  test('still allows a member to read their own account, enroll and sign out', async () => {
    const tenant = await createStrictTenant();
    const member = await server.createMember({ tenantId: tenant.id });
    const headers = member.session;
    for (const path of ['/v1/me', '/v1/me/sessions'])
      assert.equal((await server.request('GET', path, { headers })).status, 200, path);
    assert.equal((await readMfa(server, headers)).enabled, false);
    assert.equal((await server.request('POST', '/v1/auth/sign-out', { headers })).status, 200);
  });

  test('applies from the next request on, until the tenant no longer requires it', async () => {
    const tenant = await createFreshTenant(server);
    const member = await server.createMember({ tenantId: tenant.id });
    assert.equal((await read(member.session)).status, 200);
    await require(tenant, true);
    assertProblem(await read(member.session), '403 second_factor_required');
    await require(tenant, false);
    assert.equal((await read(member.session)).status, 200);
  });

  test('is required only in that tenant, and not of API keys', async () => {
    const [strict, other] = [await createStrictTenant(), await createFreshTenant(server)];
    const here = await server.createMember({ tenantId: strict.id });
    const there = await server.createMember({ tenantId: other.id, email: here.email });
    assertProblem(await read(here.session), '403 second_factor_required');
    assert.equal((await read(there.session)).status, 200);
    assert.equal((await server.request('GET', '/v1/users', { key: strict.key })).status, 200);
  });

  test('is required to create an API key that can also act for the tenant', async () => {
    const [strict, other] = [await createStrictTenant(), await createFreshTenant(server)];
    const member = await server.createMember({ tenantId: other.id });
    await server.createMember({ tenantId: strict.id, email: member.email });
    const create = (headers: Session) =>
      server.request('POST', '/v1/api-keys', {
        headers,
        body: { name: 'shared', scopes: ['audit:read'], otherTenantIds: [strict.id] },
      });
    assertProblem(await create(member.session), '403 forbidden');
    const { secret } = await startEnrolment(server, member);
    assertProblem(await create(member.session), '403 forbidden');
    const enrolled = readSession(server, await verify(server, member, showCode(server, secret)));
    payload(await create(enrolled), 201);
  });

  test('is required of a user whose factor an administrator reset', async () => {
    const tenant = await createStrictTenant();
    const member = await createEnrolledMember(server, { tenantId: tenant.id, role: 'auditor' });
    assert.equal((await read(member.session)).status, 200);
    const reset = await server.request('DELETE', `/v1/users/${member.userId}/mfa`, { key: tenant.key });
    assert.equal(reset.status, 200, reset.text);
    const { email, password } = member;
    const signedIn = await server.request('POST', '/v1/auth/sign-in', { key: null, body: { email, password } });
    assert.equal(payload(signedIn, 200).status, 'signed_in');
    assertProblem(await read(readSession(server, signedIn)), '403 second_factor_required');
  });

  test('blocks a platform member without a second factor, also through another tenant', async () => {
    const [strict, other] = [await createStrictTenant(), await createFreshTenant(server)];
    const staff = await server.createMember({ tenantId: other.id, role: 'dpco_principal' });
    await server.createMember({ tenantId: strict.id, role: 'dpco_principal', email: staff.email });
    const readStrict = () =>
      server.request('GET', '/v1/users', { headers: { ...staff.session, 'Svc-Tenant': strict.slug } });
    assertProblem(await readStrict(), '403 tenant_not_allowed');
    await require(strict, false);
    assert.equal((await readStrict()).status, 200);
  });

  test('leaves every row as the audit log records it', async () => {
    await assertIntact(server);
  });
});
