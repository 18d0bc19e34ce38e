import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scopes } from '../../../http/roles.ts';
import { assertProblem, createFreshTenant, describeServerOnEachDatabase, payload } from '../../consent/helpers.ts';
import type { RequestOptions } from '../../harness.ts';
import { getToken, postKey } from '../keys/keys.ts';
import { createEnrolledMember } from '../mfa/authenticator.ts';
import { sendInvitation } from './invitation-helpers.ts';
import { readState } from './membership-helpers.ts';

describeServerOnEachDatabase('a session without the current password', (server) => {
  const start = async () => {
    const tenant = await createFreshTenant(server);
    const member = await server.createMember({ tenantId: tenant.id });
    return { tenant, member };
  };

  /** Every operation with which an administrator replaces the credentials of a member. */
  const assertRefused = async (caller: RequestOptions, { userId, email }: { userId: string; email: string }) => {
    const before = await readState(server);
    for (const spelling of [email, ` ${email.toUpperCase()}`])
      for (const role of [undefined, 'admin', 'auditor'])
        assertProblem(await sendInvitation(server, { email: spelling, role }, caller), '409 conflict');
    for (const [method, path] of [
      ['POST', 'password-reset'],
      ['DELETE', 'mfa'],
    ] as const)
      assertProblem(await server.request(method, `/v1/users/${userId}/${path}`, caller), '409 conflict');
    assert.equal(await readState(server), before);
  };

  test('does not invite, reset or unenroll its own user', async () => {
    const { member } = await start();
    await assertRefused({ headers: member.session }, member);
  });

  test('does not do so with keys that it created, further keys or access tokens of them', async () => {
    const { tenant, member } = await start();
    const first = await postKey(server, { scopes }, { headers: member.session });
    const second = await postKey(server, { scopes }, { key: first.key });
    const rotated = payload(
      await server.request('POST', `/v1/api-keys/${second.id}/rotate`, { key: second.key, body: {} }),
    );
    const { access_token } = await getToken(server, rotated);
    for (const key of [first.key, second.key, rotated.key, access_token]) await assertRefused({ key }, member);
    // Of the operator, of whom it reveals nothing to the session.
    const operated = await server.request('POST', `/v1/users/${member.userId}/password-reset`, { key: tenant.key });
    payload(operated, 201);
    const colleague = await server.createMember({ tenantId: tenant.id });
    payload(await server.request('POST', `/v1/users/${colleague.userId}/password-reset`, { key: first.key }), 201);
    payload(await sendInvitation(server, { email: colleague.email }, { headers: member.session }), 201);
  });

  test('does not do so after its user was removed', async () => {
    const { tenant, member } = await start();
    await server.createMember({ tenantId: tenant.id });
    const { key } = await postKey(server, { scopes }, { headers: member.session });
    payload(await server.request('DELETE', `/v1/users/${member.userId}`, { key }), 200);
    assertProblem(await sendInvitation(server, { email: member.email }, { key }), '409 conflict');
  });

  test('does not turn off the second factor with a key', async () => {
    const member = await createEnrolledMember(server);
    const { key } = await postKey(server, { scopes }, { headers: member.session });
    const unenrolled = await server.request('DELETE', `/v1/users/${member.userId}/mfa`, { key });
    assertProblem(unenrolled, '409 conflict');
    assert.match(unenrolled.body.error.message, /user who created it/);
  });
});
