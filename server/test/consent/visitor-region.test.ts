import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sendRaw } from '../http/raw-socket.ts';
import { describeServer, payload } from './helpers.ts';

const proxied = { 'X-Forwarded-For': '203.0.113.7' };

describeServer(
  'the region of a visitor',
  (server) => {
    const read = async (headers: Readonly<Record<string, string>>) => {
      const notice = await server.createNotice();
      const answer = await server.request('GET', `/v1/public/consent/${notice}`, { key: null, headers });
      payload(answer, 200);
      assert.equal(answer.headers.get('vary'), 'x-country, x-subdivision, Accept-Encoding');
      return answer.headers.get('svc-region');
    };

    test('is what the trusted proxy writes, in upper case', async () => {
      assert.equal(await read({ ...proxied, 'X-Country': 'US', 'X-Subdivision': 'CA' }), 'US-CA');
      assert.equal(await read({ ...proxied, 'X-Country': 'gb', 'X-Subdivision': 'eng' }), 'GB-ENG');
      assert.equal(await read({ ...proxied, 'X-Country': 'US-CA' }), 'US-CA');
      assert.equal(await read({ ...proxied, 'X-Country': 'DE' }), 'DE');
      assert.equal(await read({ ...proxied, 'X-Country': 'DE', 'X-Subdivision': '' }), 'DE');
      assert.equal(await read({ ...proxied, 'X-Country': 'DE', 'X-Subdivision': 'Bavaria' }), 'DE');
    });

    test('is unknown for anything that is no region', async () => {
      const values = ['', 'XX', 'T1', 'EU', 'UK', 'DEU', 'D', 'DE_BY', 'DE, US', 'x'.repeat(8000), '<b>', '%44%45'];
      for (const country of values) assert.equal(await read({ ...proxied, 'X-Country': country }), null, country);
      assert.equal(await read({ ...proxied, 'X-Subdivision': 'CA' }), null);
      assert.equal(await read(proxied), null);
    });

    test('is unknown without an address from the proxy: then a client may have written the header', async () => {
      assert.equal(await read({ 'X-Country': 'US' }), null);
      assert.equal(await read({ 'X-Forwarded-For': 'unknown', 'X-Country': 'US' }), null);
    });

    test('is unknown if the header comes twice', async () => {
      const notice = await server.createNotice();
      const head = `GET /v1/public/consent/${notice} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n`;
      const ask = async (headers: string) => {
        const [answer] = await sendRaw(server, `${head}X-Forwarded-For: 203.0.113.7\r\n${headers}\r\n`);
        assert.equal(answer?.status, 200);
        return answer.headers.get('svc-region');
      };
      assert.equal(await ask('X-Country: US\r\n'), 'US');
      assert.equal(await ask('X-Country: US\r\nX-Country: US\r\n'), null);
    });

    test('comes with a 304, too, and pages may read it', async () => {
      const notice = await server.createNotice();
      const path = `/v1/public/consent/${notice}`;
      const first = await server.request('GET', path, { key: null });
      const headers = {
        ...proxied,
        'X-Country': 'CA',
        'If-None-Match': first.headers.get('etag') as string,
        'Cache-Control': 'max-age=0',
      };
      const again = await server.request('GET', path, { key: null, headers });
      assert.deepEqual([again.status, again.headers.get('svc-region')], [304, 'CA']);
      assert.equal(again.headers.get('vary'), 'x-country, x-subdivision, Accept-Encoding');
      assert.match(again.headers.get('access-control-expose-headers') ?? '', /(?:^|, )Svc-Region(?:,|$)/);
    });

    test('does not change the bytes of the notice', async () => {
      const notice = await server.createNotice();
      const texts = await Promise.all(
        ['US', 'DE', ''].map(async (country) => {
          const headers = { ...proxied, 'X-Country': country };
          const answer = await server.request('GET', `/v1/public/consent/${notice}`, { key: null, headers });
          return `${answer.headers.get('etag')} ${answer.text}`;
        }),
      );
      assert.equal(new Set(texts).size, 1);
    });
  },
  { SVC_TRUSTED_PROXIES: '1', SVC_REGION_HEADER: 'X-Country, X-Subdivision' },
);

describeServer(
  'the region of a visitor behind two proxies',
  (server) => {
    test('needs the addresses of both', async () => {
      const notice = await server.createNotice();
      const read = async (forwarded: string) => {
        const headers = { 'X-Forwarded-For': forwarded, 'CF-IPCountry': 'US' };
        const answer = await server.request('GET', `/v1/public/consent/${notice}`, { key: null, headers });
        return answer.headers.get('svc-region');
      };
      assert.deepEqual([await read('203.0.113.7, 10.0.0.2'), await read('10.0.0.2')], ['US', null]);
    });
  },
  { SVC_TRUSTED_PROXIES: '2', SVC_REGION_HEADER: 'CF-IPCountry' },
);

describeServer('the region of a visitor without the setting', (server) => {
  test('is unknown, whatever a request says', async () => {
    const notice = await server.createNotice();
    const headers = { ...proxied, 'CF-IPCountry': 'US', 'Svc-Region': 'US' };
    const answer = await server.request('GET', `/v1/public/consent/${notice}`, { key: null, headers });
    assert.deepEqual([answer.headers.get('svc-region'), answer.headers.get('vary')], [null, 'Accept-Encoding']);
  });
});
