import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { LastUses } from '../../../accounts/credentials.ts';
import { scopes } from '../../../http/roles.ts';
import { describeServerOnEachDatabase } from '../../consent/helpers.ts';

const noon = '2026-11-21T12:00:00.000Z';
const later = '2026-11-21T12:00:05.000Z';

describeServerOnEachDatabase('when a credential was used last', (server) => {
  const queries = () => server.installation.database.kysely;
  const readKeys = () => queries().selectFrom('api_keys').select(['id', 'last_used_at']).orderBy('id').execute();
  const findKey = async (key: string) =>
    queries()
      .selectFrom('api_keys')
      .select(['id', 'last_used_at'])
      .where('display_prefix', '=', key.slice(0, 13))
      .executeTakeFirstOrThrow();

  test('is stored for keys, sessions and SCIM tokens, after the request', async () => {
    const { app } = server;
    const key = await server.createKey(server.tenant.id, scopes);
    const member = await server.createMember();
    const scim = await server.createScimToken();
    server.clock.advance(5000);
    await server.request('GET', '/v1/me', { headers: member.session });
    await server.request('GET', '/v1/audit', { key });
    await server.request('GET', '/scim/v2/Users', { key: scim });
    await app.lastUses.write(server.installation.database);
    const session = await queries()
      .selectFrom('sessions')
      .select('last_seen_at')
      .where('id', '=', member.sessionId)
      .executeTakeFirstOrThrow();
    const token = await queries().selectFrom('scim_tokens').select('last_used_at').executeTakeFirstOrThrow();
    const now = server.clock.now();
    assert.deepEqual([session.last_seen_at, token.last_used_at], [now, now]);
    assert.equal((await findKey(key)).last_used_at, now);
  });

  test('is not that of a request that was refused at the door', async () => {
    const key = await server.createKey(server.tenant.id, scopes, server.clock.now());
    const member = await server.createMember();
    const { Cookie = '' } = member.session;
    const before = server.clock.now();
    server.clock.advance(5000);
    await server.request('GET', '/v1/audit', { key });
    await server.request('POST', '/v1/auth/sign-out', { headers: { Cookie, Origin: 'https://elsewhere.test' } });
    await server.app.lastUses.write(server.installation.database);
    assert.equal((await findKey(key)).last_used_at, null);
    const session = await queries()
      .selectFrom('sessions')
      .select('last_seen_at')
      .where('id', '=', member.sessionId)
      .executeTakeFirstOrThrow();
    assert.equal(session.last_seen_at, before);
  });

  test('never goes back, whatever another server stored', async () => {
    const { id } = await findKey(await server.createKey(server.tenant.id, scopes));
    const [one, other] = [new LastUses(), new LastUses()];
    one.note('api_keys', { id, tenantId: server.tenant.id }, later);
    other.note('api_keys', { id, tenantId: server.tenant.id }, noon);
    await one.write(server.installation.database);
    await other.write(server.installation.database);
    const stored = (await readKeys()).find((row) => row.id === id);
    assert.equal(stored?.last_used_at, later);
  });

  test('is stored once, and not again', async () => {
    const { id } = await findKey(await server.createKey(server.tenant.id, scopes));
    const uses = new LastUses();
    uses.note('api_keys', { id, tenantId: server.tenant.id }, noon);
    await uses.write(server.installation.database);
    await queries().updateTable('api_keys').set({ last_used_at: null }).where('id', '=', id).execute();
    await uses.write(server.installation.database);
    assert.equal((await readKeys()).find((row) => row.id === id)?.last_used_at, null);
  });

  test('may be of something that is gone by now', async () => {
    const uses = new LastUses();
    uses.note('sessions', { id: 'gone', tenantId: server.tenant.id }, noon);
    await uses.write(server.installation.database);
  });

  test('is the later of what is stored and what was noted', () => {
    const time = fc
      .date({ min: new Date(0), max: new Date(4e12), noInvalidDate: true })
      .map((date) => date.toISOString());
    fc.assert(
      fc.property(time, time, (stored, noted) => {
        const uses = new LastUses();
        assert.equal(uses.latest('sessions', 'a', stored), stored);
        uses.note('sessions', { id: 'a', tenantId: 't' }, noted);
        assert.equal(uses.latest('sessions', 'a', stored), stored > noted ? stored : noted);
        assert.equal(uses.latest('sessions', 'b', stored), stored);
        assert.equal(uses.latest('api_keys', 'a', stored), stored);
      }),
    );
  });
});
