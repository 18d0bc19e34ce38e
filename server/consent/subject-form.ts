import { removeInvisible } from '../http/typed-text.ts';

/** Printable ASCII without capitals and spaces: nearly every id of a subject, and every id that the banner makes. */
const plain = /^[!-@[-~]*$/;

/**
 * The form that an id of a subject has in common with its other spellings: NFKC, without differences of case, invisible
 * characters and white space around it. Ids are stored as they were given; this only finds them.
 */
export function foldSubject(subjectId: string): string {
  if (plain.test(subjectId)) return subjectId;
  const text = removeInvisible(subjectId.normalize('NFKC')).trim();
  // Its capital is that of another letter (Unicode CaseFolding.txt leaves it as it is).
  const folded = text.split('ı').map(foldCase).join('ı');
  return folded.normalize('NFKC');
}

/** Capitals first, for ß and Σ; small letters before them, for the capital of ß. */
function foldCase(text: string): string {
  return text.toLowerCase().toUpperCase().toLowerCase().replaceAll('ς', 'σ');
}
