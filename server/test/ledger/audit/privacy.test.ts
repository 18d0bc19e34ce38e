import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { describeOnOneDatabase, startTestServer, type TestServer } from '../../harness.ts';
import { readAllRows } from '../../http/stored-rows.ts';
import { readAllPages } from './audit-trail.ts';

const address = '203.0.113.77';
const agent = 'RecognisableBrowser/7.1';
const person = { ip: '198.51.100.201', ua: 'HandedOverBrowser/9.3' };

describeOnOneDatabase('personal data in the audit log', (dialect) => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer(dialect, { SVC_TRUSTED_PROXIES: '1' });
  });
  after(() => server[Symbol.asyncDispose]());

  const source = { 'X-Forwarded-For': address, 'User-Agent': agent };

  test('is stored nowhere: no address, no user agent, no origin', async () => {
    const noticeId = await server.createNotice({ content: { domain: 'site.test' } });
    const records = `/v1/consent/${noticeId}/records`;
    const body = { subjectId: 'subject', purposes: { analytics: true } };
    const answers = [
      await server.request('PATCH', `/v1/consent/${noticeId}`, { headers: source, body: { name: 'Renamed' } }),
      await server.request('POST', records, {
        headers: { ...source, 'Idempotency-Key': randomUUID() },
        body: { ...body, ...person },
      }),
      await server.request('POST', '/v1/consent', {
        headers: source,
        body: { noticeId, subjectId: 'other', purpose: 'analytics', granted: true, evidence: person },
      }),
      await server.request('POST', `/v1/public/consent/${noticeId}/records`, {
        key: null,
        headers: { ...source, Origin: 'https://recognisable.site.test' },
        body: { subjectId: 'visitor', purposes: { necessary: true, analytics: true, marketing: true } },
      }),
    ];
    for (const { status, text } of answers) {
      assert.ok(status < 300, text);
      assert.ok(!text.includes(address) && !text.includes(agent));
    }
    const secrets = [address, agent, person.ip, person.ua, 'recognisable.site', '127.0.0.1'];
    const stored = [await readAllRows(server.installation.database), ...readFiles(server)];
    for (const text of stored) for (const secret of secrets) assert.ok(!text.includes(secret), secret);
  });

  test('can be compared within a tenant and not between two', async () => {
    const stranger = await server.createTenant('stranger');
    const hashes = async (key: string) => {
      const id = await server.createNotice({ key });
      await server.request('PATCH', `/v1/consent/${id}`, { key, headers: source, body: { name: randomUUID() } });
      const { events } = await readAllPages(server, { limit: '1' }, { key });
      const { ip, userAgent } = (await server.request('GET', `/v1/audit/${events[0]?.id}`, { key })).body.data;
      return { ip, userAgent };
    };
    const one = await hashes(server.tenant.key);
    assert.deepEqual(await hashes(server.tenant.key), one);
    const other = await hashes(stranger.key);
    assert.notEqual(other.ip, one.ip);
    assert.notEqual(other.userAgent, one.userAgent);
  });
});

/** The bytes of every file in the data folder, the write-ahead log of SQLite among them. */
function readFiles({ installation }: TestServer): readonly string[] {
  const { dataDir } = installation.settings;
  return readdirSync(dataDir).map((name) => readFileSync(join(dataDir, name), 'latin1'));
}
