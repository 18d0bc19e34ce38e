import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { noticeContent, type RequestOptions, startTestServer, type TestResponse, type TestServer } from '../harness.ts';
import { assertInvalid, assertProblem } from './problems.ts';
import { openSocket, readAnswers, requestText, sendRaw } from './raw-socket.ts';
import { readAllRows } from './stored-rows.ts';

describe('the body of a request', () => {
  let server: TestServer;
  const valid = JSON.stringify(noticeContent);
  before(async () => {
    server = await startTestServer();
  });
  after(() => server[Symbol.asyncDispose]());

  const send = (options: RequestOptions) => server.request('POST', '/v1/consent/notices', options);
  const sendAs = (contentType: string, rawBody: string | Uint8Array = valid) =>
    send({ rawBody, headers: { 'Content-Type': contentType } });

  test('gets the first hundred of its errors, and their number', async () => {
    const unknown = Object.fromEntries(Array.from({ length: 250 }, (_, index) => [`field${index}`, index]));
    const { details, message } = assertProblem(
      await send({ body: { ...noticeContent, ...unknown } }),
      'validation_failed',
    );
    assert.equal(details.length, 100);
    assert.deepEqual(details[99], { path: 'body.field99', issue: 'is not a known field' });
    assert.match(message, /\(and 249 more\)$/);
  });

  test('is rejected if it is not JSON, and nothing is written', async () => {
    const before = await readAllRows(server.installation.database);
    const bodies = {
      truncated: valid.slice(0, -1),
      'two values': `${valid}${valid}`,
      'a trailing comma': '{"name":"Website",}',
      'a comment': '{} // nothing',
      'single quotes': "{'name':'Website'}",
      'an unquoted key': '{name:"Website"}',
      'not a number': '{"name":NaN}',
      'a bare word': 'name=Website',
      'a raw line break in a string': '{"name":"Web\nsite"}',
      'only white space': '  \r\n ',
      'a byte order mark': `\uFEFF${valid}`,
      'UTF-16': Buffer.from(valid, 'utf16le'),
      'a stray byte': Buffer.from([0x22, 0xff, 0x22]),
      'an overlong encoding': Buffer.from([0x22, 0xc0, 0xaf, 0x22]),
      'an encoded surrogate': Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]),
      'a cut character': Buffer.concat([Buffer.from('"'), Buffer.from('é').subarray(0, 1), Buffer.from('"')]),
    };
    for (const [name, rawBody] of Object.entries(bodies)) {
      const error = assertProblem(await send({ rawBody }), 'invalid_json');
      assert.ok(error.message.length < 300, `${name}: ${error.message}`);
    }
    assert.equal(await readAllRows(server.installation.database), before);
  });

  test('must be an object', async () => {
    for (const rawBody of ['null', '[]', `[${valid}]`, '"text"', '42', 'true']) {
      assertInvalid(await send({ rawBody }), 'body');
    }
  });

  test('is required', async () => {
    assertInvalid(await send({}), 'body');
    assertInvalid(await send({ rawBody: '' }), 'body');
    assertInvalid(await send({ headers: { 'Content-Type': 'application/json' } }), 'body');
  });

  test('may be JSON with any parameters of its content type, which are ignored', async () => {
    const types = [
      'application/json',
      'application/json;charset=utf-8',
      'application/json; charset=utf-8',
      'application/json; charset=UTF-8',
      'application/json ; charset="utf-8"',
      'APPLICATION/JSON; Charset=utf-8',
      'application/json;',
      'application/json ; ;',
      'application/json; charset=utf8',
      'application/json;charset=UTF-8; odata.metadata=minimal',
      'application/json; boundary="a;b"',
      'application/json; charset=iso-8859-1',
      'application/json; charset',
    ];
    for (const type of types) assert.equal((await sendAs(type)).status, 201, type);
  });

  test('is rejected under any other content type', async () => {
    const types = [
      '',
      'text/plain',
      'text/json',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/jsonp',
      'application/ld+json',
      'application/json, text/plain',
      'text/plain; application/json',
      ';application/json',
    ];
    for (const type of types) assertProblem(await sendAs(type), 'unsupported_media_type');
  });

  test('is rejected without a content type', async () => {
    const response = await fetch(`${server.url}/v1/consent/notices`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${server.tenant.key}` },
      body: new Blob([valid]),
    });
    assert.equal(response.status, 415);
  });

  test('is rejected when it is compressed', async () => {
    for (const encoding of ['gzip', 'br', 'deflate', 'zstd', 'gzip, identity', 'unknown']) {
      const headers = { 'Content-Encoding': encoding };
      assertProblem(await send({ rawBody: gzipSync(valid), headers }), 'unsupported_media_type');
    }
    for (const encoding of ['identity', 'Identity', 'IDENTITY', 'identity, identity', ''])
      assert.equal((await send({ rawBody: valid, headers: { 'Content-Encoding': encoding } })).status, 201, encoding);
  });

  test('is rejected if an object of it repeats a name, and the answer names the path', async () => {
    const notice = await server.createNotice();
    const path = `/v1/consent/${notice}/records`;
    const capture = (rawBody: string) =>
      server.request('POST', path, { rawBody, headers: { 'Idempotency-Key': randomUUID() } });
    const before = await readAllRows(server.installation.database);
    const record = (purposes: string, more = '') => `{"subjectId":"one","purposes":${purposes}${more}}`;
    const bodies = {
      'body.purposes.analytics': [
        record('{"analytics":false,"analytics":true}'),
        record('{ "analytics" : false , "marketing" : false ,\r\n\t"analytics"\t: true }'),
        record('{"analytics":false,"\\u0061nalytics":true}'),
        record('{"analytics":false,"x":{"analytics":1},"analytics":false}'),
      ],
      'body.purposes': [record('{"analytics":false}', ',"purposes":{"analytics":true}')],
      'body.a.1.b.0.c': ['{"a":[{"c":1},{"b":[{"c":1,"c":1}]}]}'],
      'body.0.a': ['[{"a":1,"a":1}]'],
      'body.': ['{"":1,"":1}'],
      'body.__proto__': ['{"__proto__":{},"__proto__":{}}'],
      'body."\\': [String.raw`{"\"\\":1,"\u0022\u005c":2}`],
      'body.:': ['{":":":",":":":"}'],
    };
    for (const [name, texts] of Object.entries(bodies))
      for (const text of texts) {
        const { details, message } = assertProblem(await capture(text), 'invalid_json');
        assert.deepEqual(details, [{ path: name, issue: 'is given more than once' }], text);
        assert.ok(message.startsWith(`${name} is given twice`), message);
      }
    const long = 'n'.repeat(30_000);
    const { message } = assertProblem(await capture(`{"${long}":1,"${long}":1}`), 'invalid_json');
    assert.ok(message.length < 500);
    assert.equal(await readAllRows(server.installation.database), before);
    // The same name in several objects, and as a value.
    const fine = record('{"analytics":false,"marketing":true}', ',"method":"inline","ua":"subjectId\\":\\":"');
    assert.equal((await capture(fine)).status, 201);
  });

  test('is rejected by every surface if it repeats a name', async () => {
    const token = await server.createScimToken();
    const scim = await server.request('POST', '/scim/v2/Users', {
      key: token,
      rawBody: `{"schemas":["urn:ietf:params:scim:schemas:core:2.0:User"],"userName":"a@example.com","userName":"b@example.com"}`,
    });
    assert.deepEqual([scim.status, scim.body.scimType], [400, 'invalidSyntax']);
    assert.match(scim.body.detail, /^body\.userName /);
    const search = await server.request('POST', '/v1/auth/sign-in', {
      key: null,
      rawBody: '{"email":"a@example.com","password":"x","password":"y"}',
    });
    assertProblem(search, 'invalid_json');
  });

  test('gets a message that names its byte order mark', async () => {
    const { message } = assertProblem(await send({ rawBody: `\uFEFF${valid}` }), 'invalid_json');
    assert.match(message, /byte order mark/);
  });

  test('gets all of its errors at once', async () => {
    const body = { ...noticeContent, name: 7, language: 'no language', domain: 'https://example.com/', surprise: 1 };
    assertInvalid(await send({ body }), 'body.name', 'body.language', 'body.domain', 'body.surprise');
  });

  test('may be nested as deeply as its size allows', async () => {
    const notice = await server.createNotice();
    const depth = 32_000;
    const deep = `${'['.repeat(depth)}${']'.repeat(depth)}`;
    assertInvalid(await send({ rawBody: deep }), 'body');
    assertInvalid(
      await send({ rawBody: `{"a":${deep}}` }),
      ...['name', 'controllerName', 'language', 'domain', 'purposes', 'a'].map((name) => `body.${name}`),
    );
    const nul = `${'['.repeat(depth)}"\\u0000"${']'.repeat(depth)}`;
    assertProblem(await send({ rawBody: nul }), 'validation_failed');
    const objects = `${'{"a":'.repeat(10_000)}"\\u0000"${'}'.repeat(10_000)}`;
    assertProblem(await send({ rawBody: objects }), 'validation_failed');
    assertInvalid(await server.request('POST', `/v1/consent/${notice}/publish`, { rawBody: deep }), 'body');
  });

  test('may have numbers of any size', async () => {
    for (const number of ['1e999', '-1e999', '9007199254740993', '1e-999', `1${'0'.repeat(400)}`]) {
      assertProblem(await send({ rawBody: `{"name":${number}}` }), 'validation_failed');
    }
  });

  test('must be empty if an operation accepts none', async () => {
    const notice = await server.createNotice();
    const archive = (options: RequestOptions) => server.request('POST', `/v1/consent/${notice}/archive`, options);
    for (const rawBody of ['{"force":true}', '[]', 'null', '0', '""', '[{}]'])
      assertInvalid(await archive({ rawBody }), 'body');
    for (const options of [{}, { rawBody: '' }, { rawBody: '{}' }, { rawBody: ' {} ' }]) {
      assert.equal((await archive(options)).status, 200);
    }
    assertProblem(await archive({ rawBody: '{' }), 'invalid_json');
  });

  test('is ignored if a request only reads', async () => {
    const [answer] = [await server.request('DELETE', '/v1/consent', { rawBody: '{' })];
    assertProblem(answer, 'method_not_allowed');
  });
});

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
