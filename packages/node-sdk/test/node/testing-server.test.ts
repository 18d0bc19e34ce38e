import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { Svc } from '../../src/index.ts';
import { createTestServer, type TestServer } from '../../src/testing/index.ts';
import type { NoticeContent } from '../../src/types/api.ts';

const content: NoticeContent = {
  name: 'Website',
  controllerName: 'Example Ltd',
  language: 'en',
  domain: 'example.com',
  purposes: [{ key: 'analytics', label: 'Analytics', description: 'Counts visits.', required: false }],
};
const decision = { subjectId: 'anna', purposes: { analytics: true } };

describe('a test server', () => {
  let server: TestServer;
  let svc: Svc;
  beforeEach(async () => {
    server = await createTestServer();
    svc = new Svc({ baseUrl: server.baseUrl, apiKey: server.apiKey, scimToken: server.scimToken, retries: 0 });
  });
  afterEach(async () => {
    await server.close();
    await svc.close();
  });

  const publishNotice = async (): Promise<string> => {
    const { id } = await svc.consent.notices.create(content);
    await svc.consent.notices.publish(id);
    return id;
  };

  test('keeps what the SDK makes', async () => {
    const id = await publishNotice();
    const record = await svc.consent.records.capture(id, decision);
    assert.deepEqual(await svc.consent.records.retrieve(id, record.id), record);
    assert.deepEqual(await svc.consent.subjects.listRecords('anna').toArray({ limit: 10 }), [record]);
    const actions = (await svc.audit.list()).items.map(({ action }) => action);
    assert.deepEqual(actions, ['consent.recorded', 'consent_notice.published', 'consent_notice.created']);
  });

  test('takes a refusal of what was granted as a withdrawal of it', async () => {
    const id = await publishNotice();
    const granted = await svc.consent.records.capture(id, decision);
    const refused = await svc.consent.records.capture(id, { subjectId: 'anna', purposes: { analytics: false } });
    assert.deepEqual([refused.kind, refused.withdrawsRecordId], ['withdrawal', granted.id]);
    await assert.rejects(svc.consent.records.withdraw(id, granted.id), { code: 'consent_already_withdrawn' });
  });

  test('keeps webhooks, whose secrets it shows when they are made, and sends them nothing', async () => {
    server.clock.set('2030-01-01T00:00:00Z');
    const url = 'https://hooks.example.com/svc';
    const { secret, ...webhook } = await svc.webhooks.create({ url, eventTypes: ['dsr.created', 'consent.recorded'] });
    assert.match(secret, /^whsec_[A-Za-z0-9]{44}$/);
    assert.deepEqual(webhook.eventTypes, ['consent.recorded', 'dsr.created']);
    assert.deepEqual((await svc.webhooks.list({ status: 'enabled' })).items, [webhook]);
    await assert.rejects(svc.webhooks.create({ url }), { code: 'conflict' });
    await assert.rejects(svc.webhooks.create({ url: 'http://hooks.example.com' }), { code: 'validation_failed' });
    server.clock.advance(1000);
    assert.deepEqual(await svc.webhooks.update(webhook.id, { status: 'enabled' }), webhook);
    assert.equal((await svc.webhooks.test(webhook.id)).status, 'pending');
    assert.equal((await svc.webhooks.update(webhook.id, { status: 'paused' })).updatedAt, '2030-01-01T00:00:01.000Z');
    await assert.rejects(svc.webhooks.test(webhook.id), { code: 'webhook_not_enabled' });
    const rotated = await svc.webhooks.rotateSecret(webhook.id, { overlapHours: 1 });
    assert.notEqual(rotated.secret, secret);
    assert.equal(rotated.previousSecretExpiresAt, '2030-01-01T01:00:01.000Z');
    server.clock.advance(3_600_000);
    assert.equal((await svc.webhooks.retrieve(webhook.id)).previousSecretExpiresAt, null);
    await svc.webhooks.delete(webhook.id);
    await assert.rejects(svc.webhooks.retrieve(webhook.id), { code: 'not_found' });
    const told = (await svc.audit.list()).items.map(({ action }) => action.replace('webhook.', ''));
    assert.deepEqual(told, ['deleted', 'secret_rotated', 'edited', 'tested', 'created']);
  });

  test('gives pages whose cursors are good for their own list alone', async () => {
    for (let number = 0; number < 3; number += 1) await svc.consent.notices.create(content);
    const first = await svc.consent.notices.list({ limit: 2 });
    assert.deepEqual([first.items.length, first.total, first.hasNextPage], [2, 3, true]);
    const all = await svc.consent.notices.list({ limit: 2 }).toArray({ limit: 10 });
    assert.equal(new Set(all.map(({ id }) => id)).size, 3);
    const cursor = first.nextCursor as string;
    await assert.rejects(svc.consent.notices.list({ cursor, status: 'draft' }), { code: 'invalid_cursor' });
    await assert.rejects(svc.dsr.list({ cursor }), { code: 'invalid_cursor' });
    await assert.rejects(svc.consent.notices.list({ cursor: 'x' }), { code: 'invalid_cursor' });
  });

  test('tells of every request, with its key and its answer, but not of its credentials', async () => {
    const id = await publishNotice();
    const idempotencyKey = 'a-key-of-ours';
    await svc.consent.records.capture(id, decision, { idempotencyKey });
    await svc.consent.records.capture(id, decision, { idempotencyKey });
    await assert.rejects(svc.consent.records.list('00000000-0000-7000-8000-000000000000', { limit: 5 }));
    const told = server.requests.map((request) => [request.operation, request.status, request.isReplay]);
    assert.deepEqual(told, [
      ['createConsentNotice', 201, false],
      ['publishConsentNotice', 200, false],
      ['captureConsentRecord', 201, false],
      ['captureConsentRecord', 201, true],
      ['listConsentRecords', 404, false],
    ]);
    const [create, , capture, , list] = server.requests;
    assert.deepEqual([create?.method, create?.path, create?.body], ['POST', '/v1/consent/notices', content]);
    assert.deepEqual([capture?.params, capture?.idempotencyKey], [{ id }, idempotencyKey]);
    assert.equal(list?.query.get('limit'), '5');
    assert.ok(!JSON.stringify(server.requests).includes(server.apiKey));
  });

  test('lets a key do what its scopes allow', async () => {
    const reader = svc.withOptions({ apiKey: server.createKey(['consent:read']) });
    assert.equal((await reader.consent.notices.list()).total, 0);
    await assert.rejects(reader.consent.notices.create(content), { code: 'insufficient_scope', status: 403 });
    await assert.rejects(reader.withOptions({ apiKey: 'svc_test_unknown' }).audit.list(), { status: 401 });
    await assert.rejects(svc.audit.list({}, { tenant: 'another' }), { code: 'tenant_not_allowed' });
    assert.equal((await svc.audit.list({}, { tenant: server.tenantId })).items.length, 0);
  });

  test('gives access tokens to an OAuth client, for an hour and for the scopes that it asks for', async () => {
    const oauth = { clientId: server.clientId, clientSecret: server.apiKey, scope: 'audit:read' };
    await using client = new Svc({ baseUrl: server.baseUrl, oauth, retries: 0 });
    assert.equal((await client.audit.list()).items.length, 0);
    assert.equal((await client.audit.list()).items.length, 0);
    await assert.rejects(client.consent.notices.list(), { code: 'insufficient_scope' });
    assert.equal(server.requests.filter(({ path }) => path === '/oauth/token').length, 1);
    // The client asks for another one when the server takes the first no more.
    server.clock.advance(3_600_000);
    assert.equal((await client.audit.list()).items.length, 0);
    assert.equal(server.requests.filter(({ path }) => path === '/oauth/token').length, 2);
    await client.revokeAccessToken();
    const stranger = { clientId: server.clientId, clientSecret: 'svc_test_unknown' };
    await assert.rejects(new Svc({ baseUrl: server.baseUrl, oauth: stranger, retries: 0 }).audit.list());
  });

  test('goes by the time that it is given', async () => {
    server.clock.set('2030-01-01T00:00:00Z');
    const dsr = await svc.dsr.create({ subjectId: 'anna', type: 'access' });
    assert.deepEqual([dsr.receivedAt, dsr.isOverdue], ['2030-01-01T00:00:00.000Z', false]);
    server.clock.advance(31 * 86_400_000);
    assert.equal((await svc.dsr.retrieve(dsr.id)).isOverdue, true);
    assert.throws(() => server.clock.set('soon'), TypeError);
  });

  test('forgets a key for retries after 24 hours', async () => {
    const id = await publishNotice();
    const options = { idempotencyKey: 'a-key-of-ours' };
    server.clock.set('2030-01-01T00:00:00Z');
    const first = await svc.consent.records.capture(id, decision, options);
    server.clock.advance(86_400_000 - 1);
    assert.equal((await svc.consent.records.capture(id, decision, options)).id, first.id);
    server.clock.advance(1);
    assert.notEqual((await svc.consent.records.capture(id, decision, options)).id, first.id);
  });

  test('answers what it is told in place of what it keeps, and says what it cannot know', async () => {
    const signIn = await fetch(`${server.baseUrl}/v1/auth/sign-in`, { method: 'POST' });
    assert.equal(signIn.status, 501);
    assert.match(await signIn.text(), /server\.respond\('POST \/v1\/auth\/sign-in'/);
    server.respond('GET /v1/users', { data: [], page: { cursor: null, nextCursor: null, limit: 25, total: 0 } });
    assert.deepEqual((await svc.users.list()).items, []);
    server.respond('GET /v1/users/{userId}', ({ params }) => ({ id: params.id }));
    const id = '01a1fead-9aa2-7000-999d-bc20213b5957';
    assert.equal((await svc.users.retrieve(id)).id, id);
    await assert.rejects(svc.users.retrieve('no-id'), { status: 422, code: 'validation_failed' });
    server.respond('GET /v1/tenant', () => ({ name: 'Later' }), { status: 200 });
    assert.equal((await svc.tenant.retrieve()).name, 'Later');
  });

  test('answers with a text of any type, and shows what a test throws', async () => {
    const lines = '{"format":"svc-ledger-export/1"}\n';
    server.respond('exportAuditLedger', lines, { type: 'application/jsonl; charset=utf-8' });
    let text = '';
    for await (const chunk of svc.ledgers.audit.export()) text += Buffer.from(chunk).toString();
    assert.equal(text, lines);
    server.respond('GET /.well-known/svc-ledger-key', 'a key', { type: 'text/plain' });
    assert.equal(await (await fetch(`${server.baseUrl}/.well-known/svc-ledger-key`)).text(), 'a key');
    server.respond('GET /v1/users', () => {
      throw new Error('not so');
    });
    await assert.rejects(svc.users.list(), { status: 500, message: /not so/ });
  });

  test('answers SCIM in its own form, with the SCIM token', async () => {
    server.respond('GET /scim/v2/Users/{id}', ({ params }) => ({ id: params.id, userName: 'a@example.com' }));
    assert.equal((await svc.scim.users.retrieve('anna')).id, 'anna');
    const stranger = svc.withOptions({ scimToken: 'scim_other' });
    await assert.rejects(stranger.scim.users.retrieve('anna'), { status: 401 });
  });

  test('fails as it is told to, as often as it is told to', async () => {
    server.fail(503, { operation: 'GET /v1/audit', times: 2, retryAfter: 7 });
    assert.equal((await svc.consent.notices.list()).total, 0);
    for (let time = 0; time < 2; time += 1) await assert.rejects(svc.audit.list(), { status: 503, retryAfterMs: 7000 });
    assert.deepEqual((await svc.audit.list()).items, []);
    server.fail(409, { code: 'idempotency_in_progress' });
    await assert.rejects(svc.consent.notices.create(content), { code: 'idempotency_in_progress' });
    assert.throws(() => server.fail(200), TypeError);
  });

  test('loses an answer, before the work or after it', async () => {
    await svc.consent.notices.list();
    // Twice: a kept connection that breaks off without an answer costs no try.
    server.fail('reset', { times: 2 });
    await assert.rejects(svc.consent.notices.create(content));
    assert.equal((await svc.consent.notices.list()).total, 0);
    server.fail('reset', { isProcessed: true, times: 2 });
    await assert.rejects(svc.consent.notices.create(content));
    assert.equal((await svc.consent.notices.list()).total, 1);
    server.fail('truncate');
    await assert.rejects(svc.consent.notices.create(content));
    assert.equal((await svc.consent.notices.list()).total, 2);
  });

  test('shows that a client which asks again with the same key does nothing twice', async () => {
    const retrying = svc.withOptions({ retries: 2 });
    const id = await publishNotice();
    server.fail('reset', { operation: 'captureConsentRecord', isProcessed: true });
    const record = await retrying.consent.records.capture(id, decision);
    const captures = server.requests.filter(({ operation }) => operation === 'captureConsentRecord');
    assert.deepEqual(
      captures.map(({ isReplay }) => isReplay),
      [false, true],
    );
    assert.equal(new Set(captures.map(({ idempotencyKey }) => idempotencyKey)).size, 1);
    assert.deepEqual((await svc.consent.records.list(id)).items, [record]);
  });

  test('stalls in the middle of an answer until the client gives up', async () => {
    server.fail('stall', { operation: 'listAuditEvents' });
    const controller = new AbortController();
    const call = svc.audit.list({}, { signal: controller.signal }).toArray({ limit: 5 });
    const outcome = assert.rejects(call);
    while (server.requests.length === 0) await new Promise((resolve) => setImmediate(resolve));
    controller.abort();
    await outcome;
  });

  test('refuses bodies that are none, unknown paths and other methods', async () => {
    const send = async (path: string, init: RequestInit = {}) => {
      const headers = { Authorization: `Bearer ${server.apiKey}`, 'Content-Type': 'application/json', ...init.headers };
      const response = await fetch(server.baseUrl + path, { ...init, headers });
      const { error } = (await response.json()) as { error: { code: string } };
      return [response.status, error.code, response.headers.get('allow')];
    };
    const path = '/v1/consent/notices';
    assert.deepEqual(await send(path, { method: 'POST', body: '{' }), [400, 'invalid_json', null]);
    const xml = { method: 'POST', body: '<a/>', headers: { 'Content-Type': 'text/xml' } };
    assert.deepEqual(await send(path, xml), [415, 'unsupported_media_type', null]);
    assert.deepEqual(await send(path, { method: 'POST', body: '{"a":"\\u0000"}' }), [422, 'validation_failed', null]);
    const large = JSON.stringify({ name: 'x'.repeat(70_000) });
    assert.deepEqual(await send(path, { method: 'POST', body: large }), [413, 'payload_too_large', null]);
    assert.deepEqual(await send(path, { method: 'POST' }), [422, 'validation_failed', null]);
    assert.deepEqual(await send('/v1/nothing'), [404, 'not_found', null]);
    assert.deepEqual(await send('/v1/audit', { method: 'DELETE' }), [405, 'method_not_allowed', 'GET, HEAD']);
    assert.deepEqual(await send('/v1/audit?limit=1&limit=2'), [422, 'validation_failed', null]);
  });

  test('forgets everything but its keys when it is reset', async () => {
    await publishNotice();
    server.fail(500);
    server.respond('GET /v1/users', {});
    server.clock.set('2030-01-01T00:00:00Z');
    server.reset();
    assert.equal(server.requests.length, 0);
    assert.equal((await svc.consent.notices.list()).total, 0);
    assert.equal((await svc.audit.list()).items.length, 0);
    assert.equal((await svc.users.list()).total, 0);
    assert.ok(server.clock.now() < '2030');
  });

  test('serves visitors from the pages of the site alone', async () => {
    const id = await publishNotice();
    const shown = await fetch(`${server.baseUrl}/v1/public/consent/${id}`);
    assert.equal(shown.headers.get('access-control-allow-origin'), '*');
    const send = (origin: string) =>
      fetch(`${server.baseUrl}/v1/public/consent/${id}/records`, {
        method: 'POST',
        headers: { Origin: origin, 'Content-Type': 'application/json' },
        body: JSON.stringify(decision),
      });
    assert.equal((await send('https://shop.example.com')).status, 201);
    assert.equal((await send('https://example.org')).status, 403);
  });
});
