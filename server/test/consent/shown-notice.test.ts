import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { test } from 'node:test';
import { noticeContent } from '../harness.ts';
import { runVerify } from '../ledger/fixture.ts';
import {
  allGranted,
  assertBodiesRefused,
  capture,
  createFreshTenant,
  describeServerOnEachDatabase,
  payload,
  visit,
} from './helpers.ts';

const [necessary, analytics, marketing] = noticeContent.purposes;
const purposes = [
  necessary,
  { ...analytics, basisByRegion: { GB: 'object', US: 'consent', 'US-CA': 'object' } },
  { ...marketing, basis: 'object', basisByRegion: { DE: 'consent' } },
];
const words = (label: string) => ({ label, description: label });
const german = { necessary: words('Notwendig'), analytics: words('Statistik'), marketing: words('Werbung') };

describeServerOnEachDatabase('what a record keeps of the notice that was shown', (server) => {
  const create = () => server.createNotice({ content: { purposes, translations: { de: { purposes: german } } } });
  const read = async (notice: string, language: string) => {
    const { text } = await server.request('GET', `/v1/public/consent/${notice}?language=${language}`, { key: null });
    return hash('sha256', text);
  };
  const readRecord = async (notice: string, id: string) =>
    payload(await server.request('GET', `/v1/consent/${notice}/records/${id}`), 200);
  const publish = async (notice: string, change: object) => {
    payload(await server.request('PATCH', `/v1/consent/${notice}`, { body: change }), 200);
    payload(await server.request('POST', `/v1/consent/${notice}/publish`), 200);
  };

  test('is the language and the version of the hash, and the basis of each purpose in the region', async () => {
    const notice = await create();
    const [en, de] = [await read(notice, 'en'), await read(notice, 'de')];
    const cases = [
      [{ shownHash: en, region: 'US-CA' }, 'en', 'object', 'object'],
      [{ shownHash: de, language: 'de', noticeVersion: 1, region: 'DE' }, 'de', 'consent', 'consent'],
      [{ shownHash: de, region: 'GB' }, 'de', 'object', 'object'],
      [{ shownHash: en, region: 'US-NY' }, 'en', 'consent', 'object'],
      [{ shownHash: en }, 'en', 'consent', 'consent'],
      [{ shownHash: 'unverified', language: 'de', region: 'DE-BY' }, 'de', 'consent', 'consent'],
      [{ shownHash: 'unverified' }, null, 'consent', 'consent'],
      [{ language: 'EN' }, 'en', 'consent', 'consent'],
    ] as const;
    for (const [body, language, statistics, advertising] of cases) {
      const answer = payload(await visit(server, notice, body));
      const { shownHash, region } = { shownHash: null, region: null, ...body };
      const basis = { necessary: 'exempt', analytics: statistics, marketing: advertising };
      assert.deepEqual(answer, { ...answer, noticeVersion: 1, language, shownHash, region, basis });
      const record = await readRecord(notice, answer.id);
      assert.deepEqual(record, { ...record, language, shownHash, region, basis });
    }
  });

  test('follows the hash when a page shows an older version', async () => {
    const notice = await create();
    const [en, de] = [await read(notice, 'en'), await read(notice, 'de')];
    await publish(notice, { purposes: [necessary, analytics], translations: null });
    const current = { necessary: true, analytics: true };
    for (const body of [{ shownHash: de }, { shownHash: de, noticeVersion: 1 }, { shownHash: en, region: 'GB' }]) {
      const { noticeVersion, language, basis } = payload(await visit(server, notice, body));
      assert.deepEqual([noticeVersion, language], [1, body.shownHash === de ? 'de' : 'en']);
      assert.equal(basis.analytics, 'region' in body ? 'object' : 'consent');
    }
    const answer = payload(
      await visit(server, notice, { purposes: current, shownHash: await read(notice, 'de'), region: 'US-CA' }),
    );
    const shown = { noticeVersion: 2, language: 'en', basis: { necessary: 'exempt', analytics: 'consent' } };
    assert.deepEqual(answer, { ...answer, ...shown });
    await assertBodiesRefused(server, (body) => visit(server, notice, body as object), [
      [{ shownHash: de, purposes: current }, 'body.purposes.marketing'],
      [{ shownHash: de, noticeVersion: 2, purposes: current }, 'body.shownHash'],
      [{ shownHash: de, noticeVersion: 3 }, 'body.noticeVersion'],
      [{ language: 'de', purposes: current }, 'body.language'],
      [{ shownHash: 'unverified', language: 'de', purposes: current }, 'body.language'],
    ]);
    assert.equal(payload(await visit(server, notice, { language: 'de', noticeVersion: 1 })).language, 'de');
  });

  test('is rejected for a hash of no version, another language and an invalid region', async () => {
    const [notice, other] = [await create(), await create()];
    const [en, foreign] = [await read(notice, 'en'), await read(other, 'en')];
    const regions = ['', 'XX', 'DEU', 'de', 'US-', 'US-CAL1', 'US_CA', 'U'.repeat(7), 7, null];
    await assertBodiesRefused(server, (body) => visit(server, notice, body as object), [
      [{ shownHash: foreign }, 'body.shownHash'],
      [{ shownHash: foreign, noticeVersion: 1 }, 'body.shownHash'],
      [{ shownHash: '0'.repeat(64) }, 'body.shownHash'],
      [{ shownHash: en.toUpperCase() }, 'body.shownHash'],
      [{ shownHash: `${en}0` }, 'body.shownHash'],
      [{ shownHash: 'sha256' }, 'body.shownHash'],
      [{ shownHash: null }, 'body.shownHash'],
      [{ shownHash: en, language: 'de' }, 'body.language'],
      [{ shownHash: en, language: 'not a language' }, 'body.language'],
      [{ language: 'fr' }, 'body.language'],
      [{ language: 'x'.repeat(65) }, 'body.language'],
      ...regions.map((region) => [{ region }, 'body.region'] as const),
    ]);
    const draft = await server.createNotice({ publish: false });
    assert.equal((await visit(server, draft, { shownHash: en })).status, 409);
  });

  test('does not distinguish repeats of a decision', async () => {
    const notice = await create();
    const decision = { capturedAt: '2026-11-21T11:00:00.000Z', method: 'banner' };
    const shownHash = await read(notice, 'de');
    const first = payload(await visit(server, notice, { ...decision, shownHash, region: 'DE' }));
    for (const body of [{ shownHash, region: 'DE' }, {}, { shownHash: 'unverified', region: 'GB' }])
      assert.deepEqual(payload(await visit(server, notice, { ...decision, ...body })), first);
  });

  test('is null for records captured with a key, which take no such fields', async () => {
    const { key } = await createFreshTenant(server);
    const notice = await server.createNotice({ key, content: { purposes } });
    const record = payload(await capture(server, notice, {}, { key }));
    assert.deepEqual(record, { ...record, language: null, shownHash: null, region: null, basis: null });
    await assertBodiesRefused(server, (body) => capture(server, notice, body as object, { key }), [
      [{ language: 'en' }, 'body.language'],
      [{ shownHash: 'unverified' }, 'body.shownHash'],
      [{ region: 'DE' }, 'body.region'],
      [{ basis: {} }, 'body.basis'],
    ]);
    const body = { purposes: allGranted, basis: { analytics: 'exempt' } };
    assert.equal((await visit(server, notice, body)).status, 422);
  });

  test('verifies, also if purposes have the names of fields', async () => {
    const tenant = await createFreshTenant(server);
    const names = ['id', 'capturedAt', 'noticeId', 'tenantId', 'shownHash'];
    const content = { purposes: names.map((name) => ({ ...analytics, key: name })) };
    const notice = await server.createNotice({ key: tenant.key, content });
    const choices = Object.fromEntries(names.map((name) => [name, true]));
    payload(await visit(server, notice, { purposes: choices, shownHash: await read(notice, 'en') }));
    const { code, lines } = await runVerify(server.installation);
    assert.equal(code, 0, lines.join('\n'));
  });
});
