import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { inspect } from 'node:util';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import {
  ApiError,
  AuthenticationError,
  BadRequestError,
  ConflictError,
  ConnectionError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  RedirectError,
  ResponseError,
  ServerError,
  ValidationError,
} from '@svc/node-sdk';
import {
  createClient,
  reading,
  type Script,
  sendJson,
  sendRaw,
  startScriptedServer,
  writing,
} from './scripted-server.ts';

const json = 'Content-Type: application/json\r\n';

/** The error of an operation's call if the server responds so. */
async function fail(script: Script, operation: object = {}, options: object = {}): Promise<unknown> {
  await using server = await startScriptedServer(script);
  await using svc = createClient(server, { retries: 0, ...options });
  return await svc.request({ ...reading, ...operation }).then(
    (data) => assert.fail(`resolved with ${JSON.stringify(data)}`),
    (error: unknown) => error,
  );
}

const compressed = (coding: string) => ({ 'content-type': 'application/json', 'content-encoding': coding });

const answerWith =
  (text: string, end = false): Script =>
  (response) => {
    const socket = sendRaw(response, text);
    if (end) socket.end();
  };

describe('an error of the API', () => {
  it('has a class for its status', async () => {
    const classes = [
      [400, BadRequestError],
      [401, AuthenticationError],
      [403, PermissionError],
      [404, NotFoundError],
      [409, ConflictError],
      [422, ValidationError],
      [429, RateLimitError],
      [500, ServerError],
      [503, ServerError],
      [405, ApiError],
      [413, ApiError],
    ] as const;
    for (const [status, Class] of classes) {
      const error = await fail((response) =>
        sendJson(response, status, { error: { code: 'some_code', message: 'Words.' } }),
      );
      assert.ok(ApiError.isInstance(error));
      assert.equal(error.constructor, Class);
      assert.ok(Class.isInstance(error as unknown));
      assert.deepEqual([error.status, error.code, error.message], [status, 'some_code', 'Words.']);
    }
  });

  it('has all fields of the error object', async () => {
    const details = [{ path: 'body.purposes.analytics', issue: 'is required' }];
    const error = await fail((response) =>
      sendJson(
        response,
        409,
        {
          error: {
            code: 'consent_notice_not_published',
            message: 'No.',
            requiredStatus: 'published',
            actualStatus: 'draft',
            details,
            requestId: 'abc',
          },
        },
        { 'x-a': ['1', '2'], 'retry-after': '3' },
      ),
    );
    assert.ok(ConflictError.isInstance(error));
    assert.deepEqual(error.fields, { requiredStatus: 'published', actualStatus: 'draft' });
    assert.deepEqual(error.details, details);
    assert.equal(error.requestId, 'abc');
    assert.equal(error.retryAfterMs, 3000);
    assert.equal(error.headers['x-a'], '1, 2');
    assert.deepEqual(JSON.parse(JSON.stringify(error)).fields, error.fields);
  });

  it('is parsed from the formats of SCIM (RFC 7644 section 3.12) and of OAuth (RFC 6749 section 5.2)', async () => {
    const schemas = ['urn:ietf:params:scim:api:messages:2.0:Error'];
    const headers = { 'content-type': 'application/scim+json', 'svc-request-id': 'r1' };
    const scim = await fail((response) =>
      sendJson(response, 400, { schemas, status: '400', scimType: 'invalidFilter', detail: 'One eq only.' }, headers),
    );
    assert.ok(BadRequestError.isInstance(scim));
    assert.deepEqual([scim.code, scim.message, scim.requestId], ['invalidFilter', 'One eq only.', 'r1']);
    assert.deepEqual(scim.fields, { scimType: 'invalidFilter' });
    const untyped = await fail((response) =>
      sendJson(response, 404, { schemas, status: '404', detail: 'No such user.' }, headers),
    );
    assert.ok(NotFoundError.isInstance(untyped) && untyped.code === 'scim_error');
    const oauth = await fail((response) =>
      sendJson(response, 401, { error: 'invalid_client', error_description: 'Unknown.' }),
    );
    assert.ok(AuthenticationError.isInstance(oauth));
    assert.deepEqual([oauth.code, oauth.message], ['invalid_client', 'Unknown.']);
  });

  it('has its class also if a proxy responds in HTML, or in any other format', async () => {
    const bodies = [
      '<html><h1>Bad gateway</h1></html>',
      '',
      '{"error":',
      '[]',
      'null',
      '{}',
      '{"error":{}}',
      '{"error":{"code":7,"details":"x"}}',
    ];
    for (const body of bodies) {
      const error = await fail(
        (response) =>
          response.writeHead(502, { 'content-type': 'text/html', 'svc-request-id': 'r2' }).end(body) && undefined,
      );
      assert.ok(ServerError.isInstance(error), body);
      assert.deepEqual([error.status, error.code, error.requestId], [502, 'unreadable_error', 'r2']);
      assert.ok(!error.message.includes('html'));
      assert.equal(error.excerpt, body === '' ? null : body);
      assert.ok(!inspect(error).includes('Bad gateway'));
    }
  });
});

describe('a response', () => {
  it('is rejected with its status if it is not JSON of this API', async () => {
    const cases: readonly (readonly [string, string, RegExp])[] = [
      ['text/html', '<html>Sign in to the network</html>', /not JSON/],
      ['application/json', '{"data":{"a":', /invalid JSON/],
      ['application/json', '', /invalid JSON/],
      ['application/json', '{"items":[]}', /no data/],
      ['application/json', 'null', /no data/],
      ['application/json', '"data"', /no data/],
      ['application/jsonp', '{"data":1}', /not JSON/],
    ];
    for (const [type, body, message] of cases) {
      const error = await fail(
        (response) => response.writeHead(200, { 'content-type': type, 'svc-request-id': 'r3' }).end(body) && undefined,
      );
      assert.ok(ResponseError.isInstance(error), body);
      assert.match(error.message, message);
      assert.deepEqual([error.status, error.contentType, error.requestId], [200, type, 'r3']);
      assert.ok(!JSON.stringify(error).includes('network'), 'nothing of the body is in it');
    }
    const html = await fail(
      (response) =>
        response.writeHead(200, { 'content-type': 'text/html' }).end(`<html>${'ä'.repeat(1000)}`) && undefined,
    );
    assert.ok(ResponseError.isInstance(html));
    assert.equal(html.excerpt, `<html>${'ä'.repeat(494)}`);
    assert.ok(!inspect(html).includes('ä') && !JSON.stringify(html).includes('ä'), 'it is there for who asks for it');
    const empty = await fail((response) => response.writeHead(204).end() && undefined);
    assert.ok(ResponseError.isInstance(empty) && empty.status === 204);
  });

  it('is rejected if it is not UTF-8, without replacing characters', async () => {
    const bytes = Buffer.concat([Buffer.from('{"data":"'), Buffer.from([0xe4, 0x6e]), Buffer.from('"}')]);
    const error = await fail(
      (response) => response.writeHead(200, { 'content-type': 'application/json' }).end(bytes) && undefined,
    );
    assert.ok(ResponseError.isInstance(error));
    assert.match(error.message, /invalid JSON/);
    assert.equal(error.excerpt, null, 'JSON is of the API, and may have something secret in it');
  });

  it('is parsed with any content type of JSON', async () => {
    for (const type of [
      'application/json',
      'Application/JSON;charset=utf-8',
      'application/scim+json',
      'application/problem+json; x=y',
    ]) {
      await using server = await startScriptedServer((response) =>
        sendJson(response, 200, { data: 'ü€😀' }, { 'content-type': type }),
      );
      await using svc = createClient(server);
      assert.equal(await svc.request(reading), 'ü€😀');
    }
  });

  it('is complete, however it is split into chunks', async () => {
    const text = 'ä€😀'.repeat(50_000);
    await using server = await startScriptedServer((response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const bytes = Buffer.from(JSON.stringify({ data: text }));
      for (let at = 0; at < bytes.length; at += 9973) response.write(bytes.subarray(at, at + 9973));
      response.end();
    });
    await using svc = createClient(server);
    assert.equal(await svc.request(reading), text);
  });

  it('needs no content if the operation has none', async () => {
    await using server = await startScriptedServer((response) => response.writeHead(204).end() && undefined);
    await using svc = createClient(server);
    const { data, response } = await svc.request({ ...reading, method: 'DELETE', answer: 'none' }).withResponse();
    assert.equal(data, undefined);
    assert.equal(response.status, 204);
    const raw = await svc.request({ ...reading, answer: 'none' }).asResponse();
    assert.equal(raw.status, 204);
  });

  it('is rejected above the size limit, with or without Content-Length, and an error keeps its status', async () => {
    const limit = { maxResponseBytes: 1000 };
    for (const status of [200, 500]) {
      const announced = await fail(
        answerWith(`HTTP/1.1 ${status} X\r\n${json}Content-Length: 99999999999\r\n\r\n{`),
        {},
        limit,
      );
      const unannounced = await fail(
        (response) => {
          response.writeHead(status, { 'content-type': 'application/json' });
          const write = () => !response.destroyed && response.write('x'.repeat(500), () => setImmediate(write));
          write();
        },
        {},
        limit,
      );
      for (const error of [announced, unannounced])
        if (status === 200) {
          assert.ok(ResponseError.isInstance(error));
          assert.match(error.message, /larger than 1000 bytes/);
          assert.equal(error.status, status);
        } else
          assert.ok(ServerError.isInstance(error) && error.code === 'unreadable_error' && error.retry === 'exhausted');
    }
  });

  it('is retried if it is an error, however large', async () => {
    await using server = await startScriptedServer((response, _, number) => {
      if (number > 1) sendJson(response, 200, { data: 'in' });
      else response.writeHead(500, { 'retry-after': '0' }).end('x'.repeat(100_000));
    });
    await using svc = createClient(server, { maxResponseBytes: 1000 });
    assert.equal(await svc.request(reading), 'in');
  });

  const codings: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
    gzip: gzipSync,
    'X-GZIP': gzipSync,
    br: brotliCompressSync,
    deflate: deflateSync,
    Deflate: deflateRawSync,
    identity: (bytes) => bytes,
    Identity: (bytes) => bytes,
    ', identity ,': (bytes) => bytes,
    'identity, gzip': gzipSync,
  };
  for (const [coding, compress] of Object.entries(codings))
    it(`is decompressed: ${coding}`, async () => {
      const data = 'ä€😀'.repeat(10_000);
      await using server = await startScriptedServer((response, { path }) => {
        const isError = path === '/v1/error';
        const body = isError ? { error: { code: 'broken', message: data } } : { data };
        response.writeHead(isError ? 400 : 200, { 'content-type': 'application/json', 'content-encoding': coding });
        response.end(compress(Buffer.from(JSON.stringify(body))));
      });
      await using svc = createClient(server);
      assert.equal(await svc.request(reading), data);
      assert.equal(server.received[0]?.headers['accept-encoding'], 'gzip, deflate, br');
      const raw = await svc.request(reading).asResponse();
      assert.deepEqual(await raw.json(), { data });
      await assert.rejects(svc.request({ ...reading, path: '/v1/error' }), { code: 'broken', message: data });
      assert.equal(server.connections(), 1);
    });

  it('is rejected if it decompresses to more than the limit, long before it is complete', async () => {
    const bomb = gzipSync(Buffer.alloc(50 * 1024 * 1024));
    const before = process.memoryUsage().arrayBuffers;
    for (const status of [200, 500]) {
      const error = await fail(
        (response) => void response.writeHead(status, { ...compressed('gzip') }).end(bomb),
        {},
        { maxResponseBytes: 1_000_000 },
      );
      assert.ok(status === 200 ? ResponseError.isInstance(error) : ServerError.isInstance(error));
    }
    assert.ok(process.memoryUsage().arrayBuffers - before < 30 * 1024 * 1024);
  });

  it('is rejected if it cannot be decompressed', async () => {
    const whole = gzipSync('{"data":1}');
    for (const [coding, body] of [
      ['zstd', whole],
      ['br', whole],
      ['gzip', Buffer.from('{"data":1}')],
      ['gzip', whole.subarray(0, -9)],
    ] as const) {
      const error = await fail((response) => void response.writeHead(200, compressed(coding)).end(body));
      assert.ok(ResponseError.isInstance(error), String(error));
      assert.match(error.message, new RegExp(`cannot be decompressed \\(${coding}\\)`));
    }
    const empty = await fail((response) => void response.writeHead(503, compressed('gzip')).end());
    assert.ok(ServerError.isInstance(empty));
  });

  it('may have headers of any name', async () => {
    const names: unknown[] = [];
    await using server = await startScriptedServer((response) => {
      const { rawHeaders } = response.req;
      names.push(rawHeaders[rawHeaders.indexOf('__proto__') + 1]);
      sendRaw(
        response,
        `HTTP/1.1 200 OK\r\n${json}__proto__: x\r\nconstructor: y\r\nContent-Length: 10\r\n\r\n{"data":1}`,
      );
    });
    const shown: unknown[] = [];
    const keep = ({ headers }: { readonly headers: object }) => shown.push(Object.hasOwn(headers, '__proto__'));
    const hooks = { onRequest: keep, onResponse: keep };
    await using svc = createClient(server, { headers: JSON.parse('{"__proto__":"z"}'), hooks });
    const { response } = await svc.request(reading).withResponse();
    assert.deepEqual(Object.entries(response.headers).slice(1, 3), [
      ['__proto__', 'x'],
      ['constructor', 'y'],
    ]);
    assert.deepEqual([names, shown], [['z'], [true, true]]);
  });

  it('may be exactly as large as the limit', async () => {
    const body = JSON.stringify({ data: 'x'.repeat(989) });
    await using server = await startScriptedServer(
      (response) => response.writeHead(200, { 'content-type': 'application/json' }).end(body) && undefined,
    );
    await using svc = createClient(server, { maxResponseBytes: body.length });
    assert.equal(((await svc.request(reading)) as string).length, 989);
  });

  it('is rejected if it is a redirect', async () => {
    await using elsewhere = await startScriptedServer((response) => sendJson(response, 200, { data: 'stolen' }));
    for (const status of [301, 302, 303, 307, 308, 304, 300]) {
      const location = `${elsewhere.url}/v1/thing?token=secret`;
      const error = await fail((response) => response.writeHead(status, { location }).end() && undefined);
      assert.ok(RedirectError.isInstance(error), String(status));
      assert.equal(error.location, elsewhere.url);
      assert.equal(error.status, status);
      assert.match(error.message, /baseUrl/);
      assert.ok(!JSON.stringify(error).includes('secret'));
    }
    for (const location of ['/elsewhere', 'http://[', undefined]) {
      const headers = location === undefined ? {} : { location };
      const error = await fail((response) => response.writeHead(302, headers).end() && undefined);
      assert.ok(RedirectError.isInstance(error) && error.location === null);
    }
    assert.equal(elsewhere.received.length, 0);
  });

  it('that violates HTTP is a connection error', async () => {
    const broken = [
      'garbage garbage garbage\r\n\r\n',
      'HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nxxxxx',
      'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n',
      `HTTP/1.1 200 OK\r\n${json}Transfer-Encoding: chunked\r\n\r\nZZ\r\n`,
      `HTTP/1.1 200 OK\r\n${json}X-Large: ${'x'.repeat(100_000)}\r\n\r\n`,
      `HTTP/1.1 200 OK\r\n${json}Content-Length: 50\r\n\r\n{"data":1}`,
    ];
    for (const text of broken) {
      const error = await fail(answerWith(text, true));
      assert.ok(ConnectionError.isInstance(error), text.slice(0, 60));
      assert.ok(error.cause instanceof Error);
      assert.ok(!JSON.stringify(error.cause).includes('garbage'));
    }
  });

  it('gives access to its metadata', async () => {
    await using server = await startScriptedServer((response) =>
      sendJson(
        response,
        201,
        { data: { id: 1 } },
        { 'svc-request-id': 'r4', 'idempotent-replayed': 'true', 'svc-version': '2026-11-01', 'x-a': ['1', '2'] },
      ),
    );
    await using svc = createClient(server);
    const call = svc.request(writing);
    const { data, response } = await call.withResponse();
    assert.deepEqual(data, { id: 1 });
    assert.equal(response.status, 201);
    assert.equal(response.requestId, 'r4');
    assert.equal(response.idempotentReplayed, true);
    assert.equal(response.version, '2026-11-01');
    assert.equal(response.attempts, 1);
    assert.equal(response.headers['x-a'], '1, 2');
    const raw = await call.asResponse();
    assert.equal(raw.status, 201);
    assert.equal(raw.headers.get('svc-request-id'), 'r4');
    assert.equal(await raw.text(), '{"data":{"id":1}}');
    assert.equal(server.received.length, 1);
  });
});
