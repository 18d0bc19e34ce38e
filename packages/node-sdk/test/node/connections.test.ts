import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { describe, it } from 'node:test';
import { ConnectionError } from '@svc/node-sdk';
import { Agent } from 'undici';
import { createClient, reading, sendError, sendJson, startScriptedServer, writing } from './scripted-server.ts';

describe('connections', () => {
  it('are used again: ten calls, five of them with large failures, take no more than two', async () => {
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

  it('that the server closed while they were idle cost a call nothing', async () => {
    await using server = await startScriptedServer((response) => sendJson(response, 200, { data: 'in' }));
    await using svc = createClient(server);
    for (let round = 0; round < 5; round += 1) {
      assert.equal(await svc.request(round % 2 === 0 ? writing : reading), 'in');
      server.closeSockets();
    }
    assert.equal(server.received.length, 5);
  });

  it('that there are none of give an error that says so', async () => {
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

  it('can be those of a dispatcher that is handed in, which stays open', async () => {
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

  it('are given up with an error answer that never ends', async () => {
    await using server = await startScriptedServer((response, _, number) => {
      if (number === 1) sendError(response, 404, 'not_found');
      else sendJson(response, 200, { data: 'in' });
    });
    await using svc = createClient(server);
    await assert.rejects(svc.request(reading));
    assert.equal(await svc.request(reading), 'in');
  });
});
