import type { Words } from './en.ts';

/** What the words of a notice name. */
interface Named {
  /** That of the words. */
  readonly language: string;
  readonly controllerName: string;
  readonly purposes: readonly { readonly label: string; readonly required: boolean }[];
}

/** How many purposes the words name; the others are counted. */
const mostNamed = 3;

/** The words with the names of the controller and of the purposes filled in. */
export function fillWords(words: Words, named: Named): Words {
  const names = { controller: isolate(named.controllerName), purposes: namePurposes(words, named) };
  return { ...words, intro: fill(words.intro, names), panelIntro: fill(words.panelIntro, names) };
}

/** The purposes to ask for: the optional ones, or the required ones if there are no others. */
function namePurposes({ list, others }: Words, { language, purposes }: Named): string {
  const optional = purposes.filter(({ required }) => !required);
  const labels = (optional.length > 0 ? optional : purposes).map(({ label }) => isolate(label));
  const [, comma = '', and = ''] = list.split(/\{\w+\}/);
  const rest = labels.length - mostNamed;
  if (rest > 0) {
    const count = new Intl.NumberFormat(language).format(rest);
    return fill(others, { purposes: labels.slice(0, mostNamed).join(comma), count });
  }
  return [labels.slice(0, -1).join(comma), labels.at(-1)].filter((part) => part !== '').join(and);
}

/** Fills the placeholders of a text in one pass, so that a name cannot contain one. */
function fill(text: string, names: Readonly<Record<string, string>>): string {
  return text.replace(/\{(\w+)\}/g, (gap, name: string) =>
    Object.hasOwn(names, name) ? (names[name] as string) : gap,
  );
}

/** Isolates the writing direction of a name from the sentence around it (Unicode isolates). */
function isolate(name: string): string {
  return `\u2068${name}\u2069`;
}
