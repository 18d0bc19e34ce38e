import { refuseValue } from './attributes.ts';

/** The badge's own messages: English, or as the server gives them in another language. */
export interface Messages {
  /** BCP 47. */
  readonly language: string;
  readonly direction: 'ltr' | 'rtl';
  readonly trustCenter: string;
  readonly view: string;
  /** Precedes "3 days ago". */
  readonly updated: string;
  /** Precedes a date. */
  readonly updatedOn: string;
  readonly poweredBy: string;
  readonly close: string;
}

export const english: Messages = {
  language: 'en',
  direction: 'ltr',
  trustCenter: 'Trust center',
  view: 'View trust center',
  updated: 'Updated ',
  updatedOn: 'Updated on ',
  poweredBy: 'Powered by Svc',
  close: 'Close',
};

/** The requested language tag, else that of the page around the element, else the browser's, else English. */
export function chooseLocale(element: Element, locale: string | null): string {
  const asked = readLocale(locale);
  if (locale && !asked) refuseValue('locale', locale, 'a BCP 47 tag');
  return asked ?? (readLocale(findLanguage(element), navigator.language, 'en') as string);
}

/** The first value that is a language tag (BCP 47), without extensions. */
function readLocale(...tags: readonly unknown[]): string | undefined {
  for (const tag of tags) {
    try {
      return new Intl.Locale(`${tag ?? ''}`).baseName;
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

/** The tag for dates: what was asked for if the messages are in that language, so that they and the dates agree. */
export function matchLocale(locale: string, { language }: Messages): string {
  return `${locale}-`.startsWith(`${language}-`) ? locale : language;
}

/** The maximum age of fresh data. */
const FRESH_DAYS = 30;

/**
 * Formats the time of the last update: in days of the visitor's calendar while it is fresh, else as a date. If the clock
 * is up to a day behind, it is "today".
 */
export function describeAge(updatedAt: string, now: number, lang: string, words: Messages): string {
  const time = Date.parse(updatedAt);
  const days = Math.round((startDay(time) - startDay(now)) / 864e5);
  const isFresh = days < 2 && days >= -FRESH_DAYS;
  if (!isFresh) return words.updatedOn + new Date(time).toLocaleDateString(lang, { dateStyle: 'medium' });
  return words.updated + new Intl.RelativeTimeFormat(lang, { numeric: 'auto' }).format(Math.min(0, days), 'day');
}

function startDay(time: number): number {
  return new Date(time).setHours(0, 0, 0, 0);
}
