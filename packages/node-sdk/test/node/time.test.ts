import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { describe, it } from 'node:test';
import { AbortError, DeadlineError, TimeoutError } from '@svc/node-sdk';
import {
  createClient,
  reading,
  type Script,
  sendError,
  sendJson,
  sendRaw,
  startScriptedServer,
  writing,
} from './scripted-server.ts';
import { TestRuntime } from './test-runtime.ts';

/** A script that notifies the test when a request arrives. */
function announce(script: Script): { readonly script: Script; readonly arrived: Promise<void> } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return {
    arrived: promise,
    script: async (...values) => {
      await script(...values);
      resolve();
    },
  };
}

const silence: Script = () => undefined;
const half: Script = (response) => {
  sendRaw(response, 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{"data":');
};

describe('a call', () => {
  for (const [what, script] of [
    ['never begins', silence],
    ['stalls in its body', half],
  ] as const) {
    it(`times out when the response ${what}`, async () => {
      const runtime = new TestRuntime();
      const { script: announced, arrived } = announce(script);
      await using server = await startScriptedServer(announced);
      await using svc = createClient(server, { runtime, timeout: 5000, retries: 0 });
      const call = svc.request(reading);
      const failed = assert.rejects(call, (error) => TimeoutError.isInstance(error) && /5000 ms/.test(error.message));
      await arrived;
      runtime.advance(4999);
      runtime.advance(1);
      await failed;
      assert.equal(runtime.pending, 0);
    });
  }

  it('has its whole timeout in each attempt, within the deadline over all of them', async () => {
    const runtime = new TestRuntime();
    runtime.chance = 0;
    await using server = await startScriptedServer(silence);
    await using svc = createClient(server, { runtime, timeout: 5000, deadline: 12_000 });
    const failed = assert.rejects(
      svc.request(reading),
      (error) => DeadlineError.isInstance(error) && error.attempts === 3 && TimeoutError.isInstance(error.cause),
    );
    assert.equal(await runtime.timer(1), 5000);
    runtime.advance(5000);
    assert.equal(await runtime.timer(2), 0);
    runtime.advance(0);
    assert.equal(await runtime.timer(3), 5000);
    runtime.advance(5000);
    await runtime.timer(4);
    runtime.advance(0);
    assert.equal(await runtime.timer(5), 2000);
    runtime.advance(2000);
    await failed;
    assert.equal(runtime.pending, 0);
  });

  it('never times out if configured so', async () => {
    const runtime = new TestRuntime();
    await using server = await startScriptedServer((response) => sendJson(response, 200, { data: 1 }));
    const endless = { timeout: Number.POSITIVE_INFINITY, deadline: Number.POSITIVE_INFINITY };
    await using svc = createClient(server, { runtime, ...endless });
    assert.equal(await svc.request(reading), 1);
    assert.deepEqual(runtime.delays, []);
  });

  it('leaves no timer behind', async () => {
    const runtime = new TestRuntime();
    await using server = await startScriptedServer((response) => sendJson(response, 200, { data: 1 }));
    await using svc = createClient(server, { runtime });
    for (let call = 0; call < 5; call += 1) await svc.request(reading);
    assert.equal(runtime.pending, 0);
  });
});

describe('a signal', () => {
  it('prevents a call from being sent if it is aborted already', async () => {
    await using server = await startScriptedServer(silence);
    await using svc = createClient(server);
    const reason = new Error('not wanted');
    const signal = AbortSignal.abort(reason);
    for (const call of [
      svc.request(reading, { signal }),
      svc.list({ ...reading, page: 'items' }, { signal }),
      svc.stream(reading, { signal }),
    ])
      await assert.rejects(
        Promise.resolve(call),
        (error) => AbortError.isInstance(error) && error.cause === reason && error.attempts === 0,
      );
    assert.equal(server.received.length, 0);
  });

  for (const [what, script] of [
    ['for the answer', silence],
    ['for the rest of the body', half],
  ] as const) {
    it(`aborts a call that waits ${what}`, async () => {
      const { script: announced, arrived } = announce(script);
      await using server = await startScriptedServer(announced);
      await using svc = createClient(server);
      const controller = new AbortController();
      const call = svc.request(writing, { signal: controller.signal });
      const failed = assert.rejects(call, (error) => {
        assert.ok(AbortError.isInstance(error));
        assert.equal(error.name, 'AbortError');
        assert.equal(error.idempotencyKey, server.received[0]?.headers['idempotency-key']);
        return true;
      });
      await arrived;
      controller.abort();
      await failed;
      assert.equal(server.received.length, 1, 'and it is not tried again');
    });
  }

  it('ends the wait for the next attempt immediately', async () => {
    const runtime = new TestRuntime();
    await using server = await startScriptedServer((response) =>
      sendError(response, 503, 'busy', { 'retry-after': '60' }),
    );
    await using svc = createClient(server, { runtime });
    const controller = new AbortController();
    const failed = assert.rejects(svc.request(reading, { signal: controller.signal }), AbortError);
    await runtime.timer(2);
    // No time passes on the clock: only the signal can end the wait.
    controller.abort();
    await failed;
    assert.equal(runtime.pending, 0);
    assert.equal(server.received.length, 1);
  });

  it('ends the call without a wait if a hook aborts it between two attempts', async () => {
    const controller = new AbortController();
    await using server = await startScriptedServer((response) =>
      sendError(response, 503, 'busy', { 'retry-after': '60' }),
    );
    const runtime = new TestRuntime();
    await using svc = createClient(server, { runtime, hooks: { onRetry: () => controller.abort() } });
    await assert.rejects(svc.request(reading, { signal: controller.signal }), AbortError);
    assert.equal(server.received.length, 1);
  });

  it('aborts a call while it is connecting', async () => {
    const controller = new AbortController();
    await using server = await startScriptedServer(silence);
    await using svc = createClient(server);
    const call = svc.request(reading, { signal: controller.signal });
    controller.abort();
    await assert.rejects(Promise.resolve(call), AbortError);
  });

  it('ends an iteration between two pages', async () => {
    const controller = new AbortController();
    await using server = await startScriptedServer((response, _, number) =>
      sendJson(response, 200, { data: { items: [number], nextCursor: `c${number}` } }),
    );
    await using svc = createClient(server);
    const seen: number[] = [];
    const iterate = async () => {
      for await (const item of svc.list<number>({ ...reading, page: 'items' }, { signal: controller.signal })) {
        seen.push(item);
        if (item === 2) controller.abort();
      }
    };
    await assert.rejects(iterate(), AbortError);
    assert.deepEqual(seen, [1, 2]);
  });

  it('has no listeners left after a thousand calls, whatever their result', async () => {
    await using server = await startScriptedServer((response, _, number) => {
      if (number % 3 === 0) sendError(response, 404, 'not_found');
      else sendJson(response, 200, { data: { items: [1], nextCursor: null } });
    });
    await using svc = createClient(server);
    const { signal } = new AbortController();
    for (let round = 0; round < 20; round += 1) {
      const calls = Array.from({ length: 48 }, () => svc.request(reading, { signal }));
      const list = svc.list({ ...reading, page: 'items' }, { signal }).toArray({ limit: 9 });
      await Promise.allSettled([...calls, list, svc.request({ ...reading, path: '' }, { signal })]);
      const stream = await svc.stream(reading, { signal }).catch(() => null);
      if (stream !== null) for await (const _ of stream) break;
    }
    assert.equal(getEventListeners(signal, 'abort').length, 0);
  });
});
