import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { after, before, describe, test } from 'node:test';
import { type ProblemCode, problemKinds } from '../../http/problem.ts';
import { noticeContent, startTestServer, type TestResponse, type TestServer } from '../harness.ts';
import { assertEnvelope, assertProblem } from './problems.ts';
import { openSocket, readAnswers, requestText, sendRaw } from './raw-socket.ts';
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

describe('a request that ends its connection', () => {
  let server: TestServer;
  let authorization: { readonly Authorization: string };
  before(async () => {
    server = await startTestServer();
    authorization = { Authorization: `Bearer ${server.tenant.key}` };
  });
  after(() => server[Symbol.asyncDispose]());

  function assertClosed(answers: readonly TestResponse[], status: number, code: ProblemCode): void {
    assert.equal(answers.length, 1);
    const [answer] = answers as [TestResponse];
    assert.equal(answer.status, status);
    assertProblem(answer, code);
    assert.equal(answer.headers.get('connection'), 'close');
    assert.equal(answer.headers.get('cache-control'), 'no-store');
    assert.equal(answer.body.error.requestId, answer.headers.get('svc-request-id'));
  }

  test('gets the error envelope where the parser rejects it', async () => {
    const line = 'GET /v1/audit HTTP/1.1\r\nHost: localhost\r\n';
    for (const [text, status, code] of [
      ['no request\r\n\r\n', 400, 'invalid_header'],
      ['GET /v1/audit HTTP/9.9\r\n\r\n', 400, 'invalid_header'],
      ['PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400, 'invalid_header'],
      ['\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', 400, 'invalid_header'],
      [`${line}Bad Name: x\r\n\r\n`, 400, 'invalid_header'],
      [`${line}Content-Length: x\r\n\r\n`, 400, 'invalid_header'],
      [`${line}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n`, 400, 'invalid_header'],
      [`${line}Content-Length: 5\r\ncontent-length: 6\r\n\r\n{"a":1}`, 400, 'invalid_header'],
      [`${line}Authorization: Bearer\r\n ${server.tenant.key}\r\n\r\n`, 400, 'invalid_header'],
      [`${line}Authorization : Bearer ${server.tenant.key}\r\n\r\n`, 400, 'invalid_header'],
      [`${line}Svc-Tenant: a\0b\r\n\r\n`, 400, 'invalid_header'],
      [`${line}X: ${'x'.repeat(20_000)}\r\n\r\n`, 431, 'headers_too_large'],
      [`GET /v1/audit?x=${'x'.repeat(20_000)} HTTP/1.1\r\nHost: localhost\r\n\r\n`, 414, 'uri_too_long'],
      ['CONNECT localhost:443 HTTP/1.1\r\nHost: localhost:443\r\n\r\n', 405, 'method_not_allowed'],
    ] as const)
      assertClosed(await sendRaw(server, text), status, code);
    const traced = await sendRaw(server, requestText('TRACE', '/v1/audit', authorization));
    assertProblem(traced[0] as TestResponse, 'method_not_allowed');
  });

  test('gets the error envelope where it does not arrive in time', async () => {
    const serverLimits = { headers: 500, request: 500, checkEvery: 50 };
    await using server = await startTestServer('sqlite', {}, { serverLimits });
    const authorization = { Authorization: `Bearer ${server.tenant.key}` };
    for (const text of [
      'GET /v1/audit HTTP/1.1\r\nHost: localhost\r\n',
      requestText(
        'POST',
        '/v1/consent/notices',
        { ...authorization, 'Content-Type': 'application/json', 'Content-Length': 100 },
        '{',
      ),
    ])
      assertClosed(await sendRaw(server, text), 408, 'request_timeout');
  });

  test('gets the error envelope for an expectation that the server does not know', async () => {
    const body = JSON.stringify(noticeContent);
    const headers = { ...authorization, 'Content-Type': 'application/json', 'Content-Length': body.length };
    const send = (expect: string, more = headers) =>
      sendRaw(server, requestText('POST', '/v1/consent/notices', { ...more, Expect: expect }, body));
    for (const expect of ['200-ok', 'x', '100-continued'])
      assertProblem((await send(expect))[0] as TestResponse, 'expectation_failed');
    for (const expect of ['100-continue', '100-Continue']) {
      const statuses = (await send(expect)).map(({ status }) => status);
      assert.deepEqual(statuses, [100, 201]);
    }
    const scim = await sendRaw(server, requestText('GET', '/scim/v2/Users', { Expect: 'x' }));
    assert.deepEqual([scim[0]?.status, scim[0]?.body.status], [417, '417']);
  });

  test('gets no 100 before a refusal, which ends the connection', async () => {
    const large = { 'Content-Type': 'application/json', 'Content-Length': 1e9, Expect: '100-continue' };
    for (const [headers, code] of [
      [large, 'unauthenticated'],
      [{ ...large, ...authorization }, 'payload_too_large'],
      [{ ...large, ...authorization, 'Content-Type': 'text/plain' }, 'unsupported_media_type'],
    ] as const) {
      const text = requestText('POST', '/v1/consent/notices', { ...headers, Connection: 'keep-alive' });
      const answers = await sendRaw(server, text);
      assert.equal(answers.length, 1, code);
      assertProblem(answers[0] as TestResponse, code);
      assert.equal(answers[0]?.headers.get('connection'), 'close');
    }
  });

  test('gets its answer after it sent everything, however much that is', async () => {
    const size = 8 * 1024 * 1024;
    const body = Buffer.alloc(size, ' ');
    const announced = { 'Content-Type': 'application/json', 'Content-Length': size, Connection: 'keep-alive' };
    const post = (target: string, headers: object) => requestText('POST', target, { ...announced, ...headers });
    const counted = { ...authorization, 'Content-Type': 'application/json', 'Transfer-Encoding': 'chunked' };
    const chunk = Buffer.concat([Buffer.from(`${size.toString(16)}\r\n`), body, Buffer.from('\r\n0\r\n\r\n')]);
    for (const [head, code] of [
      [post('/v1/consent/notices', {}), 'unauthenticated'],
      [post('/v1/consent/notices', authorization), 'payload_too_large'],
      [requestText('POST', '/v1/consent/notices', counted), 'payload_too_large'],
      [post('/v1/consent/notices', { ...authorization, 'Content-Type': 'text/plain' }), 'unsupported_media_type'],
      [post('/v1/nothing', authorization), 'not_found'],
      [post('/v1/audit', authorization), 'method_not_allowed'],
      [post('/trust/first', {}), 'method_not_allowed'],
      [post('/v1/consent/notices', { ...authorization, Expect: 'x' }), 'expectation_failed'],
      [post('/v1/consent/notices', { ...authorization, Host: '' }), 'invalid_header'],
      [post(`/v1/consent/notices?x=${'x'.repeat(20_000)}`, authorization), 'uri_too_long'],
      [post('/v1/consent/notices', { ...authorization, X: 'x'.repeat(20_000) }), 'headers_too_large'],
      [post('/v1/consent/notices', { ...authorization, 'Bad Name': 'x' }), 'invalid_header'],
    ] as const) {
      const socket = await openSocket(server);
      socket.pause();
      socket.write(head);
      const sent = head.includes('chunked') ? chunk : body;
      await new Promise((resolve) => socket.write(sent, resolve));
      socket.resume();
      assertClosed(await readAnswers(socket), problemKinds[code].status, code);
    }
  });

  test('does not break the requests of a client that keeps connections', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 2 });
    const send = (method: string, path: string, headers: object, body: Buffer | string = '') =>
      new Promise<number | undefined>((resolve, reject) => {
        const sent = request(server.url + path, { agent, method, headers: { ...headers } }, (response) => {
          response.on('error', reject).on('end', () => resolve(response.statusCode));
          response.resume();
        });
        sent.on('error', reject).end(body);
      });
    const json = { ...authorization, 'Content-Type': 'application/json' };
    const large = Buffer.alloc(4 * 1024 * 1024, ' ');
    for (let round = 0; round < 10; round += 1) {
      const statuses = await Promise.all([
        send('POST', '/v1/consent/notices', json, large),
        send('POST', '/v1/consent/notices', { 'Content-Type': 'application/json' }, large),
        send('POST', '/v1/consent/notices', { ...json, 'Content-Type': 'text/plain' }, large),
        send('GET', `/v1/audit?x=${'x'.repeat(20_000)}`, json),
        send('GET', '/v1/audit', { ...json, Cookie: 'x'.repeat(20_000) }),
        send('PUT', '/v1/nothing', json, large),
        send('GET', '/v1/audit?limit=1', json),
        send('POST', '/v1/consent/notices', json, JSON.stringify(noticeContent)),
      ]);
      assert.deepEqual(statuses, [413, 401, 415, 414, 431, 404, 200, 201]);
    }
    agent.destroy();
  });

  test('keeps the connection where the rest of the body is small', async () => {
    const body = '{}';
    const headers = { 'Content-Type': 'application/json', 'Content-Length': body.length, Connection: 'keep-alive' };
    const first = requestText('POST', '/v1/consent/notices', headers, body);
    const answers = await sendRaw(server, first, requestText('GET', '/v1/nothing'));
    assert.deepEqual(
      answers.map(({ status }) => status),
      [401, 404],
    );
  });
});
