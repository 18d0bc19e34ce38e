/** Shows the tag of a widget with the attributes that were chosen, coloured like every other code. */
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
  code.textContent = `${script.replaceAll(placeholder, baseUrl)}\n${open}></${name}>`;
}

const placeholder = 'https://consent.example.com';
