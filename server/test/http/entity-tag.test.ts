import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { assertProblem, describeServer, payload } from '../consent/helpers.ts';
import { publishTrust } from '../site/trust/helpers.ts';

/** The forms in which proxies pass a tag on: nginx, Apache, Caddy, Jetty, LiteSpeed, alone and among other tags. */
const forms = (tag: string): readonly string[] => {
  const opaque = tag.slice(1, -1);
  const suffixed = ['-gzip', ';gzip', '--gzip', '-br', '-zstd', ';gz', ';;;', '-gzip-gzip'].map(
    (suffix) => `"${opaque}${suffix}"`,
  );
  const all = [tag, ...suffixed].flatMap((one) => [one, `W/${one}`]);
  return [...all, `"other", W/${tag}`, `W/"other-gzip","${opaque}-gzip" , "more"`, '*'];
};

/** Tags of other content, and invalid ones. */
const others = (tag: string): readonly string[] => {
  const opaque = tag.slice(1, -1);
  return ['"other"', 'W/"other"', `"${opaque}x"`, `"${opaque}-gzipx"`, `"-gzip${opaque}"`, `"${opaque}`, opaque, ''];
};

describeServer('an entity tag that a proxy changed', (server) => {
  test('is still the one of a notice in If-Match', async () => {
    const id = await server.createNotice();
    const path = `/v1/consent/${id}`;
    const tagOf = async () => (await server.request('GET', path)).headers.get('etag') as string;
    for (const [index] of forms('"x"').entries()) {
      const tag = await tagOf();
      const headers = { 'If-Match': forms(tag)[index] as string };
      payload(await server.request('PATCH', path, { headers, body: { name: `Name ${index}` } }), 200);
    }
    const tag = await tagOf();
    for (const ifMatch of others(tag)) {
      const refused = await server.request('PATCH', path, { headers: { 'If-Match': ifMatch }, body: { name: 'No' } });
      assertProblem(refused, '409 consent_notice_changed');
    }
    payload(await server.request('POST', `${path}/publish`, { headers: { 'If-Match': `W/${tag}` } }), 200);
    const draft = await server.createNotice({ publish: false });
    const seen = (await server.request('GET', `/v1/consent/${draft}`)).headers.get('etag');
    const headers = { 'If-Match': `W/${seen}` };
    assert.equal((await server.request('DELETE', `/v1/consent/${draft}`, { headers })).status, 204);
  });

  test('is still the one of the trust center in If-Match', async () => {
    const tagOf = async () => (await server.request('GET', '/v1/trust')).headers.get('etag') as string;
    for (const [index] of forms('"x"').entries()) {
      const headers = { 'If-Match': forms(await tagOf())[index] as string };
      const body = { published: true, headline: `Headline ${index}` };
      payload(await server.request('PUT', '/v1/trust', { headers, body }), 200);
    }
    payload(
      await server.request('PUT', '/v1/trust/draft', { headers: { 'If-Match': `W/${await tagOf()}` }, body: {} }),
      200,
    );
    for (const ifMatch of others(await tagOf()))
      assertProblem(
        await server.request('DELETE', '/v1/trust/draft', { headers: { 'If-Match': ifMatch } }),
        '409 trust_center_changed',
      );
    payload(await server.request('DELETE', '/v1/trust/draft', { headers: { 'If-Match': `W/${await tagOf()}` } }), 200);
  });

  test('leaves a retry with an Idempotency-Key the same request', async () => {
    const id = await server.createNotice();
    const tag = (await server.request('GET', `/v1/consent/${id}`)).headers.get('etag') as string;
    const retryKey = randomUUID();
    const publish = (ifMatch: string) =>
      server.request('POST', `/v1/consent/${id}/publish`, {
        headers: { 'If-Match': ifMatch, 'Idempotency-Key': retryKey },
      });
    payload(await publish(tag), 200);
    assert.equal((await publish(`W/${tag}`)).headers.get('idempotent-replayed'), 'true');
    assertProblem(await publish('"other"'), '422 idempotency_key_reused');
  });

  test('is still the one of each cacheable answer in If-None-Match', async () => {
    const noticeId = await server.createNotice();
    const { slug } = await publishTrust(server, { subprocessors: [] });
    const paths = [
      `/v1/public/consent/${noticeId}`,
      `/v1/public/trust/${slug}/widget`,
      `/trust/${slug}`,
      `/trust/${slug}/subprocessors.atom`,
      '/trust/trust.css',
      '/widgets/index.json',
    ];
    for (const path of paths)
      for (const coding of ['identity', 'br', 'gzip']) {
        const read = (headers = {}, method = 'GET') =>
          server.request(method, path, { key: null, headers: { 'Accept-Encoding': coding, ...headers } });
        // Weak where the answer is compressed each time.
        const tag = (await read()).headers.get('etag')?.replace(/^W\//, '') ?? '';
        assert.match(tag, /^"[^"]+"$/, path);
        for (const known of forms(tag))
          for (const method of ['GET', 'HEAD']) {
            const { status, text, headers } = await read({ 'If-None-Match': known }, method);
            const expected = known.includes(`W/${tag}`) ? `W/${tag}` : tag;
            assert.deepEqual([status, text, headers.get('etag')], [304, '', expected], `${method} ${path} ${known}`);
            const origin = /^\/(?:v1|widgets)\//.test(path) ? '*' : null;
            assert.equal(headers.get('access-control-allow-origin'), origin, path);
          }
        for (const known of others(tag))
          assert.equal((await read({ 'If-None-Match': known })).status, 200, `${path} ${known}`);
      }
  });

  test('of one coding is not that of another', async () => {
    const read = (coding: string, headers = {}) =>
      server.request('GET', '/trust/trust.css', { key: null, headers: { 'Accept-Encoding': coding, ...headers } });
    const tags = await Promise.all(
      ['identity', 'br', 'gzip'].map(async (one) => (await read(one)).headers.get('etag')),
    );
    assert.equal(new Set(tags).size, tags.length);
    for (const tag of tags.slice(0, 2)) assert.equal((await read('gzip', { 'If-None-Match': tag })).status, 200);
  });
});
