import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noticeContent } from '../harness.ts';
import { assertProblem, describeServer, payload } from './helpers.ts';

interface Warning {
  readonly code: string;
  readonly language: string;
  readonly path: string;
  readonly purposes: readonly string[];
  readonly message: string;
}

const [necessary, analytics, marketing] = noticeContent.purposes;
const german = {
  necessary: { label: 'Notwendig', description: 'Hält die Seite am Laufen.' },
  analytics: { label: 'Statistik', description: 'Zählt Besuche.' },
  marketing: { label: 'Werbung', description: 'Zeigt Angebote.' },
};

describeServer('the warnings of a notice', (server) => {
  const create = async (content: object) =>
    payload(await server.request('POST', '/v1/consent/notices', { body: { ...noticeContent, ...content } }));
  /** Names the faults of a first layer, such as `en controller` and `de analytics,marketing`. */
  const warn = async (content: object): Promise<readonly string[]> =>
    (await create(content)).warnings.map(({ code, language, purposes }: Warning) =>
      [language, code === 'controller_not_named' ? 'controller' : purposes].join(' '),
    );
  const warnOfIntro = (intro: string, content: object = {}) => warn({ texts: { intro }, ...content });

  test('name what the intro lacks, in which field, and what to add, and refuse nothing', async () => {
    const intro = 'We value your privacy.';
    const created = await create({ texts: { intro } });
    const place = { language: 'en', path: 'texts.intro' };
    assert.deepEqual(created.warnings, [
      {
        ...place,
        code: 'controller_not_named',
        purposes: [],
        message: 'The first layer in en does not name the controller. Add {controller} to texts.intro.',
      },
      {
        ...place,
        code: 'purposes_not_named',
        purposes: ['analytics', 'marketing'],
        message:
          'The first layer in en does not name every purpose: Analytics, Marketing. Add {purposes} to texts.intro.',
      },
    ]);
    const path = `/v1/consent/${created.id}`;
    const published = payload(await server.request('POST', `${path}/publish`), 200);
    assert.deepEqual([published.status, published.warnings], ['published', created.warnings]);
    const list = payload(await server.request('GET', `/v1/consent?search=${noticeContent.domain}`), 200).data;
    const listed = list.find(({ id }: { readonly id: string }) => id === created.id);
    for (const notice of [listed, payload(await server.request('GET', path), 200)])
      assert.deepEqual(notice.warnings, created.warnings);
    const body = { texts: { intro: '{controller} asks for: {purposes}.' } };
    assert.deepEqual(payload(await server.request('PATCH', path, { body }), 200).warnings, []);
  });

  test('are none for the default intro, and for one that names both by placeholder or in words', async () => {
    const name = noticeContent.controllerName;
    assert.deepEqual(await warn({}), []);
    assert.deepEqual(await warn({ texts: { title: 'Cookies' } }), []);
    assert.deepEqual(await warnOfIntro('{controller} asks for: {purposes}.'), []);
    assert.deepEqual(await warnOfIntro(`${name} asks for ANALYTICS and marketing.`), []);
    assert.deepEqual(await warn({ texts: { title: `Cookies of ${name}`, intro: 'For {purposes}.' } }), []);
    // The same text in another Unicode form, a name with inflection, and scripts without spaces.
    const mesure = { ...analytics, label: 'Mesure d\u2019activit\u00e9' };
    const purposes = [necessary, mesure];
    assert.deepEqual(await warnOfIntro('{controller} : mesure\u00a0d\u2019activite\u0301s.', { purposes }), []);
    const japanese = [{ ...analytics, label: '分析' }];
    assert.deepEqual(
      await warnOfIntro('株式会社例は分析を行います。', { controllerName: '株式会社例', purposes: japanese }),
      [],
    );
  });

  test('take no part of a word, and no placeholder that is not filled, for a name', async () => {
    const ads = { ...marketing, label: 'Ads' };
    const content = { controllerName: 'Acme', purposes: [necessary, ads] };
    assert.deepEqual(await warnOfIntro('Nacme counts downloads.', content), ['en controller', 'en marketing']);
    assert.deepEqual(await warnOfIntro('ads: Acme', content), []);
    assert.deepEqual(await warnOfIntro('{Controller} asks for {purpose}.', content), ['en controller', 'en marketing']);
    assert.deepEqual(await warn({ ...content, texts: { title: '{controller}: {purposes}', intro: 'Yes or no?' } }), [
      'en controller',
      'en marketing',
    ]);
    const named = { controllerName: 'Purposes', purposes: [{ ...analytics, label: 'Controller' }] };
    assert.deepEqual(await warnOfIntro('{controller} asks.', named), ['en analytics']);
    assert.deepEqual(await warnOfIntro('For {purposes}.', named), ['en controller']);
  });

  test('are about the purposes that are asked for', async () => {
    assert.deepEqual(await warnOfIntro('{controller}: analytics.'), ['en marketing']);
    assert.deepEqual(await warnOfIntro('{controller} asks.', { purposes: [necessary] }), ['en necessary']);
    const many = Array.from({ length: 50 }, (_, index) => ({
      ...analytics,
      key: `p${index}`,
      label: `Purpose ${index}.`,
    }));
    assert.deepEqual(await warnOfIntro('{controller}: {purposes}', { purposes: many }), []);
    assert.equal((await create({ purposes: many, texts: { intro: 'a'.repeat(600) } })).warnings[1].purposes.length, 50);
  });

  test('are about each language that visitors get, in its words', async () => {
    const intro = '{controller} bittet um Statistik und Marketing.';
    const translations = {
      de: { texts: { intro }, purposes: german },
      fr: { texts: { intro: 'Bonjour.' }, purposes: {} },
    };
    const { warnings } = await create({ translations });
    assert.deepEqual(
      warnings.map(({ language, path, purposes }: Warning) => [language, path, ...purposes]),
      [['de', 'translations.de.texts.intro', 'marketing']],
    );
  });

  test('are not a field that can be written', async () => {
    const body = { ...noticeContent, warnings: [] };
    assertProblem(await server.request('POST', '/v1/consent/notices', { body }), '422 validation_failed');
  });
});
