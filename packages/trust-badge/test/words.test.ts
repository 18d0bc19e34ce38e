import { expect } from '@open-wc/testing';
import { chooseWords } from '../src/choose-words.ts';
import { describeFreshness } from '../src/freshness.ts';
import { drawAgain, find, readPart, showBadge } from './badge.ts';
import { listenToConsole, restorePage } from './trust-answers.ts';

const DAY = 864e5;
const noon = new Date(2026, 10, 21, 12).getTime();

function speak(locale: string): ReturnType<typeof chooseWords> {
  return chooseWords(document.createElement('p'), locale);
}

function describeDaysAgo(days: number, locale = 'en'): ReturnType<typeof describeFreshness> {
  return describeFreshness(new Date(noon - days * DAY).toISOString(), noon, speak(locale));
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
      const words = speak(language);
      expect(words.lang).to.equal(language);
      expect(describeDaysAgo(3, language).text).to.equal(ago);
      const { badge } = await showBadge({ variant: 'card', locale: language });
      expect(find(badge, '.root')).to.include({ lang: language, dir: language === 'ar' ? 'rtl' : 'ltr' });
      expect(readPart(badge, 'live')).to.equal(on);
      expect(readPart(badge, 'kicker')).to.equal(words.kicker);
      expect(readPart(badge, 'cta')).to.equal(words.cta);
      expect(readPart(badge, 'footer')).to.contain(words.powered);
    });
  }

  it('give the age of fresh data in days, and its date after 30 days', () => {
    expect(describeDaysAgo(0)).to.deep.equal({ text: 'Updated today', isFresh: true });
    expect(describeDaysAgo(0.9).text).to.equal('Updated yesterday');
    expect(describeDaysAgo(30)).to.deep.equal({ text: 'Updated 30 days ago', isFresh: true });
    expect(describeDaysAgo(31)).to.deep.equal({ text: 'Updated on Oct 21, 2026', isFresh: false });
    expect(describeDaysAgo(-1), 'by a clock that is behind').to.deep.equal({ text: 'Updated today', isFresh: true });
    expect(describeDaysAgo(-2), 'by no clock').to.deep.equal({ text: 'Updated on Nov 23, 2026', isFresh: false });
    expect(describeDaysAgo(-1700)).to.deep.equal({ text: 'Updated on Jul 18, 2031', isFresh: false });
  });

  it('have a machine-readable time', async () => {
    const { badge } = await showBadge();
    expect(find(badge, 'time').getAttribute('datetime')).to.equal('2024-03-05T12:00:00.000Z');
    expect(find(badge, 'time').classList.contains('fresh')).to.equal(false);
    const { badge: fresh } = await showBadge({}, { updatedAt: new Date().toISOString() });
    expect(find(fresh, 'time').classList.contains('fresh')).to.equal(true);
  });

  it('use the region for dates', () => {
    expect(describeDaysAgo(90, 'en-GB').text).to.equal('Updated on 23 Aug 2026');
    expect(speak('pt-br')).to.include({ lang: 'pt-BR', kicker: 'Centro de confiança' });
  });

  it('are entirely English for an unsupported language', () => {
    expect(describeDaysAgo(90, 'ja').text).to.equal('Updated on Aug 23, 2026');
    expect(speak('ja')).to.include({ lang: 'en', dir: 'ltr', close: 'Close' });
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
    await drawAgain();
    expect(find(badge, '.root').lang).to.equal('es');
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
