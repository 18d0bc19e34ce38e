import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { describeServer } from '../../consent/helpers.ts';
import type { TestTenant } from '../../harness.ts';
import { assertInvalid, assertProblem } from '../../http/problems.ts';
import { makeKey, readAudit } from './keys.ts';

describeServer('GET /v1/api-keys', (server) => {
  let stranger: TestTenant;
  const ids: string[] = [];
  before(async () => {
    stranger = await server.createTenant('stranger');
    const ends = '2026-11-21T12:30:00.000Z';
    for (const expiresAt of [null, ends, null, ends, null]) ids.unshift((await makeKey(server, { expiresAt })).id);
    for (const id of [ids[0], ids[1]]) await server.request('DELETE', `/v1/api-keys/${id}`);
  });

  async function list(query = '', key = server.tenant.key) {
    const { status, body, text } = await server.request('GET', `/v1/api-keys?${query}`, { key });
    assert.equal(status, 200, text);
    return body.data;
  }
  const idsOf = (page: { readonly items: readonly { readonly id: string }[] }) => page.items.map(({ id }) => id);
  // The key that asks is the oldest of the tenant.
  const withoutCaller = (page: Parameters<typeof idsOf>[0]) => idsOf(page).filter((id) => ids.includes(id));

  test('lists the keys of the tenant, newest first', async () => {
    const page = await list();
    assert.deepEqual(withoutCaller(page), ids);
    assert.deepEqual([page.items.length, page.nextCursor], [6, null]);
    assert.equal((await list('', stranger.key)).items.length, 1);
  });

  test('continues after each page until the end', async () => {
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const page = await list(`limit=2${cursor === null ? '' : `&cursor=${cursor}`}`);
      assert.equal(page.items.length, 2);
      seen.push(...idsOf(page));
      cursor = page.nextCursor;
    } while (cursor !== null);
    assert.deepEqual(seen.slice(0, 5), ids);
    assert.equal(new Set(seen).size, 6);
  });

  test('finds keys by what they are at this moment', async () => {
    const [, , plain, expiring, oldest] = ids as [string, string, string, string, string];
    assert.deepEqual(withoutCaller(await list('status=active')), [plain, expiring, oldest]);
    assert.deepEqual(idsOf(await list('status=expired')), []);
    assert.deepEqual(idsOf(await list('status=revoked')), ids.slice(0, 2));
    server.clock.advance(30 * 60_000);
    assert.deepEqual(withoutCaller(await list('status=active')), [plain, oldest]);
    const expired = await list('status=expired');
    assert.deepEqual(idsOf(expired), [expiring]);
    assert.equal(expired.items[0].status, 'expired');
    // A key that was revoked before it would have ended stays a revoked one.
    const revoked = await list('status=revoked');
    assert.deepEqual(idsOf(revoked), ids.slice(0, 2));
    for (const key of revoked.items) assert.equal(key.status, 'revoked');
  });

  test('rejects invalid filters, limits and cursors', async () => {
    const get = (query: string, key = server.tenant.key) => server.request('GET', `/v1/api-keys?${query}`, { key });
    assertInvalid(await get('status=gone'), 'query.status');
    for (const limit of ['0', '101', 'x']) assertInvalid(await get(`limit=${limit}`), 'query.limit');
    const { nextCursor } = await list('limit=1');
    for (const query of ['cursor=x', `cursor=${nextCursor}&status=active`])
      assertProblem(await get(query), 'invalid_cursor');
    assertProblem(await get(`cursor=${nextCursor}`, stranger.key), 'invalid_cursor');
  });

  test('returns when a key was last used, once that is written, and never an earlier time', async () => {
    const { id, key } = await makeKey(server);
    const lastUsed = async () => (await server.request('GET', `/v1/api-keys/${id}`)).body.data.lastUsedAt;
    const write = () => server.app.lastUses.write(server.installation.database);
    await write();
    assert.equal(await lastUsed(), null);
    assert.equal(await readAudit(server, key), 200);
    const used = server.clock.now();
    server.clock.advance(5000);
    assert.equal(await lastUsed(), null);
    await write();
    assert.equal(await lastUsed(), used);
    server.app.lastUses.note('api_keys', { id, tenantId: server.tenant.id }, '2026-11-21T11:00:00.000Z');
    await write();
    assert.equal(await lastUsed(), used);
  });
});
