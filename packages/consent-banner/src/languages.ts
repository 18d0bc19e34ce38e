/** The languages of the banner, as file names. English is always available. */
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

/** Norwegian without a variant, and Nynorsk, whose readers understand Bokmål. */
const near: Readonly<Record<string, string>> = { no: 'nb', nn: 'nb' };

/**
 * The best available language: "pt-BR" maps to "pt", "zh-TW" to "zh-Hant", the old "iw" to "he". Invalid and unsupported
 * tags map to English.
 */
export function matchLanguage(tag: string): Language {
  // Common tags avoid `Intl.Locale`, whose data a browser must load first.
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
