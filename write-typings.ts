import { readdirSync, readFileSync, writeFileSync } from 'node:fs';

// Typings of a widget's element for React, Vue and Svelte, from its custom elements manifest: run as
// `node ../../write-typings.ts` in the widget's folder, at the end of its build. None of the three needs to be installed.

interface Attribute {
  readonly name: string;
  readonly description: string;
  readonly type: { readonly text: string };
}

interface Element {
  readonly name: string;
  readonly tagName: string;
  readonly attributes: readonly Attribute[];
}

const { modules } = JSON.parse(readFileSync('dist/custom-elements.json', 'utf8'));
const element: Element = modules[0].declarations.find(({ tagName }: Partial<Element>) => tagName !== undefined);
const { name, tagName, attributes } = element;
const attributesName = name.replace(/Element$/, 'Attributes');

/** A markup attribute is text, and `false` would take it away: what can be chosen is what may be written. */
function writeType({ type: { text } }: Attribute): string {
  if (text.includes('|')) {
    const values = text.split('|').map((value) => value.trim().replaceAll(/["']/g, ''));
    return values.map((value) => `'${value}'`).join(' | ');
  }
  if (text === 'boolean') return "'true' | 'false'";
  return text === 'number' ? `number | \`\${number}\`` : 'string';
}

function writeAttributes(rename: (name: string) => string, isRequired: (attribute: Attribute) => boolean): string {
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
const imports = `import type { ${attributesName} } from './element-attributes.js';
import type { ${name} } from './index.js';`;

/** The further scripts: later stages, and add-ons. */
const furtherScripts = readdirSync('dist')
  .filter((file) => file.startsWith(`${tagName}-`) && file.endsWith('.js'))
  .map((file) => file.replace(/\.js$/, ''));

const typings: Readonly<Record<string, string>> = {
  'element-attributes': `/** The attributes of \`<${tagName}>\` as markup has them. */
export interface ${attributesName} {
${writeAttributes(quote, ({ description }) => description.includes('Required.'))}
}
`,
  react: `import type { DetailedHTMLProps, HTMLAttributes } from 'react';
${imports}

declare module 'react' {
  namespace JSX {
    interface IntrinsicElements {
      '${tagName}': DetailedHTMLProps<HTMLAttributes<${name}>, ${name}> & ${attributesName};
    }
  }
}

export type { ${attributesName} };
`,
  // A template may write either form of a name, and its checker asks for the second.
  vue: `import type { HTMLAttributes, PublicProps } from 'vue';
${imports}

interface Properties {
${writeAttributes(camelCase, () => false)}
}

declare module 'vue' {
  interface GlobalComponents {
    '${tagName}': new () => {
      $props: HTMLAttributes & PublicProps & Partial<${attributesName}> & Properties;
      $el: ${name};
    };
  }
}

export type { ${attributesName} };
`,
  svelte: `import type { HTMLAttributes } from 'svelte/elements';
${imports}

declare module 'svelte/elements' {
  interface SvelteHTMLElements {
    '${tagName}': HTMLAttributes<${name}> & ${attributesName};
  }
}

export type { ${attributesName} };
`,
  // What the script of the tag leaves on the page.
  [tagName]: "import './index.js';\n\nexport {};\n",
  ...Object.fromEntries(furtherScripts.map((name) => [name, 'export {};\n'])),
};

for (const [file, text] of Object.entries(typings)) writeFileSync(`dist/${file}.d.ts`, text);
for (const framework of ['react', 'vue', 'svelte']) writeFileSync(`dist/${framework}.js`, "import './index.js';\n");
