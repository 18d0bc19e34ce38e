import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, request as send } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describeServer } from '../consent/helpers.ts';
import { noticeContent } from '../harness.ts';

const decoders: Readonly<Record<string, (bytes: Buffer) => Buffer>> = { br: brotliDecompressSync, gzip: gunzipSync };

describeServer('an answer', (server) => {
  const json = { 'Accept-Encoding': 'gzip', 'Content-Type': 'application/json' };

  /** An answer with its bytes on the wire, which `fetch` would decode, and their content. */
  async function ask(
    path: string,
    headers: Readonly<Record<string, string>> = {},
    { method = 'GET', body }: { readonly method?: string; readonly body?: object } = {},
  ) {
    const authorization = { Authorization: `Bearer ${server.tenant.key}` };
    const request = send(`${server.url}${path}`, { method, headers: { ...authorization, ...headers } });
    request.end(body && JSON.stringify(body));
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    const bytes = await buffer(response);
    const coding = response.headers['content-encoding'];
    const text = method === 'HEAD' || coding === undefined ? bytes : decoders[coding]?.(bytes);
    return { status: response.statusCode, headers: response.headers, coding, size: bytes.length, text: String(text) };
  }

  test('of 1 kB or more is compressed as the client prefers of what it accepts', async () => {
    for (let count = 0; count < 8; count += 1) await server.createNotice();
    const path = '/v1/consent';
    const plain = await ask(path);
    assert.deepEqual([plain.status, plain.coding], [200, undefined]);
    for (const [accepted, coding] of [
      ['gzip, deflate, br, zstd', 'br'],
      ['gzip, deflate', 'gzip'],
      ['GZIP', 'gzip'],
      ['br;q=0, gzip', 'gzip'],
      ['*', 'br'],
      ['identity', undefined],
      ['gzip;q=0', undefined],
      ['deflate', undefined],
      ['', undefined],
      [`${'x,'.repeat(2000)}`, undefined],
    ] as const) {
      const answer = await ask(path, { 'Accept-Encoding': accepted });
      assert.equal(answer.coding, coding, accepted);
      assert.equal(answer.text, plain.text, accepted);
      if (coding !== undefined) assert.ok(answer.size < plain.size / 4, `${answer.size} of ${plain.size} bytes`);
      assert.equal(answer.headers['content-length'], String(answer.size));
    }
    const small = await ask('/v1/tenant', { 'Accept-Encoding': 'gzip' });
    assert.deepEqual([small.status, small.coding], [200, undefined]);
  });

  test('to HEAD has the headers of GET', async () => {
    const headers = { 'Accept-Encoding': 'br' };
    const { headers: sent } = await ask('/v1/consent', headers);
    const head = await ask('/v1/consent', headers, { method: 'HEAD' });
    for (const name of ['content-encoding', 'content-length', 'content-type'] as const)
      assert.equal(head.headers[name], sent[name], name);
    assert.equal(head.size, 0);
  });

  test('that caches may keep varies, and has a weak tag that is still known', async () => {
    const purposes = noticeContent.purposes.map((one) => ({ ...one, description: 'Long. '.repeat(100) }));
    const id = await server.createNotice({ content: { purposes } });
    const path = `/v1/public/consent/${id}`;
    const plain = await ask(path);
    assert.deepEqual([plain.headers.vary, plain.coding], ['Accept-Encoding', undefined]);
    const compressed = await ask(path, { 'Accept-Encoding': 'gzip' });
    assert.deepEqual([compressed.headers.vary, compressed.coding], ['Accept-Encoding', 'gzip']);
    assert.equal(compressed.headers.etag, `W/${plain.headers.etag}`);
    assert.equal(compressed.text, plain.text);
    for (const tag of [plain.headers.etag as string, compressed.headers.etag as string]) {
      const unchanged = await ask(path, { 'Accept-Encoding': 'gzip', 'If-None-Match': tag });
      const { vary, etag } = unchanged.headers;
      assert.deepEqual([unchanged.status, vary, etag, unchanged.size], [304, 'Accept-Encoding', tag, 0]);
    }
    const edited = await ask(`/v1/consent/${id}`, { 'Accept-Encoding': 'br' });
    assert.match(edited.headers.etag as string, /^W\/"/);
    const named = await server.request('PATCH', `/v1/consent/${id}`, {
      headers: { 'If-Match': edited.headers.etag as string },
      body: { name: 'Named' },
    });
    assert.equal(named.status, 200);
  });

  test('that is sent while it is made is compressed', async () => {
    const exported = '/v1/ledgers/audit/export';
    await ask('/v1/ledgers/audit/checkpoints', {}, { method: 'POST' });
    const plain = await ask(exported);
    const compressed = await ask(exported, { 'Accept-Encoding': 'gzip' });
    assert.deepEqual([compressed.status, compressed.coding], [200, 'gzip']);
    // Reading an export is audited: the second has one entry more.
    assert.ok(compressed.text.startsWith(plain.text.slice(0, plain.text.indexOf('\n'))));
    assert.ok(compressed.size < plain.size / 2);
  });

  test('with a secret is not compressed', async () => {
    const body = { url: `https://example.com/${'x'.repeat(1500)}`, eventTypes: ['consent.recorded'] };
    const created = await ask('/v1/webhooks', json, { method: 'POST', body });
    assert.deepEqual([created.status, created.coding], [201, undefined], created.text);
    assert.ok(created.size > 1024, `${created.size} bytes`);
    const { session } = await server.createMember();
    const me = await ask('/v1/me', { ...session, 'Accept-Encoding': 'gzip', Authorization: '' });
    assert.deepEqual([me.status, me.coding], [200, undefined], me.text);
    assert.ok(me.size > 1024, `${me.size} bytes`);
  });

  test('that is an error is compressed', async () => {
    const body = { ...noticeContent, purposes: Array.from({ length: 20 }, () => ({ unknown: 1 })) };
    const refused = await ask('/v1/consent/notices', json, { method: 'POST', body });
    assert.deepEqual([refused.status, refused.coding], [422, 'gzip']);
    assert.ok(JSON.parse(refused.text).error.details.length > 10);
  });

  test('of the API document is compressed, and 304 when it has not changed', async () => {
    const first = await ask('/v1/openapi.json', { 'Accept-Encoding': 'br' });
    assert.deepEqual([first.status, first.coding], [200, 'br']);
    assert.ok(first.size < 150_000, `${first.size} bytes`);
    const again = await ask('/v1/openapi.json', { 'Accept-Encoding': 'br', 'If-None-Match': first.headers.etag ?? '' });
    assert.deepEqual([again.status, again.size], [304, 0]);
  });
});
