import type { Messages } from './messages.ts';

/** The parts of a notice that its messages name. */
interface Named {
  /** That of the messages. */
  readonly language: string;
  readonly controllerName: string;
  readonly purposes: readonly { readonly label: string; readonly required: boolean }[];
}

/** How many purposes the messages name; the others are counted. */
const mostNamed = 3;

/** The messages with the names of the controller and of the purposes filled in. */
export function fillMessages(messages: Messages, named: Named): Messages {
  const names = { controller: isolate(named.controllerName), purposes: namePurposes(messages, named) };
  return { ...messages, intro: fill(messages.intro, names), panelIntro: fill(messages.panelIntro, names) };
}

/** The purposes to ask for: the optional ones, or the required ones if there are no others. */
export function listAsked<Purpose extends { readonly required: boolean }>(
  purposes: readonly Purpose[],
): readonly Purpose[] {
  const optional = purposes.filter(({ required }) => !required);
  return optional.length > 0 ? optional : purposes;
}

function namePurposes({ list, others }: Messages, { language, purposes }: Named): string {
  const labels = listAsked(purposes).map(({ label }) => isolate(label));
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
