import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer as createHttpServer, type ServerResponse, request as send } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { describe, it } from 'node:test';
import { AbortError, ConnectionError, DeadlineError } from '@svc/node-sdk';
import { Agent, ProxyAgent } from 'undici';
import {
  createClient,
  editing,
  reading,
  sendError,
  sendJson,
  sendRaw,
  startScriptedServer,
  writing,
} from './scripted-server.ts';
import { TestRuntime } from './test-runtime.ts';

describe('connections', () => {
  it('are reused: ten calls, five of them with large errors, use at most two', async () => {
    const words = 'x'.repeat(300_000);
    await using server = await startScriptedServer((response, _, number) => {
      if (number % 2 === 0) sendJson(response, 200, { data: number });
      else sendJson(response, 503, { error: { code: 'busy', message: words } }, { 'retry-after': '0' });
    });
    await using svc = createClient(server);
    for (let call = 0; call < 5; call += 1) await svc.request(reading);
    assert.equal(server.received.length, 10);
    assert.ok(server.connections() <= 2, `${server.connections()} connections`);
  });

  it('that the server closed while idle do not fail a call', async () => {
    await using server = await startScriptedServer((response) => sendJson(response, 200, { data: 'in' }));
    await using svc = createClient(server);
    for (let round = 0; round < 5; round += 1) {
      assert.equal(await svc.request(round % 2 === 0 ? writing : reading), 'in');
      server.closeSockets();
    }
    assert.equal(server.received.length, 5);
  });

  it('that the server closes just as a request arrives count no attempt: the request is resent once, over a new one', async () => {
    await using server = await startScriptedServer((response, { connection }, number) => {
      if (number > 1 && connection === 1) response.socket?.destroy();
      else sendJson(response, 200, { data: connection });
    });
    await using svc = createClient(server, { retries: 0, retryBudget: { capacity: 0, refill: 0 } });
    assert.equal(await svc.request(reading), 1);
    const { data, response } = await svc.request(reading).withResponse();
    assert.deepEqual([data, response.attempts, server.received.length], [2, 1, 3]);
  });

  it('that the server closes cost a call at most one request, however many were idle', async () => {
    let isRestarted = false;
    await using server = await startScriptedServer((response) => {
      if (isRestarted) response.socket?.destroy();
      else sendJson(response, 200, { data: null });
    });
    await using svc = createClient(server, { retries: 0 });
    await Promise.all([svc.request(reading), svc.request(reading), svc.request(reading)]);
    isRestarted = true;
    await assert.rejects(svc.request(reading), (error) => ConnectionError.isInstance(error) && error.attempts === 1);
    assert.equal(server.received.length, 3 + 2);
  });

  it('that break during a request are reported if a retry is unsafe, or they were new, or had answered in part', async () => {
    const part = 'HTTP/1.1 200 OK\r\nContent-Ty';
    for (const [operation, isNew, sent] of [
      [editing, false, ''],
      [reading, true, ''],
      [reading, false, part],
    ] as const) {
      await using server = await startScriptedServer((response, _, number) => {
        if (number === 1 && !isNew) sendJson(response, 200, { data: 1 });
        else if (sent === '') response.socket?.destroy();
        else sendRaw(response, sent).end();
      });
      await using svc = createClient(server, { retries: 0 });
      if (!isNew) await svc.request(reading);
      const before = server.received.length;
      await assert.rejects(
        svc.request(operation),
        (error) => ConnectionError.isInstance(error) && error.attempts === 1,
      );
      assert.equal(server.received.length - before, 1);
    }
    await using server = await startScriptedServer((response, _, number) => {
      if (number === 1) sendJson(response, 200, { data: 1 });
      else response.socket?.destroy();
    });
    await using svc = createClient(server, { retries: 0 });
    await svc.request(writing);
    await assert.rejects(svc.request(writing), { attempts: 1 });
    assert.equal(server.received.length, 3, 'once again, and not for ever');
  });

  it('are limited per client; further calls wait, and their timeout starts when they are sent', async () => {
    const runtime = new TestRuntime();
    const held: ServerResponse[] = [];
    const { promise: bothHeld, resolve } = Promise.withResolvers<void>();
    await using server = await startScriptedServer((response, _, number) => {
      if (number > 2) return sendJson(response, 200, { data: number });
      held.push(response);
      if (number === 2) resolve();
    });
    await using svc = createClient(server, { runtime, connections: 2, timeout: 1000, retries: 0 });
    const calls = Array.from({ length: 6 }, () => svc.request(reading));
    await bothHeld;
    runtime.advance(999);
    for (const response of held) sendJson(response, 200, { data: 0 });
    assert.deepEqual(
      (await Promise.all(calls)).sort((one, other) => Number(one) - Number(other)),
      [0, 0, 3, 4, 5, 6],
    );
    assert.equal(server.connections(), 2);
    assert.equal(runtime.pending, 0);
  });

  it('that are all in use end a waiting call at its deadline or signal, and remove it from the queue', async () => {
    const runtime = new TestRuntime();
    let held: ServerResponse | undefined;
    const { promise: isHeld, resolve } = Promise.withResolvers<void>();
    await using server = await startScriptedServer((response, _, number) => {
      if (number > 1) return sendJson(response, 200, { data: number });
      held = response;
      resolve();
    });
    await using svc = createClient(server, { runtime, connections: 1, timeout: Number.POSITIVE_INFINITY });
    const first = svc.request(reading, { deadline: Number.POSITIVE_INFINITY });
    await isHeld;
    const { signal, abort } = ((controller) => ({ signal: controller.signal, abort: () => controller.abort() }))(
      new AbortController(),
    );
    const late = svc.request(reading, { deadline: 500 });
    const aborted = svc.request(reading, { signal });
    const last = svc.request(reading);
    await runtime.timer(3);
    runtime.advance(500);
    await assert.rejects(Promise.resolve(late), (error) => {
      assert.ok(DeadlineError.isInstance(error));
      assert.match(error.message, /All 1 connections were in use/);
      assert.deepEqual([error.attempts, error.retry], [0, 'deadline']);
      return true;
    });
    abort();
    await assert.rejects(Promise.resolve(aborted), AbortError);
    sendJson(held as ServerResponse, 200, { data: 1 });
    assert.deepEqual([await first, await last], [1, 2]);
    assert.equal(server.received.length, 2);
  });

  it('go to the next waiting call when the first is aborted as it gets one', { timeout: 60_000 }, async () => {
    const { promise: isHeld, resolve } = Promise.withResolvers<void>();
    await using server = await startScriptedServer((response, _, number) => {
      if (number === 1) resolve();
      else sendJson(response, 200, { data: number });
    });
    await using svc = createClient(server, { connections: 1 });
    const controller = new AbortController();
    const { signal } = controller;
    const aborted = [svc.request(reading, { signal }), svc.request(reading, { signal })];
    await isHeld;
    const next = svc.request(reading);
    controller.abort();
    for (const call of aborted) await assert.rejects(call, AbortError);
    assert.equal(await next, 2);
  });

  it('are not used by a call that was aborted in the turn in which it got one', { timeout: 60_000 }, async () => {
    const controller = new AbortController();
    const { promise: isHeld, resolve } = Promise.withResolvers<void>();
    let held: ServerResponse | undefined;
    await using server = await startScriptedServer((response, _, number) => {
      if (number > 1) return sendJson(response, 200, { data: number });
      held = response;
      resolve();
    });
    // The first call has released its connection when its hook receives the response.
    await using svc = createClient(server, { connections: 1, hooks: { onResponse: () => controller.abort() } });
    const first = svc.request(reading);
    await isHeld;
    const second = svc.request(reading, { signal: controller.signal });
    sendJson(held as ServerResponse, 200, { data: 1 });
    assert.equal(await first, 1);
    await assert.rejects(second, AbortError);
    assert.equal(await svc.request(reading), 2);
  });

  it('are closed after the waiting calls have their responses', async () => {
    await using server = await startScriptedServer((response, _, number) => sendJson(response, 200, { data: number }));
    const svc = createClient(server, { connections: 1 });
    await svc.request(reading);
    const calls = Array.from({ length: 5 }, () => svc.request(reading));
    await svc.close();
    assert.deepEqual(await Promise.all(calls), [2, 3, 4, 5, 6]);
    await assert.rejects(svc.request(reading), /The client is closed/);
  });

  it('use the proxies of the environment if Node is configured to, and of a dispatcher', async () => {
    await using server = await startScriptedServer((response) => sendJson(response, 200, { data: 'in' }));
    const asked: string[] = [];
    const proxy = createHttpServer((request, response) => {
      asked.push(String(request.url));
      const { method = '', headers } = request;
      send(String(request.url), { method, headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 0, answer.headers);
        answer.pipe(response);
      }).end();
    }).listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    const address = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    const kept = { ...process.env };
    Object.assign(process.env, { HTTP_PROXY: address, NO_PROXY: '', no_proxy: '', http_proxy: address });
    try {
      await using direct = createClient(server);
      await direct.request(reading);
      assert.deepEqual(asked, []);
      process.env.NODE_USE_ENV_PROXY = '1';
      await using proxied = createClient(server);
      assert.equal(await proxied.request(reading), 'in');
      assert.deepEqual(asked, [`${server.url}/v1/thing`]);
      await using chosen = createClient(server, { dispatcher: new ProxyAgent(address) });
      assert.equal(await chosen.request(reading), 'in');
      assert.equal(asked.length, 2);
      delete process.env.NODE_USE_ENV_PROXY;
      for (const flags of [process.execArgv, null]) {
        if (flags === null) process.env.NODE_OPTIONS = '--use-env-proxy';
        else flags.push('--use-env-proxy');
        await using flagged = createClient(server);
        await flagged.request(reading);
        flags?.pop();
      }
      assert.equal(asked.length, 4);
      process.env.no_proxy = '127.0.0.1';
      await using excepted = createClient(server);
      await excepted.request(reading);
      assert.equal(asked.length, 4);
    } finally {
      for (const name of ['HTTP_PROXY', 'http_proxy', 'NO_PROXY', 'no_proxy', 'NODE_USE_ENV_PROXY', 'NODE_OPTIONS'])
        if (kept[name] === undefined) delete process.env[name];
        else process.env[name] = kept[name];
      proxy.closeAllConnections();
      proxy.close();
    }
    assert.equal(server.received.length, 6);
  });

  it('that fail give an error with the reason', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as { readonly port: number };
    taken.close();
    await once(taken, 'close');
    await using svc = createClient({ url: `http://127.0.0.1:${port}` }, { retries: 0 });
    await assert.rejects(
      svc.request(reading),
      (error) => ConnectionError.isInstance(error) && /ECONNREFUSED/.test(error.message),
    );
    await using unknown = createClient({ url: 'https://svc.invalid' }, { retries: 0 });
    await assert.rejects(
      unknown.request(reading),
      (error) => ConnectionError.isInstance(error) && error.cause instanceof Error,
    );
  });

  it('can be those of a given dispatcher, which stays open', async () => {
    await using server = await startScriptedServer((response) => sendJson(response, 200, { data: 'in' }));
    const dispatcher = new Agent();
    try {
      const svc = createClient(server, { dispatcher });
      assert.equal(await svc.request(reading), 'in');
      await svc.close();
      assert.equal(dispatcher.closed, false);
    } finally {
      await dispatcher.close();
    }
    await assert.rejects(createClient(server, { dispatcher, retries: 0 }).request(reading), ConnectionError);
  });

  it('are closed after an error response that never ends', async () => {
    await using server = await startScriptedServer((response, _, number) => {
      if (number === 1) sendError(response, 404, 'not_found');
      else sendJson(response, 200, { data: 'in' });
    });
    await using svc = createClient(server);
    await assert.rejects(svc.request(reading));
    assert.equal(await svc.request(reading), 'in');
  });
});
