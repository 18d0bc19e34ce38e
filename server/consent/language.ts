import { z } from 'zod';
import { text } from '../http/schemas.ts';

/** The canonical form of a BCP 47 tag; null for what is none. */
function canonicalizeTag(tag: string): string | null {
  try {
    return Intl.getCanonicalLocales(tag)[0] ?? null;
  } catch {
    return null;
  }
}

/** A BCP 47 tag in its canonical form. */
export const Language = text(64)
  .transform((tag, context) => {
    const canonical = canonicalizeTag(tag);
    if (canonical !== null) return canonical;
    context.addIssue('must be a BCP 47 language tag such as en or pt-BR');
    return z.NEVER;
  })
  .meta({ override: { type: 'string', maxLength: 64 } });

/** The same as a key: two spellings of one language would be two entries. */
export const LanguageKey = text(64).refine(
  (tag) => canonicalizeTag(tag) === tag,
  'must be a BCP 47 language tag in its canonical form, such as de or pt-BR',
);

/**
 * The language that fits a wanted one best: itself, a less specific one (`de` for `de-AT`), or another variant in the same
 * script (`pt-PT` for `pt-BR`).
 * @param offered in order of preference.
 */
export function pickLanguage(wanted: string, offered: readonly string[]): string | undefined {
  for (let tag = wanted; tag !== ''; tag = tag.slice(0, Math.max(0, tag.lastIndexOf('-'))))
    if (offered.includes(tag)) return tag;
  const script = nameScript(wanted);
  return offered.find((tag) => nameScript(tag) === script);
}

/** A language with its script; the two written forms of Norwegian are read by the same people. */
function nameScript(tag: string): string {
  const { language, script } = new Intl.Locale(tag).maximize();
  return `${language === 'nn' || language === 'no' ? 'nb' : language}-${script}`;
}
