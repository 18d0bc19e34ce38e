import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, describe, test } from 'node:test';
import { noticeContent, startTestServer, type TestResponse, type TestServer } from '../harness.ts';
import { assertEnvelope, assertProblem } from './problems.ts';
import { openSocket, requestText, sendRaw } from './raw-socket.ts';
import { readAllRows } from './stored-rows.ts';

describe('requests that no ordinary client sends', () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer();
  });
  after(() => server[Symbol.asyncDispose]());

  const bearer = () => `Bearer ${server.tenant.key}`;
  const body = JSON.stringify(noticeContent);
  const create = (headers: Readonly<Record<string, string>> = {}) =>
    requestText(
      'POST',
      '/v1/consent/notices',
      { Authorization: bearer(), 'Content-Type': 'application/json', 'Content-Length': body.length, ...headers },
      body,
    );
  async function only(...parts: readonly (string | Uint8Array)[]): Promise<TestResponse> {
    const answers = await sendRaw(server, ...parts);
    assert.equal(answers.length, 1);
    return answers[0] as TestResponse;
  }
  async function assertStillServes(): Promise<void> {
    assert.equal((await server.request('GET', '/v1/audit?limit=1')).status, 200);
  }

  test('with a repeated single-value header are rejected, and so are those behind them', async () => {
    const before = await readAllRows(server.installation.database);
    const values = {
      Authorization: [bearer(), bearer()],
      'Content-Encoding': ['identity', 'gzip'],
      'Content-Type': ['application/json', 'text/plain'],
      Host: ['localhost', 'localhost'],
      'Idempotency-Key': ['first-key-1', 'first-key-2'],
      Origin: [server.url, 'https://elsewhere.test'],
      'Sec-Fetch-Site': ['same-origin', 'cross-site'],
      'Svc-Tenant': [server.tenant.slug, 'second'],
      'Svc-User': ['a', 'b'],
      'Svc-Version': ['2026-11-01', '2026-11-01'],
    };
    for (const [name, [one, other]] of Object.entries(values)) {
      for (const second of [name.toLowerCase(), name.toUpperCase()]) {
        const twice = create({ [name]: one as string, [second]: other as string, Connection: 'keep-alive' });
        const [answer, ...more] = await sendRaw(server, twice + create());
        const { message } = assertProblem(answer as TestResponse, 'invalid_header');
        assert.ok(message.toLowerCase().includes(name.toLowerCase()), message);
        assert.equal(answer?.headers.get('connection'), 'close');
        assert.deepEqual(more, []);
      }
    }
    const oauth = { 'Content-Type': 'application/x-www-form-urlencoded', Authorization: 'Basic eDp5' };
    const token = requestText('POST', '/oauth/token', { ...oauth, authorization: 'Basic eDp5' });
    assert.equal((await only(token)).body.error, 'invalid_request');
    const scim = requestText('GET', '/scim/v2/Users', { Authorization: bearer(), authorization: bearer() });
    assert.equal((await only(scim)).status, 400);
    assert.equal(await readAllRows(server.installation.database), before);
  });

  test('may repeat a list header', async () => {
    const lists = { 'X-Forwarded-For': '::1', 'x-forwarded-for': '::2', Accept: '*/*', accept: 'text/html' };
    assert.equal((await only(requestText('GET', '/v1/audit', { Authorization: bearer(), ...lists }))).status, 200);
  });

  test('need one valid Host, except in HTTP/1.0', async () => {
    const get = (version: string, ...hosts: readonly string[]) =>
      only(
        `GET /v1/openapi.json HTTP/${version}\r\n${hosts.map((host) => `Host:${host}\r\n`).join('')}Connection: close\r\n\r\n`,
      );
    for (const host of ['', ' ', 'a b', 'a/b', 'user@a', '"><script>', 'a:b', 'a:', '[x]', 'a, b', 'a'.repeat(300)])
      assertProblem(await get('1.1', host), 'invalid_header');
    for (const host of ['svc.example.com', 'LOCALHOST:8787', '127.0.0.1', '[::1]:80', '[::1]'])
      assert.equal((await get('1.1', host)).status, 200, host);
    assertProblem(await get('1.0', 'a', 'b'), 'invalid_header');
    assert.equal((await get('1.0')).status, 200);
    assertProblem(await get('1.1'), 'invalid_header');
  });

  test('that are pipelined are answered in order', async () => {
    const first = requestText('GET', '/v1/audit', { Authorization: bearer(), Connection: 'keep-alive' });
    const second = requestText('GET', '/v1/audit', { Connection: 'keep-alive' });
    const answers = await sendRaw(server, first + create({ Connection: 'keep-alive' }) + second + create());
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 201, 401, 201],
    );
    const ids = new Set(answers.map(({ headers }) => headers.get('svc-request-id')));
    assert.equal(ids.size, 4);
  });

  test('that follow a rejected body on its connection are not executed', async () => {
    const before = await readAllRows(server.installation.database);
    const tooLarge = requestText('POST', '/v1/consent/notices', {
      Authorization: bearer(),
      'Content-Type': 'application/json',
      'Content-Length': 70_000,
      Connection: 'keep-alive',
    });
    const answers = await sendRaw(server, tooLarge, create());
    assert.deepEqual(
      answers.map(({ status }) => status),
      [413],
    );
    assert.equal(await readAllRows(server.installation.database), before);
  });

  test('that break off in the middle of the body write nothing', async () => {
    const before = await readAllRows(server.installation.database);
    for (const headers of [{ 'Content-Length': String(body.length) }, { 'Transfer-Encoding': 'chunked' }]) {
      const socket = await openSocket(server);
      const start = requestText('POST', '/v1/consent/notices', {
        Authorization: bearer(),
        'Content-Type': 'application/json',
        ...headers,
      });
      const part = body.slice(0, 40);
      socket.write(start + ('Transfer-Encoding' in headers ? `${part.length.toString(16)}\r\n${part}\r\n` : part));
      socket.end();
      await once(socket.resume(), 'close');
      await assertStillServes();
    }
    assert.equal(await readAllRows(server.installation.database), before);
  });

  test('that break off before the response leave the server running', async () => {
    for (let attempt = 0; attempt < 20; attempt += 1) {
      const socket = await openSocket(server);
      socket.write(create());
      socket.resetAndDestroy();
    }
    await assertStillServes();
  });

  test('may have any target without a failure of the server', async () => {
    const targets = [
      '/',
      '//',
      '///v1/audit',
      '//v1/audit',
      '/v1',
      '/v1/',
      '/v1//audit',
      '/v1/audit/',
      '/V1/audit',
      '*',
    ];
    const odd = [
      '/?',
      '/v1/audit?',
      '/v1/audit??',
      '/v1/audit?&&',
      '/v1/audit?=',
      '/v1/./audit',
      '/v1/../v1/audit',
      '/v1/a;b',
    ];
    const unknown = [
      '/nothing',
      '/v1/nothing',
      '/v1/public',
      '/v1/public/nothing',
      '/v2/audit',
      '/scim',
      '/scim/v3/Users',
    ];
    const absolute = ['http://x', 'http://x?y', 'http://other.test/v1/audit', 'http://[::1', 'urn:x', 'x'];
    for (const target of [...targets, ...odd, ...unknown, ...absolute]) {
      const answer = await only(requestText('GET', target, { Authorization: bearer() }));
      assert.ok(answer.status < 500, `${target}: ${answer.text}`);
      // Requests that the HTTP parser itself rejects have no response body.
      if (answer.status >= 400 && answer.text !== '') assertEnvelope(answer);
    }
  });

  test('may have bytes beyond ASCII in their headers', async () => {
    const accented = Buffer.from(
      requestText('GET', '/v1/audit', { Authorization: bearer(), 'User-Agent': 'Ünïcøde' }),
      'latin1',
    );
    assert.equal((await only(accented)).status, 200);
    const tenant = Buffer.from(
      requestText('GET', '/v1/audit', { Authorization: bearer(), 'Svc-Tenant': 'ümlaut' }),
      'latin1',
    );
    assertProblem(await only(tenant), 'tenant_not_allowed');
    const key = Buffer.from(create({ 'Idempotency-Key': 'schlüssel' }), 'latin1');
    assertProblem(await only(key), 'idempotency_key_invalid');
  });
});
