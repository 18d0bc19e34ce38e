import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, test } from 'node:test';
import { pino } from 'pino';
import { startServer } from '../../process/serve.ts';
import { openTestInstallation, startTestServer } from '../harness.ts';

describe('a server that closes', () => {
  const start = async () => {
    const installation = await openTestInstallation('sqlite');
    const server = await startServer(installation, { log: pino({ level: 'silent' }) });
    const open = async () => {
      const socket = connect(server.port, '127.0.0.1').setEncoding('utf8');
      // A connection reset before it was accepted is closed, too.
      socket.on('error', () => undefined);
      await once(socket, 'connect');
      return socket;
    };
    return { installation, server, open };
  };
  const deadline = { timeout: 5000 };

  test('responds to requests in progress with Connection: close, and closes the connection', deadline, async () => {
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

  test('does not wait for a connection without a request', deadline, async () => {
    const { installation, server, open } = await start();
    await using _ = installation;
    const silent = await open();
    await Promise.all([server.close(), once(silent, 'close')]);
  });

  test('closes a connection after the response in progress', deadline, async () => {
    const server = await startTestServer();
    const { kysely } = server.installation.database;
    await server.createNotice({ content: { purposes: largePurposes } });
    const row = await kysely.selectFrom('consent_notices').selectAll().executeTakeFirstOrThrow();
    for (let copy = 0; copy < 99; copy += 1)
      await kysely
        .insertInto('consent_notices')
        .values({ ...row, id: randomUUID() })
        .execute();
    const slow = connect(Number(new URL(server.url).port), '127.0.0.1').pause();
    const list = `GET /v1/consent?limit=100 HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${server.tenant.key}\r\n\r\n`;
    slow.write(list);
    // More than the buffers between the two hold: the head of the response has arrived, the end has not been sent.
    await once(slow, 'readable');
    const closed = server[Symbol.asyncDispose]();
    slow.resume();
    await Promise.all([closed, once(slow, 'close')]);
    assert.ok(slow.bytesRead > 5_000_000, `${slow.bytesRead}`);
  });
});

/** About 60 KB. */
const largePurposes = Array.from({ length: 28 }, (_, index) => ({
  key: `purpose${index}`,
  label: 'Purpose',
  description: 'x'.repeat(2000),
  required: false,
}));
