import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem, describeServer } from '../consent/helpers.ts';

describeServer('files that browsers and crawlers look for', (server) => {
  const send = (path: string, method = 'GET', headers = {}) => server.request(method, path, { key: null, headers });

  test('are an icon and rules for crawlers, which may be cached', async () => {
    for (const [path, type, content] of [
      ['/favicon.ico', 'image/svg+xml', /^<svg /],
      ['/robots.txt', 'text/plain; charset=utf-8', /^User-agent: \*\n(?:.+\n)*Disallow: \/v1\/\n$/],
    ] as const) {
      const { status, headers, text } = await send(path);
      assert.deepEqual([status, headers.get('content-type')], [200, type]);
      assert.match(text, content);
      assert.match(headers.get('cache-control') ?? '', /^public, max-age=\d+$/);
      const head = await send(path, 'HEAD');
      assert.deepEqual([head.status, head.text, head.headers.get('content-type')], [200, '', type]);
      const known = await send(path, 'GET', { 'If-None-Match': headers.get('etag') });
      assert.equal(known.status, 304);
      for (const method of ['POST', 'OPTIONS', 'DELETE']) {
        const refused = await send(path, method);
        assertProblem(refused, '405 method_not_allowed');
        assert.equal(refused.headers.get('allow'), 'GET, HEAD');
      }
    }
  });

  test('that do not exist are missing in plain text', async () => {
    for (const path of [
      '/.well-known/security.txt',
      '/.well-known/change-password',
      '/.well-known',
      '/security.txt',
      '/apple-touch-icon.png',
      '/apple-touch-icon-120x120-precomposed.png',
      '/sitemap.xml',
      '/site.webmanifest',
    ])
      for (const method of ['GET', 'HEAD']) {
        const { status, headers, text } = await send(path, method);
        assert.deepEqual([status, headers.get('content-type')], [404, 'text/plain; charset=utf-8'], path);
        assert.equal(text, method === 'GET' ? 'There is no such file.\n' : '');
        assert.match(headers.get('svc-request-id') ?? '', /^[0-9a-f-]{36}$/);
      }
  });

  test('are no files below a path, which has the error envelope', async () => {
    for (const path of ['/nothing', '/nothing/favicon.ico', '/v1/robots.txt', '/favicon.ico/'])
      assertProblem(await send(path), '404 not_found');
  });
});
