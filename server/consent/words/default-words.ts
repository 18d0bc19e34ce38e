import { pickLanguage } from '../pick-language.ts';
import type { Words } from './en.ts';
import { languages, type WordsLanguage } from './languages.ts';

const modules: Readonly<Record<WordsLanguage, () => Promise<{ readonly words: Words }>>> = {
  ar: () => import('./ar.ts'),
  bg: () => import('./bg.ts'),
  cs: () => import('./cs.ts'),
  da: () => import('./da.ts'),
  de: () => import('./de.ts'),
  el: () => import('./el.ts'),
  en: () => import('./en.ts'),
  es: () => import('./es.ts'),
  et: () => import('./et.ts'),
  fa: () => import('./fa.ts'),
  fi: () => import('./fi.ts'),
  fr: () => import('./fr.ts'),
  ga: () => import('./ga.ts'),
  he: () => import('./he.ts'),
  hi: () => import('./hi.ts'),
  hr: () => import('./hr.ts'),
  hu: () => import('./hu.ts'),
  id: () => import('./id.ts'),
  it: () => import('./it.ts'),
  ja: () => import('./ja.ts'),
  ko: () => import('./ko.ts'),
  lt: () => import('./lt.ts'),
  lv: () => import('./lv.ts'),
  mt: () => import('./mt.ts'),
  nb: () => import('./nb.ts'),
  nl: () => import('./nl.ts'),
  pl: () => import('./pl.ts'),
  pt: () => import('./pt.ts'),
  ro: () => import('./ro.ts'),
  ru: () => import('./ru.ts'),
  sk: () => import('./sk.ts'),
  sl: () => import('./sl.ts'),
  sv: () => import('./sv.ts'),
  tr: () => import('./tr.ts'),
  uk: () => import('./uk.ts'),
  ur: () => import('./ur.ts'),
  vi: () => import('./vi.ts'),
  'zh-Hans': () => import('./zh-Hans.ts'),
  'zh-Hant': () => import('./zh-Hant.ts'),
};

/**
 * The default words that fit a language best, with their own language; English where none do.
 * @param tag a valid BCP 47 tag.
 */
export async function loadWords(tag: string): Promise<{ readonly words: Words; readonly language: WordsLanguage }> {
  const language = pickLanguage(tag, languages) ?? 'en';
  const { words } = await modules[language]();
  return { words, language };
}
