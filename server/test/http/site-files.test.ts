import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readWidget, type Widget } from '../../site/widgets/widget.ts';
import { assertProblem, describeServer } from '../consent/helpers.ts';
import { publishTrust } from '../site/trust/helpers.ts';

describeServer('files that browsers and crawlers look for', (server) => {
  const send = (path: string, method = 'GET') => server.request(method, path, { key: null });

  test('are an icon and rules for crawlers, which may be cached', async () => {
    for (const [path, type, content] of [
      ['/favicon.ico', 'image/svg+xml', /^<svg /],
      ['/robots.txt', 'text/plain; charset=utf-8', /^User-agent: \*\n(?:.+\n)*Disallow: \/v1\/\n$/],
    ] as const) {
      const { status, headers, text } = await send(path);
      assert.deepEqual([status, headers.get('content-type')], [200, type]);
      assert.match(text, content);
      assert.match(headers.get('cache-control') ?? '', /^public, max-age=\d+$/);
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

describeServer('what no route object describes', (server) => {
  test('is the same for HEAD without the content, and is there for no other method', async () => {
    const { slug } = await publishTrust(server);
    const { version } = readWidget('consent-banner') as Widget;
    for (const path of [
      ...['/favicon.ico', '/robots.txt', '/v1/openapi.json', '/trust/trust.css'],
      ...['/.well-known/svc-ledger-key', '/.well-known/svc-ledger-key-rotations'],
      ...[`/trust/${slug}`, `/trust/${slug}/subprocessors.atom`, '/widgets/index.json'],
      `/widgets/svc-consent/${version}/svc-consent.js`,
    ]) {
      const send = (method: string, headers = {}) => server.request(method, path, { key: null, headers });
      const [get, head] = [await send('GET'), await send('HEAD')];
      assert.deepEqual([get.status, head.status, head.text], [200, 200, ''], path);
      for (const name of ['etag', 'content-type', 'content-security-policy', 'cache-control'])
        assert.equal(head.headers.get(name), get.headers.get(name), `${path} ${name}`);
      const etag = get.headers.get('etag');
      if (etag !== null) assert.equal((await send('GET', { 'If-None-Match': etag })).status, 304, path);
      for (const method of ['POST', 'PUT', 'DELETE', 'PATCH']) {
        const refused = await send(method);
        assertProblem(refused, '405 method_not_allowed');
        assert.equal(refused.headers.get('allow'), 'GET, HEAD', path);
      }
    }
  });
});
