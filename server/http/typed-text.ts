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
 * Reads a code as people type it: in digits of any script, in groups, with what copying adds.
 * @param text a text of limited length.
 */
export function readTypedCode(text: string): string {
  // Japanese keyboards write U+30FC for a hyphen.
  const compact = compactPasted(text.normalize('NFKC')).replace(/[\p{P}\u2212\u02D7\u2500\u30FC]/gu, '');
  return compact.replace(/\p{Nd}/gu, readDigit);
}

/** The digits of a script are ten code points in a row, which begin at a multiple of sixteen or six after it. */
function readDigit(digit: string): string {
  const code = digit.codePointAt(0) as number;
  const row = code - (code % 16);
  return String(code - (/\p{Nd}/u.test(String.fromCodePoint(row)) ? row : row + 6));
}
