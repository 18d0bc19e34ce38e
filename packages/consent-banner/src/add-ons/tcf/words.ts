import { attempt } from '../../stub/attempt.ts';
import { words as ar } from './words/ar.ts';
import { words as de } from './words/de.ts';
import { words as en } from './words/en.ts';
import { words as es } from './words/es.ts';
import { words as fr } from './words/fr.ts';
import { words as it } from './words/it.ts';
import { words as nl } from './words/nl.ts';
import { words as pl } from './words/pl.ts';
import { words as pt } from './words/pt.ts';

/** Our own words around the texts of the vendor list. */
export interface VendorWords {
  /** In the banner; {count} is the number of partners. */
  readonly line: string;
  /** The button behind it. */
  readonly show: string;
  readonly title: string;
  /** What a choice here does, and what it does not. */
  readonly intro: string;
  readonly limits: string;
  /** The button that opens the preferences, where the purposes are chosen. */
  readonly choosePurposes: string;
  readonly consent: string;
  readonly interest: string;
  readonly purposesByConsent: string;
  readonly purposesByInterest: string;
  readonly specialPurposes: string;
  readonly features: string;
  readonly specialFeatures: string;
  readonly dataCategories: string;
  readonly storage: string;
  /** {time} is a number of days. */
  readonly cookies: string;
  readonly sessionCookies: string;
  readonly refreshed: string;
  readonly otherStorage: string;
  /** {time} is a number of days. */
  readonly kept: string;
  readonly policy: string;
  readonly interestClaim: string;
  readonly storageDetails: string;
  readonly meanings: string;
  /** {count} is the number of partners who declare it. */
  readonly declaredBy: string;
  readonly reject: string;
  readonly accept: string;
  readonly save: string;
  readonly close: string;
}

const all: Readonly<Record<string, VendorWords>> = { ar, de, en, es, fr, it, nl, pl, pt };

export interface SpokenVendorWords extends VendorWords {
  readonly lang: string;
  readonly dir: 'ltr' | 'rtl';
}

/** The words for a BCP 47 tag: of its language, or English. */
export function findVendorWords(tag: string): SpokenVendorWords {
  const wanted = readLanguage(tag);
  const lang = Object.hasOwn(all, wanted) ? wanted : 'en';
  return { ...(all[lang] ?? en), lang, dir: lang === 'ar' ? 'rtl' : 'ltr' };
}

/** The two letters of a BCP 47 tag's language (ISO 639-1); "en" where there are none. */
export function readLanguage(tag: string): string {
  const language = attempt(() => new Intl.Locale(tag).language) ?? '';
  return /^[a-z]{2}$/.test(language) ? language : 'en';
}

/** A number of seconds as days, or what is less than a day as hours, in a language. */
export function writeDays(seconds: number, language: string): string {
  const [count, unit] = seconds < 86_400 ? [seconds / 3600, 'hour'] : [seconds / 86_400, 'day'];
  const rounded = Math.ceil(count * 10) / 10;
  return new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long', maximumFractionDigits: 1 }).format(
    rounded,
  );
}
