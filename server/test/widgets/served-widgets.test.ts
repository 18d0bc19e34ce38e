import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { get } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { readWidget } from '../../widgets/widget.ts';
import { startTestServer, type TestServer } from '../harness.ts';
import { assertProblem } from '../http/problems.ts';
import { requestText, sendRaw } from '../http/raw-socket.ts';

describe('the widgets', () => {
  let server: TestServer;
  const widget = readWidget('consent-banner');
  assert.ok(widget, 'the banner is not built: npm run build');
  const folder = `/widgets/svc-consent/${widget.version}`;
  const script = `${folder}/svc-consent.js`;
  before(async () => {
    server = await startTestServer();
  });
  after(() => server[Symbol.asyncDispose]());

  /** The bytes as they are sent; fetch would decode them. */
  async function receive(path: string, encodings?: string) {
    const headers = encodings === undefined ? {} : { 'Accept-Encoding': encodings };
    const response = await new Promise<import('node:http').IncomingMessage>((resolve, reject) => {
      get(server.url + path, { headers }, resolve).on('error', reject);
    });
    return { headers: response.headers, status: response.statusCode, bytes: await buffer(response) };
  }

  test('are the same bytes forever, for pages of any origin', async () => {
    const { headers, status } = await receive(script);
    assert.equal(status, 200);
    assert.equal(headers['cache-control'], 'public, max-age=31536000, immutable');
    assert.equal(headers['access-control-allow-origin'], '*');
    assert.equal(headers['cross-origin-resource-policy'], 'cross-origin');
    assert.equal(headers['content-type'], 'text/javascript; charset=utf-8');
    assert.equal(headers['x-content-type-options'], 'nosniff');
  });

  test('come in the encoding that the client takes, and are the same in each', async () => {
    const plain = await receive(script);
    const decoders = { br: brotliDecompressSync, gzip: gunzipSync, identity: (bytes: Buffer) => bytes };
    for (const [encoding, decode] of Object.entries(decoders)) {
      const { headers, bytes } = await receive(script, encoding);
      assert.equal(headers['content-encoding'], encoding === 'identity' ? undefined : encoding);
      assert.match(headers.vary ?? '', /Accept-Encoding/i);
      assert.equal(Number(headers['content-length']), bytes.length);
      assert.ok(decode(bytes).equals(plain.bytes));
      assert.equal(bytes.length < plain.bytes.length, encoding !== 'identity');
    }
    assert.equal((await receive(script, 'gzip, deflate, br')).headers['content-encoding'], 'br');
    for (const none of [undefined, '', 'zstd', 'br;q=0, gzip;q=0']) {
      assert.equal((await receive(script, none)).headers['content-encoding'], undefined);
    }
  });

  test('match the integrity that is published beside them', async () => {
    const { bytes } = await receive(script);
    const manifest = (await server.request('GET', `${folder}/integrity.json`, { key: null })).body;
    assert.equal(manifest.integrity, `sha384-${hash('sha384', bytes, 'base64')}`);
    assert.equal(manifest.bytes, bytes.length);
    assert.equal(manifest.file, 'svc-consent.js');
    assert.equal(manifest.version, widget.version);
  });

  test('may be asked about without the bytes', async () => {
    const head = await server.request('HEAD', script, { key: null });
    assert.deepEqual([head.status, head.text], [200, '']);
  });

  test('are found at their very address alone', async () => {
    const paths = [
      '/widgets',
      '/widgets/',
      '/widgets/svc-consent',
      folder,
      `${folder}/`,
      `${script}/`,
      `${script}/x`,
      `${script}%00`,
      `${folder}/index.js`,
      `${folder}/svc-consent.js.map`,
      `${folder}/__proto__`,
      `${folder}/constructor`,
      '/widgets/svc-consent/0.0.0/svc-consent.js',
      '/widgets/svc-consent/latest/svc-consent.js',
      `/widgets/SVC-CONSENT/${widget.version}/svc-consent.js`,
      `/widgets/../package.json`,
      `${folder}/../../../server/package.json`,
      `${folder}/%2e%2e/%2e%2e/package.json`,
      `${folder}/..%2f..%2fpackage.json`,
      `${folder}/..\\..\\package.json`,
      `/widgets/./svc-consent/${widget.version}/svc-consent.js`,
      `/widgets//svc-consent/${widget.version}/svc-consent.js`,
    ];
    for (const path of paths) {
      const [answer] = await sendRaw(server, requestText('GET', path));
      assert.ok(answer, path);
      assertProblem(answer, 'not_found');
      assert.equal(answer.headers.get('cache-control'), 'no-store');
    }
  });

  test('cannot be written', async () => {
    for (const method of ['POST', 'PUT', 'DELETE']) {
      const { status } = await server.request(method, script, { key: null });
      assert.ok(status === 404 || status === 405);
    }
  });
});
