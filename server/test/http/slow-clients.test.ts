import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { GracefulServer, type ServerLimits } from '../../cli/server/graceful-server.ts';
import { startTestServer, type TestServer } from '../harness.ts';
import { appendManyRecords, requestCheckpoint } from '../proofs/ledger-requests.ts';
import { assertProblem } from './problems.ts';
import { openSocket, readAnswers, requestText } from './raw-socket.ts';

const ample: ServerLimits = {
  connections: 100,
  connectionsOfAddress: 100,
  headers: 600_000,
  request: 600_000,
  upload: 600_000,
  stall: 600_000,
  keepAlive: 600_000,
  unsentBytes: 2 ** 40,
  quiet: 0,
  checkEvery: 20,
};
/** More than the buffers of the two kernels hold. */
const large = Buffer.alloc(32 * 1024 * 1024);
const get = requestText('GET', '/', { Connection: 'keep-alive' });
const deadline = { timeout: 60_000 };

describe('a server with slow clients', () => {
  async function start(limits: Partial<ServerLimits>, answer: RequestListener = (_, response) => response.end(large)) {
    const server = new GracefulServer(answer, { ...ample, ...limits });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    /** Opens a connection. @returns both of its ends. */
    const open = async () => {
      const accepted = once(server, 'connection') as Promise<[Socket]>;
      const client = connect(port, '127.0.0.1').pause();
      client.on('error', () => undefined);
      const [[socket]] = await Promise.all([accepted, once(client, 'connect')]);
      const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
      return { client, closed };
    };
    const stop = async () => {
      const stopped = server.closeWithin({ announce: 0, finish: 0 });
      server.closeAllConnections();
      await stopped;
    };
    return { server, port, open, [Symbol.asyncDispose]: stop };
  }

  test('closes a connection whose client does not read', deadline, async () => {
    await using server = await start({ stall: 100 });
    const { client, closed } = await server.open();
    client.write(get);
    await closed;
    client.destroy();
  });

  test('closes a connection whose client sends but does not read', deadline, async () => {
    await using server = await start({ stall: 200, headers: 200, request: 200 });
    const { client, closed } = await server.open();
    client.write(`${get}GET / HTTP/1.1\r\nX: `);
    // Each byte of the next request is activity, until that request times out.
    const trickle = setInterval(() => client.write('a'), 20);
    await closed;
    clearInterval(trickle);
    client.destroy();
  });

  test('sends the whole response to a client that reads slowly, however long it takes', deadline, async () => {
    // Above a second because it measures time: three times as long as a client may stall.
    const stall = 700;
    await using server = await start({ stall });
    const { client } = await server.open();
    client.write(requestText('GET', '/'));
    const started = performance.now();
    let allowed = 0;
    let read = 0;
    const readAllowed = () => {
      while (read < allowed) {
        const chunk = client.read();
        if (chunk === null) return;
        read += chunk.length;
      }
    };
    const reading = setInterval(() => {
      allowed += large.length / 30;
      readAllowed();
    }, stall / 10);
    client.on('readable', readAllowed);
    await once(client, 'end');
    clearInterval(reading);
    assert.ok(read > large.length, `${read} bytes`);
    assert.ok(performance.now() - started > 2 * stall);
  });

  test('closes a connection on which headers or a body arrive too slowly', deadline, async () => {
    const answer: RequestListener = (request, response) => request.resume().once('end', () => response.end());
    await using forHeaders = await start({ headers: 100 }, answer);
    await using forBodies = await start({ headers: 200, request: 200 }, answer);
    const parts = [
      [forHeaders, 'GET /'],
      [forHeaders, 'GET / HTTP/1.1\r\nX: '],
      [forBodies, requestText('POST', '/', { 'Content-Length': 1e6 }, 'a')],
    ] as const;
    await Promise.all(
      parts.map(async ([server, part]) => {
        const { client, closed } = await server.open();
        client.resume().write(part);
        const trickle = setInterval(() => client.write('a'), 10);
        await closed;
        clearInterval(trickle);
      }),
    );
  });

  test('accepts no more connections than configured', deadline, async () => {
    await using server = await start({ connections: 2 }, (_, response) => response.end('here'));
    const first = await server.open();
    await server.open();
    const dropped = once(server.server, 'drop');
    const third = connect(server.port, '127.0.0.1').resume();
    third.on('error', () => undefined);
    await Promise.all([dropped, once(third, 'close')]);
    first.client.destroy();
    await first.closed;
    const { client } = await server.open();
    client.resume().write(get);
    const [answer] = await once(client, 'data');
    assert.match(String(answer), /here$/);
  });

  test('accepts no more connections of one address than its share, and those of others', deadline, async () => {
    await using server = await start({ connectionsOfAddress: 2 }, (_, response) => response.end('here'));
    const [first] = [await server.open(), await server.open()];
    first.client.write('GET / HTTP/1.1\r\nX: ');
    const refused = once(server.server, 'shareExceeded');
    const third = connect(server.port, '127.0.0.1').resume();
    third.on('error', () => undefined);
    await Promise.all([refused, once(third, 'close')]);
    const ask = async (client: Socket) => {
      client.resume().write(get);
      const [answer] = await once(client, 'data');
      assert.match(String(answer), /here$/);
      client.destroy();
    };
    await ask(connect({ port: server.port, host: '127.0.0.1', localAddress: '127.0.0.2' }));
    first.client.destroy();
    await first.closed;
    await ask((await server.open()).client);
  });

  test('drops the largest unread responses when their total is too large', deadline, async () => {
    await using server = await start({ unsentBytes: 2 * large.length }, ({ url }, response) => {
      response.end(url === '/' ? large : 'small');
    });
    const idle = await server.open();
    const clients = await Promise.all([server.open(), server.open(), server.open()]);
    for (const { client } of clients) client.write(get);
    await Promise.race(clients.map(({ closed }) => closed));
    idle.client.resume().write(requestText('GET', '/small'));
    const [answer] = await once(idle.client, 'data');
    assert.match(String(answer), /small$/);
    for (const { client } of clients) client.destroy();
  });

  test('accepts connections during a stop, while an earlier one is in use', deadline, async () => {
    await using server = await start({ quiet: 60_000 }, (_, response) => response.end('here'));
    const { client, closed } = await server.open();
    const stopped = server.server.closeWithin({ announce: 10_000, finish: 0 });
    for (let request = 0; request < 10; request += 1) {
      const answer = await fetch(`http://127.0.0.1:${server.port}/`, { headers: { Connection: 'close' } });
      assert.equal(await answer.text(), 'here');
    }
    client.destroy();
    await Promise.all([closed, stopped]);
  });

  test('aborts requests in progress at the deadline of a stop', deadline, async () => {
    await using server = await start({}, () => undefined);
    const { client, closed } = await server.open();
    client.write(get);
    await once(server.server, 'request');
    await Promise.all([server.server.closeWithin({ announce: 0, finish: 50 }), closed]);
    client.destroy();
  });

  test('counts responses that wait behind another on their connection', deadline, async () => {
    await using server = await start({ unsentBytes: 2 * large.length });
    const { client, closed } = await server.open();
    client.write(get.repeat(3));
    await closed;
    client.destroy();
  });

  test('closes a connection that pipelines too many requests', deadline, async () => {
    let begun = 0;
    await using server = await start({}, () => {
      begun += 1;
    });
    const { client, closed } = await server.open();
    client.write(get.repeat(100));
    await closed;
    assert.equal(begun, 32);
    client.destroy();
  });
});

describe('exports with slow clients', () => {
  const most = 3;
  /** A server with a ledger whose export is more than the buffers of the two kernels hold. */
  const startWithLedger = async (limits: Partial<ServerLimits>) => {
    const server = await startTestServer(
      'sqlite',
      { SVC_LIMIT_EXPORTS: String(most) },
      { serverLimits: { ...limits, checkEvery: 20 } },
    );
    for (let part = 0; part < 12; part += 1) await appendManyRecords(server, server.tenant.id, 1000);
    await requestCheckpoint(server, server.tenant, 'consent');
    return server;
  };
  let server: TestServer;
  before(async () => {
    // Longer than any test: what a test opened is closed by that test only.
    server = await startWithLedger({ stall: ample.stall });
  });
  after(() => server[Symbol.asyncDispose]());

  const path = '/v1/ledgers/consent/export';
  /** Starts an export as soon as there is a slot, and reads only its beginning. */
  const startExport = async (at = server) => {
    for (;;) {
      const socket = (await openSocket(at)).pause();
      socket.write(requestText('GET', path, { Authorization: `Bearer ${at.tenant.key}` }));
      await once(socket, 'readable');
      if (String(socket.read(12)) === 'HTTP/1.1 200') return socket;
      socket.destroy();
    }
  };
  /** Exports until there is a slot: each attempt waits for a response. */
  const exportWhenFree = async (at = server) => {
    for (;;) {
      const response = await at.request('GET', path);
      if (response.status === 200) return response;
      assertProblem(response, 'rate_limited');
    }
  };

  test('are rejected beyond the number of concurrent ones per tenant, until one has ended', deadline, async () => {
    const open = await Promise.all(Array.from({ length: most }, () => startExport()));
    const refused = await server.request('GET', path);
    assertProblem(refused, 'rate_limited');
    assert.equal(refused.headers.get('retry-after'), '5');
    assertProblem(await server.request('GET', '/v1/ledgers/audit/export'), 'rate_limited');
    const other = await server.createTenant('other');
    await requestCheckpoint(server, other, 'audit');
    assert.equal((await server.request('GET', '/v1/ledgers/audit/export', { key: other.key })).status, 200);
    for (const socket of open) socket.destroy();
    await exportWhenFree();
  });

  test('free one slot each, however they end', deadline, async () => {
    for (const end of ['destroy', 'resetAndDestroy'] as const) {
      const open = await Promise.all(Array.from({ length: most }, () => startExport()));
      for (const socket of open) socket[end]();
    }
    const open = await Promise.all(Array.from({ length: most }, () => startExport()));
    assertProblem(await server.request('GET', path), 'rate_limited');
    for (const socket of open) socket.destroy();
  });

  test('free their slots when they are read, although their connection stays open', deadline, async () => {
    const socket = await openSocket(server);
    const one = requestText('GET', '/v1/ledgers/audit/export', {
      Authorization: `Bearer ${server.tenant.key}`,
      Connection: 'keep-alive',
    });
    await requestCheckpoint(server, server.tenant, 'audit');
    for (let time = 0; time < most + 1; time += 1) {
      socket.write(one);
      let answer = '';
      while (!answer.endsWith('\r\n0\r\n\r\n')) {
        answer += String((await once(socket, 'data'))[0]);
        assert.match(answer, /^HTTP\/1\.1 200 /);
      }
    }
    socket.destroy();
  });

  test('are aborted if their clients do not read, and free their slots', deadline, async () => {
    // Above a second because it measures time: a client may not read for one.
    await using hasty = await startWithLedger({ stall: 1000 });
    const open = await Promise.all(Array.from({ length: most }, () => startExport(hasty)));
    const { text } = await exportWhenFree(hasty);
    assert.equal(text.split('\n').length, 12_000 + 2);
    // At least one was aborted for the last to have its slot.
    const ends = await Promise.all(open.map(readEnd));
    assert.ok(ends.includes('broken off'));
  });

  test('free their slots when they wait behind another on a connection that closes', deadline, async () => {
    const socket = (await openSocket(server)).pause();
    const one = requestText('GET', path, { Authorization: `Bearer ${server.tenant.key}`, Connection: 'keep-alive' });
    socket.write(one.repeat(most));
    await once(socket, 'readable');
    socket.destroy();
    await exportWhenFree();
    const open = await Promise.all(Array.from({ length: most }, () => startExport()));
    for (const each of open) each.destroy();
  });

  test('do not limit other requests', deadline, async () => {
    const open = await Promise.all(Array.from({ length: most }, () => startExport()));
    const socket = await openSocket(server);
    socket.write(
      requestText('GET', '/v1/ledgers/consent/checkpoints', { Authorization: `Bearer ${server.tenant.key}` }),
    );
    const [answer] = await readAnswers(socket);
    assert.equal(answer?.status, 200);
    for (const each of open) each.destroy();
  });

  async function readEnd(socket: Socket): Promise<'whole' | 'broken off'> {
    let tail = '';
    socket.on('data', (chunk) => {
      tail = (tail + chunk).slice(-16);
    });
    if (!socket.closed) await once(socket.resume(), 'close');
    return tail.endsWith('\r\n0\r\n\r\n') ? 'whole' : 'broken off';
  }
});

describe('clients behind a trusted proxy', () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer('sqlite', { SVC_TRUSTED_PROXIES: '1', SVC_MAX_CONNECTIONS_ADDRESS: '2' });
  });
  after(() => server[Symbol.asyncDispose]());

  /** Starts a request whose body does not arrive, and waits until the server reads it. */
  const stall = async (address: string) => {
    const socket = await openSocket(server);
    const headers = { 'Content-Length': 10, 'Content-Type': 'application/json', Expect: '100-continue' };
    socket.write(requestText('POST', '/v1/auth/sign-in', { ...headers, 'X-Forwarded-For': address }));
    const [answer] = await once(socket, 'data');
    assert.match(String(answer), /^HTTP\/1\.1 100 /);
    return socket;
  };
  const ask = (address: string) =>
    server.request('GET', '/v1/setup', { key: null, headers: { 'X-Forwarded-For': address } });

  test('have requests at once up to their share, whatever the connections of the proxy', deadline, async () => {
    const addresses = ['198.51.100.1', '198.51.100.2', '2001:db8:7:1::1', '2001:db8:7:2::1'];
    const open: Socket[] = [];
    for (const address of addresses) open.push(await stall(address), await stall(address));
    for (const address of [...addresses, '2001:db8:7:3::1']) {
      const refused = await ask(address);
      assertProblem(refused, 'rate_limited');
      assert.equal(refused.headers.get('retry-after'), '5');
    }
    for (const address of ['198.51.100.3', '2001:db8:8::1']) assert.equal((await ask(address)).status, 200);
    const [first] = open as [Socket];
    first.write('not JSON 1');
    await once(first.resume(), 'close');
    assert.equal((await ask('198.51.100.1')).status, 200);
    for (const socket of open) socket.destroy();
  });
});
