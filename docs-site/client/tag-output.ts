import { serverPlaceholder } from '../site/placeholders.ts';

/** Shows the tag of a widget with the attributes that were chosen, colored like all code. */
export function showTag(output: Element, element: HTMLElement, baseUrl: string): void {
  const code = output.querySelector('code');
  if (code === null) return;
  code.dataset.first ??= code.textContent ?? '';
  const script = code.dataset.first.slice(0, code.dataset.first.indexOf('</script>') + '</script>'.length);
  const name = element.localName;
  const attributes = [...element.attributes].filter((one) => !['data-stage', 'hidden'].includes(one.name));
  const words = attributes.map((one) =>
    one.value === '' ? one.name : `${one.name}="${one.value.replaceAll('"', '&quot;')}"`,
  );
  const [first = '', ...more] = words;
  const open = [`<${name} ${first}`.trim(), ...more].join(
    words.join(' ').length > 70 ? `\n${' '.repeat(name.length + 2)}` : ' ',
  );
  code.replaceChildren(...colour(`${script.replaceAll(serverPlaceholder, baseUrl)}\n${open}></${name}>`));
}

const kinds: readonly (readonly [string, RegExp])[] = [
  ['h-string', /^"/],
  ['h-name', /^<\/?\w/],
  ['h-attr', /^[a-z]/],
];

/** Splits a tag into values, names of elements, names of attributes and the text between them. */
function colour(tag: string): readonly (Node | string)[] {
  return tag.split(/("[^"]*"|<\/?[\w-]+|(?<=\s)[a-z][\w-]*)/).map((part) => {
    const kind = kinds.find(([, pattern]) => pattern.test(part))?.[0];
    return kind === undefined
      ? part
      : Object.assign(document.createElement('span'), { className: kind, textContent: part });
  });
}
