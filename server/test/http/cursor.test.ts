import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { Problem } from '../../http/problem.ts';
import { readCursor, writeCursor } from '../../http/route.ts';
import { describeOnEachDatabase, startTestServer, type TestServer } from '../harness.ts';
import { assertProblem } from './problems.ts';
import { acceptedCredentials, fillPath } from './route-samples.ts';
import { Scene } from './scene.ts';

const list = fc.array(fc.option(fc.string({ unit: 'grapheme' }), { nil: undefined }), { maxLength: 6 });
const text = fc.string({ unit: 'grapheme' }).filter((position) => !position.includes('\0'));
const refused = (error: unknown) => error instanceof Problem && error.code === 'invalid_cursor';

describe('a cursor', () => {
  test('decodes to its position', () => {
    fc.assert(
      fc.property(list, text, fc.maxSafeInteger(), (names, name, number) => {
        assert.equal(readCursor(names, writeCursor(names, name), 'string'), name);
        assert.equal(readCursor(names, writeCursor(names, number), 'number'), number);
      }),
    );
  });

  test('needs no encoding in an address', () => {
    fc.assert(fc.property(list, text, (names, name) => assert.match(writeCursor(names, name), /^[\w-]+$/)));
  });

  test('is rejected by another list, and for another kind of position', () => {
    fc.assert(
      fc.property(list, list, fc.nat(), (one, other, position) => {
        fc.pre(JSON.stringify(one) !== JSON.stringify(other));
        const cursor = writeCursor(one, position);
        assert.throws(() => readCursor(other, cursor, 'number'), refused);
        assert.throws(() => readCursor(one, cursor, 'string'), refused);
        assert.throws(() => readCursor(one, writeCursor(one, String(position)), 'number'), refused);
      }),
    );
  });

  test('is rejected if it is forged', () => {
    const forged = fc.json().map((json) => Buffer.from(json).toString('base64url'));
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.string({ unit: 'binary' }), forged), (cursor) => {
        assert.throws(() => readCursor(['list'], cursor, 'number'), refused);
        assert.throws(() => readCursor(['list'], cursor, 'string'), refused);
      }),
      { numRuns: 500 },
    );
  });

  test('is rejected with characters that decoding would skip', () => {
    const cursor = writeCursor(['list'], 1);
    for (const changed of [`${cursor}\0`, ` ${cursor}`, `${cursor}=`, `${cursor}!`])
      assert.throws(() => readCursor(['list'], changed, 'number'), refused);
  });

  test('is rejected if it is longer than that of any list', () => {
    const longest = '\u0001'.repeat(256);
    assert.equal(readCursor(['list'], writeCursor(['list'], longest), 'string'), longest);
    assert.throws(() => readCursor(['list'], writeCursor(['list'], 'a'.repeat(4096)), 'string'), refused);
  });

  test('is rejected with a position that no list has', () => {
    const bind = (position: unknown) => {
      const [, binding] = JSON.parse(Buffer.from(writeCursor(['list'], 1), 'base64url').toString());
      return Buffer.from(JSON.stringify([position, binding])).toString('base64url');
    };
    assert.equal(readCursor(['list'], bind(2), 'number'), 2);
    for (const position of [1.5, 2 ** 53, null, true, [1], {}, '1']) {
      assert.throws(() => readCursor(['list'], bind(position), 'number'), refused);
    }
    for (const position of [1, null, [], 'a\0b', '\ud800']) {
      assert.throws(() => readCursor(['list'], bind(position), 'string'), refused);
    }
  });
});

describeOnEachDatabase('every operation with a cursor', (dialect) => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer(dialect);
  });
  after(() => server[Symbol.asyncDispose]());

  test('rejects a cursor of another operation, and an invalid limit', async (context) => {
    const notice = await server.createNotice();
    await server.createNotice();
    for (const subjectId of ['one', 'two']) {
      await server.request('POST', `/v1/consent/${notice}/records`, {
        headers: { 'Idempotency-Key': `record-of-${subjectId}` },
        body: { subjectId, purposes: { analytics: true } },
      });
    }
    const notices = await server.request('GET', '/v1/consent?limit=1');
    const foreign = notices.body.data.page.nextCursor;
    const scene = new Scene(server, server.tenant);
    const lists = server.app.routes.filter(({ query }) => query !== null && 'cursor' in query.shape);
    assert.ok(lists.length >= 4);
    const named = await scene.notice();
    for (const route of lists) {
      const filled = await fillPath(route, scene);
      // One path is for notices and for subjects, and only those of subjects have pages.
      const path = filled === `/v1/consent/${named}` ? '/v1/consent/one' : filled;
      const credentials = await acceptedCredentials(route, scene);
      await context.test(path, async () => {
        const wrong = [
          '',
          '%00',
          '%',
          '%zz',
          '%ff',
          `${foreign}%00`,
          'A'.repeat(1025),
          'AAAA',
          'null',
          '%5B1%5D',
          'WzEsMl0',
          `${foreign}x`.slice(2),
        ];
        if (path !== '/v1/consent') wrong.push(foreign);
        for (const cursor of wrong) {
          assertProblem(await server.request('GET', `${path}?cursor=${cursor}`, credentials), 'invalid_cursor');
        }
        for (const limit of ['0', '100001', 'all'])
          assertProblem(await server.request('GET', `${path}?limit=${limit}`, credentials), 'validation_failed');
      });
    }
    assertProblem(await server.request('GET', `/v1/consent?status=draft&cursor=${foreign}`), 'invalid_cursor');
  });
});
