/** The languages that the banner has words in, as the names of their files. English is the one that is always there. */
export const languages = [
  'ar',
  'bg',
  'cs',
  'da',
  'de',
  'el',
  'en',
  'es',
  'et',
  'fa',
  'fi',
  'fr',
  'ga',
  'he',
  'hi',
  'hr',
  'hu',
  'id',
  'it',
  'ja',
  'ko',
  'lt',
  'lv',
  'mt',
  'nb',
  'nl',
  'pl',
  'pt',
  'ro',
  'ru',
  'sk',
  'sl',
  'sv',
  'tr',
  'uk',
  'ur',
  'vi',
  'zh-Hans',
  'zh-Hant',
] as const;

export type Language = (typeof languages)[number];

const rightToLeft: readonly string[] = ['ar', 'fa', 'he', 'ur'] satisfies Language[];

/** Norwegian without a form, and Nynorsk, which every reader of Bokmål reads. */
const near: Readonly<Record<string, string>> = { no: 'nb', nn: 'nb' };

/**
 * The nearest language that there are words in: "pt-BR" takes "pt", "zh-TW" takes "zh-Hant", the old "iw" takes "he".
 * What is no BCP 47 tag, or no language of ours, takes English.
 */
export function matchLanguage(tag: string): Language {
  // The usual tags need no `Intl.Locale`, whose data a browser first has to load.
  const [, plain] = /^([a-z]{2})(?:-[A-Z]{2})?$/.exec(tag) ?? [];
  const found = languages.find((known) => known === plain);
  if (found) return found;
  try {
    const { language, script } = new Intl.Locale(tag).maximize();
    const wanted = [`${language}-${script}`, near[language] ?? language];
    return languages.find((known) => wanted.includes(known)) ?? 'en';
  } catch {
    return 'en';
  }
}

export function readDirection(language: string): 'ltr' | 'rtl' {
  return rightToLeft.includes(language) ? 'rtl' : 'ltr';
}
