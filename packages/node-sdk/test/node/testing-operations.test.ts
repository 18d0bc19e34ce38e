import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { Svc } from '../../src/index.ts';
import { createTestServer, type TestServer } from '../../src/testing/index.ts';
import { resolveOperation } from '../../src/testing/operation-names.ts';
import { calledOperations } from '../operations/calls.ts';

describe('the operations of a test server', () => {
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

  test('have the answers that the methods of the package resolve to, and are known by their ids', () => {
    for (const id of calledOperations) assert.equal(resolveOperation(id), id);
  });

  test('are told by id with answers of the right type alone', async () => {
    const health = { score: 1 } as const;
    // @ts-expect-error: a field is missing
    server.respond('createScimToken', health);
    // @ts-expect-error: there is no such operation
    assert.throws(() => server.respond('getScimTokens', health));
    server.respond(
      'getScimToken',
      () => ({ displayPrefix: 'scim_123', createdAt: 'x', lastUsedAt: null, createdBy: null }) as never,
    );
    assert.equal((await svc.scimToken.retrieve())?.displayPrefix, 'scim_123');
    server.respond('deleteWebhook', null);
    assert.equal(await svc.webhooks.delete('01a1fead-9aa2-7000-999d-bc20213b5957'), undefined);
  });

  test('of SCIM and OAuth are told, fail and are recorded by their ids like all others', async () => {
    server.respond('getScimUser', ({ params }) => ({ id: params.id, userName: 'a@example.com' }) as never);
    assert.equal((await svc.scim.users.retrieve('anna')).id, 'anna');
    server.fail(503, { operation: 'getScimUser' });
    await assert.rejects(svc.scim.users.retrieve('anna'), { status: 503 });
    server.respond('POST /scim/v2/Users', { id: 'new' });
    assert.equal((await svc.scim.users.create({ userName: 'a@example.com' }).withResponse()).response.status, 201);
    server.respond('deleteScimUser', null);
    await svc.scim.users.delete('anna');
    await using client = new Svc({
      ...{ baseUrl: server.baseUrl, retries: 0 },
      oauth: { clientId: server.clientId, clientSecret: server.apiKey },
    });
    server.fail(500, { operation: 'issueAccessToken' });
    await assert.rejects(client.audit.list());
    await client.audit.list();
    assert.deepEqual(
      server.requests.map(({ operation, status }) => `${operation} ${status}`),
      [
        ...['getScimUser 200', 'getScimUser 503', 'createScimUser 201', 'deleteScimUser 204'],
        ...['issueAccessToken 500', 'issueAccessToken 200', 'listAuditEvents 200'],
      ],
    );
  });

  test('whose names have a typing error are refused, not waited for', () => {
    const refuse = (name: string, message: RegExp) => {
      assert.throws(() => server.respond(name as 'POST /x', {}), { name: 'TypeError', message });
      assert.throws(() => server.fail(503, { operation: name as 'POST /x' }), { name: 'TypeError', message });
    };
    refuse('listauditEvents', /did you mean listAuditEvents/);
    refuse('list', /no operation "list"/);
    refuse('get /v1/audit', /no operation/);
    refuse('GET v1/audit', /no operation/);
    assert.throws(() => server.fail(503, { operation: 'GET /v1/adit' }), /The API has no GET \/v1\/adit/);
    assert.deepEqual(server.pendingFaults, []);
  });

  test('of newer servers are told by method and path, and fail only where they were told', async () => {
    const operation = { id: 'getNew', method: 'GET', path: '/v1/new/{id}', parameters: { id: 'x' } } as const;
    server.respond('GET /v1/new/{id}', ({ params }) => ({ id: params.id }));
    assert.deepEqual(await svc.request(operation), { id: 'x' });
    server.fail(409, { operation: 'GET /v1/new/{id}' });
    await assert.rejects(svc.request(operation), { status: 409 });
  });

  test('that answer with text do so in their media type', async () => {
    server.respond('exportAuditLedger', '{}\n');
    const stream = await svc.ledgers.audit.export();
    assert.match(stream.response.headers['content-type'] ?? '', /^application\/jsonl/);
    await stream.cancel();
    server.respond('getLedgerKey', 'a key');
    assert.equal(await (await fetch(`${server.baseUrl}/.well-known/svc-ledger-key`)).text(), 'a key');
    server.respond('GET /v1/tenant', '<p>busy</p>', { type: 'text/html', status: 502 });
    await assert.rejects(svc.tenant.retrieve(), { status: 502 });
  });

  test('are not told what cannot be an answer', async () => {
    for (const status of [199, 301, 404, 1.5, Number.NaN])
      assert.throws(() => server.respond('GET /v1/tenant', {}, { status }), /use fail/);
    server.respond('GET /v1/tenant', async () => ({}));
    await assert.rejects(svc.tenant.retrieve(), { status: 500, message: /no promises/ });
  });

  test('fail only in ways that there are, and tell which faults are still to come', async () => {
    const { fail } = { fail: (kind: unknown, fault?: object) => server.fail(kind as 500, fault as never) };
    for (const kind of ['stal', 200, 600, 503.5, Number.NaN, null, undefined])
      assert.throws(() => fail(kind), TypeError, String(kind));
    for (const times of [0, -1, 1.5, Number.NaN, '2']) assert.throws(() => fail(503, { times }), TypeError);
    assert.throws(() => fail(503, { retryafter: 1 }), /has no retryafter/);
    server.fail(503, { operation: 'GET /v1/audit', times: 2 });
    server.fail('reset');
    await assert.rejects(svc.audit.list());
    assert.deepEqual(server.pendingFaults, [
      { kind: 503, operation: 'listAuditEvents', times: 1 },
      { kind: 'reset', operation: null, times: 1 },
    ]);
    server.reset();
    assert.deepEqual(server.pendingFaults, []);
  });
});
