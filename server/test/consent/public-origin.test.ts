import assert from 'node:assert/strict';
import { test } from 'node:test';
import { allGranted, assertNothingWritten, assertProblem, describeServer, payload, visit } from './helpers.ts';

describeServer('the origin of a public capture', (server) => {
  const visitFrom = (notice: string, origin: string) => visit(server, notice, {}, { Origin: origin });

  test('may be the site of the notice or a subdomain, with any port, http or https', async () => {
    const notice = await server.createNotice();
    const origins = [
      'https://example.com',
      'http://example.com',
      'https://www.example.com',
      'https://a.b.c.example.com',
      'https://my_shop.example.com',
      'https://xn--bcher-kva.example.com',
      'https://example.com:8443',
      'http://www.example.com:8080',
    ];
    for (const origin of origins) payload(await visitFrom(notice, origin));
  });

  test('is rejected if it is anything else', async () => {
    const notice = await server.createNotice();
    const origins = [
      'null',
      '',
      'https://example.com.evil.test',
      'https://notexample.com',
      'https://not-example.com',
      'https://example.org',
      'https://com',
      'https://evil.test',
      'https://evil.test/example.com',
      'https://evil.test?.example.com',
      'https://evil.test#.example.com',
      'https://example.com@evil.test',
      'https://EXAMPLE.com',
      'HTTPS://example.com',
      'https://example.com.',
      'https://example.com/',
      'https://example.com:',
      'https://example.com:port',
      'https://example.com https://evil.test',
      'https://evil.test, https://example.com',
      'https://93.184.215.14',
      'https://[::1]',
      'example.com',
      'file://',
      'file://example.com',
      'ftp://example.com',
      'ws://example.com',
      'chrome-extension://example.com',
      'moz-extension://9cf7b3b0-example.com',
      'capacitor://example.com',
      'app://www.example.com',
    ];
    await assertNothingWritten(server, async () => {
      for (const origin of origins) {
        const refused = await visitFrom(notice, origin);
        assertProblem(refused, '403 consent_origin_not_allowed');
        assert.equal(refused.headers.get('access-control-allow-origin'), '*');
      }
    });
  });

  test('is required', async () => {
    const notice = await server.createNotice();
    const body = { subjectId: 'visitor-1', purposes: allGranted };
    await assertNothingWritten(server, async () => {
      const path = `/v1/public/consent/${notice}/records`;
      const headers = { Referer: 'https://example.com/', Host: 'example.com' };
      assertProblem(await server.request('POST', path, { key: null, body, headers }), '403 consent_origin_not_allowed');
      // A key of the tenant does not make a visitor.
      assertProblem(await server.request('POST', path, { body }), '403 consent_origin_not_allowed');
    });
  });

  test('of an international site is its ASCII form', async () => {
    const notice = await server.createNotice({ content: { domain: 'Bücher.example' } });
    payload(await visitFrom(notice, 'https://www.xn--bcher-kva.example'));
    await assertNothingWritten(server, async () => {
      assertProblem(await visitFrom(notice, 'https://bucher.example'), '403 consent_origin_not_allowed');
    });
  });

  test('of an address is only that address', async () => {
    const notice = await server.createNotice({ content: { domain: '127.0.0.1' } });
    payload(await visitFrom(notice, 'http://127.0.0.1:3000'));
    await assertNothingWritten(server, async () => {
      assertProblem(await visitFrom(notice, 'http://x.127.0.0.1'), '403 consent_origin_not_allowed');
    });
  });

  test('is compared with the published site, not with the edited one', async () => {
    const notice = await server.createNotice();
    await server.request('PATCH', `/v1/consent/${notice}`, { body: { domain: 'moved.example' } });
    payload(await visitFrom(notice, 'https://example.com'));
    assertProblem(await visitFrom(notice, 'https://moved.example'), '403 consent_origin_not_allowed');
    await server.request('POST', `/v1/consent/${notice}/publish`);
    payload(await visitFrom(notice, 'https://moved.example'));
    assertProblem(await visitFrom(notice, 'https://example.com'), '403 consent_origin_not_allowed');
  });

  test('is checked before anything about the notice is revealed', async () => {
    const draft = await server.createNotice({ publish: false });
    assertProblem(await visitFrom(draft, 'https://evil.test'), '403 consent_origin_not_allowed');
  });
});
