import { z } from 'zod';
import { text } from '../http/schemas.ts';

/** The canonical form of a BCP 47 tag; null for an invalid one. */
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
