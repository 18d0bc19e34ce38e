import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { noticeContent, startTestServer, type TestResponse, type TestServer } from '../harness.ts';
import { assertProblem } from './problems.ts';
import { openSocket, readAnswers, requestText, sendRaw } from './raw-socket.ts';

const limit = 64 * 1024;

describe('the limit of a body', () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer();
  });
  after(() => server[Symbol.asyncDispose]());

  /** A valid body of exactly so many bytes. */
  function padded(bytes: number): string {
    const text = JSON.stringify(noticeContent);
    return text + ' '.repeat(bytes - text.length);
  }
  const send = (rawBody: string) => server.request('POST', '/v1/consent/notices', { rawBody });

  /** Sends a body without a Content-Length, in several chunks. */
  async function sendChunked(text: string): Promise<TestResponse> {
    const headers = {
      Authorization: `Bearer ${server.tenant.key}`,
      'Content-Type': 'application/json',
      'Transfer-Encoding': 'chunked',
    };
    const chunks = [text.slice(0, 100), text.slice(100, 60_000), text.slice(60_000), '']
      .map((part) => `${part.length.toString(16)}\r\n${part}\r\n`)
      .join('');
    const [answer] = await sendRaw(server, requestText('POST', '/v1/consent/notices', headers, chunks));
    assert.ok(answer);
    return answer;
  }

  async function assertStillServes(): Promise<void> {
    assert.equal((await send(JSON.stringify(noticeContent))).status, 201);
  }

  test('is 64 KiB to the byte', async () => {
    assert.equal((await send(padded(limit))).status, 201);
    assertProblem(await send(padded(limit + 1)), 'payload_too_large');
    await assertStillServes();
  });

  test('is counted in bytes, not in characters', async () => {
    const text = JSON.stringify({ ...noticeContent, name: 'é'.repeat(100) });
    assert.equal((await send(text + ' '.repeat(limit - Buffer.byteLength(text)))).status, 201);
    assertProblem(await send(text + ' '.repeat(limit - text.length)), 'payload_too_large');
  });

  test('applies to bodies without a Content-Length', async () => {
    assert.equal((await sendChunked(padded(limit))).status, 201);
    assertProblem(await sendChunked(padded(limit + 1)), 'payload_too_large');
    assertProblem(await sendChunked(padded(4 * limit)), 'payload_too_large');
    await assertStillServes();
  });

  test('is reported before the body has arrived', async () => {
    const socket = await openSocket(server);
    const headers = {
      Authorization: `Bearer ${server.tenant.key}`,
      'Content-Type': 'application/json',
      'Content-Length': 1e12,
      Connection: 'keep-alive',
    };
    socket.write(requestText('POST', '/v1/consent/notices', headers, '{'));
    const [answer, ...more] = await readAnswers(socket);
    assert.ok(answer);
    assertProblem(answer, 'payload_too_large');
    assert.equal(answer.headers.get('connection'), 'close');
    assert.deepEqual(more, []);
    await assertStillServes();
  });

  test('applies to public operations too', async () => {
    const notice = await server.createNotice();
    const path = `/v1/public/consent/${notice}/records`;
    const headers = { Origin: 'https://example.com' };
    const body = JSON.stringify({
      subjectId: 'visitor',
      purposes: { necessary: true, analytics: true, marketing: true },
    });
    const exact = await server.request('POST', path, { key: null, headers, rawBody: body.padEnd(limit) });
    assert.equal(exact.status, 201);
    const larger = await server.request('POST', path, { key: null, headers, rawBody: body.padEnd(limit + 1) });
    assertProblem(larger, 'payload_too_large');
    assert.equal(larger.headers.get('access-control-allow-origin'), '*');
  });
});
