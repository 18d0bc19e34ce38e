// Writes dist: one JavaScript file for each entry, because a hundred small ones take three times as long to import, and the
// declarations that the entries lead to.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { build } from 'vite';

const folder = import.meta.dirname;
const entries = ['index', 'ledger/index', 'ledger/browser', 'platform/node', 'platform/fetch'];

// Remove the scripts of an earlier build, but not the declarations, which were just written.
const dist = join(folder, 'dist');
for (const file of readdirSync(dist, { recursive: true, encoding: 'utf8' }))
  if (file.endsWith('.js')) rmSync(join(dist, file));
await build({
  configFile: false,
  root: folder,
  logLevel: 'warn',
  build: {
    target: 'node22',
    minify: false,
    emptyOutDir: false,
    lib: { entry: Object.fromEntries(entries.map((name) => [name, join(folder, `src/${name}.ts`)])), formats: ['es'] },
    rolldownOptions: {
      external: /^(?:node:|undici|#platform)/,
      output: { entryFileNames: '[name].js', chunkFileNames: 'shared/[name].js', comments: false },
    },
  },
});
removeHiddenDeclarations();
// The generated types read the same in their declarations, and the index only names what others declare.
for (const name of ['types/api.d.ts', 'index.d.ts']) removeMap(name);

/** Declarations of what no entry shows would be two thirds of the package. */
function removeHiddenDeclarations(): void {
  const shown = new Set<string>();
  const visit = (file: string): void => {
    if (shown.has(file)) return;
    shown.add(file);
    const imported = readFileSync(file, 'utf8').matchAll(/(?:from|import\()\s*['"](\.[^'"]+)\.(?:ts|js)['"]/g);
    for (const [, path] of imported) visit(join(dirname(file), `${path}.d.ts`));
  };
  // The entry for browsers has the declarations of that for Node, and no entry shows the platforms.
  for (const name of entries.filter((entry) => entry.endsWith('index'))) visit(join(dist, `${name}.d.ts`));
  for (const file of readdirSync(dist, { recursive: true, encoding: 'utf8' }))
    if (/\.d\.ts(?:\.map)?$/.test(file) && !shown.has(join(dist, file.replace(/\.map$/, '')))) rmSync(join(dist, file));
}

/** Leaves out the map of a declaration to its source. */
function removeMap(name: string): void {
  const file = join(dist, name);
  rmSync(`${file}.map`);
  const text = readFileSync(file, 'utf8');
  writeFileSync(file, text.slice(0, text.lastIndexOf('//# sourceMappingURL=')));
}
