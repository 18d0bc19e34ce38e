import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, test } from 'node:test';
import { pino } from 'pino';
import { startServer } from '../../cli/server/start-server.ts';
import { openTestInstallation, startTestServer } from '../harness.ts';

describe('a server that closes', () => {
  const start = async (environment: Readonly<Record<string, string>> = {}) => {
    const installation = await openTestInstallation('sqlite', environment);
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
  /** Time for a busy machine: whether a connection was closed only by force is seen otherwise than by the time it took. */
  const deadline = { timeout: 60_000 };
  /** Connections are closed by force after 24 minutes. */
  const patient = { SVC_STOP_SECONDS: '3600' };

  test('responds to requests in progress with Connection: close, and closes the connection', deadline, async () => {
    const { installation, server, open } = await start();
    await using _ = installation;
    const begin = async () => {
      const socket = await open();
      socket.write('POST /v1/public/consent/x/records HTTP/1.1\r\nHost: localhost\r\n');
      socket.write('Content-Type: application/json\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n');
      await once(socket, 'data');
      return socket;
    };
    const [busy, other] = [await begin(), await begin()];
    let answer = '';
    busy.on('data', (text: string) => {
      answer += text;
    });
    const idle = await open();
    idle.write('GET /v1/openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await once(idle, 'data');
    const idleClosed = once(idle.resume(), 'close');
    const closed = server.close();
    await idleClosed;
    busy.write('{}');
    await once(busy, 'close');
    // Had they been closed by force, so would this one.
    other.write('{}');
    const [otherAnswer] = await once(other, 'data');
    await closed;
    for (const text of [answer, otherAnswer]) {
      assert.match(text, /HTTP\/1\.1 422 /);
      assert.match(text, /\r\nConnection: close\r\n/i);
    }
  });

  test('does not wait for a connection without a request', deadline, async () => {
    const { installation, server, open } = await start(patient);
    await using _ = installation;
    const silent = await open();
    await Promise.all([server.close(), once(silent, 'close')]);
  });

  test('closes a connection after the response in progress', deadline, async () => {
    const server = await startTestServer('sqlite', patient);
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
