import { type Language, matchLanguage, readDirection } from './languages.ts';
import { reportProblem } from './report-problem.ts';
import { words as englishWords } from './words/en.ts';
import type { Words } from './words.ts';

/** Far longer than any sentence in any language: a longer text is not part of the words. */
const LONGEST = 600;

/** The words of one language, with its writing direction. */
export interface SpokenWords extends Words {
  readonly lang: Language;
  readonly dir: 'ltr' | 'rtl';
}

export const english: SpokenWords = speak('en', englishWords);

/**
 * The words for a BCP 47 tag. English is built in; `load` fetches the others, as the value of their file. If they are missing
 * or incomplete, this is logged and English is used: the visitor is asked in any case.
 */
export async function loadWords(tag: string, load: (language: Language) => Promise<unknown>): Promise<SpokenWords> {
  const language = matchLanguage(tag);
  if (language === 'en') return english;
  try {
    return speak(language, readWords(await load(language)));
  } catch (cause) {
    reportProblem(`the words for "${language}" could not be loaded (${cause}). The banner speaks English instead.`);
    return english;
  }
}

function speak(lang: Language, words: Words): SpokenWords {
  return { ...words, lang, dir: readDirection(lang) };
}

/** Accepts a file only with every text of English, of reasonable length, with the same placeholders. */
function readWords(value: unknown): Words {
  const given = Object(value) as Readonly<Record<string, unknown>>;
  const read = Object.entries<string>({ ...englishWords }).map(([name, model]) => {
    const text = given[name];
    if (typeof text !== 'string' || !text || text.length > LONGEST) throw new Error(`${name} is not there as text`);
    const lost = listGaps(model).find((gap) => !text.includes(gap));
    if (lost) throw new Error(`${name} lacks ${lost}`);
    return [name, text];
  });
  return Object.fromEntries(read);
}

function listGaps(text: string): readonly string[] {
  return text.match(/\{\w+\}/g) ?? [];
}
