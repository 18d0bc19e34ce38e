import type { Notice } from './notice.ts';
import { catalogue, type Words } from './words.ts';

const RIGHT_TO_LEFT = ['ar'];

/** The words for one notice, with its names filled in. */
export interface SpokenWords extends Words {
  readonly lang: string;
  readonly dir: 'ltr' | 'rtl';
}

/** Speaks the notice's language if there are words in it ("pt-BR" takes "pt"), else English. */
export function chooseWords(notice: Notice): SpokenWords {
  const primary = notice.language.toLowerCase().split('-')[0] ?? '';
  const lang = Object.hasOwn(catalogue, primary) ? primary : 'en';
  const words = catalogue[lang] as Words;
  const names: Record<string, string> = {
    controller: isolate(notice.controllerName),
    purposes: new Intl.ListFormat(lang).format(namePurposes(notice)),
  };
  const fill = (text: string): string => text.replace(/\{(\w+)\}/g, (_, name: string) => names[name] ?? '');
  return {
    ...words,
    lang,
    dir: RIGHT_TO_LEFT.includes(lang) ? 'rtl' : 'ltr',
    intro: fill(words.intro),
    panelIntro: fill(words.panelIntro),
  };
}

/** What is asked for: the optional purposes, or the required ones where nothing else is to be told. */
function namePurposes({ purposes }: Notice): readonly string[] {
  const optional = purposes.filter(({ required }) => !required);
  return (optional.length ? optional : purposes).map(({ label }) => isolate(label));
}

/** Keeps a name's own writing direction from turning the sentence around it (Unicode isolates). */
function isolate(name: string): string {
  return `\u2068${name}\u2069`;
}
