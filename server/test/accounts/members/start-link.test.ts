import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createStartToken } from '../../../accounts/members/start-link.ts';
import { assertProblem, createFreshTenant, describeServer, payload } from '../../consent/helpers.ts';
import { startTestServer, type TestServer } from '../../harness.ts';
import { createEnrolledMember } from '../mfa/authenticator.ts';
import { changePeople, isSignedIn, readState, sessionOf, watch } from './membership-helpers.ts';

const start = (server: TestServer, token: unknown, headers: Readonly<Record<string, string>> = {}) =>
  server.request('POST', '/v1/auth/start', { key: null, headers, body: { token } });

describeServer('the link that a started server prints', (server) => {
  const createLink = async () => {
    const tenant = await createFreshTenant(server);
    const member = await server.createMember({ tenantId: tenant.id });
    const create = () => createStartToken(server.installation, { tenant: tenant.slug, email: member.email });
    return { tenant, member, create, token: (await create()) as string };
  };

  test('signs in once, and is recorded', async () => {
    const { tenant, member, token } = await createLink();
    assert.ok(!(await readState(server)).includes(token));
    const { result, events } = await watch(server, tenant.id, () => start(server, token));
    assert.deepEqual([payload(result, 200).user.id, payload(result, 200).tenant.id], [member.userId, tenant.id]);
    assert.equal(await isSignedIn(server, sessionOf(server, result)), true);
    assert.deepEqual(
      events.map(({ action, diff }) => [action, diff.method]),
      [['session.created', 'start_link']],
    );
    const before = await readState(server);
    for (const text of [token, 'nonsense', `${token}0`]) assertProblem(await start(server, text), '404 not_found');
    assert.equal(await readState(server), before);
  });

  test('ends after a quarter of an hour, and with the next start', async () => {
    const { token, create } = await createLink();
    const second = (await create()) as string;
    assertProblem(await start(server, token), '404 not_found');
    server.clock.advance(15 * 60_000);
    assertProblem(await start(server, second), '404 not_found');
    const third = (await create()) as string;
    const answers = await Promise.all([start(server, third), start(server, third)]);
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 404]);
  });

  test('does not replace a second factor, nor an access that ended', async () => {
    const { tenant, member, token, create } = await createLink();
    await changePeople(server, tenant.id, [member.userId], { isActivated: false });
    assertProblem(await start(server, token), '404 not_found');
    assert.equal(await create(), null);
    const enrolled = await createEnrolledMember(server, { tenantId: tenant.id });
    assert.equal(await createStartToken(server.installation, { tenant: tenant.slug, email: enrolled.email }), null);
    assert.equal(await createStartToken(server.installation, { tenant: 'none', email: enrolled.email }), null);
  });

  test('works only on the machine of the server', async () => {
    await using proxied = await startTestServer('sqlite', { SVC_TRUSTED_PROXIES: '1' });
    const member = await proxied.createMember();
    const token = await createStartToken(proxied.installation, { tenant: 'first', email: member.email });
    for (const address of ['192.0.2.7', '2001:db8::1', '10.0.0.1'])
      assertProblem(await start(proxied, token, { 'X-Forwarded-For': address }), '403 forbidden');
    payload(await start(proxied, token, { 'X-Forwarded-For': '127.0.0.1' }), 200);
  });
});
