import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import type { DeprecationNote, ErrorNote, Hooks, SvcError } from '@svc/node-sdk';
import {
  createClient,
  reading,
  sendError,
  sendJson,
  sendRaw,
  startScriptedServer,
  testKey,
  writing,
} from './scripted-server.ts';

type Note = Record<string, unknown>;

describe('hooks', () => {
  it('are called for every attempt, response, wait, and for the end', async () => {
    const calls: [string, Record<string, unknown>][] = [];
    const note = (name: string) => (value: object) => void calls.push([name, { ...value }]);
    const hooks: Hooks = {
      onRequest: note('request'),
      onResponse: note('response'),
      onRetry: note('retry'),
      onError: note('error'),
    };
    await using server = await startScriptedServer((response, _, number) => {
      const headers = { 'svc-request-id': `r${number}`, 'set-cookie': 'a=b', 'retry-after': '0' };
      sendError(response, number === 1 ? 503 : 422, 'some_code', headers);
    });
    await using svc = createClient(server, { hooks, headers: { 'x-gateway-key': 'secret' } });
    await assert.rejects(
      svc.request({ ...writing, path: '/v1/consent/{id}/records', parameters: { id: 'ada@example.com' } }),
    );
    assert.deepEqual(
      calls.map(([name]) => name),
      ['request', 'response', 'retry', 'request', 'response', 'error'],
    );
    const key = server.received[0]?.headers['idempotency-key'];
    for (const [index, [, { operation, method, path, attempt, idempotencyKey }]] of calls.entries())
      assert.deepEqual(
        [operation, method, path, attempt, idempotencyKey],
        ['write', 'POST', '/v1/consent/{id}/records', index < 3 ? 1 : 2, key],
      );
    const [request, response, retry, , , error] = calls.map(([, value]) => value) as [
      Note,
      Note,
      Note,
      Note,
      Note,
      Note,
    ];
    const sent = request.headers as Record<string, string>;
    assert.equal(sent.authorization, '[redacted]');
    assert.equal(sent['x-gateway-key'], '[redacted]');
    assert.equal(sent['idempotency-key'], key);
    assert.deepEqual([response.status, response.requestId], [503, 'r1']);
    assert.equal((response.headers as Record<string, string>)['set-cookie'], undefined);
    assert.equal(typeof response.duration, 'number');
    assert.equal((retry.error as { readonly status: number }).status, 503);
    assert.ok((retry.wait as number) >= 0);
    assert.equal((error.error as { readonly status: number }).status, 422);
    for (const secret of [testKey, 'secret', 'ada@example.com']) assert.ok(!JSON.stringify(calls).includes(secret));
  });

  it('that throw change nothing, and emit a process warning', async () => {
    const fail = () => {
      throw new Error('a bug in the hook');
    };
    await using server = await startScriptedServer((response) => sendJson(response, 200, { data: 'in' }));
    await using svc = createClient(server, { hooks: { onRequest: fail } });
    const warned = once(process, 'warning');
    assert.equal(await svc.request(reading), 'in');
    const [warning] = await warned;
    assert.match(warning.message, /onRequest failed: a bug in the hook/);
    assert.equal(warning.code, 'SVC_HOOK_FAILED');
  });

  it('that return a rejected promise emit a process warning, and no unhandled rejection', async () => {
    const unhandled: unknown[] = [];
    const note = (error: unknown) => unhandled.push(error);
    process.on('unhandledRejection', note);
    try {
      await using server = await startScriptedServer((response) => sendJson(response, 200, { data: 'in' }));
      await using svc = createClient(server, { hooks: { onResponse: async () => Promise.reject(new Error('later')) } });
      const warned = once(process, 'warning');
      assert.equal(await svc.request(reading), 'in');
      const [warning] = await warned;
      assert.match(warning.message, /onResponse failed: later/);
      await new Promise((resolve) => setImmediate(resolve));
      assert.deepEqual(unhandled, []);
    } finally {
      process.off('unhandledRejection', note);
    }
  });

  it('are called once for every failure, also for an invalid response and an interrupted stream', async () => {
    const notes: ErrorNote[] = [];
    await using server = await startScriptedServer((response, { path }) => {
      if (path === '/v1/html') response.writeHead(200, { 'content-type': 'text/html' }).end('<html>');
      else if (path === '/v1/consent/missing')
        sendJson(response, 200, { data: { state: {}, items: [], nextCursor: null } });
      else if (path === '/v1/text')
        response.writeHead(200, { 'content-type': 'application/jsonl' }).end(Buffer.from([0xff, 0x0a]));
      else if (path === '/v1/broken')
        sendRaw(response, 'HTTP/1.1 200 OK\r\nContent-Type: application/jsonl\r\nContent-Length: 9\r\n\r\na\n').end();
      else sendJson(response, 200, { data: { nothing: true } });
    });
    await using svc = createClient(server, { hooks: { onError: (note) => notes.push(note) } });
    const readLines = async (path: string) => {
      for await (const _ of svc.stream({ ...reading, path }).lines());
    };
    const calls: readonly (readonly [string, () => PromiseLike<unknown>])[] = [
      ['unreadable_response', () => svc.request({ ...reading, path: '/v1/html' })],
      ['unreadable_response', () => svc.list({ ...reading, page: 'items' })],
      ['not_found', () => svc.consent.notices.retrieve('missing')],
      ['unreadable_response', () => svc.stream({ ...reading, path: '/v1/html' })],
      ['unreadable_response', () => readLines('/v1/text')],
      ['connection_failed', () => readLines('/v1/broken')],
      ['invalid_argument', () => svc.request(reading, { timeout: 0 })],
      ['invalid_argument', () => svc.scim.users.list()],
    ];
    for (const [code, call] of calls) {
      notes.length = 0;
      const error: unknown = await call().then(
        () => null,
        (reason: unknown) => reason,
      );
      assert.deepEqual(
        notes.map((note) => [note.error.code, note.error === error, note.operation]),
        [[code, true, (error as SvcError).operation]],
      );
    }
  });

  it('receive the reason why a failed call was not retried', async () => {
    const reasons: unknown[] = [];
    await using server = await startScriptedServer((response) =>
      sendError(response, 503, 'busy', { 'retry-after': '0' }),
    );
    const hooks: Hooks = { onError: ({ error }) => reasons.push(error.retry) };
    await using svc = createClient(server, { hooks, retryBudget: { capacity: 1, refill: 0 } });
    await assert.rejects(svc.request(reading, { retries: 1 }));
    await assert.rejects(svc.request(reading));
    assert.deepEqual(reasons, ['exhausted', 'budget']);
  });

  it('are called once for a deprecation, also by derived clients', async () => {
    const notes: DeprecationNote[] = [];
    await using server = await startScriptedServer((response) =>
      sendJson(response, 200, { data: null }, { deprecation: '@1790000000' }),
    );
    await using svc = createClient(server, { hooks: { onDeprecation: (note) => notes.push(note) } });
    for (const tenant of ['first', 'second']) await svc.withOptions({ tenant }).request(reading);
    assert.equal(notes.length, 1);
    await svc.withOptions({ hooks: { onDeprecation: (note) => notes.push(note) } }).request(reading);
    assert.equal(notes.length, 2, 'another hook was not called');
  });

  it('are not called for the version of an error', async () => {
    const notes: DeprecationNote[] = [];
    await using server = await startScriptedServer((response) =>
      sendError(response, 401, 'unauthenticated', { 'svc-version': '2020-01-01' }),
    );
    await using svc = createClient(server, { hooks: { onDeprecation: (note) => notes.push(note) } });
    await assert.rejects(svc.request(reading));
    assert.deepEqual(notes, []);
  });

  it('are called once for each operation that is deprecated, or answered in another version', async () => {
    const notes: DeprecationNote[] = [];
    await using server = await startScriptedServer((response, { path }) => {
      const headers = {
        '/v1/old': {
          deprecation: '@1790000000',
          sunset: 'Sun, 21 Nov 2027 00:00:00 GMT',
          link: '</docs>; rel="deprecation"',
        },
        '/v1/other': { 'svc-version': '2027-01-01' },
        '/v1/thing': { 'svc-version': '2026-11-01' },
      }[path];
      sendJson(response, 200, { data: null }, headers);
    });
    await using svc = createClient(server, { hooks: { onDeprecation: (note) => notes.push(note) } });
    for (let round = 0; round < 3; round += 1) {
      await svc.request(reading);
      await svc.request({ ...reading, id: 'old', path: '/v1/old' });
      await svc.request({ ...reading, id: 'other', path: '/v1/other' });
    }
    const [old, other] = notes;
    assert.equal(notes.length, 2);
    assert.deepEqual(
      [old?.operation, old?.deprecation, old?.sunset],
      ['old', '@1790000000', 'Sun, 21 Nov 2027 00:00:00 GMT'],
    );
    assert.match(String(old?.link), /deprecation/);
    assert.deepEqual(
      [other?.operation, other?.requestedVersion, other?.version],
      ['other', '2026-11-01', '2027-01-01'],
    );
    assert.match(String(other?.message), /version 2027-01-01, not 2026-11-01/);
  });

  it('are not needed for a deprecation warning of the process', async () => {
    await using server = await startScriptedServer((response) =>
      sendJson(response, 200, { data: null }, { deprecation: '@1790000000' }),
    );
    await using svc = createClient(server);
    const warned = once(process, 'warning');
    await svc.request(reading);
    const [warning] = await warned;
    assert.deepEqual([warning.name, warning.code], ['DeprecationWarning', 'SVC_DEPRECATED']);
    assert.match(warning.message, /read is deprecated/);
  });
});
