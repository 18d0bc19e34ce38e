import { visibleText } from './schemas.ts';

/** Characters that turn the direction of what follows (Unicode Standard Annex 9, sections 2.1 to 2.3), in a class. */
export const turningCharacters = '\\u202A-\\u202E\\u2066-\\u2069';
const deceptive = new RegExp(`[\\p{Cc}\\p{Zl}\\p{Zp}${turningCharacters}]`, 'u');

/** What is wrong with a text that could read otherwise than it was written. */
export const deceptiveIssue = 'must not contain control characters or characters that turn the direction of text';

/** One line of text for many to read. The marks that right-to-left text needs are allowed. */
export function textLine(maximum: number) {
  return visibleText(maximum).refine((text) => !deceptive.test(text), deceptiveIssue);
}
