import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { defineConfig, type Plugin } from 'vite';
import {
  buildScript,
  defineScript,
  hashBytes,
  minifyAgain,
  writeIntegrity,
} from '../../tools/widgets/define-script.ts';
import manifest from './package.json' with { type: 'json' };

const widget = 'svc-consent';

// The script of the tag contains the hash of the panel's: a page that pins the first pins both.
export default defineConfig(
  defineScript('src/script.ts', widget, buildFurtherScripts(), minifyAgain(), writeIntegrity(manifest.version, widget)),
);

/** Builds the panel, and the add-ons, which have tags of their own. */
function buildFurtherScripts(): Plugin {
  const files = new Map<string, string>();
  return {
    name: 'build-further-scripts',
    async config() {
      const panel = await buildScript(
        defineScript('src/panel-script.ts', `${widget}-panel`, importShared(), minifyAgain()),
        {},
      );
      files.set(`${widget}-panel.js`, panel);
      for (const addOn of readdirSync('src/add-ons').filter((name) => existsSync(`src/add-ons/${name}/script.ts`))) {
        const name = `${widget}-${addOn}`;
        files.set(`${name}.js`, await buildScript(defineScript(`src/add-ons/${addOn}/script.ts`, name), {}));
      }
      return { define: { SVC_PANEL_INTEGRITY: JSON.stringify(hashBytes(panel)) } };
    },
    generateBundle() {
      for (const [fileName, source] of files) this.emitFile({ type: 'asset', fileName, source });
    },
  };
}

/** Takes what `shared.ts` passes from the script of the tag, in place of the modules that it imports. */
function importShared(): Plugin {
  const text = readFileSync('src/shared.ts', 'utf8');
  const modules = new Set([...text.matchAll(/from '(.+)'/g)].map(([, name = '']) => resolve('src', name)));
  const [, list = ''] = text.split('[\n');
  const names = list.match(/\w+/g) ?? [];
  return {
    name: 'import-shared',
    enforce: 'pre',
    resolveId: (source, importer) =>
      importer && source.startsWith('.') && modules.has(resolve(importer, '..', source)) ? '\0shared' : null,
    // Through the getter, because an image named `currentScript` would shadow it on `document`.
    load: (id) =>
      id === '\0shared'
        ? `const [${names}] = Reflect.get(Document.prototype, 'currentScript', document)?.svc ?? []; export { ${names} };`
        : null,
  };
}
