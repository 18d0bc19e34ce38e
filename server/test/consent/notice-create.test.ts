import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noticeContent } from '../harness.ts';
import { assertBodiesRefused, describeServer, payload } from './helpers.ts';

const purpose = noticeContent.purposes[1];
const text = (length: number) => 'x'.repeat(length);
const longestDomain = `${text(63)}.${text(63)}.${text(63)}.${text(61)}`;
const longestLanguage = `en-x${'-aaaaaaaa'.repeat(6)}-aaaaa`;
const manyPurposes = (count: number) => Array.from({ length: count }, (_, index) => ({ ...purpose, key: `p${index}` }));

describeServer('POST /v1/consent/notices', (server) => {
  const create = (change: object, key = server.tenant.key) =>
    server.request('POST', '/v1/consent/notices', { key, body: { ...noticeContent, ...change } });

  test('answers with a draft that can be read back', async () => {
    const created = await create({});
    const { id, createdAt, updatedAt, ...rest } = payload(created);
    assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    assert.equal(createdAt, server.clock.now());
    assert.equal(updatedAt, createdAt);
    assert.deepEqual(rest, {
      ...noticeContent,
      status: 'draft',
      version: null,
      hasUnpublishedChanges: true,
      recordCount: 0,
      publishedAt: null,
      archivedAt: null,
      lastSeenAt: null,
      warnings: [],
    });
    assert.equal((await server.request('GET', `/v1/consent/${id}`)).text, created.text);
  });

  test('stores text trimmed, the language and the domain in their canonical form', async () => {
    const notice = payload(await create({ name: '  Site ', language: 'PT-br', domain: ' Bücher.EXAMPLE. ' }));
    assert.deepEqual([notice.name, notice.language, notice.domain], ['Site', 'pt-BR', 'xn--bcher-kva.example']);
  });

  test('takes the shortest and the longest of everything', async () => {
    const changes = [
      { name: 'x', controllerName: 'x', language: 'en', domain: 'a.b', purposes: manyPurposes(1) },
      { name: text(200), controllerName: text(200), language: longestLanguage, domain: longestDomain },
      { purposes: manyPurposes(50) },
      { purposes: [{ key: 'k', label: 'x', description: '', required: false }] },
      { purposes: [{ key: `k${text(63)}`, label: text(200), description: text(2000), required: true }] },
      { purposes: [{ ...purpose, key: 'Az09_.-' }] },
      { domain: 'localhost' },
      { domain: '127.0.0.1' },
    ];
    for (const change of changes) {
      const notice = payload(await create(change));
      assert.deepEqual(notice, { ...notice, ...change });
    }
  });

  test('keeps hostile text as it is', async () => {
    const hostile = [
      "'; drop table consent_notices; --",
      '<script>alert(1)</script>',
      '{{7*7}} #{7*7} %s %00 \\u0000 \\',
      '../../etc/passwd',
      '=1+1\tcmd\r\n"quoted"',
      '\u202eright to left\u2066 \u200d\ufeff 👩‍👩‍👧 \u{10ffff}',
      'null',
    ];
    for (const value of hostile) {
      const purposes = [{ ...purpose, label: value, description: value }];
      const created = await create({ name: value, controllerName: value, purposes });
      const { id, ...notice } = payload(created);
      assert.deepEqual([notice.name, notice.controllerName, notice.purposes], [value, value, purposes]);
      assert.equal((await server.request('GET', `/v1/consent/${id}`)).text, created.text);
    }
  });

  test('refuses what is missing, unknown or of a wrong type, and names it', async () => {
    const { name: _, ...nameless } = noticeContent;
    await assertBodiesRefused(server, (body) => server.request('POST', '/v1/consent/notices', { body }), [
      [undefined, 'body'],
      [null, 'body'],
      [[], 'body'],
      ['text', 'body'],
      [{}, 'body.name', 'body.controllerName', 'body.language', 'body.domain', 'body.purposes'],
      [nameless, 'body.name'],
      [{ ...noticeContent, status: 'published' }, 'body.status'],
      [{ ...noticeContent, id: 'x', tenantId: 'y' }, 'body.id', 'body.tenantId'],
      [{ ...noticeContent, name: 5, controllerName: null }, 'body.name', 'body.controllerName'],
      [{ ...noticeContent, language: ['en'], domain: {} }, 'body.language', 'body.domain'],
      [{ ...noticeContent, purposes: { analytics: purpose } }, 'body.purposes'],
      [{ ...noticeContent, purposes: ['analytics'] }, 'body.purposes.0'],
      [{ ...noticeContent, purposes: [{ ...purpose, vendor: 'x' }] }, 'body.purposes.0.vendor'],
      [{ ...noticeContent, purposes: [{ ...purpose, required: 'true' }] }, 'body.purposes.0.required'],
      [
        { ...noticeContent, purposes: [purpose, { key: 'other' }] },
        'body.purposes.1.label',
        'body.purposes.1.description',
        'body.purposes.1.required',
      ],
    ]);
  });

  test('refuses what is too short or too long', async () => {
    await assertBodiesRefused(server, (body) => create(body as object), [
      [{ name: '' }, 'body.name'],
      [{ name: ' \t\u00a0 ' }, 'body.name'],
      [{ name: text(201), controllerName: text(201) }, 'body.name', 'body.controllerName'],
      [{ controllerName: '' }, 'body.controllerName'],
      [{ language: `${longestLanguage}a` }, 'body.language'],
      [{ domain: '' }, 'body.domain'],
      [{ domain: `${longestDomain}x` }, 'body.domain'],
      [{ domain: `${text(64)}.example` }, 'body.domain'],
      [{ purposes: [] }, 'body.purposes'],
      [{ purposes: manyPurposes(51) }, 'body.purposes'],
      [{ purposes: [{ ...purpose, label: '' }] }, 'body.purposes.0.label'],
      [{ purposes: [{ ...purpose, label: text(201) }] }, 'body.purposes.0.label'],
      [{ purposes: [{ ...purpose, description: text(2001) }] }, 'body.purposes.0.description'],
    ]);
  });

  test('refuses purpose keys that are malformed or used twice', async () => {
    const keys = [
      '',
      '1st',
      '_x',
      '__proto__',
      'a b',
      'a/b',
      'ü',
      'a\n',
      text(65),
      'constructor',
      'toString',
      'valueOf',
    ];
    await assertBodiesRefused(server, (body) => create(body as object), [
      ...keys.map((key) => [{ purposes: [{ ...purpose, key }] }, 'body.purposes.0.key'] as const),
      [{ purposes: [...noticeContent.purposes, purpose] }, 'body.purposes.3.key'],
    ]);
  });

  test('refuses domains that are more or less than a host name', async () => {
    const domains = [
      'https://example.com',
      'example.com:443',
      'example.com/',
      'example.com/shop',
      'example.com?x',
      'example.com#x',
      'example.com\\x',
      'user@example.com',
      '*.example.com',
      '.example.com',
      'example..com',
      'example.com..',
      'exam ple.com',
      'exam\tple.com',
      'exam%70le.com',
      '-example.com',
      'com',
      '[::1]',
      '256.1.1.1',
      '\u200d.com',
      'null',
    ];
    const cases = domains.map((domain) => [{ domain }, 'body.domain'] as const);
    await assertBodiesRefused(server, (body) => create(body as object), cases);
  });

  test('refuses languages that are no language tags', async () => {
    const cases = ['', 'e', 'en_US', 'english language', 'en-', '*', '-'].map(
      (language) => [{ language }, 'body.language'] as const,
    );
    await assertBodiesRefused(server, (body) => create(body as object), cases);
  });
});
