import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { startTestServer, type TestServer } from '../harness.ts';
import { assertProblem } from './problems.ts';
import { readAllRows } from './stored-rows.ts';

const limit = 5;

describe('rejected requests', () => {
  let server: TestServer;
  beforeEach(async () => {
    server = await startTestServer('sqlite', { SVC_LIMIT_API_KEY: String(limit), SVC_TRUSTED_PROXIES: '1' });
  });
  afterEach(() => server[Symbol.asyncDispose]());

  const guess = (client = '203.0.113.9', path = '/v1/audit', key: string | null = 'svc_live_wrong') =>
    server.request('GET', path, { key, headers: { 'X-Forwarded-For': client } });
  const useUp = async () => {
    for (let request = 0; request < limit; request += 1) assertProblem(await guess(), 'unauthenticated');
  };

  test('are counted for each client address, until the minute is over', async () => {
    await useUp();
    server.clock.advance(12_000);
    const before = await readAllRows(server.installation.database);
    const slowed = await guess();
    assertProblem(slowed, 'rate_limited');
    assert.equal(slowed.headers.get('retry-after'), '48');
    assert.equal(slowed.headers.get('ratelimit'), '"refused";r=0;t=48');
    assert.equal(slowed.headers.get('ratelimit-policy'), `"refused";q=${limit};w=60`);
    assert.equal(await readAllRows(server.installation.database), before);
    assertProblem(await guess('203.0.113.10'), 'unauthenticated');
    server.clock.advance(48_000);
    assertProblem(await guess(), 'unauthenticated');
  });

  test('are counted for a whole IPv6 site (/48), ten times as many', async () => {
    for (let request = 0; request < 10 * limit; request += 1)
      assertProblem(await guess(`2001:db8:7:${request}::1`), 'unauthenticated');
    const slowed = await guess('2001:db8:7:ffff::1');
    assertProblem(slowed, 'rate_limited');
    assert.match(slowed.headers.get('ratelimit-policy') ?? '', /"refused_site";q=50;w=60$/);
    assertProblem(await guess('2001:db8:8::1'), 'unauthenticated');
  });

  test('do not block valid credentials from the same address', async () => {
    await useUp();
    assertProblem(await guess(), 'rate_limited');
    const allowed = await guess(undefined, '/v1/audit', server.tenant.key);
    assert.equal(allowed.status, 200);
    assert.ok(allowed.headers.get('ratelimit')?.startsWith(`"api_key";r=${limit - 1};t=60,`));
  });

  test('share one count, whatever is tried', async () => {
    const { Cookie = '' } = (await server.createMember()).session;
    const from = { 'X-Forwarded-For': '203.0.113.9' };
    const body = { email: 'ann@example.com', password: 'guessed' };
    const auditor = await server.createKey(server.tenant.id, ['audit:read']);
    const tries = [
      () => guess(undefined, '/v1/audit', null),
      () => guess(undefined, '/v1/users', auditor),
      () => guess(undefined, '/scim/v2/Users', 'scim_guessed'),
      // SCIM reveals no paths without a token, so a token can be tried on any.
      () => guess(undefined, '/scim/v2/Nothing', 'scim_guessed'),
      () => server.request('DELETE', '/v1/me/sessions', { headers: { ...from, Cookie } }),
      () => server.request('POST', '/v1/auth/sign-in', { key: null, headers: { ...from, Origin: 'null' }, body }),
    ];
    const statuses: number[] = [];
    for (const attempt of tries) statuses.push((await attempt()).status);
    assert.deepEqual(statuses, [401, 403, 401, 401, 403, 429]);
  });

  test('do not include invalid requests with valid credentials', async () => {
    for (let request = 0; request < limit; request += 1)
      assertProblem(await guess(undefined, '/v1/nothing', null), 'not_found');
    assertProblem(await guess(), 'unauthenticated');
  });
});
