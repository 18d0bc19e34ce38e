import { refuseValue } from './report-problem.ts';
import { catalogue, type Words } from './words.ts';

/** The words for one badge. */
export interface SpokenWords {
  readonly kicker: string;
  readonly cta: string;
  readonly updated: string;
  readonly on: string;
  readonly powered: string;
  readonly close: string;
  /** A language tag for dates, too, so that they are in the language of the words. */
  readonly lang: string;
  readonly dir: 'ltr' | 'rtl';
}

/** Chooses the requested language, else that of the page around the element, else the browser's, else English. */
export function chooseWords(element: Element, locale: string | null): SpokenWords {
  const asked = readLocale(locale);
  if (locale && !asked) refuseValue('locale', locale, 'a BCP 47 tag');
  const { language, baseName } = asked ?? (readLocale(findLanguage(element), navigator.language, 'en') as Intl.Locale);
  const words = catalogue[language];
  const [kicker, cta, updated, on, powered, close] = words ?? (catalogue.en as Words);
  const dir = language === 'ar' ? 'rtl' : 'ltr';
  return { kicker, cta, updated, on, powered, close, lang: words ? baseName : 'en', dir };
}

/** The first value that is a language tag (BCP 47). */
function readLocale(...tags: readonly unknown[]): Intl.Locale | undefined {
  for (const tag of tags) {
    try {
      return new Intl.Locale(`${tag ?? ''}`);
    } catch {}
  }
  return undefined;
}

/** The language of the nearest element that has one, through the hosts of shadow trees. */
function findLanguage(element: Element): string | null | undefined {
  const speaker = element.closest('[lang]');
  if (speaker) return speaker.getAttribute('lang');
  const { host } = element.getRootNode() as Partial<ShadowRoot>;
  return host && findLanguage(host);
}
