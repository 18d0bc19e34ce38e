import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { assertAbsent, needle } from '../needle.ts';
import { capture, createFreshTenant, describeServer, payload, readTables, visit } from './helpers.ts';

const ip = '203.0.113.77';
const [device, host] = [needle('device'), needle('host')];
const ua = `Mozilla/5.0 (${device}; rv:1.0)`;
const visitor = { 'X-Forwarded-For': ip, 'User-Agent': ua, Origin: `https://${host}.example.com` };

describeServer(
  'addresses and user agents',
  (server) => {
    const record = async (tenantKey: string, notice: string, body: object) =>
      payload(await capture(server, notice, body, { key: tenantKey }));
    /** The hashes are returned to the tenant, but not to a visitor. */
    const recordVisit = async (key: string, notice: string) => {
      const { id } = payload(await visit(server, notice, {}, visitor));
      return payload(await server.request('GET', `/v1/consent/${notice}/records/${id}`, { key }), 200);
    };

    test('are nowhere in the database, and neither is the origin', async () => {
      const notice = await server.createNotice();
      payload(await capture(server, notice, { ip, ua }, { headers: visitor }));
      payload(await visit(server, notice, {}, visitor));
      const evidence = { ip, ua };
      const decision = { subjectId: 'subject-1', purpose: 'analytics', granted: true, evidence };
      await server.request('POST', '/v1/consent', { body: { ...decision, noticeId: notice }, headers: visitor });
      const { database, hasher } = server.installation;
      await server.app.limiter.exchange(database.kysely, hasher);
      const limits = await sql`select * from rate_limits`.execute(database.kysely);
      assert.ok(limits.rows.length > 0);
      const stored = JSON.stringify([await readTables(server), limits.rows]);
      assertAbsent(stored, ip, device, host);
    });

    test('have the same hash for one person within a tenant, for every way of capture', async () => {
      const tenant = await createFreshTenant(server);
      const [one, other] = [
        await server.createNotice({ key: tenant.key }),
        await server.createNotice({ key: tenant.key }),
      ];
      const records = [
        await record(tenant.key, one, { ip, ua }),
        await record(tenant.key, other, { ip, ua, subjectId: 'subject-2' }),
        await recordVisit(tenant.key, one),
      ];
      assert.equal(new Set(records.map(({ ipHash }) => ipHash)).size, 1);
      assert.equal(new Set(records.map(({ uaHash }) => uaHash)).size, 1);
      assert.match(records[0].ipHash, /^[0-9a-f]{64}$/);
      assert.notEqual(records[0].ipHash, records[0].uaHash);
      const stranger = await record(tenant.key, one, { ip: '203.0.113.78', ua: `${ua} ` });
      assert.notEqual(stranger.ipHash, records[0].ipHash);
      assert.notEqual(stranger.uaHash, records[0].uaHash);
    });

    test('have different hashes in different tenants', async () => {
      const hashes = new Set<string>();
      for (const tenant of [await createFreshTenant(server), await createFreshTenant(server)]) {
        const notice = await server.createNotice({ key: tenant.key });
        const { ipHash, uaHash } = await record(tenant.key, notice, { ip, ua });
        hashes.add(ipHash).add(uaHash);
      }
      assert.equal(hashes.size, 4);
    });
  },
  { SVC_TRUSTED_PROXIES: '1' },
);
