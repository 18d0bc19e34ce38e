import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { startTestServer, type TestServer } from '../../../../server/test/harness.ts';
import { Svc } from '../../src/client.ts';

describe('lists of a real server', () => {
  let server: TestServer;
  let svc: Svc;
  let noticeId: string;
  before(async () => {
    server = await startTestServer();
    const scimToken = await server.createScimToken();
    svc = new Svc({ baseUrl: server.url, apiKey: server.tenant.key, scimToken, retries: 0 });
    noticeId = await server.createNotice();
    for (const subjectId of ['one', 'two', 'three', 'one', 'five'])
      await svc.consent.records.capture(noticeId, { subjectId, purposes: { analytics: true } });
  });
  after(async () => {
    await svc.close();
    await server[Symbol.asyncDispose]();
  });

  test('return every record over all pages, newest first, and where to resume', async () => {
    const subjects = await svc.consent.records.list(noticeId, { limit: 2 }).toArray({ limit: 100 });
    assert.deepEqual(
      subjects.map(({ subjectId }) => subjectId),
      ['five', 'one', 'three', 'two', 'one'],
    );
    const first = await svc.consent.records.list(noticeId, { limit: 2 });
    assert.deepEqual([first.items.length, first.total, first.hasNextPage], [2, 5, true]);
    const rest = svc.consent.records.list(noticeId, { limit: 2, cursor: first.nextCursor ?? '' });
    assert.deepEqual(await rest.toArray({ limit: 100 }), subjects.slice(2));
  });

  test('return the records of one subject, for any id', async () => {
    const page = await svc.consent.subjects.listRecords('one');
    assert.deepEqual([page.items.length, page.nextCursor], [2, null]);
    const subjectId = 'a/b?c#d%2e é 😀';
    const record = await svc.consent.records.capture(noticeId, { subjectId, purposes: { marketing: true } });
    assert.deepEqual((await svc.consent.subjects.listRecords(subjectId)).items, [record]);
    const { state } = await svc.consent.subjects.retrieve(subjectId, { limit: 1 });
    const purposes = { marketing: { granted: true, recordId: record.id } };
    assert.deepEqual(state, { api: [{ noticeId, purposes }], public: [], truncated: { api: false, public: false } });
    await assert.rejects(svc.consent.subjects.listRecords('missing'), { code: 'not_found' });
  });

  test('return the matching events of the audit log', async () => {
    const modules = new Set<string>();
    for await (const event of svc.audit.list({ module: 'consent', actor: 'api_key', limit: 3 })) {
      modules.add(event.module);
      assert.equal(event.actorType, 'api_key');
    }
    assert.deepEqual([...modules], ['consent']);
    assert.deepEqual((await svc.audit.list({ to: '2020-01-01T00:00:00Z' })).items, []);
  });

  test('return the requests that are overdue, and those that are not', async () => {
    const { id } = await svc.dsr.create({ subjectId: 'late', type: 'access' });
    assert.deepEqual((await svc.dsr.list({ subjectId: 'late', overdue: true })).items, []);
    const [open] = (await svc.dsr.list({ subjectId: 'late', overdue: false })).items;
    assert.equal(open?.id, id);
    server.clock.advance(31 * 24 * 60 * 60 * 1000);
    const [late] = (await svc.dsr.list({ subjectId: 'late', overdue: true })).items;
    assert.deepEqual([late?.id, late?.isOverdue], [id, true]);
  });

  test('return every user of SCIM over all pages, with the requested attributes', async () => {
    const names = Array.from({ length: 5 }, () => `${randomUUID()}@example.com`);
    for (const userName of names) await svc.scim.users.create({ userName });
    const users = await svc.scim.users.list({ count: 2, attributes: 'userName' }).toArray({ limit: 100 });
    assert.deepEqual(users.map(({ userName }) => userName).sort(), [...names].sort());
    assert.deepEqual(Object.keys(users[0] ?? {}).sort(), ['id', 'schemas', 'userName']);
    const [found, ...more] = (await svc.scim.users.list({ filter: `userName eq "${names[0]}"` })).items;
    assert.deepEqual([found?.userName, more.length], [names[0], 0]);
  });

  test('return the entries of an export line by line', async () => {
    const checkpoint = await svc.ledgers.consent.checkpoints.create();
    const lines: string[] = [];
    for await (const line of svc.ledgers.consent.export().lines()) lines.push(line);
    assert.equal(lines.length, checkpoint.size + 1);
    const proof = await svc.ledgers.consent.proveInclusion({ sequence: 1 });
    assert.equal(JSON.parse(lines[1] ?? '').hash, proof.hash);
  });

  test('return only data of the tenant that the call names', async () => {
    const other = await server.createTenant('other');
    const { key } = await svc.apiKeys.create({ name: 'own', scopes: ['consent:read'], environment: 'test' });
    const reader = svc.withOptions({ apiKey: key });
    assert.equal((await reader.consent.notices.list({}, { tenant: server.tenant.slug })).total, 1);
    await assert.rejects(reader.consent.notices.list({}, { tenant: other.slug }), {
      code: 'tenant_not_allowed',
    });
  });

  test('record a request once that is sent twice with the same key', async () => {
    const record = { subjectId: 'again', purposes: { marketing: true } };
    const idempotencyKey = randomUUID();
    const first = await svc.consent.records.capture(noticeId, record, { idempotencyKey }).withResponse();
    const second = await svc.consent.records.capture(noticeId, record, { idempotencyKey }).withResponse();
    assert.deepEqual(second.data, first.data);
    assert.deepEqual([first.response.idempotentReplayed, second.response.idempotentReplayed], [false, true]);
    assert.equal((await svc.consent.subjects.listRecords('again')).items.length, 1);
  });
});
