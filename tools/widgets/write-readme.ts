import { readFileSync, writeFileSync } from 'node:fs';

// Writes the table of the attributes into a widget's README, from its custom elements manifest: run as
// `node ../../tools/widgets/write-readme.ts` in the widget's folder, at the end of its build.

interface Attribute {
  readonly name: string;
  readonly description?: string;
  readonly type?: { readonly text: string };
  readonly default?: string;
}

/** Replaces the table of a README that describes the attributes of an element. */
export function fillReadme(readme: string, attributes: readonly Attribute[]): string {
  const rows = attributes.map(({ name, type, default: usual, description }) => {
    const values = type?.text.replaceAll('"', '').split('|') ?? [];
    const written = values.length > 1 ? values.map((value) => `\`${value}\``).join(', ') : values[0];
    return `| \`${name}\` | ${written} | ${usual === undefined ? '' : `\`${usual}\``} | ${description} |\n`;
  });
  const table = `| Attribute | Values | Default | |\n|---|---|---|---|\n${rows.join('')}`;
  return readme.replace(/^\| Attribute \|.*\n(\|.*\n)+/m, () => table);
}

if (import.meta.main) {
  const { modules } = JSON.parse(readFileSync('dist/custom-elements.json', 'utf8'));
  const [element] = modules[0].declarations.filter(({ customElement }: { customElement?: boolean }) => customElement);
  const readme = readFileSync('README.md', 'utf8');
  const filled = fillReadme(readme, element.attributes);
  if (filled !== readme) writeFileSync('README.md', filled);
}
