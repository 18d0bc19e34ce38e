import { readdirSync, readFileSync, writeFileSync } from 'node:fs';

// Typings of a widget's elements for React, Vue and Svelte, from its custom elements manifest: run as
// `node ../../tools/widgets/write-typings.ts` in the widget's folder, at the end of its build. None of the three needs to be installed.

interface Attribute {
  readonly name: string;
  readonly description: string;
  readonly type: { readonly text: string };
  readonly default?: string;
}

interface Element {
  readonly name: string;
  readonly tagName: string;
  readonly attributes: readonly Attribute[];
}

interface Module {
  readonly path: string;
  readonly declarations: readonly Partial<Element>[];
}

const { modules }: { readonly modules: readonly Module[] } = JSON.parse(
  readFileSync('dist/custom-elements.json', 'utf8'),
);

/** Each element, the widget's own first, with the module it comes from and the name of the type of its attributes. */
const elements = modules.flatMap(({ path, declarations }) => {
  const found = declarations.filter(({ tagName }) => tagName !== undefined) as readonly Element[];
  return found.map((element) => {
    const attributesName = element.name.replace(/Element$/, 'Attributes');
    return { ...element, attributesName, module: path.replace(/^dist/, '.') };
  });
});
const [{ tagName: widget } = { tagName: '' }] = elements;

/**
 * A markup attribute is text: what can be chosen is what may be written. `false` takes it away, which means the same only
 * where that is the default.
 */
function writeType({ type: { text }, default: usual }: Attribute): string {
  if (text.includes('|')) {
    const values = text.split('|').map((value) => value.trim().replaceAll(/["']/g, ''));
    return values.map((value) => `'${value}'`).join(' | ');
  }
  if (text === 'boolean') return usual === 'false' ? "boolean | 'true' | 'false'" : "'true' | 'false'";
  return text === 'number' ? `number | \`\${number}\`` : 'string';
}

function writeAttributes(
  { attributes }: Pick<Element, 'attributes'>,
  rename: (name: string) => string,
  isRequired: (attribute: Attribute) => boolean,
): string {
  const lines = attributes.flatMap((attribute) => [
    `  /** ${attribute.description} */`,
    isRequired(attribute)
      ? `  ${rename(attribute.name)}: ${writeType(attribute)};`
      : `  ${rename(attribute.name)}?: ${writeType(attribute)} | undefined;`,
  ]);
  return lines.join('\n');
}

const quote = (word: string) => (/^\w+$/.test(word) ? word : `'${word}'`);
const camelCase = (word: string) => word.replace(/-./g, ([, letter = '']) => letter.toUpperCase());
const attributeNames = elements.map(({ attributesName }) => attributesName).join(', ');
const imports = `import type { ${attributeNames} } from './element-attributes.js';
${elements.map(({ name, module }) => `import type { ${name} } from '${module}';`).join('\n')}`;

/** Writes something for each element. */
function writeEach(write: (element: (typeof elements)[number]) => string): string {
  return elements.map(write).join('\n');
}

/** The further scripts: later stages, and add-ons. */
const furtherScripts = readdirSync('dist')
  .filter((file) => file.startsWith(`${widget}-`) && file.endsWith('.js'))
  .map((file) => file.replace(/\.js$/, ''));

const typings: Readonly<Record<string, string>> = {
  'element-attributes': writeEach(
    (element) => `/** The attributes of \`<${element.tagName}>\` as markup has them. */
export interface ${element.attributesName} {
${writeAttributes(element, quote, ({ description }) => description.includes('Required.'))}
}
`,
  ),
  react: `import type { DetailedHTMLProps, HTMLAttributes } from 'react';
${imports}

declare module 'react' {
  namespace JSX {
    interface IntrinsicElements {
${writeEach(
  ({ tagName, name, attributesName }) =>
    `      '${tagName}': DetailedHTMLProps<HTMLAttributes<${name}>, ${name}> & ${attributesName};`,
)}
    }
  }
}

export type { ${attributeNames} };
`,
  // A template may write either form of a name, and its checker asks for the second.
  vue: `import type { HTMLAttributes, PublicProps } from 'vue';
${imports}

${writeEach(
  (element) => `interface ${element.name}Properties {
${writeAttributes(element, camelCase, () => false)}
}
`,
)}
declare module 'vue' {
  interface GlobalComponents {
${writeEach(
  ({ tagName, name, attributesName }) => `    '${tagName}': new () => {
      $props: HTMLAttributes & PublicProps & Partial<${attributesName}> & ${name}Properties;
      $el: ${name};
    };`,
)}
  }
}

export type { ${attributeNames} };
`,
  svelte: `import type { HTMLAttributes } from 'svelte/elements';
${imports}

declare module 'svelte/elements' {
  interface SvelteHTMLElements {
${writeEach(({ tagName, name, attributesName }) => `    '${tagName}': HTMLAttributes<${name}> & ${attributesName};`)}
  }
}

export type { ${attributeNames} };
`,
  // Globals that the script of the tag defines on the page.
  [widget]: "import './index.js';\n\nexport {};\n",
  ...Object.fromEntries(furtherScripts.map((name) => [name, 'export {};\n'])),
};

for (const [file, text] of Object.entries(typings)) writeFileSync(`dist/${file}.d.ts`, text);
for (const framework of ['react', 'vue', 'svelte']) writeFileSync(`dist/${framework}.js`, "import './index.js';\n");
