import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ApiError, ConnectionError, RateLimitError, type RetryNote, ServerError } from '@svc/node-sdk';
import fc from 'fast-check';
import { Agent } from 'undici';
import { chooseWait, isLasting, readRetryAfter } from '../../src/retry.ts';
import {
  createClient,
  editing,
  reading,
  type Script,
  sendError,
  sendJson,
  sendRaw,
  startScriptedServer,
  writing,
} from './scripted-server.ts';
import { TestRuntime } from './test-runtime.ts';

/** A clock on which every wait is over immediately. */
class Hurry extends TestRuntime {
  override setTimer(run: () => void, delay: number) {
    const timer = super.setTimer(run, delay);
    if (delay < 30_000) queueMicrotask(() => this.advance(delay));
    return timer;
  }
}

describe('a call that fails', () => {
  it('is retried for temporary errors: 408, 429, 500, 502, 503, 504 and a key that is still in progress', async () => {
    for (const status of [408, 429, 500, 502, 503, 504, 409]) {
      const code = status === 409 ? 'idempotency_in_progress' : 'some_code';
      await using server = await startScriptedServer((response, _, number) => {
        if (number < 3) sendError(response, status, code);
        else sendJson(response, 201, { data: { id: 'made' } });
      });
      await using svc = createClient(server, { runtime: new Hurry() });
      const { data, response } = await svc.request(writing).withResponse();
      assert.deepEqual(data, { id: 'made' });
      assert.equal(response.attempts, 3);
      assert.equal(server.received.length, 3);
      const keys = new Set(server.received.map(({ headers }) => headers['idempotency-key']));
      assert.deepEqual([...keys], [response.idempotencyKey], `${status}: the same key in every try`);
    }
  });

  it('is not retried for permanent errors', async () => {
    for (const status of [400, 401, 403, 404, 409, 410, 413, 422, 501]) {
      await using server = await startScriptedServer((response) => sendError(response, status, 'conflict'));
      await using svc = createClient(server, { runtime: new Hurry() });
      await assert.rejects(svc.request(writing), (error) => ApiError.isInstance(error) && error.attempts === 1);
      assert.equal(server.received.length, 1);
    }
  });

  it('is not retried if it is not idempotent, unless the operation declares it', async () => {
    await using server = await startScriptedServer((response) => sendError(response, 503, 'busy'));
    await using svc = createClient(server, { runtime: new Hurry() });
    const counts: number[] = [];
    const open = { ...writing, path: '/v1/public/things', credential: 'none' } as const;
    for (const operation of [editing, open, { ...editing, idempotent: true }, { ...reading, idempotent: false }]) {
      const before = server.received.length;
      await assert.rejects(svc.request(operation), ServerError);
      counts.push(server.received.length - before);
    }
    assert.deepEqual(counts, [1, 1, 3, 1]);
  });

  it('is retried exactly as often as configured, also not at all', async () => {
    await using server = await startScriptedServer((response) => sendError(response, 503, 'busy'));
    for (const retries of [0, 1, 5]) {
      await using svc = createClient(server, { runtime: new Hurry(), retries });
      const before = server.received.length;
      await assert.rejects(svc.request(reading));
      assert.equal(server.received.length - before, retries + 1);
      await assert.rejects(svc.request(reading, { retries: 0 }), { attempts: 1 });
    }
  });

  it('is retried if its connection breaks, before or within the response', async () => {
    await using server = await startScriptedServer((response, _, number) => {
      if (number === 1) response.socket?.destroy();
      else if (number === 2)
        response.socket?.end('HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n{"data":');
      else sendJson(response, 201, { data: 'made' });
    });
    await using svc = createClient(server, { runtime: new Hurry() });
    assert.equal(await svc.request(writing), 'made');
    const keys = new Set(server.received.map(({ headers }) => headers['idempotency-key']));
    assert.equal(server.received.length, 3);
    assert.equal(keys.size, 1);
  });

  it('is not retried if its connection fails for a permanent reason', async () => {
    await using server = await startScriptedServer((response) => {
      sendRaw(response, `HTTP/1.1 200 OK\r\nX-Large: ${'x'.repeat(100_000)}\r\n\r\n`).end();
    });
    await using svc = createClient(server, { runtime: new Hurry() });
    await assert.rejects(svc.request(reading), (error) => ConnectionError.isInstance(error) && error.attempts === 1);
    assert.equal(server.received.length, 1);
    const fail = (code: string) => isLasting(Object.assign(new Error('x'), { code }));
    for (const code of [
      'ERR_TLS_CERT_ALTNAME_INVALID',
      'CERT_HAS_EXPIRED',
      'UND_ERR_INVALID_ARG',
      'SELF_SIGNED_CERT_IN_CHAIN',
    ])
      assert.equal(fail(code), true, code);
    for (const code of [
      'ECONNRESET',
      'ECONNREFUSED',
      'ENOTFOUND',
      'EAI_AGAIN',
      'UND_ERR_SOCKET',
      'UND_ERR_CONNECT_TIMEOUT',
    ])
      assert.equal(fail(code), false, code);
    assert.equal(isLasting(undefined), false);
  });

  it('reports the Idempotency-Key that it was sent with, for a later retry', async () => {
    await using server = await startScriptedServer((response, _, number) => {
      if (number === 1) response.socket?.destroy();
      else sendError(response, 500, 'internal_error');
    });
    await using svc = createClient(server, { retries: 0 });
    for (const Class of [ConnectionError, ServerError]) {
      const error: unknown = await svc.request(writing).catch((reason: unknown) => reason);
      assert.ok(Class.isInstance(error));
      assert.equal(error.idempotencyKey, server.received.at(-1)?.headers['idempotency-key']);
      assert.equal(error.operation, 'write');
    }
    const again: unknown = await svc
      .request(writing, { idempotencyKey: 'the-first-key' })
      .catch((reason: unknown) => reason);
    assert.ok(ServerError.isInstance(again));
    assert.equal(again.idempotencyKey, 'the-first-key');
  });

  it('waits a random time with an exponential bound', async () => {
    const runtime = new TestRuntime();
    runtime.chance = 0.5;
    const waits: number[] = [];
    await using server = await startScriptedServer((response) => sendError(response, 503, 'busy'));
    await using svc = createClient(server, {
      runtime,
      retries: 2,
      hooks: { onRetry: ({ wait }: RetryNote) => waits.push(wait) },
    });
    const call = assert.rejects(svc.request(reading), { attempts: 3 });
    assert.equal(await runtime.timer(2), 250);
    assert.equal(server.received.length, 1, 'not before the wait is over');
    runtime.advance(250);
    assert.equal(await runtime.timer(4), 500);
    runtime.advance(500);
    await call;
    assert.deepEqual(waits, [250, 500]);
    assert.equal(runtime.pending, 0);
  });

  it('waits at least for Retry-After', async () => {
    const runtime = new TestRuntime();
    runtime.chance = 0;
    await using server = await startScriptedServer((response, _, number) => {
      if (number === 1) sendError(response, 429, 'rate_limited', { 'retry-after': '7' });
      else sendJson(response, 200, { data: 'in' });
    });
    await using svc = createClient(server, { runtime });
    const call = svc.request(reading);
    assert.equal(await runtime.timer(2), 7000);
    runtime.advance(6999);
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(server.received.length, 1);
    runtime.advance(1);
    assert.equal(await call, 'in');
  });

  it('fails immediately, with the time to wait, if Retry-After is beyond the deadline', async () => {
    const runtime = new TestRuntime();
    await using server = await startScriptedServer((response) =>
      sendError(response, 503, 'busy', { 'retry-after': '120' }),
    );
    await using svc = createClient(server, { runtime });
    await assert.rejects(svc.request(reading), {
      status: 503,
      retryAfterMs: 120_000,
      attempts: 1,
      retry: 'deadline',
    });
    const call = svc.request(reading, { deadline: 200_000 });
    const failed = assert.rejects(call, ServerError);
    assert.ok((await runtime.timer(3)) >= 120_000);
    runtime.advance(125_000);
    await failed;
    assert.equal(server.received.length, 3);
  });

  it('fails immediately if the only named time exceeds any timer', async () => {
    await using server = await startScriptedServer((response) =>
      sendError(response, 429, 'rate_limited', { 'retry-after': '999999999' }),
    );
    await using svc = createClient(server, { deadline: Number.POSITIVE_INFINITY });
    await assert.rejects(
      svc.request(reading),
      (error) => RateLimitError.isInstance(error) && error.retryAfterMs === 999_999_999_000,
    );
  });

  it('reports in its error why it was not retried', async () => {
    const reasons: unknown[] = [];
    const keep = (error: { readonly retry: unknown }) => reasons.push(error.retry);
    let status = 503;
    await using server = await startScriptedServer((response) => sendError(response, status, 'busy'));
    await using svc = createClient(server, {
      runtime: new Hurry(),
      retries: 1,
      retryBudget: { capacity: 2, refill: 0 },
    });
    await svc.request(reading).catch(keep);
    await svc.request(reading, { retries: 0 }).catch(keep);
    await svc.request(editing).catch(keep);
    await svc.request(reading, { deadline: 0.001 }).catch(keep);
    await svc.request(reading).catch(keep);
    await svc.request(reading).catch(keep);
    status = 404;
    await svc.request(reading).catch(keep);
    assert.deepEqual(reasons, ['exhausted', 'exhausted', 'unsafe', 'deadline', 'exhausted', 'budget', null]);
    const broken = createClient({ url: 'http://127.0.0.1:1' }, { retries: 0 });
    await broken.request(writing).catch(keep);
    assert.equal(reasons.at(-1), 'exhausted');
    const printed = await broken.request(reading).catch((error: unknown) => JSON.stringify(error));
    assert.match(String(printed), /"retry":"exhausted"/);
  });

  it('adds no more attempts than the budget allows, and earns them back by successes', async () => {
    let isDown = true;
    await using server = await startScriptedServer((response) => {
      if (isDown) sendError(response, 503, 'busy');
      else sendJson(response, 200, { data: null });
    });
    await using svc = createClient(server, { runtime: new Hurry(), retryBudget: { capacity: 3, refill: 0.5 } });
    for (let call = 0; call < 5; call += 1) await assert.rejects(svc.request(reading));
    assert.equal(server.received.length, 5 + 3);
    isDown = false;
    for (let call = 0; call < 4; call += 1) await svc.request(reading);
    isDown = true;
    await assert.rejects(svc.withOptions({ tenant: 'x' }).request(reading), { attempts: 3 });
    await assert.rejects(svc.request(reading), { attempts: 1 });
    await using free = createClient(server, { runtime: new Hurry(), retryBudget: null });
    for (let call = 0; call < 50; call += 1) await assert.rejects(free.request(reading), { attempts: 3 });
  });
});

describe('a DELETE whose response was lost', () => {
  const removing = { id: 'remove', method: 'DELETE', path: '/v1/thing', answer: 'none' } as const;
  const lose: Readonly<Record<string, Script>> = {
    'by a closed connection': (response) => void response.socket?.destroy(),
    'by a proxy that gave up': (response) => void response.writeHead(502).end('<html>'),
    'by an answer of 500': (response) => sendError(response, 500, 'internal_error'),
    'by an answer of 408': (response) => sendError(response, 408, 'request_timeout'),
  };

  for (const [how, script] of Object.entries(lose))
    it(`succeeds if a retry finds nothing, ${how}`, async () => {
      await using server = await startScriptedServer((response, request, number) =>
        number === 1 ? script(response, request, number) : sendError(response, 404, 'not_found'),
      );
      await using svc = createClient(server, { runtime: new Hurry() });
      const { data, response } = await svc.request(removing).withResponse();
      assert.deepEqual([data, response.status, response.attempts], [undefined, 404, 2]);
    });

  it('succeeds if the server ended after it was executed, and the request was resent over a new connection', async () => {
    await using server = await startScriptedServer((response, _, number) => {
      if (number === 1) sendJson(response, 200, { data: null });
      else if (number === 2) response.socket?.destroy();
      else sendError(response, 404, 'not_found');
    });
    await using svc = createClient(server, { retries: 0 });
    await svc.request(reading);
    const { response } = await svc.request(removing).withResponse();
    assert.deepEqual([response.status, response.attempts, server.received.length], [404, 1, 3]);
  });

  it('fails if nothing was there before it was executed', async () => {
    const notFound = { status: 404, code: 'not_found' };
    for (const [first, operation] of [
      // A rejected request was not executed.
      [429, removing],
      [404, removing],
      [502, { ...removing, answer: 'data' }],
      [502, { ...reading, answer: 'none' }],
    ] as const) {
      await using server = await startScriptedServer((response, _, number) =>
        number === 1 ? sendError(response, first, 'not_found') : sendError(response, 404, 'not_found'),
      );
      await using svc = createClient(server, { runtime: new Hurry() });
      await assert.rejects(svc.request(operation), notFound);
    }
    await using lost = await startScriptedServer((response, _, number) =>
      number === 1 ? void response.socket?.destroy() : void response.writeHead(404).end('<html>of a proxy'),
    );
    await using svc = createClient(lost, { runtime: new Hurry() });
    await assert.rejects(svc.request(removing), { status: 404, code: 'unreadable_error' });
  });

  it('rejects a 404 after an attempt that was never sent', async () => {
    await using server = await startScriptedServer((response) => sendError(response, 404, 'not_found'));
    const agent = new Agent();
    let isRefused = false;
    const dispatcher = agent.compose((dispatch) => (options, handler) => {
      if (isRefused) return dispatch(options, handler);
      isRefused = true;
      handler.onResponseError?.(null as never, new Error('connect ECONNREFUSED'));
      return true;
    });
    await using svc = createClient(server, { runtime: new Hurry(), dispatcher });
    await assert.rejects(svc.request(removing), { status: 404, attempts: 2 });
    await agent.close();
  });
});

describe('the wait', () => {
  it('is at most half a second at first, doubles each time, and is never above eight seconds (property)', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 2000 }),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (attempts, random) => {
          const wait = chooseWait(attempts, random);
          assert.ok(wait >= 0 && wait <= 8000);
          assert.ok(wait <= 500 * 2 ** (attempts - 1));
          assert.ok(chooseWait(attempts + 1, random) >= wait);
        },
      ),
    );
  });

  it('is parsed from seconds and from every form of an HTTP date', () => {
    const now = Date.parse('2026-11-21T12:00:00Z');
    const date = 'Sat, 21 Nov 2026 12:00:30 GMT';
    assert.equal(readRetryAfter('0', null, now), 0);
    assert.equal(readRetryAfter('120', null, now), 120_000);
    assert.equal(readRetryAfter(date, null, now), 30_000);
    assert.equal(readRetryAfter('Saturday, 21-Nov-26 12:00:30 GMT', null, now), 30_000);
    assert.equal(readRetryAfter('Sat Nov 21 12:00:30 2026', null, now), 30_000);
    assert.equal(readRetryAfter(date, 'Sat, 21 Nov 2026 12:00:10 GMT', now), 20_000, 'by the clock of the server');
    assert.equal(readRetryAfter(date, 'garbage', now), 30_000);
    assert.equal(readRetryAfter('Fri, 20 Nov 2026 12:00:00 GMT', null, now), 0);
    for (const text of [
      null,
      '',
      '-1',
      '1.5',
      '1e3',
      ' 5',
      'soon',
      '2026-11-21',
      'Sat, 99 Nov 2026 99:00:00 GMT',
      '9'.repeat(40),
    ])
      assert.equal(readRetryAfter(text, null, now), null, String(text));
  });
});
