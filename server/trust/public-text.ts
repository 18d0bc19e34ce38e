import { visibleText } from '../http/schemas.ts';
import { deceptiveIssue, turningCharacters } from '../http/text-line.ts';

const deceptive = new RegExp(`[${turningCharacters}]|[^\\P{Cc}\\n\\t]`, 'u');

/** Text of several paragraphs, which blank lines part. */
export function publicText(maximum: number) {
  return visibleText(maximum)
    .overwrite((text) => text.replace(/\r\n?/g, '\n'))
    .refine((text) => !deceptive.test(text), deceptiveIssue);
}

/** The paragraphs of a text. */
export function splitParagraphs(text: string): readonly string[] {
  return text.split(/\n[ \t]*(?:\n[ \t]*)+/).filter((paragraph) => paragraph.trim() !== '');
}
