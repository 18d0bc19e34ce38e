import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { assertNothingWritten, assertProblem, describeServer, payload } from './helpers.ts';

describeServer('If-Match on a consent notice', (server) => {
  const send = (method: string, path: string, ifMatch?: string, body?: object, key?: string) =>
    server.request(method, `/v1/consent/${path}`, {
      body,
      headers: {
        ...(ifMatch !== undefined && { 'If-Match': ifMatch }),
        ...(key !== undefined && { 'Idempotency-Key': key }),
      },
    });
  const edit = (id: string, name: string, ifMatch?: string) => send('PATCH', id, ifMatch, { name });
  const tagOf = async (id: string) => (await send('GET', id)).headers.get('etag') as string;

  test('applies an edit of the content that the caller has seen, and answers its new tag', async () => {
    const id = await server.createNotice();
    const tag = await tagOf(id);
    const edited = await edit(id, 'Shop', `"other", ${tag}`);
    assert.equal(payload(edited, 200).name, 'Shop');
    const next = edited.headers.get('etag') as string;
    assert.notEqual(next, tag);
    assert.equal(await tagOf(id), next);
    payload(await edit(id, 'Shop 2', '*'), 200);
  });

  test('rejects an edit, a publication and a deletion after the content was changed', async () => {
    const id = await server.createNotice({ publish: false });
    const tag = await tagOf(id);
    const theirs = (await edit(id, 'Theirs')).headers.get('etag');
    await assertNothingWritten(server, async () => {
      for (const ifMatch of [tag, 'W/"x"', '', `${tag}x`, `W/${tag}`, 'x'.repeat(8000)]) {
        const refused = await edit(id, 'Mine', ifMatch);
        assertProblem(refused, '409 consent_notice_changed');
        assert.equal(refused.headers.get('etag'), theirs);
      }
      assertProblem(await send('POST', `${id}/publish`, tag), '409 consent_notice_changed');
      assertProblem(await send('DELETE', id, tag), '409 consent_notice_changed');
    });
    payload(await send('POST', `${id}/publish`, theirs ?? ''), 200);
  });

  test('keeps its tag while records are captured and versions published', async () => {
    const id = await server.createNotice();
    const tag = await tagOf(id);
    payload(
      await send('POST', `${id}/records`, undefined, { subjectId: 's', purposes: { analytics: true } }, randomUUID()),
    );
    await send('POST', `${id}/archive`);
    assert.equal(await tagOf(id), tag);
    const { headers } = await server.request('GET', `/v1/consent/${id}`, { headers: { 'If-None-Match': tag } });
    assert.equal(headers.get('etag'), tag);
    payload(await server.request('GET', `/v1/consent/${id}`, { headers: { 'If-None-Match': tag } }), 200);
  });

  test('lets a retry of an applied edit through', async () => {
    const id = await server.createNotice();
    const tag = await tagOf(id);
    payload(await edit(id, 'Shop', tag), 200);
    assert.equal(payload(await edit(id, 'Shop', tag), 200).name, 'Shop');
  });

  test('belongs to what an Idempotency-Key stands for', async () => {
    const id = await server.createNotice();
    const key = randomUUID();
    const publish = (ifMatch?: string) => send('POST', `${id}/publish`, ifMatch, undefined, key);
    payload(await publish(await tagOf(id)), 200);
    assertProblem(await publish(), '422 idempotency_key_reused');
    assert.equal((await publish(await tagOf(id))).headers.get('idempotent-replayed'), 'true');
  });
});

describeServer('DELETE /v1/consent/{id}', (server) => {
  const remove = (id: string) => server.request('DELETE', `/v1/consent/${id}`);

  test('deletes a draft, and one that was archived before it was published', async () => {
    const ids = [await server.createNotice({ publish: false }), await server.createNotice({ publish: false })];
    await server.request('POST', `/v1/consent/${ids[1]}/archive`);
    for (const id of ids) {
      const { status, text } = await remove(id);
      assert.deepEqual([status, text], [204, '']);
      assertProblem(await server.request('GET', `/v1/consent/${id}`), '404 not_found');
      assertProblem(await remove(id), '404 not_found');
    }
  });

  test('rejects a notice with a version, archived or not', async () => {
    const id = await server.createNotice();
    await assertNothingWritten(server, async () => assertProblem(await remove(id), '409 consent_notice_versioned'));
    await server.request('POST', `/v1/consent/${id}/archive`);
    await assertNothingWritten(server, async () => assertProblem(await remove(id), '409 consent_notice_versioned'));
  });
});
