import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, test } from 'node:test';
import { pino } from 'pino';
import { startServer } from '../../serve.ts';
import { openTestInstallation } from '../harness.ts';

describe('a server that closes', () => {
  const start = async () => {
    const installation = await openTestInstallation('sqlite');
    const server = await startServer(installation, { log: pino({ level: 'silent' }) });
    const open = async () => {
      const socket = connect(server.port, '127.0.0.1').setEncoding('utf8');
      await once(socket, 'connect');
      return socket;
    };
    return { installation, server, open };
  };
  const deadline = { timeout: 5000 };

  test('answers what is under way, says that the connection ends, and ends it', deadline, async () => {
    const { installation, server, open } = await start();
    await using _ = installation;
    const busy = await open();
    let answer = '';
    busy.on('data', (text: string) => {
      answer += text;
    });
    busy.write('POST /v1/public/consent/x/records HTTP/1.1\r\nHost: localhost\r\n');
    busy.write('Content-Type: application/json\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n');
    await once(busy, 'data');
    const idle = await open();
    idle.write('GET /v1/openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await once(idle, 'data');
    const idleClosed = once(idle.resume(), 'close');
    const closed = server.close();
    await idleClosed;
    busy.write('{}');
    await once(busy, 'close');
    await closed;
    assert.match(answer, /HTTP\/1\.1 422 /);
    assert.match(answer, /\r\nConnection: close\r\n/i);
  });

  test('does not wait for a connection that has carried no request', deadline, async () => {
    const { installation, server, open } = await start();
    await using _ = installation;
    const silent = await open();
    await Promise.all([server.close(), once(silent, 'close')]);
  });

  test('ends a connection whose answer was on its way', deadline, async () => {
    const { installation, server, open } = await start();
    await using _ = installation;
    const slow = await open();
    slow.pause();
    const target = '/v1/openapi.json';
    slow.write(`GET ${target} HTTP/1.1\r\nHost: localhost\r\n\r\n`.repeat(200));
    await once(slow, 'readable');
    const closed = server.close();
    slow.resume();
    await Promise.all([closed, once(slow, 'close')]);
  });
});
