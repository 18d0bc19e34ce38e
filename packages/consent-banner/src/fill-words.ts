import type { SpokenWords } from './load-words.ts';
import type { Notice } from './notice.ts';
import type { Words } from './words.ts';

/** The words for one notice, with the names of the controller and the purposes filled in. */
export function fillWords(words: SpokenWords, notice: Notice): SpokenWords {
  const names = { controller: notice.controllerName, purposes: namePurposes(notice, words) };
  return { ...words, intro: fillText(words.intro, names), panelIntro: fillText(words.panelIntro, names) };
}

/** Fills the placeholders of a text in one pass, so that a name cannot contain a placeholder. */
export function fillText(text: string, names: Readonly<Record<string, string>>): string {
  return text.replace(/\{(\w+)\}/g, (gap, name: string) =>
    Object.hasOwn(names, name) ? isolate(names[name] ?? '') : gap,
  );
}

/**
 * Formats "A, B and C" in the language. The pattern is part of the words, because a browser loads its data on every language
 * before it creates the first `Intl.ListFormat`, which would delay the banner.
 */
export function listNames(names: readonly string[], { list }: Words): string {
  const [, comma = '', and = ''] = list.split(/\{\w+\}/);
  const isolated = names.map(isolate);
  const last = isolated.pop() ?? '';
  return isolated.length ? isolated.join(comma) + and + last : last;
}

/** Formats a time in the language, or in the browser's if it does not know the language. */
export function writeMoment(time: string, language: string): string {
  const moment = new Date(time);
  if (Number.isNaN(moment.getTime())) return time;
  return new Intl.DateTimeFormat(language, { dateStyle: 'long', timeStyle: 'short' }).format(moment);
}

/** The purposes to ask for: the optional ones, or the required ones if there are no others. */
function namePurposes({ purposes }: Notice, words: Words): string {
  const optional = purposes.filter(({ required }) => !required);
  const asked = optional.length ? optional : purposes;
  return listNames(
    asked.map(({ label }) => label),
    words,
  );
}

/** Isolates the writing direction of a name from the sentence around it (Unicode isolates). */
function isolate(name: string): string {
  return `\u2068${name}\u2069`;
}
