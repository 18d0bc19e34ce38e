import type { SpokenWords } from './load-words.ts';
import type { Notice } from './notice.ts';
import type { Words } from './words.ts';

/** The words as one notice needs them: the controller and the purposes stand in them by name. */
export function fillWords(words: SpokenWords, notice: Notice): SpokenWords {
  const names = { controller: notice.controllerName, purposes: namePurposes(notice, words) };
  return { ...words, intro: fillText(words.intro, names), panelIntro: fillText(words.panelIntro, names) };
}

/** Puts names into the gaps of a text, each once: what stands in a name is never a gap itself. */
export function fillText(text: string, names: Readonly<Record<string, string>>): string {
  return text.replace(/\{(\w+)\}/g, (gap, name: string) =>
    Object.hasOwn(names, name) ? isolate(names[name] ?? '') : gap,
  );
}

/**
 * "A, B and C", as the language writes it. The words say how, for a browser looks through its data on every language before
 * it makes the first `Intl.ListFormat`, and the visitor would wait for that.
 */
export function listNames(names: readonly string[], { list }: Words): string {
  const [, comma = '', and = ''] = list.split(/\{\w+\}/);
  const isolated = names.map(isolate);
  const last = isolated.pop() ?? '';
  return isolated.length ? isolated.join(comma) + and + last : last;
}

/** A moment as a reader of the language writes it; in the browser's own way where it does not know the language. */
export function writeMoment(time: string, language: string): string {
  const moment = new Date(time);
  if (Number.isNaN(moment.getTime())) return time;
  return new Intl.DateTimeFormat(language, { dateStyle: 'long', timeStyle: 'short' }).format(moment);
}

/** What is asked for: the optional purposes, or the required ones where nothing else is to be told. */
function namePurposes({ purposes }: Notice, words: Words): string {
  const optional = purposes.filter(({ required }) => !required);
  const asked = optional.length ? optional : purposes;
  return listNames(
    asked.map(({ label }) => label),
    words,
  );
}

/** Keeps a name's own writing direction from turning the sentence around it (Unicode isolates). */
function isolate(name: string): string {
  return `\u2068${name}\u2069`;
}
