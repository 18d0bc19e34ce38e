import assert from 'node:assert/strict';
import { request } from 'node:http';
import { after, before, describe, test } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { startTestServer, type TestServer } from '../../server/test/harness.ts';
import { startDemoServer } from './demo-server.ts';
import { ensureBuilt } from './ensure-built.ts';

describe('the documentation on a server', () => {
  let server: TestServer;
  before(async () => {
    ensureBuilt();
    server = await startTestServer('sqlite');
  });
  after(() => server[Symbol.asyncDispose]());

  const get = (path: string) => server.request('GET', path, { key: null });

  test('is below /docs/, without a credential, under a policy', async () => {
    const { status, headers, text } = await get('/docs/');
    assert.equal(status, 200);
    assert.equal(headers.get('content-type'), 'text/html; charset=utf-8');
    assert.match(text, /^<!doctype html>/);
    assert.match(headers.get('content-security-policy') ?? '', /frame-ancestors 'none'/);
    assert.equal(headers.get('x-content-type-options'), 'nosniff');
    assert.equal(headers.get('referrer-policy'), 'no-referrer');
    assert.equal(headers.get('cache-control'), 'no-cache');
  });

  test('leads to the slash that its links count on, and keeps the query', async () => {
    for (const [path, target] of [
      ['/docs', 'docs/'],
      ['/docs?a=1', 'docs/?a=1'],
      ['/docs/reference/errors', 'errors/'],
    ] as const) {
      const { status, headers } = await get(path);
      assert.equal(status, 301, path);
      assert.equal(headers.get('location'), target);
      assert.equal(headers.get('cache-control'), 'no-cache');
      assert.equal(new URL(target, server.url + path).pathname, `${path.split('?')[0]}/`);
    }
  });

  test('is asked for once: the same tag is answered 304', async () => {
    const { tag } = await raw('/docs/reference/', 'br');
    const again = await raw('/docs/reference/', 'br', tag);
    assert.deepEqual([again.status, again.body.length], [304, 0]);
    assert.equal((await raw('/docs/', 'br', tag)).status, 200);
    assert.equal((await raw('/docs/reference/', 'gzip', tag)).status, 200);
  });

  test('comes compressed as the client likes, each form under a tag of its own', async () => {
    const plain = await raw('/docs/reference/schemas/', 'identity');
    const br = await raw('/docs/reference/schemas/', 'gzip, br');
    const gzip = await raw('/docs/reference/schemas/', 'gzip');
    assert.deepEqual([br.encoding, gzip.encoding, plain.encoding], ['br', 'gzip', undefined]);
    assert.ok(brotliDecompressSync(br.body).equals(plain.body));
    assert.ok(gunzipSync(gzip.body).equals(plain.body));
    assert.ok(br.body.length < plain.body.length / 4);
    assert.equal(new Set([plain.tag, br.tag, gzip.tag]).size, 3);
  });

  test('answers HEAD without a body, and 405 to what would change something', async () => {
    const head = await server.request('HEAD', '/docs/', { key: null });
    assert.deepEqual([head.status, head.text], [200, '']);
    const { status, headers } = await server.request('POST', '/docs/', { key: null, body: {} });
    assert.equal(status, 405);
    assert.equal(headers.get('allow'), 'GET, HEAD');
  });

  test('has a page of its own for what is not there, whose links hold at any depth', async () => {
    for (const path of ['/docs/nothing', '/docs/a/b/nothing', '/docs/reference/nothing/']) {
      const { status, headers, text } = await get(path);
      assert.equal(status, 404, path);
      assert.match(headers.get('content-type') ?? '', /^text\/html/);
      const [, style = ''] = /rel="stylesheet" href="([^"]+)"/.exec(text) ?? [];
      const found = await get(new URL(style, server.url + path).pathname);
      assert.equal(found.status, 200, `${path}: ${style}`);
    }
  });

  test('lets no path out of its folder', async () => {
    for (const path of [
      '/docs/../package.json',
      '/docs/%2e%2e/package.json',
      '/docs/..%2f..%2fpackage.json',
      '/docs//etc/passwd',
      '/docs/\\..\\package.json',
      '/docs/%00',
      '/docs/%',
      '/docs/built-from',
      '/docs/built-from/..',
    ])
      assert.notEqual((await raw(path, 'identity')).status, 200, path);
  });

  test('knows of no demo where there is none, and of its notice where there is', async () => {
    const before = await get('/docs/live/server.json');
    assert.deepEqual(before.body, { server: { baseUrl: null, demo: null } });
    await using demo = await startDemoServer();
    const answer = await fetch(`${demo.credentials.baseUrl}/docs/live/server.json`);
    const { noticeId, tenantSlug } = demo.credentials;
    const { server: facts } = (await answer.json()) as { readonly server: { readonly demo: unknown } };
    assert.deepEqual(facts.demo, { noticeId, domain: 'localhost', slug: tenantSlug });
  });

  test('returns the public address that is set, never the Host of the request', async () => {
    assert.match(
      (await raw('/docs/live/server.json', 'identity', '', 'evil.example')).body.toString(),
      /"baseUrl":null/,
    );
    const environment = { SVC_BASE_URL: 'https://svc.example.com' };
    await using named = await startTestServer('sqlite', environment);
    const { body } = await named.request('GET', '/docs/live/server.json', { key: null });
    assert.deepEqual(body, { server: { baseUrl: 'https://svc.example.com', demo: null } });
  });

  test('learns of a new demo after ten seconds: before, the database is not asked again', async () => {
    await using other = await startTestServer('sqlite');
    const read = async () => {
      const { body } = await other.request('GET', '/docs/live/server.json', { key: null });
      return (body as { readonly server: { readonly demo: object | null } }).server.demo;
    };
    assert.equal(await read(), null);
    const { key } = await other.createTenant('demo');
    const noticeId = await other.createNotice({ key });
    other.clock.advance(9_999);
    assert.equal(await read(), null);
    other.clock.advance(1);
    assert.deepEqual(await read(), { noticeId, domain: 'example.com', slug: 'demo' });
  });

  function raw(path: string, encoding: string, known = '', host = '') {
    return new Promise<{
      status: number | undefined;
      encoding: string | undefined;
      tag: string | undefined;
      body: Buffer;
    }>((resolve, reject) => {
      const { port } = new URL(server.url);
      const sent = request(
        {
          host: '127.0.0.1',
          port,
          path,
          headers: {
            'Accept-Encoding': encoding,
            ...(known !== '' && { 'If-None-Match': known }),
            ...(host !== '' && { Host: host }),
          },
        },
        async (answer) => {
          const chunks: Buffer[] = [];
          for await (const chunk of answer) chunks.push(chunk);
          const { 'content-encoding': used, etag } = answer.headers;
          resolve({ status: answer.statusCode, encoding: used, tag: etag, body: Buffer.concat(chunks) });
        },
      );
      sent.on('error', reject).end();
    });
  }
});
