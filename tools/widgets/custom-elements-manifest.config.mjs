// The custom elements manifest of a widget: run as `cem analyze --config ../../tools/widgets/custom-elements-manifest.config.mjs` in the
// widget's folder.

/** The manifest describes each entry of the package that has an element: the element, and the functions for pages. */
function publishInterface() {
  return {
    name: 'publish-interface',
    packageLinkPhase({ customElementsManifest: manifest }) {
      const doors = manifest.modules.filter(({ path }) => path.endsWith('/index.ts'));
      const inner = manifest.modules.filter((module) => !doors.includes(module));
      doors.sort((one, other) => one.path.length - other.path.length); // That of the whole package first.
      manifest.modules = doors.map((door) => publishDoor(door, inner));
    },
  };
}

function publishDoor(door, inner) {
  const path = door.path.replace(/^src/, 'dist').replace(/\.ts$/, '.js');
  const offered = new Set(door.exports.map(({ name }) => name));
  const declarations = inner.flatMap((module) => module.declarations).filter(({ name }) => offered.has(name));
  const element = declarations.find(({ customElement }) => customElement);
  publishElement(element);
  const names = declarations.map(({ name }) => ({ kind: 'js', name, declaration: { name, module: path } }));
  const definition = {
    kind: 'custom-element-definition',
    name: element.tagName,
    declaration: { name: element.name, module: path },
  };
  return { kind: 'javascript-module', path, declarations, exports: [...names, definition] };
}

/** Keeps the fields that mirror an attribute, and says which is which. */
function publishElement(element) {
  delete element.superclass;
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
    'src/state/consent-element.ts',
    'src/privacy-choices/privacy-choices-element.ts',
  ],
  outdir: 'dist',
  packagejson: false, // It says where the manifest is; the analyzer would write there what an option says.
  plugins: [publishInterface()],
};
