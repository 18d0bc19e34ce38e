import assert from 'node:assert/strict';
import { once } from 'node:events';
import { get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import Koa from 'koa';
import { pino } from 'pino';
import { releaseWidget } from '../../../../tools/widgets/release.ts';
import { answerRequests } from '../../../http/answer.ts';
import { serveWidgets } from '../../../site/widgets/serve.ts';
import { findBuild, readWidget, readWidgets } from '../../../site/widgets/widget.ts';
import { startTestServer, type TestServer } from '../../harness.ts';
import { assertProblem } from '../../http/problems.ts';
import { requestText, sendRaw } from '../../http/raw-socket.ts';
import { createPlaces, hashFile, writeBuild } from './places.ts';

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
  async function receive(path: string, encodings?: string, known?: string) {
    const headers = {
      ...(encodings !== undefined && { 'Accept-Encoding': encodings }),
      ...(known !== undefined && { 'If-None-Match': known }),
    };
    const response = await new Promise<import('node:http').IncomingMessage>((resolve, reject) => {
      get(server.url + path, { headers }, resolve).on('error', reject);
    });
    return { headers: response.headers, status: response.statusCode, bytes: await buffer(response) };
  }

  test('are for pages of any origin', async () => {
    const { headers, status } = await receive(script);
    assert.equal(status, 200);
    assert.equal(headers['access-control-allow-origin'], '*');
    assert.equal(headers['cross-origin-resource-policy'], 'cross-origin');
    assert.equal(headers['content-type'], 'text/javascript; charset=utf-8');
    assert.equal(headers['x-content-type-options'], 'nosniff');
  });

  test('are sent in an encoding that the client accepts, and decode to the same bytes', async () => {
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

  test('match their published integrity', async () => {
    for (const { name, version, built } of readWidgets()) {
      const at = `/widgets/${name}/${version}`;
      const manifest = (await server.request('GET', `${at}/integrity.json`, { key: null })).body;
      assert.deepEqual([manifest.file, manifest.version], [`${name}.js`, version]);
      for (const { file, bytes, integrity } of built) {
        const { bytes: received, headers } = await receive(`${at}/${file}`);
        assert.deepEqual([received.length, hashFile(received)], [bytes, integrity], file);
        assert.match(
          headers['content-type'] ?? '',
          file.endsWith('.js') ? /^text\/javascript;/ : /^application\/json;/,
        );
      }
      assert.deepEqual([manifest.bytes, manifest.integrity], [built[0]?.bytes, built[0]?.integrity]);
    }
  });

  test('return 304 to a client that has them in that encoding', async () => {
    const { headers, bytes } = await receive(script, 'br');
    const ask = async (tag: string, encodings: string) => {
      const answer = await receive(script, encodings, tag);
      return [answer.status, answer.bytes.length > 0, answer.headers['cache-control']];
    };
    const caching = headers['cache-control'];
    assert.ok(bytes.length > 0);
    assert.deepEqual(await ask(headers.etag ?? '', 'br'), [304, false, caching]);
    assert.deepEqual(await ask(`"other", ${headers.etag}`, 'br'), [304, false, caching]);
    for (const [tag, encodings] of [
      [headers.etag ?? '', 'gzip'],
      [headers.etag ?? '', 'identity'],
      ['"other"', 'br'],
    ] as const)
      assert.deepEqual(await ask(tag, encodings), [200, true, caching]);
  });

  test('are found only at their exact address', async () => {
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
      `${folder}/words`,
      `${folder}/words/`,
      `${folder}/words/xx.json`,
      `${folder}/words/../svc-consent.js`,
      `${folder}/words%2fde.json`,
      '/widgets/index.json/',
      '/widgets/Index.json',
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
});

test('an unreleased version is revalidated at each use, its release never', async () => {
  using places = createPlaces();
  const build = findBuild('consent-banner', places);
  const koa = new Koa().use(answerRequests({ log: pino({ level: 'silent' }), logRequest: () => false }, []));
  const listening = koa.use((ctx, next) => current(ctx, next)).listen(0, '127.0.0.1');
  await once(listening, 'listening');
  using _ = { [Symbol.dispose]: () => listening.close().closeAllConnections() };
  const { port } = listening.address() as AddressInfo;
  let current: Koa.Middleware;
  const receive = async () => {
    current = serveWidgets(null, undefined, places);
    const answers = ['svc-consent.js', 'words/de.json'].map(async (name) => {
      const answer = await fetch(`http://127.0.0.1:${port}/widgets/svc-consent/1.0.0/${name}`);
      return [await answer.text(), answer.headers.get('cache-control')];
    });
    return await Promise.all(answers);
  };
  for (const text of ['one', 'two']) {
    writeBuild(build, '1.0.0', { 'svc-consent.js': text, 'words/de.json': '{}' });
    assert.deepEqual(await receive(), [
      [text, 'no-cache'],
      ['{}', 'no-cache'],
    ]);
  }
  releaseWidget(build, join(places.releases, 'svc-consent'));
  const forever = 'public, max-age=31536000, immutable';
  assert.deepEqual(await receive(), [
    ['two', forever],
    ['{}', forever],
  ]);
});
