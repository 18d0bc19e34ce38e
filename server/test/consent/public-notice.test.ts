import assert from 'node:assert/strict';
import { test } from 'node:test';
import english from '../../consent/messages/en.json' with { type: 'json' };
import { noticeContent, type RequestOptions } from '../harness.ts';
import { assertProblem, describeServer, payload, unknownId } from './helpers.ts';

describeServer('GET /v1/public/consent/{noticeId}', (server) => {
  const read = (notice: string, options: RequestOptions = {}) =>
    server.request('GET', `/v1/public/consent/${notice}`, { key: null, ...options });

  test('returns the public fields, and its version', async () => {
    const id = await server.createNotice();
    const notice = payload(await read(id), 200);
    const { texts, ...others } = notice;
    assert.deepEqual(others, { id, ...noticeContent, version: 1, asksSince: 1, languages: [] });
    const { others: _, ...sent } = english;
    assert.deepEqual(texts, { ...sent, intro: texts.intro, panelIntro: texts.panelIntro });
  });

  test('accepts the id in any case', async () => {
    const id = await server.createNotice();
    assert.equal((await read(id.toUpperCase())).text, (await read(id)).text);
  });

  test('needs no credentials and ignores them', async () => {
    const id = await server.createNotice();
    payload(await read(id, { key: 'svc_live_wrong' }), 200);
    const headers = { 'Svc-Tenant': 'unknown', Cookie: 'a=b', Origin: 'https://anywhere.test' };
    payload(await read(id, { headers }), 200);
  });

  test('returns 404 for an unknown, unpublished or invalid id', async () => {
    const draft = await server.createNotice({ publish: false });
    const archived = await server.createNotice();
    payload(await read(archived), 200);
    await server.request('POST', `/v1/consent/${archived}/archive`);
    for (const id of [
      draft,
      archived,
      unknownId,
      'not-a-uuid',
      '1',
      "'%20or%201=1--",
      '%F0%9F%92%A5',
      'x'.repeat(5000),
      'a%00b',
    ]) {
      assertProblem(await read(id), '404 not_found');
    }
  });

  test('returns the newest version after each publication', async () => {
    const id = await server.createNotice();
    for (const [number, name] of ['One', 'Two', 'Three'].entries()) {
      payload(await read(id), 200);
      await server.request('PATCH', `/v1/consent/${id}`, { body: { name } });
      await server.request('POST', `/v1/consent/${id}/publish`);
      const notice = payload(await read(id), 200);
      assert.deepEqual([notice.name, notice.version], [name, number + 2]);
    }
  });

  test('has an ETag that changes with the version', async () => {
    const id = await server.createNotice();
    const first = await read(id);
    // Weak, because the answer is compressed.
    const [weak = '', etag = ''] = /^W\/("[^"]+")$/.exec(first.headers.get('etag') ?? '') ?? [];
    assert.equal(first.headers.get('cache-control'), 'no-cache');
    // As a browser revalidates its cache; without an explicit Cache-Control, fetch would request a full response.
    const readAgain = (value: string) =>
      read(id, { headers: { 'If-None-Match': value, 'Cache-Control': 'max-age=0' } });
    for (const [value, tag] of [
      [etag, etag],
      [weak, weak],
      [`"other", ${etag}`, etag],
    ] as const) {
      const again = await readAgain(value);
      assert.deepEqual([again.status, again.text, again.headers.get('etag')], [304, '', tag]);
      assert.equal(again.headers.get('access-control-allow-origin'), '*');
    }
    payload(await readAgain('"other"'), 200);
    await server.request('PATCH', `/v1/consent/${id}`, { body: { name: 'Shop' } });
    await server.request('POST', `/v1/consent/${id}/publish`);
    const next = await readAgain(etag);
    assert.equal(payload(next, 200).version, 2);
    assert.notEqual(next.headers.get('etag'), weak);
  });

  test('answers HEAD with only the headers of GET', async () => {
    const id = await server.createNotice();
    const get = await read(id);
    const head = await server.request('HEAD', `/v1/public/consent/${id}`, { key: null });
    assert.deepEqual([head.status, head.text], [200, '']);
    for (const name of ['etag', 'content-type', 'content-length', 'access-control-allow-origin']) {
      assert.equal(head.headers.get(name), get.headers.get(name), name);
    }
    assert.equal((await server.request('HEAD', `/v1/public/consent/${unknownId}`, { key: null })).status, 404);
  });
});
