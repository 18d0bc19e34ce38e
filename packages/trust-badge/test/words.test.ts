import { expect } from '@open-wc/testing';
import { chooseBadgeWords } from '../../../server/site/trust/badge-words.ts';
import { describeAge, english, matchLocale } from '../src/messages.ts';
import { awaitBadge, drawAgain, find, hasData, readPart, showBadge } from './badge.ts';
import { createTrust, listenToConsole, restorePage } from './trust-answers.ts';
import { waitUntil } from './wait-until.ts';

const DAY = 864e5;
const noon = new Date(2026, 10, 21, 12).getTime();

function describeDaysAgo(days: number, locale = 'en'): string {
  const words = chooseBadgeWords(locale);
  return describeAge(new Date(noon - days * DAY).toISOString(), noon, matchLocale(locale, words), words);
}

describe('the words', () => {
  afterEach(restorePage);

  const spoken: Readonly<Record<string, readonly [string, string]>> = {
    en: ['Updated 3 days ago', 'Updated on Mar 5, 2024'],
    fr: ['Mis à jour il y a 3 jours', 'Mis à jour le 5 mars 2024'],
    de: ['Aktualisiert vor 3 Tagen', 'Aktualisiert am 05.03.2024'],
    es: ['Actualizado hace 3 días', 'Actualizado el 5 mar 2024'],
    pt: ['Atualizado há 3 dias', 'Atualizado em 5 de mar. de 2024'],
    ar: ['آخر تحديث: قبل 3 أيام', 'آخر تحديث: 05\u200f/03\u200f/2024'],
  };
  for (const [language, [ago, on]] of Object.entries(spoken)) {
    it(`are complete in ${language}, with its dates and its direction`, async () => {
      const words = chooseBadgeWords(language);
      expect(describeDaysAgo(3, language)).to.equal(ago);
      const { badge, network } = await showBadge({ variant: 'card', locale: language });
      expect(find(badge, '.root')).to.include({ lang: language, dir: language === 'ar' ? 'rtl' : 'ltr' });
      expect(readPart(badge, 'live')).to.equal(on);
      expect(readPart(badge, 'kicker')).to.equal(words.trustCenter);
      expect(readPart(badge, 'cta')).to.equal(words.view);
      expect(readPart(badge, 'footer')).to.contain(words.poweredBy);
      const query = language === 'en' ? '' : `?language=${language}`;
      expect(network.requests.map(({ url }) => new URL(url).search)).to.deep.equal([query]);
    });
  }

  it('are the same English in the script as on the server', () => {
    expect(english).to.deep.equal(chooseBadgeWords('en'));
  });

  it('are English until the server has answered, and stay while another language is on its way', async () => {
    const { badge, network } = await awaitBadge({ variant: 'card', locale: 'de' }, {}, (network) => {
      network.answer = () => new Promise(() => {});
    });
    await waitUntil(() => network.requests.length === 1, 'German is requested');
    expect(find(badge, '.root').lang).to.equal('en');
    expect(readPart(badge, 'cta')).to.equal('View trust center');
    const answer = (language: string) => () =>
      Response.json({ data: { ...createTrust(badge.tenant ?? ''), words: chooseBadgeWords(language) } });
    network.answer = answer('fr');
    badge.locale = 'fr';
    await waitUntil(() => hasData(badge), 'the data is there');
    expect(readPart(badge, 'cta')).to.equal('Voir le centre de confiance');
    let release = (): void => {};
    network.answer = () =>
      new Promise((resolve) => {
        release = () => resolve(answer('es')());
      });
    badge.locale = 'es';
    await waitUntil(() => network.requests.length === 3, 'Spanish is requested');
    expect(readPart(badge, 'cta')).to.equal('Voir le centre de confiance');
    expect(find(badge, '.root').lang).to.equal('fr');
    release();
    await waitUntil(() => readPart(badge, 'cta') === 'Ver el centro de confianza', 'Spanish is there');
  });

  for (const [name, change] of Object.entries({
    'no text': { view: 1 },
    'a text that is empty': { close: ' ' },
    'a text without end': { updated: 'x'.repeat(101) },
    'no language tag': { language: 'not a language' },
    'a text missing': { poweredBy: undefined },
  })) {
    it(`with ${name} are no data`, async () => {
      const logged = listenToConsole();
      const { badge } = await awaitBadge({ variant: 'card', locale: 'de' }, {}, (network, trust) => {
        network.answer = () => Response.json({ data: { ...trust, words: { ...chooseBadgeWords('de'), ...change } } });
      });
      await waitUntil(() => logged.length, 'a problem is logged');
      await drawAgain();
      expect(hasData(badge)).to.equal(false);
      expect(readPart(badge, 'cta')).to.equal('View trust center');
    });
  }

  it('give the age of fresh data in days, and its date after 30 days', () => {
    expect(describeDaysAgo(0)).to.equal('Updated today');
    expect(describeDaysAgo(0.9)).to.equal('Updated yesterday');
    expect(describeDaysAgo(30)).to.equal('Updated 30 days ago');
    expect(describeDaysAgo(31)).to.equal('Updated on Oct 21, 2026');
    expect(describeDaysAgo(-1), 'by a clock that is behind').to.equal('Updated today');
    expect(describeDaysAgo(-2), 'by no clock').to.equal('Updated on Nov 23, 2026');
    expect(describeDaysAgo(-1700)).to.equal('Updated on Jul 18, 2031');
  });

  it('have a machine-readable time', async () => {
    const { badge } = await showBadge();
    expect(find(badge, 'time').getAttribute('datetime')).to.equal('2024-03-05T12:00:00.000Z');
  });

  it('use the region for dates', () => {
    expect(describeDaysAgo(90, 'en-GB')).to.equal('Updated on 23 Aug 2026');
    expect(matchLocale('pt-BR', chooseBadgeWords('pt-BR'))).to.equal('pt-BR');
    expect(matchLocale('fil', { ...english, language: 'fi' })).to.equal('fi');
  });

  it('are entirely English for an unsupported language', () => {
    expect(describeDaysAgo(90, 'tlh')).to.equal('Updated on Aug 23, 2026');
  });

  it('are in the language of the page, through shadow trees, unless locale is set', async () => {
    const outer = document.createElement('div');
    outer.lang = 'de-CH';
    const inner = outer.attachShadow({ mode: 'open' }).appendChild(document.createElement('section'));
    document.body.append(outer);
    document.documentElement.lang = 'fr';
    const { badge } = await showBadge({ variant: 'card', target: inner });
    expect(find(badge, '.root').lang).to.equal('de-CH');
    badge.locale = 'es';
    await waitUntil(() => find(badge, '.root').lang === 'es', 'it is in Spanish');
    outer.remove();
    const { badge: top } = await showBadge();
    expect(find(top, '.root').lang).to.equal('fr');
  });

  it("are in the browser's language if the page's is missing or invalid", async () => {
    for (const lang of ['', 'not a language']) {
      document.documentElement.lang = lang;
      const { badge } = await showBadge();
      expect(find(badge, '.root').lang).to.equal(navigator.language);
    }
  });

  it('are English if neither the page nor the browser has a language tag', async () => {
    document.documentElement.lang = '';
    Object.defineProperty(navigator, 'language', { value: 'en-US@posix', configurable: true });
    const { badge } = await showBadge();
    Reflect.deleteProperty(navigator, 'language');
    expect(find(badge, '.root').lang).to.equal('en');
    expect(readPart(badge, 'live')).to.equal('Updated on Mar 5, 2024');
  });

  it('ignore a locale that is not a language tag, and log once', async () => {
    const logged = listenToConsole();
    document.documentElement.lang = 'fr';
    for (const locale of ['english please', 'x', 'english please']) {
      const { badge } = await showBadge({ locale });
      expect(find(badge, '.root').lang).to.equal('fr');
    }
    expect(logged).to.deep.equal([
      '<svc-trust-badge>: locale="english please" must be a BCP 47 tag',
      '<svc-trust-badge>: locale="x" must be a BCP 47 tag',
    ]);
  });
});
