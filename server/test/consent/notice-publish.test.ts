import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { test } from 'node:test';
import canonicalize from 'canonicalize';
import { noticeContent } from '../harness.ts';
import {
  assertNothingWritten,
  assertProblem,
  capture,
  createFreshTenant,
  describeServer,
  payload,
  readEvents,
} from './helpers.ts';

describeServer('publishing and archiving a consent notice', (server) => {
  const post = (id: string, move: 'publish' | 'archive', body?: unknown) =>
    server.request('POST', `/v1/consent/${id}/${move}`, { body });
  const edit = (id: string, body: object) => server.request('PATCH', `/v1/consent/${id}`, { body });
  const readVersions = async (id: string) =>
    payload(await server.request('GET', `/v1/consent/${id}/versions`), 200).items;

  test('publishing freezes the content as version 1', async () => {
    const id = await server.createNotice({ publish: false });
    assert.deepEqual(await readVersions(id), []);
    const published = payload(await post(id, 'publish'), 200);
    assert.deepEqual(
      [published.status, published.version, published.hasUnpublishedChanges, published.publishedAt],
      ['published', 1, false, server.clock.now()],
    );
    const contentHash = hash('sha256', canonicalize(noticeContent) as string);
    const publishedAt = server.clock.now();
    const notice = await server.request('GET', `/v1/public/consent/${id}`, { key: null });
    const shown = { en: hash('sha256', notice.text) };
    const version = { version: 1, ...noticeContent, contentHash, asksSince: 1, shown, publishedAt };
    assert.deepEqual(await readVersions(id), [version]);
  });

  test('publishing a change adds a version and leaves the earlier one as it was', async () => {
    const id = await server.createNotice();
    const [first] = await readVersions(id);
    await edit(id, { name: 'Shop' });
    server.clock.advance(1000);
    await post(id, 'publish');
    const [second, ...earlier] = await readVersions(id);
    assert.deepEqual(earlier, [first]);
    assert.deepEqual([second.version, second.name, second.publishedAt], [2, 'Shop', server.clock.now()]);
    assert.notEqual(second.contentHash, first.contentHash);
  });

  test('publishing again without a change writes nothing', async () => {
    const id = await server.createNotice();
    const before = await server.request('GET', `/v1/consent/${id}`);
    server.clock.advance(1000);
    await assertNothingWritten(server, async () => assert.equal((await post(id, 'publish')).text, before.text));
  });

  test('publications at once add one version', async () => {
    const id = await server.createNotice();
    await edit(id, { name: 'Shop' });
    const answers = await Promise.all(Array.from({ length: 10 }, () => post(id, 'publish')));
    assert.deepEqual(new Set(answers.map((answer) => payload(answer, 200).version)), new Set([2]));
    assert.equal((await readVersions(id)).length, 2);
  });

  test('archiving closes the notice and keeps its versions', async () => {
    const id = await server.createNotice();
    const versions = await readVersions(id);
    const archived = payload(await post(id, 'archive'), 200);
    assert.deepEqual([archived.status, archived.version, archived.archivedAt], ['archived', 1, server.clock.now()]);
    assert.deepEqual(await readVersions(id), versions);
    assertProblem(await server.request('GET', `/v1/public/consent/${id}`, { key: null }), '404 not_found');
    assertProblem(await capture(server, id), '409 consent_notice_not_published');
  });

  test('archiving again writes nothing', async () => {
    const id = await server.createNotice();
    const archived = await post(id, 'archive');
    server.clock.advance(1000);
    await assertNothingWritten(server, async () => assert.equal((await post(id, 'archive')).text, archived.text));
  });

  test('an archived notice opens again with the version it had', async () => {
    const id = await server.createNotice();
    await post(id, 'archive');
    const published = payload(await post(id, 'publish'), 200);
    assert.deepEqual([published.status, published.version, published.archivedAt], ['published', 1, null]);
    payload(await capture(server, id));
  });

  test('a draft can be archived, and published later as version 1', async () => {
    const id = await server.createNotice({ publish: false });
    const archived = payload(await post(id, 'archive'), 200);
    assert.deepEqual([archived.status, archived.version, archived.publishedAt], ['archived', null, null]);
    assert.equal(payload(await post(id, 'publish'), 200).version, 1);
  });

  test('each move appends one audit event', async () => {
    const tenant = await createFreshTenant(server);
    const id = await server.createNotice({ key: tenant.key });
    await server.request('POST', `/v1/consent/${id}/archive`, { key: tenant.key });
    const events = await readEvents(server, tenant);
    assert.deepEqual(
      events.map(({ action, targetId, diff }) => [action, targetId, diff.status]),
      [
        ['consent_notice.created', id, undefined],
        ['consent_notice.published', id, { before: 'draft', after: 'published' }],
        ['consent_notice.archived', id, { before: 'published', after: 'archived' }],
      ],
    );
  });

  test('captures that race with archiving are recorded or refused, and counted', async () => {
    const id = await server.createNotice();
    const captures = Array.from({ length: 30 }, () => capture(server, id));
    const [archived, ...answers] = await Promise.all([post(id, 'archive'), ...captures]);
    assert.equal(archived.status, 200);
    const taken = answers.filter(({ status }) => status === 201);
    for (const refused of answers.filter(({ status }) => status !== 201))
      assertProblem(refused, '409 consent_notice_not_published');
    assert.equal(payload(await server.request('GET', `/v1/consent/${id}`), 200).recordCount, taken.length);
  });

  for (const move of ['publish', 'archive'] as const) {
    test(`${move} takes no other fields, and only known notices`, async () => {
      const id = await server.createNotice({ publish: false });
      await assertNothingWritten(server, async () => {
        const path = move === 'publish' ? 'body.name' : 'body';
        assertProblem(await post(id, move, { name: 'Shop' }), '422 validation_failed', [path]);
        assertProblem(await post('not-a-uuid', move), '422 validation_failed', ['path.id']);
      });
      payload(await post(id, move, {}), 200);
    });
  }
});
