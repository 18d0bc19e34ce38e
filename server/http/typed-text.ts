import { text } from './schemas.ts';

/** Removes what has no shape of its own: zero-width characters, direction marks, soft hyphens, variation selectors. */
export function removeInvisible(text: string): string {
  return text.replace(/[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, '');
}

/** Removes what copying adds to a text that has no spaces of its own. */
export function compactPasted(text: string): string {
  return removeInvisible(text).replace(/\s/g, '');
}

/** A token that people copy from a mail, a file or a terminal. */
export function pastedToken(maximum: number) {
  return text(maximum).min(1).transform(compactPasted);
}

/**
 * Reads a code as people type it: full-width, in groups, with what copying adds.
 * @param text whose length is bounded.
 */
export function readTypedCode(text: string): string {
  return compactPasted(text.normalize('NFKC')).replace(/[\p{Pd}\u2212]/gu, '');
}
