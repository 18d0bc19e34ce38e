import { type Language, matchLanguage, readDirection } from './languages.ts';
import { reportProblem } from './report-problem.ts';
import { words as englishWords } from './words/en.ts';
import type { Words } from './words.ts';

/** Far beyond the longest sentence in any language: what is longer is not ours. */
const LONGEST = 600;

/** The words of one language, with how to write it. */
export interface SpokenWords extends Words {
  readonly lang: Language;
  readonly dir: 'ltr' | 'rtl';
}

export const english: SpokenWords = speak('en', englishWords);

/**
 * The words for a BCP 47 tag. English is at hand; `load` brings the others, as the value of their file. What does not come,
 * or is not complete, is told in the console, and English takes its place: the visitor is asked in any case.
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

/** Every text that English has, of sensible length, and with the same things to fill in. Nothing else is taken over. */
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
