import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { describe, it } from 'node:test';
import { ConnectionError, TimeoutError } from '@svc/node-sdk';
import { createClient, reading, sendJson, sendRaw, startScriptedServer } from './scripted-server.ts';

const goesOn = 'HTTP/1.1 100 Continue\r\n\r\n';
const hints = 'HTTP/1.1 103 Early Hints\r\nLink: </a>; rel=preload\r\n\r\n';
const body = '{"data":"in"}';
const final = `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;

/** Resolves with the client's end of the connection over which the next request is sent. */
function socketSent(): Promise<Socket> {
  const { promise, resolve } = Promise.withResolvers<Socket>();
  const listener = (message: unknown) => {
    unsubscribe('undici:client:sendHeaders', listener);
    resolve((message as { readonly socket: Socket }).socket);
  };
  subscribe('undici:client:sendHeaders', listener);
  return promise;
}

/** A server that answers each request with bytes. */
async function startRawServer(answer: (socket: Socket) => Promise<void>) {
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    // Each request is one packet.
    socket.on('data', () => void answer(socket));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { readonly port: number };
  return {
    url: `http://127.0.0.1:${port}`,
    connections: () => connections,
    [Symbol.asyncDispose]: async () => {
      server.close();
    },
  };
}

describe('interim responses that no one asked for', () => {
  for (const [what, pieces] of [
    ['a 100', [goesOn + final]],
    ['several of 100', [goesOn.repeat(3), goesOn, final]],
    ['a 103 with headers', [hints, final]],
    ['after and before empty lines', [`\r\n${goesOn}`, `\n\r\n${hints}\r\n`, final]],
    ['102, 110 and 199', [...[102, 110, 199].map((code) => `HTTP/1.1 ${code} x\r\n\r\n`), final]],
    ['one byte at a time', [...(goesOn + hints + final)]],
    ['a body that has one in it', [goesOn + final.replace('"in"', '"\\n"')]],
  ] as const)
    it(`do not fail a call: ${what}`, async () => {
      const sending = socketSent();
      await using server = await startRawServer(async (socket) => {
        const client = await sending;
        for (const piece of pieces) {
          const arrival = once(client, 'readable');
          socket.write(piece);
          await arrival;
        }
      });
      await using svc = createClient(server, { retries: 0 });
      for (const _ of [1, 2]) assert.match(String(await svc.request(reading)), /^(?:in|\n)$/);
      assert.equal(server.connections(), 1);
    });

  for (const [what, answer] of [
    ['a 101', 'HTTP/1.1 101 Switching Protocols\r\n\r\n'],
    ['more than 64 KiB of them', hints.repeat(2000)],
    ['one that does not end', `HTTP/1.1 103 Early Hints\r\n${'Link: </a>\r\n'.repeat(6000)}`],
  ] as const)
    it(`fail a call: ${what}`, async () => {
      await using server = await startScriptedServer((response) => void sendRaw(response, answer));
      await using svc = createClient(server, { retries: 0 });
      await assert.rejects(svc.request(reading), (error) => {
        assert.ok(ConnectionError.isInstance(error));
        assert.equal(error.message, 'The connection failed: invalid interim response.');
        return true;
      });
    });

  it('do not end the timeout of an attempt when nothing follows', async () => {
    await using server = await startScriptedServer((response) => void sendRaw(response, goesOn));
    await using svc = createClient(server, { retries: 0, timeout: 200 });
    await assert.rejects(svc.request(reading), (error) => TimeoutError.isInstance(error));
  });

  it('are read over the proxies of the environment, too', async () => {
    await using server = await startScriptedServer((response) => sendJson(response, 200, { data: 'in' }));
    // A proxy that sends an interim response before each of its own, also that to CONNECT.
    const proxy = createServer((socket) => {
      socket.on('error', () => {});
      socket.on('data', () => socket.write(goesOn + final));
    }).listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    const { port } = proxy.address() as { readonly port: number };
    const kept = { ...process.env };
    const address = `http://127.0.0.1:${port}`;
    Object.assign(process.env, {
      HTTP_PROXY: address,
      http_proxy: address,
      NO_PROXY: '',
      no_proxy: '',
      NODE_USE_ENV_PROXY: '1',
    });
    try {
      await using svc = createClient(server, { retries: 0 });
      for (const _ of [1, 2]) assert.equal(await svc.request(reading), 'in');
    } finally {
      for (const name of ['HTTP_PROXY', 'http_proxy', 'NO_PROXY', 'no_proxy', 'NODE_USE_ENV_PROXY'])
        if (kept[name] === undefined) delete process.env[name];
        else process.env[name] = kept[name];
      proxy.close();
    }
    assert.equal(server.received.length, 0);
  });
});
