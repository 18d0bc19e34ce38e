import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ConfigurationError, type Operation, type RequestOptions } from '@svc/node-sdk';
import fc from 'fast-check';
import { buildTarget } from '../../src/target.ts';
import {
  createClient,
  editing,
  reading,
  sendError,
  sendJson,
  startScriptedServer,
  writing,
} from './scripted-server.ts';

const record: Operation = { id: 'record', method: 'GET', path: '/v1/consent/{id}/records/{recordId}' };
const isDotted = (text: string) => text.split(/[/\\]/).some((part) => part === '.' || part === '..');

describe('a request', () => {
  it('contains the arguments of the call and the settings of the client', async () => {
    await using server = await startScriptedServer((response) => sendJson(response, 200, { data: null }));
    await using svc = createClient(server, {
      baseUrl: `${server.url}/behind/a/proxy/`,
      tenant: 'first',
      headers: { 'x-a': 'client', 'x-b': 'client' },
      appInfo: { name: 'my-app', version: '1.0' },
    });
    const options = {
      tenant: 'second',
      version: '2026-12-01',
      headers: { 'X-A': 'call', 'x-b': null, 'user-agent': 'me' },
    };
    await svc.request({ ...writing, query: { limit: 5, all: true, text: 'ä &=/?', none: undefined } });
    await svc.request(editing, options);
    const [first, second] = server.received;
    assert.equal(first?.path, '/behind/a/proxy/v1/things?limit=5&all=true&text=%C3%A4%20%26%3D%2F%3F');
    assert.equal(first?.body, '{"name":"x"}');
    assert.equal(first?.headers['content-type'], 'application/json');
    assert.equal(first?.headers.accept, 'application/json');
    assert.equal(first?.headers['svc-version'], '2026-11-01');
    assert.equal(first?.headers['svc-tenant'], 'first');
    assert.match(String(first?.headers['user-agent']), /^my-app\/1\.0 svc-node\/\d+\.\d+\.\d+\S* node\/\d/);
    assert.equal(first?.headers['x-a'], 'client');
    assert.equal(second?.headers['svc-version'], '2026-12-01');
    assert.equal(second?.headers['svc-tenant'], 'second');
    assert.equal(second?.headers['x-a'], 'call');
    assert.equal(second?.headers['x-b'], undefined);
    assert.equal(second?.headers['user-agent'], 'me');
  });

  it('accepts a Date for a time, in the query and in the body', async () => {
    await using server = await startScriptedServer((response) => sendJson(response, 200, { data: { items: [] } }));
    await using svc = createClient(server);
    const from = new Date('2026-11-01T00:00:00+01:00');
    await svc.audit.list({ from, to: '2026-12-01T00:00:00Z' });
    await svc.consent.records.capture('n', { subjectId: 's', purposes: {}, capturedAt: from });
    assert.equal(server.received[0]?.path, '/v1/audit?from=2026-10-31T23%3A00%3A00.000Z&to=2026-12-01T00%3A00%3A00Z');
    assert.equal(JSON.parse(server.received[1]?.body ?? '').capturedAt, '2026-10-31T23:00:00.000Z');
    const wrong = new Date(Number.NaN);
    const invalid = (error: unknown) => ConfigurationError.isInstance(error) && /invalid Date/.test(error.message);
    await assert.rejects(Promise.resolve(svc.audit.list({ from: wrong })), invalid);
    await assert.rejects(svc.apiKeys.create({ name: 'k', scopes: [], expiresAt: wrong }), invalid);
    await assert.rejects(svc.request({ ...writing, body: { list: [null, { at: wrong }] } }), /body\.list\.1\.at/);
    assert.equal(server.received.length, 2);
  });

  it('leaves the version to the tenant if configured, and sends it only to versioned endpoints', async () => {
    await using server = await startScriptedServer((response) => sendJson(response, 200, {}));
    await using svc = createClient(server, { version: null, scimToken: 'scim_0123456789' });
    await svc.request({ ...reading, answer: 'bare' });
    const scim = { ...writing, path: '/scim/v2/Users', media: 'scim', credential: 'scim', answer: 'bare' } as const;
    await svc.withOptions({ version: '2026-11-01', tenant: 'first' }).request(scim);
    const [rest, provisioning] = server.received.map(({ headers }) => headers);
    assert.equal(rest?.['svc-version'], undefined);
    assert.equal(provisioning?.['svc-version'], undefined);
    assert.equal(provisioning?.['svc-tenant'], undefined);
    assert.equal(provisioning?.['idempotency-key'], undefined);
    assert.equal(provisioning?.authorization, 'Bearer scim_0123456789');
    assert.equal(provisioning?.accept, 'application/scim+json');
    assert.equal(provisioning?.['content-type'], 'application/scim+json');
  });

  it('has a unique Idempotency-Key for each POST that accepts one, and no other', async () => {
    await using server = await startScriptedServer((response) => sendJson(response, 200, { data: null }));
    await using svc = createClient(server);
    await svc.request(writing);
    await svc.request(writing);
    await svc.request(editing);
    await svc.request(reading);
    await svc.request({ ...writing, path: '/v1/public/things', credential: 'none' });
    const { response } = await svc.request(writing, { idempotencyKey: 'my_own-key' }).withResponse();
    const [first, second, ...others] = server.received.map(({ headers }) => headers['idempotency-key']);
    assert.match(String(first), /^[A-Za-z0-9_-]{8,128}$/);
    assert.match(String(second), /^[A-Za-z0-9_-]{8,128}$/);
    assert.notEqual(first, second);
    assert.deepEqual(others, [undefined, undefined, undefined, 'my_own-key']);
    assert.equal(response.idempotencyKey, 'my_own-key');
  });

  it('is not sent if its arguments are invalid', async () => {
    await using server = await startScriptedServer((response) => sendJson(response, 200, { data: null }));
    await using svc = createClient(server);
    const circle: { self?: object } = {};
    circle.self = circle;
    const wrong: readonly (readonly [Operation, RequestOptions, RegExp])[] = [
      [record, {}, /parameter id must not be empty/],
      [{ ...record, parameters: { id: 'a', recordId: '' } }, {}, /recordId must not be empty/],
      [{ ...reading, query: { a: Number.NaN } }, {}, /query parameter a/],
      [{ ...reading, query: { a: ['b'] } }, {}, /query parameter a/],
      [{ ...reading, query: { a: null } }, {}, /query parameter a/],
      [{ ...reading, query: { a: '\ud800' } }, {}, /Unicode/],
      [{ ...reading, path: 'v1/thing' }, {}, /must start with/],
      [{ ...reading, path: '//example.com/v1' }, {}, /must start with/],
      [{ ...reading, path: '/v1/../admin' }, {}, /must start with/],
      [{ ...reading, path: '/v1/%2e%2E/admin' }, {}, /must start with/],
      [{ ...reading, path: '/v1/thing?a=b' }, {}, /must start with/],
      [{ ...reading, path: '/v1/a b' }, {}, /must start with/],
      [{ ...writing, body: circle }, {}, /JSON/],
      [{ ...writing, body: () => 1 }, {}, /JSON/],
      [{ ...writing, body: 1n }, {}, /JSON/],
      [writing, { idempotencyKey: 'short' }, /8 to 128/],
      [writing, { idempotencyKey: 'no spaces' }, /8 to 128/],
      [editing, { idempotencyKey: 'long-enough' }, /Only a POST/],
      [editing, { ifMatch: '"tag"' } as object, /"ifMatch"/],
      [{ ...editing, ifMatch: 'a\nb' }, {}, /ifMatch/],
      [reading, { tenant: 'a\nb' }, /tenant/],
      [reading, { version: '2026' }, /version/],
      [reading, { headers: { 'x-a': 'b\r\nx-c: d' } }, /that a header can carry/],
      [reading, { headers: { 'x-a': 'b\0' } }, /that a header can carry/],
      [reading, { headers: { 'idempotency-key': 'long-enough' } }, /idempotencyKey/],
      [reading, { timeout: 0 }, /timeout/],
      [reading, { retries: -1 }, /retries/],
      [reading, { timout: 5 } as object, /"timout"/],
      [reading, 5 as unknown as object, /must be an object/],
      [reading, { signal: {} as AbortSignal }, /signal must have a function/],
      [reading, { headers: null as unknown as Record<string, string> }, /headers/],
      [{ ...reading, query: null as unknown as object }, {}, /query/],
      [{ ...reading, query: 'x' as unknown as object }, {}, /query/],
    ];
    for (const [operation, options, message] of wrong) {
      const call = svc.request(operation, options);
      await assert.rejects(
        call,
        (error) => ConfigurationError.isInstance(error) && message.test(error.message),
        String(message),
      );
    }
    assert.equal(server.received.length, 0);
  });

  it('fails like any other if an untyped program omits something', async () => {
    await using server = await startScriptedServer((response) => sendJson(response, 200, { data: null }));
    await using svc = createClient(server);
    const capture = svc.public.consent.capture.bind(svc.public.consent) as (...values: unknown[]) => Promise<unknown>;
    for (const values of [['n', { purposes: {} }], ['n'], ['n', null, null], [], ['n', {}, { origin: 5 }]])
      await assert.rejects(capture(...values), (error) => ConfigurationError.isInstance(error));
    await capture('n', { purposes: {} }, { origin: 'https://www.example.com', headers: { 'x-a': 'b' } });
    assert.equal(server.received.length, 1);
    assert.equal(server.received[0]?.headers.origin, 'https://www.example.com');
    assert.equal(server.received[0]?.headers['x-a'], 'b');
  });

  it('is built as the operation defines, and its error is passed on', async () => {
    await using server = await startScriptedServer((response) => sendJson(response, 200, { data: 20 }));
    await using svc = createClient(server);
    const double = { ...reading, read: (data: unknown, { status }: { status: number }) => Number(data) * 2 + status };
    assert.equal(await svc.request(double), 240);
    const refuse = () => {
      throw new TypeError('not this one');
    };
    await assert.rejects(svc.request({ ...reading, read: refuse }), TypeError);
  });

  it('never leaves its path because of a value, however its dots are encoded', () => {
    const dots = ['.', '..', '%2e', '%2E%2e', '.%2e', '%252e%252e', 'a/../b', '../x', 'x\\..', 'a%2f..', '%2e%2e%5cx'];
    for (const id of dots)
      assert.throws(() => buildTarget({ ...record, parameters: { id, recordId: 'r' } }), /dot segment/, id);
    for (const id of ['...', 'a.b', '.a', 'a..', 'ada@example.com', '+31 6', 'a/b', 'ü', '%', '100%'])
      assert.ok(buildTarget({ ...record, parameters: { id, recordId: 'r' } }));
  });

  it('encodes every other value losslessly (property)', () => {
    const value = fc
      .string({ unit: 'binary', minLength: 1 })
      .filter((text) => text.isWellFormed() && !isDotted(text) && !/%(25)*2e/i.test(text));
    fc.assert(
      fc.property(value, value, fc.string({ unit: 'grapheme' }), (id, recordId, text) => {
        const target = buildTarget({ ...record, parameters: { id, recordId }, query: { text } });
        const url = new URL(target, 'https://svc.example.com');
        const [, , , first, , second, ...more] = url.pathname.split('/');
        assert.deepEqual(
          [first, second].map((part) => decodeURIComponent(part as string)),
          [id, recordId],
        );
        assert.equal(more.length, 0);
        assert.equal(url.searchParams.get('text'), text);
        assert.equal(url.hash, '');
      }),
    );
  });

  it('caches a bounded number of paths', () => {
    for (let id = 0; id < 2000; id += 1)
      assert.equal(buildTarget({ ...reading, path: `/v1/things/${id}` }), `/v1/things/${id}`);
  });

  it('reports a failure once, in whatever way its promise is used', async () => {
    const unhandled: unknown[] = [];
    const note = (error: unknown) => unhandled.push(error);
    process.on('unhandledRejection', note);
    try {
      await using server = await startScriptedServer((response) => sendError(response, 404, 'not_found'));
      await using svc = createClient(server);
      await assert.rejects(svc.request(reading).withResponse(), /not_found/);
      await assert.rejects(svc.request(reading).asResponse(), /not_found/);
      const call = svc.request(reading);
      await Promise.allSettled([
        call,
        call.withResponse(),
        call.asResponse(),
        call.finally(() => undefined),
        call.catch(() => 0),
      ]);
      const list = svc.list({ ...reading, page: 'items' });
      await assert.rejects(list.toArray({ limit: 5 }));
      svc.list({ ...reading, page: 'items' });
      await new Promise((resolve) => setImmediate(resolve));
      assert.deepEqual(unhandled, []);
      assert.equal(server.received.length, 4, 'an unused list is not fetched');
    } finally {
      process.off('unhandledRejection', note);
    }
  });
});
