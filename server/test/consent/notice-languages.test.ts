import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { test } from 'node:test';
import german from '../../consent/messages/de.json' with { type: 'json' };
import english from '../../consent/messages/en.json' with { type: 'json' };
import { pickLanguage } from '../../consent/pick-language.ts';
import { writeNotice } from '../../consent/present-notice.ts';

import { noticeContent } from '../harness.ts';
import { assertNothingWritten, assertProblem, describeServer, payload } from './helpers.ts';

const [, analytics] = noticeContent.purposes;
const purposes = [analytics];
const translations = {
  de: { texts: { title: 'Ihre Wahl' }, purposes: { analytics: { label: 'Statistik', description: 'Zählt Besuche.' } } },
  'pt-PT': { purposes: { analytics: { label: 'Estatísticas', description: 'Conta visitas.' } } },
  fr: { purposes: { analytics: { label: 'Statistiques', description: '' } } },
  it: { purposes: {} },
};

describeServer('GET /v1/public/consent/{noticeId}?language=', (server) => {
  const read = (id: string, query = '', headers: Record<string, string> = {}) =>
    server.request('GET', `/v1/public/consent/${id}${query}`, { key: null, headers });
  const edit = (id: string, body: object) => server.request('PATCH', `/v1/consent/${id}`, { body });
  const publish = (id: string, body?: object) => server.request('POST', `/v1/consent/${id}/publish`, { body });
  const create = (content: object = {}) => server.createNotice({ content: { purposes, translations, ...content } });
  const readVersions = async (id: string) =>
    payload(await server.request('GET', `/v1/consent/${id}/versions`), 200).items;

  test('answers in the language of the notice without it, whatever Accept-Language says', async () => {
    const id = await create({ texts: { title: 'Hello' } });
    const answer = await read(id, '', { 'Accept-Language': 'de' });
    const notice = payload(answer, 200);
    assert.deepEqual([notice.language, notice.languages, notice.purposes], ['en', ['de', 'pt-PT'], purposes]);
    assert.equal(notice.texts.title, 'Hello');
    assert.equal(notice.texts.accept, english.accept);
    assert.equal(answer.headers.get('vary'), 'Accept-Encoding');
  });

  test('answers in another language, with its own texts and those of the server', async () => {
    const notice = payload(
      await read(await create({ texts: { title: 'Hello', intro: 'English' } }), '?language=de'),
      200,
    );
    assert.deepEqual([notice.language, notice.languages], ['de', ['en', 'pt-PT']]);
    assert.deepEqual(notice.purposes, [{ ...analytics, label: 'Statistik', description: 'Zählt Besuche.' }]);
    const intro = german.intro
      .replace('{controller}', '\u2068Example Ltd\u2069')
      .replace('{purposes}', '\u2068Statistik\u2069');
    assert.deepEqual(
      [notice.texts.title, notice.texts.intro, notice.texts.accept],
      ['Ihre Wahl', intro, german.accept],
    );
  });

  test('offers no language into which a purpose is not translated', async () => {
    const id = await create();
    for (const language of ['fr', 'it', 'fr-CA'])
      assert.equal(payload(await read(id, `?language=${language}`), 200).language, 'en');
  });

  test('answers in the language that fits best, or in that of the notice', async () => {
    const id = await create();
    const wanted = {
      de: 'de',
      DE: 'de',
      'de-AT-1996': 'de',
      'pt-BR': 'pt-PT',
      'en-GB': 'en',
      sw: 'en',
      tlh: 'en',
    };
    for (const [tag, language] of Object.entries(wanted))
      assert.equal(payload(await read(id, `?language=${tag}`), 200).language, language, tag);
    for (const tag of ['', 'de_DE', 'x'.repeat(65), 'deutsch-'])
      assertProblem(await read(id, `?language=${tag}`), '422 validation_failed', ['query.language']);
    assertProblem(await read(id, '?language=de&language=en'), '422 validation_failed', ['query.language']);
  });

  test('a script is never replaced by another', () => {
    const offered = ['en', 'zh', 'zh-Hans', 'nb', 'sr-Latn', 'he', 'hi'];
    const wanted = {
      'zh-CN': 'zh',
      'zh-TW': undefined,
      'zh-Hant-CN': undefined,
      'hi-Latn': undefined,
      nn: 'nb',
      no: 'nb',
      sr: undefined,
      iw: 'he',
      'en-x-a': 'en',
    };
    for (const [tag, language] of Object.entries(wanted))
      assert.equal(pickLanguage(Intl.getCanonicalLocales(tag)[0] as string, offered), language, tag);
  });

  test('has fixed bytes with a hash and an ETag for each language', async () => {
    const id = await create({ controllerName: 'A < B & Co' });
    const [{ shown }] = await readVersions(id);
    const etags = new Set();
    for (const language of ['en', 'de', 'pt-PT']) {
      const answer = await read(id, `?language=${language}`);
      assert.equal(hash('sha256', answer.text), shown[language]);
      assert.equal((await read(id, `?language=${language}`)).text, answer.text);
      assert.ok(!answer.text.includes('<'), 'can stand in a page');
      const etag = answer.headers.get('etag') as string;
      etags.add(etag);
      const headers = { 'If-None-Match': etag, 'Cache-Control': 'max-age=0' };
      assert.equal((await read(id, `?language=${language}`, headers)).status, 304);
    }
    assert.equal(etags.size, 3);
    assert.deepEqual(Object.keys(shown).sort(), ['de', 'en', 'pt-PT']);
  });

  test('sends what is shown of links, theme, basis and trackers', async () => {
    const links = { privacyPolicy: 'https://example.com/privacy' };
    const theme = { layout: 'bar' };
    const shown = {
      ...analytics,
      basis: 'object',
      basisByRegion: { 'US-CA': 'object' },
      trackers: [{ name: '_ga', provider: 'Google', lifetime: 'P2Y', thirdParty: true }],
    };
    const notice = payload(await read(await create({ links, theme, purposes: [shown] })), 200);
    assert.deepEqual([notice.links, notice.theme, notice.purposes], [links, theme, [shown]]);
  });

  test('asks again only after a change of what visitors decide on', async () => {
    const id = await create();
    const tracker = { name: '_ga', provider: 'Google', lifetime: 'P2Y', thirdParty: true };
    const [de] = [translations.de];
    const silent: object[] = [
      { name: 'Renamed' },
      { domain: 'www.example.com' },
      { texts: { title: 'Hello' } },
      { theme: { layout: 'bar' } },
      { translations: { de } },
      { translations: { de, 'pt-PT': translations['pt-PT'] } },
      { consentDuration: 'P6M' },
      { controllerContact: { address: 'Berlin' } },
      { purposes: [{ ...analytics, dataCategories: ['ip_address'] }] },
    ];
    const loud: object[] = [
      { controllerName: 'Another Ltd' },
      { links: { imprint: 'https://example.com/' } },
      { translations: { de: { purposes: { analytics: { ...de.purposes.analytics, label: 'Zählung' } } } } },
      { purposes: [{ ...analytics, label: 'Counting' }] },
      { purposes: [{ ...analytics, description: 'Counts.' }] },
      { purposes: [{ ...analytics, trackers: [tracker] }] },
      { purposes: [{ ...analytics, basis: 'object' }] },
      { purposes: [{ ...analytics, basisByRegion: { US: 'object' } }] },
      { purposes: [{ ...analytics, required: true }] },
      { purposes: [{ ...analytics, key: 'counting' }], translations: null },
      { language: 'sw' },
    ];
    let version = 1;
    let asksSince = 1;
    for (const [changes, isLoud] of [
      [silent, false],
      [loud, true],
    ] as const)
      for (const change of changes) {
        payload(await edit(id, change), 200);
        payload(await publish(id), 200);
        version += 1;
        if (isLoud) asksSince = version;
        const notice = payload(await read(id), 200);
        assert.deepEqual([notice.version, notice.asksSince], [version, asksSince], JSON.stringify(change));
      }
    assert.deepEqual(
      (await readVersions(id)).map((one: { asksSince: number }) => one.asksSince),
      [...Array.from(loud, (_, index) => version - index), ...Array.from(silent, () => 1), 1],
    );
  });

  test('the order of purposes is no change, and another one is', async () => {
    const id = await server.createNotice();
    await edit(id, { purposes: noticeContent.purposes.toReversed() });
    await publish(id);
    assert.equal(payload(await read(id), 200).asksSince, 1);
    await edit(id, { purposes });
    await publish(id);
    assert.equal(payload(await read(id), 200).asksSince, 3);
  });

  test('asks again if the publisher says so, with or without a change', async () => {
    const id = await create();
    await edit(id, { name: 'Renamed' });
    payload(await publish(id, { asksAgain: true }), 200);
    assert.equal(payload(await read(id), 200).asksSince, 2);
    assert.equal(payload(await publish(id, { asksAgain: true }), 200).version, 3);
    const [third, second] = await readVersions(id);
    assert.deepEqual([third.asksSince, third.contentHash], [3, second.contentHash]);
    assert.notDeepEqual(third.shown, second.shown);
    await assertNothingWritten(server, async () => {
      payload(await publish(id, { asksAgain: false }), 200);
      assertProblem(await publish(id, { asksAgain: 'yes' }), '422 validation_failed', ['body.asksAgain']);
    });
  });
});

describeServer('GET /v1/consent/notices/words', (server) => {
  const read = (query: string) => server.request('GET', `/v1/consent/notices/words${query}`);

  test('answers with the words of the server in the language that fits best', async () => {
    const { language, texts } = payload(await read('?language=de-AT'), 200);
    assert.deepEqual([language, texts.intro], ['de', german.intro]);
    for (const query of ['', '?language=tlh'])
      assert.deepEqual(payload(await read(query), 200), { language: 'en', texts: { ...english } });
  });

  test('rejects what is no language', async () => {
    assertProblem(await read('?language=no+tag'), '422 validation_failed', ['query.language']);
  });
});

describeServer('GET /v1/consent/{id}/shown/{hash}', (server) => {
  const read = (id: string, shown: string, key?: string) =>
    server.request('GET', `/v1/consent/${id}/shown/${shown}`, key === undefined ? {} : { key });
  const readVersions = async (id: string) =>
    payload(await server.request('GET', `/v1/consent/${id}/versions`), 200).items;

  test('answers with the bytes of an earlier version, whose hash it is', async () => {
    const id = await server.createNotice({ content: { name: '<b> & "quotes"', purposes, translations } });
    const [first] = await readVersions(id);
    payload(await server.request('PATCH', `/v1/consent/${id}`, { body: { name: 'Renamed' } }), 200);
    payload(await server.request('POST', `/v1/consent/${id}/publish`), 200);
    const url = `${server.url}/v1/consent/${id}/shown/${first.shown.de}`;
    const answer = await fetch(url, { headers: { Authorization: `Bearer ${server.tenant.key}` } });
    const text = await answer.text();
    assert.equal(hash('sha256', text), first.shown.de);
    const { data } = JSON.parse(text);
    assert.deepEqual([data.name, data.language, data.version], ['<b> & "quotes"', 'de', 1]);
    assert.equal(writeNotice(data), text);
  });

  test('has no text of another notice or tenant, and none for an unknown hash', async () => {
    const id = await server.createNotice();
    const [{ shown }] = await readVersions(id);
    const other = await server.createTenant('reads-no-other');
    for (const answer of [
      await read(await server.createNotice(), shown.en),
      await read(id, shown.en, other.key),
      await read(id, shown.en.toUpperCase()),
    ])
      assertProblem(answer, '404 not_found');
  });
});
