// The custom elements manifest of a widget: run as `cem analyze --config ../../tools/widgets/custom-elements-manifest.config.mjs` in the
// widget's folder.

/** The manifest describes the entry of the package: its elements, and the functions for pages. */
function publishInterface() {
  const types = new Set();
  return {
    name: 'publish-interface',
    analyzePhase({ ts, node }) {
      if (ts.isExportDeclaration(node) && node.isTypeOnly)
        for (const { name } of node.exportClause.elements) types.add(name.text);
    },
    packageLinkPhase({ customElementsManifest: manifest }) {
      const doors = manifest.modules.filter(({ path }) => path.endsWith('/index.ts'));
      const inner = manifest.modules.filter((module) => !doors.includes(module));
      doors.sort((one, other) => one.path.length - other.path.length); // That of the whole package first.
      manifest.modules = doors.map((door) => publishDoor(door, inner, types));
    },
  };
}

function publishDoor(door, inner, types) {
  const path = door.path.replace(/^src/, 'dist').replace(/\.ts$/, '.js');
  const offered = new Set(door.exports.map(({ name }) => name).filter((name) => !types.has(name)));
  // The class of an element that is loaded on demand is only a type of the entry.
  const declarations = inner
    .flatMap((module) => module.declarations)
    .filter(({ name, customElement }) => customElement || offered.has(name));
  const elements = declarations.filter(({ customElement }) => customElement);
  for (const element of elements) publishElement(element);
  const names = declarations
    .filter(({ name }) => offered.has(name))
    .map(({ name }) => ({ kind: 'js', name, declaration: { name, module: path } }));
  const definitions = elements.map(({ name, tagName }) => {
    return { kind: 'custom-element-definition', name: tagName, declaration: { name, module: path } };
  });
  return { kind: 'javascript-module', path, declarations, exports: [...names, ...definitions] };
}

/** Keeps the fields that mirror an attribute, and says which is which. */
function publishElement(element) {
  delete element.superclass;
  element.attributes ??= [];
  const attributes = new Map(element.attributes.map((attribute) => [nameField(attribute.name), attribute]));
  const fields = (element.members ?? []).filter(({ name }) => attributes.has(name));
  for (const { name } of fields) attributes.get(name).fieldName = name;
  element.members = fields.map((field) => ({ ...field, attribute: attributes.get(field.name).name, reflects: true }));
}

function nameField(attribute) {
  return attribute.replace(/-./g, ([, letter]) => letter.toUpperCase());
}

export default {
  globs: [
    'src/index.ts',
    'src/mount.ts',
    'src/trust-badge.ts',
    'src/page/consent-element.ts',
    'src/optional-elements/privacy-choices-element.ts',
    'src/optional-elements/cookie-list.ts',
  ],
  outdir: 'dist',
  packagejson: false, // It says where the manifest is; the analyzer would write there what an option says.
  plugins: [publishInterface()],
};
