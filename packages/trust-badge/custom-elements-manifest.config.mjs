/** The manifest tells what the package's one door offers: the element, its interface for pages, and the mount function. */
function publishInterface() {
  const path = 'dist/index.js';
  return {
    name: 'publish-interface',
    packageLinkPhase({ customElementsManifest: manifest }) {
      const [door, ...inner] = manifest.modules;
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
      manifest.modules = [{ kind: 'javascript-module', path, declarations, exports: [...names, definition] }];
    },
  };
}

/** Keeps the fields that mirror an attribute, and says which is which. */
function publishElement(element) {
  delete element.superclass;
  const fields = new Map(element.attributes.map((attribute) => [nameField(attribute.name), attribute]));
  for (const [fieldName, attribute] of fields) attribute.fieldName = fieldName;
  element.members = element.members
    .filter(({ name }) => fields.has(name))
    .map((field) => ({ ...field, attribute: fields.get(field.name).name, reflects: true }));
}

function nameField(attribute) {
  return attribute.replace(/-./g, ([, letter]) => letter.toUpperCase());
}

export default {
  globs: ['src/{index,mount,trust-badge}.ts'],
  outdir: 'dist',
  packagejson: false, // It says where the manifest is; the analyzer would write there what an option says.
  plugins: [publishInterface()],
};
