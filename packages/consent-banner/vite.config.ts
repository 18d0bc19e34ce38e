import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { defineConfig, type Plugin } from 'vite';
import {
  buildScript,
  compileHint,
  defineScript,
  hashBytes,
  minifyAgain,
  writeIntegrity,
} from '../../tools/widgets/define-script.ts';
import manifest from './package.json' with { type: 'json' };

const widget = 'svc-consent';

/** Scripts that only some pages need: the second script loads them. */
const optional = ['details', 'elements', 'placeholders'];

/** Properties of the page and its state. No add-on reads them, nor are they in JSON, whose names stay. */
const internals = [
  ...[
    'hasSignal',
    'inForce',
    'isAsking',
    'isDue',
    'isFailed',
    'isInForce',
    'isNarrowed',
    'isOpen',
    'isOpening',
    'isOwn',
  ],
  ...['isRecalled', 'switchedOn', 'allowOnce', 'decideOn', 'dispatch', 'expectPanel', 'follow', 'loadPanel'],
  ...['loadContent', 'onRelease', 'openPreferences', 'recallStored', 'renew', 'writeUrl'],
];

// The script of the tag contains the hash of the panel's, and that the hashes of the optional scripts: a page that pins the first pins all.
export default defineConfig(
  defineScript(
    'src/script.ts',
    widget,
    buildLoadedScripts(),
    minifyAgain(compileHint, internals),
    writeIntegrity(manifest.version, widget),
  ),
);

/** Builds the panel with the optional scripts, and the add-ons, which have tags of their own. */
function buildLoadedScripts(): Plugin {
  const files = new Map<string, string>();
  const build = async (name: string, define: Record<string, string>, ...lists: readonly string[]): Promise<string> => {
    const config = defineScript(
      `src/scripts/${name}.ts`,
      `${widget}-${name}`,
      importShared(lists),
      minifyAgain('', internals),
    );
    const code = await buildScript(config, define);
    files.set(`${widget}-${name}.js`, code);
    return hashBytes(code, 'sha256');
  };
  return {
    name: 'build-loaded-scripts',
    async config() {
      const hashes: Record<string, string> = {};
      for (const part of optional) hashes[part] = await build(part, {}, 'shared', 'panel-shared');
      const content = await build('content', {}, 'shared');
      const panel = await build('panel', { SVC_INTEGRITY: JSON.stringify(hashes) }, 'shared');
      for (const addOn of readdirSync('src/add-ons').filter((name) => existsSync(`src/add-ons/${name}/script.ts`))) {
        const name = `${widget}-${addOn}`;
        files.set(`${name}.js`, await buildScript(defineScript(`src/add-ons/${addOn}/script.ts`, name), {}));
      }
      const version = JSON.stringify(manifest.version);
      return { define: { SVC_INTEGRITY: JSON.stringify({ content, panel }), SVC_VERSION: version } };
    },
    generateBundle() {
      for (const [fileName, source] of files) this.emitFile({ type: 'asset', fileName, source });
    },
  };
}

/**
 * Takes what the scripts before this one pass, in place of the modules that they have.
 * @param lists the modules that list it, in this order.
 */
function importShared(lists: readonly string[]): Plugin {
  const texts = lists.map((list) => readFileSync(`src/${list}.ts`, 'utf8'));
  const imported = texts.flatMap((text) => [...text.matchAll(/from '(.+)'/g)].map(([, name = '']) => name));
  const modules = new Set([...imported, ...lists.map((list) => `./${list}.ts`)].map((name) => locate(name, 'src')));
  const names = texts.flatMap((text) => text.split('[\n')[1]?.match(/\w+/g) ?? []);
  return {
    name: 'import-shared',
    enforce: 'pre',
    resolveId: (source, importer) => (importer && modules.has(locate(source, dirname(importer))) ? '\0shared' : null),
    // Through the getter, because an image named `currentScript` would shadow it on `document`.
    load: (id) =>
      id === '\0shared'
        ? `export const shared = Reflect.get(Document.prototype, 'currentScript', document)?.svc ?? [];
           export const [${names}] = shared;`
        : null,
  };
}

/** The path of a module, or the name of a package. */
function locate(name: string, folder: string): string {
  return name.startsWith('.') ? resolve(folder, name) : name;
}
