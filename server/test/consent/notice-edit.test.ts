import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertBodiesRefused, assertNothingWritten, assertProblem, describeServer, payload } from './helpers.ts';

describeServer('PATCH /v1/consent/{id}', (server) => {
  const edit = (id: string, body: unknown, key = server.tenant.key) =>
    server.request('PATCH', `/v1/consent/${id}`, { key, body });
  const read = async (id: string) => payload(await server.request('GET', `/v1/consent/${id}`), 200);

  test('changes only the given fields', async () => {
    const id = await server.createNotice();
    const before = await read(id);
    server.clock.advance(1000);
    const edited = payload(await edit(id, { name: 'Shop', domain: 'SHOP.example.com' }), 200);
    assert.deepEqual(edited, {
      ...before,
      name: 'Shop',
      domain: 'shop.example.com',
      hasUnpublishedChanges: true,
      updatedAt: server.clock.now(),
    });
    assert.deepEqual(await read(id), edited);
  });

  test('leaves the published version unchanged until the next publication', async () => {
    const id = await server.createNotice();
    const readPublic = async () => payload(await server.request('GET', `/v1/public/consent/${id}`, { key: null }), 200);
    const before = await readPublic();
    await edit(id, { name: 'Shop' });
    assert.deepEqual(await readPublic(), before);
    await server.request('POST', `/v1/consent/${id}/publish`);
    assert.deepEqual(await readPublic(), { ...before, name: 'Shop', version: 2 });
  });

  test('reports when the content equals the published one again', async () => {
    const id = await server.createNotice();
    await edit(id, { name: 'Shop' });
    const reverted = payload(await edit(id, { name: 'Website' }), 200);
    assert.equal(reverted.hasUnpublishedChanges, false);
  });

  test('writes nothing without a change', async () => {
    const id = await server.createNotice();
    const before = await read(id);
    server.clock.advance(1000);
    await assertNothingWritten(server, async () => {
      assert.deepEqual(payload(await edit(id, { name: ' Website ', domain: 'EXAMPLE.com' }), 200), before);
    });
  });

  test('keeps an archived notice archived', async () => {
    const id = await server.createNotice();
    await server.request('POST', `/v1/consent/${id}/archive`);
    assert.equal(payload(await edit(id, { name: 'Shop' }), 200).status, 'archived');
  });

  test('rejects bodies without a change, with unknown fields and with invalid values', async () => {
    const id = await server.createNotice();
    await assertBodiesRefused(server, (body) => edit(id, body), [
      [undefined, 'body'],
      [{}, 'body'],
      [[], 'body'],
      [{ status: 'published' }, 'body.status', 'body'],
      [{ name: 'Shop', version: 7 }, 'body.version'],
      [{ name: '' }, 'body.name'],
      [{ name: null }, 'body.name'],
      [{ domain: 'example.com/shop', language: 'en_US' }, 'body.language', 'body.domain'],
      [{ purposes: [] }, 'body.purposes'],
    ]);
  });

  test('rejects an id that is not a UUID', async () => {
    await assertNothingWritten(server, async () => {
      assertProblem(await edit('not-a-uuid', { name: 'Shop' }), '422 validation_failed', ['path.id']);
    });
  });
});
