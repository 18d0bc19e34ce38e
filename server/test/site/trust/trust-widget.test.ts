import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeServer } from '../../consent/helpers.ts';
import { assertProblem } from '../../http/problems.ts';
import { publishTrust, putTrust, readPage, readWidget, trustCenter } from './helpers.ts';

const minute = 60_000;

describeServer('GET /v1/public/trust/{slug}/widget', (server) => {
  const framework = (code: string, expiresAt: string | null = null) => ({
    code,
    achievedAt: '2026-03-01T00:00:00Z',
    expiresAt,
  });

  test('gives exactly what the interface names', async () => {
    const { slug } = await publishTrust(server);
    const response = await readWidget(server, slug);
    assert.equal(response.status, 200);
    assert.deepEqual(response.body, {
      data: { name: slug, slug, achievedFrameworks: ['GDPR', 'SOC 2'], updatedAt: server.clock.now() },
    });
  });

  test('names the frameworks as people do, in the order of the catalogue', async () => {
    const frameworks = ['SOC2', 'NISTCSF', 'NDPA', 'ISO27001', 'GDPR', 'CCPA'].map((code) => framework(code));
    const { slug } = await publishTrust(server, { frameworks });
    assert.deepEqual((await readWidget(server, slug)).body.data.achievedFrameworks, [
      'CCPA/CPRA',
      'GDPR',
      'ISO/IEC 27001:2022',
      'NDPA 2023',
      'NIST CSF 2.0',
      'SOC 2',
    ]);
  });

  test('has the words of the badge in the language that is asked for, else in the nearest', async () => {
    const { slug } = await publishTrust(server);
    const read = async (query: string) => (await readWidget(server, slug, query)).body.data.words;
    assert.deepEqual(await read('?language=de'), {
      language: 'de',
      direction: 'ltr',
      trustCenter: 'Trust Center',
      view: 'Trust Center ansehen',
      updated: 'Aktualisiert ',
      updatedOn: 'Aktualisiert am ',
      poweredBy: 'Betrieben mit Svc',
      close: 'Schließen',
    });
    for (const [asked, language, direction] of [
      ['de-CH-1996', 'de', 'ltr'],
      ['PT-br', 'pt', 'ltr'],
      ['ar-EG', 'ar', 'rtl'],
      ['tlh', 'en', 'ltr'],
      ['en-GB', 'en', 'ltr'],
    ] as const) {
      const words = await read(`?language=${asked}`);
      assert.deepEqual([words.language, words.direction], [language, direction], asked);
    }
    assert.equal(await read(''), undefined);
  });

  test('refuses a language that is no tag', async () => {
    const { slug } = await publishTrust(server);
    for (const query of ['?language=', '?language=english%20please', `?language=${'de-'.repeat(40)}de`, '?lang=de'])
      assertProblem(await readWidget(server, slug, query), 'validation_failed');
  });

  test('leaves a framework out from the moment that it expires, and so does the page', async () => {
    const expiresAt = new Date(server.clock.milliseconds() + minute).toISOString();
    const { slug } = await publishTrust(server, { frameworks: [framework('GDPR', expiresAt), framework('SOC2')] });
    const achieved = async () => (await readWidget(server, slug)).body.data.achievedFrameworks;
    const headings = async () =>
      [...(await readPage(server, slug)).text.matchAll(/<h3>([^<]*)/g)].map(([, name]) => name);
    server.clock.advance(minute - 1);
    const etag = (await readWidget(server, slug)).headers.get('etag') as string;
    assert.deepEqual(await achieved(), ['GDPR', 'SOC 2']);
    assert.deepEqual(await headings(), ['GDPR', 'SOC 2']);
    server.clock.advance(1);
    assert.deepEqual(await achieved(), ['SOC 2']);
    assert.deepEqual(await headings(), ['SOC 2']);
    assert.notEqual((await readWidget(server, slug)).headers.get('etag'), etag);
  });

  test('answers about a trust center that is not published just as about one that is unknown', async () => {
    const draft = await publishTrust(server, { published: false });
    const taken = await publishTrust(server);
    await readWidget(server, taken.slug);
    await putTrust(server, taken, { ...trustCenter, published: false });
    const never = await server.createTenant('never-set');
    const forget = ({ requestId: _, ...error }: { requestId: string }) => error;
    const unknown = await readWidget(server, 'unknown');
    const expected = forget(assertProblem(unknown, 'not_found'));
    const names = ({ headers }: { headers: Headers }) => [...headers.keys()].sort();
    for (const { slug } of [draft, taken, never]) {
      const response = await readWidget(server, slug);
      assert.deepEqual(forget(assertProblem(response, 'not_found')), expected);
      assert.deepEqual(names(response), names(unknown));
    }
  });

  test('does not find what is no slug', async () => {
    const { id, slug } = await publishTrust(server);
    const odd = [
      slug.toUpperCase(),
      id,
      `${slug}%20`,
      `${slug}%0a`,
      '%2e%2e',
      "'%20or%201=1--",
      '%F0%9F%92%A5',
      '__proto__',
      '-',
      'x'.repeat(5000),
      '%00',
    ];
    for (const text of odd) assertProblem(await readWidget(server, text), 'not_found');
  });

  test('shows a change, a publication and the end of one at once', async () => {
    const tenant = await publishTrust(server, { published: false });
    const status = async () => (await readWidget(server, tenant.slug)).status;
    assert.equal(await status(), 404);
    for (let round = 0; round < 3; round += 1) {
      await putTrust(server, tenant, trustCenter);
      assert.equal(await status(), 200);
      await putTrust(server, tenant, { ...trustCenter, frameworks: [] });
      assert.deepEqual((await readWidget(server, tenant.slug)).body.data.achievedFrameworks, []);
      await putTrust(server, tenant, { ...trustCenter, published: false });
      assert.equal(await status(), 404);
    }
  });

  test('may be kept for half a minute and be shown for another while it is asked for again', async () => {
    const { slug } = await publishTrust(server);
    const { headers } = await readWidget(server, slug);
    const caching = headers.get('cache-control') ?? '';
    assert.match(caching, /^public, max-age=\d+, stale-while-revalidate=\d+$/);
    const seconds = [...caching.matchAll(/=(\d+)/g)].reduce((sum, [, count]) => sum + Number(count), 0);
    assert.ok(seconds <= 60, 'a trust center that is taken back is gone within a minute');
  });

  test('gives a hostile name as it is, as data of JSON', async () => {
    const tenant = await publishTrust(server);
    const name = '</script><img src=x onerror=alert(1)> \u202Egnp';
    await server.request('PATCH', '/v1/tenant', { key: tenant.key, body: { name } });
    await putTrust(server, tenant, { ...trustCenter, headline: 'Other' });
    const response = await readWidget(server, tenant.slug);
    assert.equal(response.body.data.name, name);
    assert.equal(response.headers.get('content-type'), 'application/json; charset=utf-8');
    assert.equal(response.headers.get('x-content-type-options'), 'nosniff');
  });
});
