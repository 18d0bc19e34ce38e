// The custom elements manifest of a widget: run as `cem analyze --config ../../tools/widgets/custom-elements-manifest.config.mjs` in the
// widget's folder.
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

/** The table of the attributes of the widget's own element. */
const table = ['src/page/attributes.ts', 'src/attributes.ts'].find((path) => existsSync(path));
const { attributes, choices } = await import(pathToFileURL(resolve(table)));

/** The manifest describes the entry of the package: its elements, and the functions for pages. */
function publishInterface() {
  const types = new Set();
  const comments = new Map();
  return {
    name: 'publish-interface',
    analyzePhase({ ts, node, moduleDoc }) {
      if (moduleDoc.path === table && ts.isVariableDeclaration(node) && node.name.text === 'attributes')
        for (const [name, comment] of listComments(ts, node)) comments.set(name, comment);
      if (ts.isExportDeclaration(node) && node.isTypeOnly)
        for (const { name } of node.exportClause.elements) types.add(name.text);
    },
    packageLinkPhase({ customElementsManifest: manifest }) {
      const doors = manifest.modules.filter(({ path }) => path.endsWith('/index.ts'));
      const inner = manifest.modules.filter((module) => !doors.includes(module));
      doors.sort((one, other) => one.path.length - other.path.length); // That of the whole package first.
      manifest.modules = doors.map((door) => publishDoor(door, inner, types, comments));
    },
  };
}

function publishDoor(door, inner, types, comments) {
  const path = door.path.replace(/^src/, 'dist').replace(/\.ts$/, '.js');
  const offered = new Set(door.exports.map(({ name }) => name).filter((name) => !types.has(name)));
  // The class of an element that is loaded on demand is only a type of the entry.
  const declarations = inner
    .flatMap((module) => module.declarations)
    .filter(({ name, customElement }) => customElement || offered.has(name));
  const elements = declarations.filter(({ customElement }) => customElement);
  const [own] = elements;
  for (const element of elements) publishElement(element, element === own ? listAttributes(comments) : []);
  const names = declarations
    .filter(({ name }) => offered.has(name))
    .map(({ name }) => ({ kind: 'js', name, declaration: { name, module: path } }));
  const definitions = elements.map(({ name, tagName }) => {
    return { kind: 'custom-element-definition', name: tagName, declaration: { name, module: path } };
  });
  return { kind: 'javascript-module', path, declarations, exports: [...names, ...definitions] };
}

/** The comments in the table, which is `{ … } as const` or `[ … ] as const`. */
function listComments(ts, { initializer }) {
  const isTable = (one) => ts.isObjectLiteralExpression(one) || ts.isArrayLiteralExpression(one);
  let table = initializer;
  while (!isTable(table)) table = table.expression;
  const source = table.getSourceFile().text;
  return (table.properties ?? table.elements).map((entry) => {
    const { pos, end } = ts.getLeadingCommentRanges(source, entry.pos).at(-1);
    return [(entry.name ?? entry).text, source.slice(pos + 3, end - 2).replace(/\s+\* /g, ' ')];
  });
}

/** The attributes as the manifest has them. Of `choices`, the first is the default. */
function listAttributes(comments) {
  return [...comments].map(([name, comment]) => {
    const [description, ...tags] = comment.trim().split(/ @(?=\w)/);
    const read = (tag) => tags.find((one) => one.startsWith(`${tag} `))?.slice(tag.length + 1);
    const values = choices?.[name] ?? attributes[name]?.values;
    const text = read('type')?.slice(1, -1) ?? values?.map((value) => `"${value}"`).join('|') ?? 'string';
    return { name, type: { text }, description, default: read('default') ?? choices?.[name]?.[0] };
  });
}

/** Keeps the fields that mirror an attribute, and says which is which. */
function publishElement(element, attributes) {
  delete element.superclass;
  element.attributes = attributes;
  const mirrored = new Map(attributes.map((attribute) => [nameField(attribute.name), attribute]));
  const fields = (element.members ?? []).filter(({ name }) => mirrored.has(name));
  for (const { name } of fields) mirrored.get(name).fieldName = name;
  element.members = fields.map((field) => ({ ...field, attribute: mirrored.get(field.name).name, reflects: true }));
}

function nameField(attribute) {
  return attribute.replace(/-./g, ([, letter]) => letter.toUpperCase());
}

export default {
  globs: [
    'src/index.ts',
    'src/mount.ts',
    'src/trust-badge.ts',
    table,
    'src/page/consent-element.ts',
    'src/optional-elements/privacy-choices-element.ts',
    'src/optional-elements/cookie-list.ts',
  ],
  outdir: 'dist',
  packagejson: false, // It says where the manifest is; the analyzer would write there what an option says.
  plugins: [publishInterface()],
};
