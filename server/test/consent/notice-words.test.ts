import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noticeContent } from '../harness.ts';
import { assertBodiesRefused, assertProblem, describeServer, payload } from './helpers.ts';

const [necessary, analytics] = noticeContent.purposes;
const german = {
  texts: { title: 'Ihre Wahl' },
  purposes: {
    necessary: { label: 'Notwendig', description: 'Hält die Seite am Laufen.' },
    analytics: { label: 'Statistik', description: 'Zählt Besuche.\nMehr nicht.' },
    marketing: { label: 'Werbung', description: 'Zeigt Angebote.' },
  },
};
const tracker = { name: '_ga', provider: 'Google', lifetime: 'P2Y', thirdParty: true };
const full = {
  texts: {
    title: 'Your choice',
    intro: 'We would like to count visits.',
    accept: 'Allow',
    reject: 'Refuse',
    preferences: 'Choose',
    panelTitle: 'Choices',
    panelIntro: 'Choose here.',
    save: 'Save',
    trigger: 'Privacy',
  },
  links: { privacyPolicy: 'https://example.com/privacy', imprint: 'https://example.com/imprint' },
  theme: { scheme: 'dark', accent: '#aa00ff', layout: 'bar', position: 'top' },
  translations: { de: german },
  purposes: [
    { ...necessary, basis: 'exempt' },
    { ...analytics, basis: 'object', basisByRegion: { DE: 'consent', 'US-CA': 'object' }, trackers: [tracker] },
    noticeContent.purposes[2],
  ],
};

describeServer('the words, the look and the trackers of a notice', (server) => {
  const create = (content: object) =>
    server.request('POST', '/v1/consent/notices', { body: { ...noticeContent, ...content } });
  const edit = (id: string, body: object) => server.request('PATCH', `/v1/consent/${id}`, { body });
  const listVersions = async (id: string) =>
    payload(await server.request('GET', `/v1/consent/${id}/versions`), 200).items;

  test('are part of the version and of its hash', async () => {
    const id = await server.createNotice();
    for (const [name, value] of Object.entries(full)) {
      assert.equal(payload(await edit(id, { [name]: value }), 200).hasUnpublishedChanges, true, name);
      await server.request('POST', `/v1/consent/${id}/publish`);
    }
    const versions = await listVersions(id);
    assert.equal(new Set(versions.map(({ contentHash }: { contentHash: string }) => contentHash)).size, 6);
    for (const [name, value] of Object.entries(full)) assert.deepEqual(versions[0][name], value);
  });

  test('are removed by null', async () => {
    const id = await server.createNotice();
    const { purposes: _, ...rest } = full;
    await edit(id, rest);
    const removed = Object.fromEntries(Object.keys(rest).map((name) => [name, null]));
    assert.equal(payload(await edit(id, removed), 200).hasUnpublishedChanges, false);
  });

  test('may have the longest texts', async () => {
    const texts = {
      title: 't'.repeat(80),
      intro: 'i'.repeat(600),
      accept: 'a'.repeat(40),
      reject: 'r'.repeat(40),
      preferences: 'p'.repeat(40),
      panelTitle: 't'.repeat(80),
      panelIntro: 'i'.repeat(600),
      save: 's'.repeat(40),
      trigger: 't'.repeat(60),
    };
    payload(await create({ texts }));
    for (const [name, value] of Object.entries(texts)) {
      const answer = await create({ texts: { ...texts, [name]: `${value}x` } });
      assertProblem(answer, '422 validation_failed', [`body.texts.${name}`]);
    }
  });

  test('texts are plain', async () => {
    const send = (title: unknown) => create({ texts: { title } });
    payload(await send('Tea & coffee; 100 % yours'));
    await assertBodiesRefused(
      server,
      send,
      [
        '<b>Your choice</b>',
        'a < b',
        'a > b',
        'Tea &amp; coffee',
        '&#60;',
        'two\nlines',
        'a\u202Eb',
        '',
        '\u200B',
        7,
      ].map((title) => [title, 'body.texts.title'] as const),
    );
  });

  test('links are secure addresses', async () => {
    const names = ['privacyPolicy', 'imprint', 'cookiePolicy', 'terms', 'withdrawal', 'rights'];
    payload(await create({ links: Object.fromEntries(names.map((name) => [name, 'https://example.com/'])) }));
    await assertBodiesRefused(server, (links) => create({ links }), [
      ...names.map((name) => [{ [name]: 'http://example.com/' }, `body.links.${name}`] as const),
      [{ imprint: 'javascript:alert(1)' }, 'body.links.imprint'],
      [{ imprint: `https://example.com/${'x'.repeat(2048)}` }, 'body.links.imprint'],
      [{ home: 'https://example.com/' }, 'body.links.home'],
    ]);
  });

  test('the theme has a layout and a position that go together', async () => {
    const accent = payload(await create({ theme: { accent: '#AA00FF' } })).theme.accent;
    assert.equal(accent, '#aa00ff');
    for (const theme of [
      {},
      { position: 'bottom-start' },
      { layout: 'card', position: 'bottom' },
      { layout: 'bar', position: 'top' },
      { layout: 'center' },
    ])
      payload(await create({ theme }));
    await assertBodiesRefused(server, (theme) => create({ theme }), [
      [{ scheme: 'system' }, 'body.theme.scheme'],
      [{ layout: 'wall' }, 'body.theme.layout'],
      [{ position: 'left' }, 'body.theme.position'],
      [{ position: 'top' }, 'body.theme.position'],
      [{ layout: 'bar', position: 'bottom-start' }, 'body.theme.position'],
      [{ layout: 'center', position: 'bottom' }, 'body.theme.position'],
      ...['red', '#fff', '#12345g', '#1234567', 'url(x)'].map(
        (color) => [{ accent: color }, 'body.theme.accent'] as const,
      ),
      [{ font: 'serif' }, 'body.theme.font'],
    ]);
  });

  test('a translation names known purposes, in another language', async () => {
    payload(await create({ translations: { de: { purposes: {} }, 'pt-BR': german } }));
    await assertBodiesRefused(server, (translations) => create({ translations }), [
      [{ en: german }, 'body.translations.en'],
      [{ DE: german }, 'body.translations.DE'],
      [{ de_DE: german }, 'body.translations.de_DE'],
      [{ de: {} }, 'body.translations.de.purposes'],
      [{ de: { ...german, name: 'x' } }, 'body.translations.de.name'],
      [{ de: { purposes: { other: german.purposes.analytics } } }, 'body.translations.de.purposes.other'],
      [
        { de: { purposes: { analytics: { label: '<i>', description: '<i>' } } } },
        'body.translations.de.purposes.analytics.label',
        'body.translations.de.purposes.analytics.description',
      ],
      [
        { de: { purposes: { analytics: { label: 'x'.repeat(201), description: 'x'.repeat(2001) } } } },
        'body.translations.de.purposes.analytics.label',
        'body.translations.de.purposes.analytics.description',
      ],
    ]);
    const tags = Array.from({ length: 51 }, (_, index) => `de-x-a${index}`);
    const many = await create({ translations: Object.fromEntries(tags.map((tag) => [tag, { purposes: {} }])) });
    assertProblem(many, '422 validation_failed', ['body.translations']);
  });

  test('an edit cannot leave a translation that fits no longer', async () => {
    const id = await server.createNotice({ content: { translations: { de: german } } });
    const path = 'body.translations.de';
    assertProblem(await edit(id, { purposes: [necessary, analytics] }), '422 validation_failed', [
      `${path}.purposes.marketing`,
    ]);
    assertProblem(await edit(id, { language: 'de' }), '422 validation_failed', [path]);
    const { marketing: _, ...kept } = german.purposes;
    payload(await edit(id, { purposes: [necessary, analytics], translations: { de: { purposes: kept } } }), 200);
  });

  test('a purpose has a known basis in known regions', async () => {
    const send = (purpose: unknown) => create({ purposes: [{ ...analytics, ...(purpose as object) }] });
    payload(await send({ basis: 'exempt', basisByRegion: { GB: 'object', 'GB-SCT': 'consent', US: 'exempt' } }));
    payload(await send({ required: true, basis: 'exempt', basisByRegion: { GB: 'exempt' } }));
    await assertBodiesRefused(server, send, [
      [{ basis: 'contract' }, 'body.purposes.0.basis'],
      [{ basisByRegion: { GB: 'none' } }, 'body.purposes.0.basisByRegion.GB'],
      ...['XX', 'EU', 'gb', 'USA', 'US-', 'US-CALI', 'US CA'].map(
        (region) => [{ basisByRegion: { [region]: 'object' } }, `body.purposes.0.basisByRegion.${region}`] as const,
      ),
      [
        { required: true, basis: 'object', basisByRegion: { GB: 'consent', US: 'exempt' } },
        'body.purposes.0.basis',
        'body.purposes.0.basisByRegion.GB',
      ],
    ]);
    const regions = Array.from({ length: 61 }, (_, index) => `DE-${index}`);
    const many = await send({ basisByRegion: Object.fromEntries(regions.map((region) => [region, 'object'])) });
    assertProblem(many, '422 validation_failed', ['body.purposes.0.basisByRegion']);
  });

  test('a tracker has a name, a provider, a lifetime and a side', async () => {
    const send = (trackers: unknown) => create({ purposes: [{ ...analytics, trackers }] });
    const lifetimes = ['session', 'persistent', 'P1Y', 'P1Y2M3D', 'PT30M', 'P1DT12H'];
    payload(await send(lifetimes.map((lifetime, index) => ({ ...tracker, name: `c${index}`, lifetime }))));
    const { provider: _, ...nameless } = tracker;
    await assertBodiesRefused(server, send, [
      [[nameless], 'body.purposes.0.trackers.0.provider'],
      [[{ ...tracker, name: '' }], 'body.purposes.0.trackers.0.name'],
      [[{ ...tracker, name: 'x'.repeat(101) }], 'body.purposes.0.trackers.0.name'],
      [[{ ...tracker, provider: 'a\u202Eb' }], 'body.purposes.0.trackers.0.provider'],
      [[{ ...tracker, thirdParty: 'yes' }], 'body.purposes.0.trackers.0.thirdParty'],
      ...['P', 'PT', 'P1DT', '2 years', '', 'P1W'].map(
        (lifetime) => [[{ ...tracker, lifetime }], 'body.purposes.0.trackers.0.lifetime'] as const,
      ),
      [[tracker, tracker], 'body.purposes.0.trackers.1.name'],
    ]);
  });

  test('a notice has at most 60 trackers', async () => {
    const trackers = (count: number) =>
      Array.from({ length: count }, (_, index) => ({ ...tracker, name: `c${index}` }));
    const send = (one: number, other: number) =>
      create({
        purposes: [
          { ...necessary, trackers: trackers(one) },
          { ...analytics, trackers: trackers(other) },
        ],
      });
    payload(await send(30, 30));
    payload(await send(0, 60));
    assertProblem(await send(0, 61), '422 validation_failed', ['body.purposes.1.trackers']);
    assertProblem(await send(30, 31), '422 validation_failed', ['body.purposes']);
    const id = await server.createNotice();
    const purposes = [
      { ...necessary, trackers: trackers(31) },
      { ...analytics, trackers: trackers(30) },
    ];
    assertProblem(await edit(id, { purposes }), '422 validation_failed', ['body.purposes']);
  });
});
