import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { defineConfig, type Plugin } from 'vite';
import { buildScript, defineScript, hashBytes, writeIntegrity } from '../../tools/widgets/define-script.ts';
import manifest from './package.json' with { type: 'json' };

const widget = 'svc-consent';
const wordsList = 'words/integrity.json';

// The banner is a script in stages, each of which contains the hash of the next: a page that pins the first pins them all.
export default defineConfig(
  defineScript('src/script.ts', widget, buildLaterScripts(), writeIntegrity(manifest.version, widget)),
);

/** Builds the later stages, the last one first, the add-ons, which have tags of their own, and the word files. */
function buildLaterScripts(): Plugin {
  const files = new Map<string, string>();
  return {
    name: 'build-later-scripts',
    async config() {
      for (const [fileName, text] of await writeWords()) files.set(fileName, text);
      const words = { SVC_WORDS_INTEGRITY: JSON.stringify(hashBytes(files.get(wordsList) ?? '')) };
      const panel = await buildScript(defineScript('src/panel-script.ts', `${widget}-panel`, importShared()), words);
      const withPanel = { ...words, SVC_PANEL_INTEGRITY: JSON.stringify(hashBytes(panel)) };
      const ui = await buildScript(defineScript('src/interface-script.ts', `${widget}-ui`), withPanel);
      files.set(`${widget}-panel.js`, panel).set(`${widget}-ui.js`, ui);
      for (const addOn of readdirSync('src/add-ons').filter((name) => existsSync(`src/add-ons/${name}/script.ts`))) {
        const name = `${widget}-${addOn}`;
        files.set(`${name}.js`, await buildScript(defineScript(`src/add-ons/${addOn}/script.ts`, name), {}));
      }
      return { define: { ...withPanel, SVC_INTERFACE_INTEGRITY: JSON.stringify(hashBytes(ui)) } };
    },
    generateBundle() {
      for (const [fileName, source] of files) this.emitFile({ type: 'asset', fileName, source });
    },
  };
}

/** Takes the modules that `shared.ts` imports from the script before, which hands them over. */
function importShared(): Plugin {
  const modules = [...readFileSync('src/shared.ts', 'utf8').matchAll(/from '(.+)'/g)].map(([, name]) => name);
  return {
    name: 'import-shared',
    enforce: 'pre',
    resolveId: (source) => (modules.includes(source) ? { id: 'shared', external: true } : null),
  };
}

/** A file of words for each language but English, which the script contains, and a list of their hashes. */
async function writeWords(): Promise<ReadonlyMap<string, string>> {
  const files = new Map<string, string>();
  const hashes: Record<string, string> = {};
  for (const name of readdirSync('src/words').sort()) {
    if (name === 'en.ts') continue;
    const { words } = await import(pathToFileURL(resolve('src/words', name)).href);
    const language = name.replace(/\.ts$/, '');
    const text = `${JSON.stringify(words)}\n`;
    files.set(`words/${language}.json`, text);
    hashes[language] = hashBytes(text);
  }
  return files.set(wordsList, `${JSON.stringify(hashes)}\n`);
}
