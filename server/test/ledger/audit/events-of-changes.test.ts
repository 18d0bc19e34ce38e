import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import {
  describeOnOneDatabase,
  noticeContent,
  startTestServer,
  type TestResponse,
  type TestServer,
} from '../../harness.ts';
import { type ListedEvent, readAllPages } from './audit-trail.ts';

describeOnOneDatabase('the audit log of consent', (dialect) => {
  let server: TestServer;
  let keyId: string;
  before(async () => {
    server = await startTestServer(dialect);
    const row = await server.installation.database.kysely
      .selectFrom('api_keys')
      .select('id')
      .where('display_prefix', '=', server.tenant.key.slice(0, 13))
      .executeTakeFirstOrThrow();
    keyId = row.id;
  });
  after(() => server[Symbol.asyncDispose]());

  function send(method: string, path: string, body?: object, headers: Readonly<Record<string, string>> = {}) {
    const options = { headers: { ...(method === 'POST' && { 'Idempotency-Key': randomUUID() }), ...headers } };
    return server.request(method, path, body === undefined ? options : { ...options, body });
  }

  /** Returns the events that a request appended to the log, oldest first. */
  async function appended(request: () => Promise<TestResponse>) {
    const { events: before } = await readAllPages(server, { limit: '200' });
    const response = await request();
    const { events: after } = await readAllPages(server, { limit: '200' });
    assert.deepEqual(after.slice(after.length - before.length), before);
    const events = after.slice(0, after.length - before.length).reverse();
    return { response, events, actions: events.map(({ action }) => action) };
  }

  function assertByKey(event: ListedEvent | undefined): void {
    assert.equal(event?.module, 'consent');
    assert.equal(event?.actorType, 'api_key');
    assert.equal(event?.actorId, keyId);
    assert.equal(event?.actorEmail, null);
    assert.equal(event?.at, server.clock.now());
  }

  test('records that a notice is created, edited, published and archived', async () => {
    const created = await appended(() => send('POST', '/v1/consent/notices', noticeContent));
    const { id } = created.response.body.data;
    const steps = [
      created,
      await appended(() => send('PATCH', `/v1/consent/${id}`, { name: 'Renamed' })),
      await appended(() => send('POST', `/v1/consent/${id}/publish`)),
      await appended(() => send('POST', `/v1/consent/${id}/archive`)),
    ];
    const verbs = ['created', 'edited', 'published', 'archived'];
    for (const [index, { actions, events, response }] of steps.entries()) {
      assert.ok(response.status < 300, response.text);
      assert.deepEqual(actions, [`consent_notice.${verbs[index]}`]);
      assertByKey(events[0]);
      assert.equal(events[0]?.targetId, id);
      assert.equal(events[0]?.targetRef, index === 0 ? noticeContent.name : 'Renamed');
    }
    const edited = await server.request('GET', `/v1/audit/${steps[1]?.events[0]?.id}`);
    const { states, ...diff } = edited.body.data.diff;
    assert.match(Object.values(states).join(), /^[0-9a-f]{64}$/);
    assert.deepEqual(diff, { before: { name: noticeContent.name }, after: { name: 'Renamed' } });
  });

  test('records consent, whichever operation captures it', async () => {
    const noticeId = await server.createNotice();
    const subjectId = randomUUID();
    const records = `/v1/consent/${noticeId}/records`;
    const granted = { subjectId, purposes: { analytics: true, marketing: true } };
    const captured = await appended(() => send('POST', records, granted));
    const recordId = captured.response.body.data.id;
    const steps = [
      { ...captured, action: 'consent.recorded' },
      {
        ...(await appended(() => send('POST', records, { subjectId, purposes: { marketing: false } }))),
        action: 'consent.withdrawn',
      },
      {
        ...(await appended(() => send('POST', `${records}/${recordId}/withdrawals`, {}))),
        action: 'consent.withdrawn',
      },
      {
        ...(await appended(() =>
          send('POST', '/v1/consent', { noticeId, subjectId, purpose: 'analytics', granted: true }),
        )),
        action: 'consent.recorded',
      },
    ];
    for (const { response, events, actions, action } of steps) {
      assert.equal(response.status, 201, response.text);
      assert.deepEqual(actions, [action]);
      assertByKey(events[0]);
      assert.equal(events[0]?.targetId, response.body.data.id);
      assert.equal(events[0]?.targetRef, noticeId);
      const { diff } = (await server.request('GET', `/v1/audit/${events[0]?.id}`)).body.data;
      assert.equal(diff.ledgerHash, response.body.data.ledgerHash);
    }
  });

  test('records the decision of a visitor once, with the system as the actor', async () => {
    const noticeId = await server.createNotice();
    const visit = () =>
      send(
        'POST',
        `/v1/public/consent/${noticeId}/records`,
        {
          subjectId: 'visitor',
          purposes: { necessary: true, analytics: true, marketing: false },
          capturedAt: '2026-11-21T11:00:00.000Z',
        },
        { Origin: 'https://example.com' },
      );
    const { response, events, actions } = await appended(visit);
    assert.equal(response.status, 201);
    assert.deepEqual(actions, ['consent.recorded']);
    assert.deepEqual([events[0]?.actorType, events[0]?.actorId, events[0]?.targetId], ['system', null, noticeId]);
    const { diff, ip, userAgent } = (await server.request('GET', `/v1/audit/${events[0]?.id}`)).body.data;
    assert.equal(diff.ledgerHash, response.body.data.ledgerHash);
    assert.deepEqual([diff.records, ip, userAgent], [1, null, null]);
    const again = await appended(visit);
    assert.deepEqual([again.response.status, again.actions], [201, []]);
  });

  test('records nothing for reads and rejected requests', async () => {
    const noticeId = await server.createNotice({ publish: false });
    const records = `/v1/consent/${noticeId}/records`;
    const reader = await server.createKey(server.tenant.id, ['consent:read']);
    const { actions } = await appended(async () => {
      for (const path of ['/v1/consent', `/v1/consent/${noticeId}`, records, '/v1/audit']) {
        assert.equal((await server.request('GET', path)).status, 200);
      }
      const refused = [
        await send('POST', '/v1/consent/notices', {}),
        await server.request('POST', '/v1/consent/notices', { key: reader, body: noticeContent }),
        await send('PATCH', `/v1/consent/${randomUUID()}`, { name: 'x' }),
        await send('POST', records, { subjectId: 's', purposes: { analytics: true } }),
        await send('POST', `${records}/${randomUUID()}/withdrawals`, {}),
        await send('POST', `/v1/public/consent/${noticeId}/records`, { subjectId: 's', purposes: {} }),
      ];
      assert.deepEqual(
        refused.map(({ status }) => status),
        [422, 403, 404, 409, 404, 403],
      );
      return refused[0] as TestResponse;
    });
    assert.deepEqual(actions, []);
  });
});
