import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, defineConfig, type Plugin, type UserConfig } from 'vite';

// One widget → one script for a pinned tag, and what that loads: run as `vite build --config ../../tools/widgets/vite.config.ts` in the
// widget's folder.
const { version, svc: widget }: { version: string; svc: string } = JSON.parse(readFileSync('package.json', 'utf8'));

/** The further scripts of a widget in stages, the last one first, and the name that the code before has for its hash. */
const laterStages = [
  { entry: 'src/panel-script.ts', name: `${widget}-panel`, constant: 'SVC_PANEL_INTEGRITY' },
  { entry: 'src/interface-script.ts', name: `${widget}-ui`, constant: 'SVC_INTERFACE_INTEGRITY' },
];
/** Names what the second script hands to the third. */
const sharedModule = 'src/shared.ts';
const wordsFolder = 'src/words';
/** A script for each folder, with a tag of its own: what only some sites need. */
const addOnsFolder = 'src/add-ons';
const wordsList = 'words/integrity.json';

export default defineConfig({
  ...configureScript('src/script.ts', widget),
  plugins: [...sourcePlugins(widget), buildLaterStages(), writeIntegrity()],
});

/** How one entry becomes one script. */
function configureScript(entry: string, name: string): UserConfig {
  // By the getter itself, for an image of the name `currentScript` would take its place on `document`.
  const shared = "Reflect.get(Document.prototype,'currentScript',document).svc";
  return {
    define: { 'import.meta.url': 'undefined' },
    build: {
      target: 'es2022',
      emptyOutDir: false,
      reportCompressedSize: false,
      lib: { entry, formats: ['iife'], name: '_svc', fileName: () => `${name}.js` },
      rolldownOptions: {
        output: { globals: { shared }, minify: { compress: true, mangle: true, mangleProps: { include: /^_\$/ } } },
      },
    },
  };
}

function sourcePlugins(policy: string): Plugin[] {
  return [tightTemplates(), leaveNoGlobals(), nameTrustedTypesPolicy(policy)];
}

/**
 * A widget in stages: each is a script of its own, and its hash stands in the one before. What a page pins by the hash of
 * the first is thereby all of them.
 */
function buildLaterStages(): Plugin {
  const files = new Map<string, string>();
  return {
    name: 'build-later-stages',
    async config() {
      const words = await writeWords();
      for (const [fileName, text] of words) files.set(fileName, text);
      let define: Record<string, string> = {
        SVC_WORDS_INTEGRITY: JSON.stringify(hashBytes(words.get(wordsList) ?? '')),
      };
      for (const { entry, name, constant } of laterStages.filter((stage) => existsSync(stage.entry))) {
        const code = await buildScript(entry, name, define);
        files.set(`${name}.js`, code);
        define = { ...define, [constant]: JSON.stringify(hashBytes(code)) };
      }
      for (const addOn of listAddOns()) {
        const name = `${widget}-${addOn}`;
        files.set(`${name}.js`, await buildScript(`${addOnsFolder}/${addOn}/script.ts`, name, {}));
      }
      return { define };
    },
    generateBundle() {
      for (const [fileName, source] of files) this.emitFile({ type: 'asset', fileName, source });
    },
  };
}

function listAddOns(): readonly string[] {
  if (!existsSync(addOnsFolder)) return [];
  const folders = readdirSync(addOnsFolder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const names = folders.map(({ name }) => name).sort();
  return names.filter((name) => existsSync(`${addOnsFolder}/${name}/script.ts`));
}

async function buildScript(entry: string, name: string, define: Record<string, string>): Promise<string> {
  const config = configureScript(entry, name);
  const built = await build({
    ...config,
    define: { ...config.define, ...define },
    configFile: false,
    logLevel: 'error',
    plugins: [...sourcePlugins(name), ...(name.endsWith('-panel') ? [takeShared()] : [])],
    build: { ...config.build, write: false },
  });
  const chunks = [built].flat().flatMap((bundle) => ('output' in bundle ? bundle.output : []));
  const [chunk] = chunks.filter((one) => one.type === 'chunk');
  if (chunk === undefined) throw new Error(`${entry} gave no script`);
  return chunk.code;
}

/** Leaves out what the script before hands over: the modules that `shared.ts` imports. */
function takeShared(): Plugin {
  const modules = [...readFileSync(sharedModule, 'utf8').matchAll(/from '(.+)'/g)].map(([, name]) => name);
  return {
    name: 'take-shared',
    enforce: 'pre',
    resolveId: (source) => (modules.includes(source) ? { id: 'shared', external: true } : null),
  };
}

/**
 * The words of every language but English, which is inside: a file for each, loaded when a visitor needs it, and a list of
 * their hashes. Only the list's own hash stands in a script, for all of them are longer than the words of a language.
 */
async function writeWords(): Promise<ReadonlyMap<string, string>> {
  const files = new Map<string, string>();
  const hashes: Record<string, string> = {};
  const names = existsSync(wordsFolder) ? readdirSync(wordsFolder).sort() : [];
  for (const name of names.filter((one) => one !== 'en.ts')) {
    const { words } = await import(pathToFileURL(resolve(wordsFolder, name)).href);
    const language = name.replace(/\.ts$/, '');
    const text = `${JSON.stringify(words)}\n`;
    files.set(`words/${language}.json`, text);
    hashes[language] = hashBytes(text);
  }
  if (names.length) files.set(wordsList, `${JSON.stringify(hashes)}\n`);
  return files;
}

/** Takes the white space that only serves our eyes out of html`…` and css`…`, which no minifier touches. */
function tightTemplates(): Plugin {
  return {
    name: 'tight-templates',
    enforce: 'pre',
    transform: {
      filter: { id: { include: /\/src\/.*\.ts$/, exclude: /node_modules/ } },
      handler: (code) => ({ code: tightenTemplates(code), map: null }),
    },
  };
}

/**
 * Copies code up to the end of its innermost brace, tightening the templates within. It knows as much JavaScript as
 * our own sources use: no regular expression in them holds a quote, a brace or a backtick of its own.
 */
function tightenTemplates(code: string): string {
  let at = 0;

  function copyCode(): string {
    let out = '';
    for (let depth = 0; at < code.length; ) {
      const comment = /\/\/.*|\/\*[\s\S]*?\*\//y;
      const quoted = /'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"/y;
      const skipped = matchHere(comment) ?? matchHere(quoted);
      if (skipped !== undefined) {
        out += skipped;
        continue;
      }
      const char = code.charAt(at);
      if (char === '}' && depth-- === 0) break;
      if (char === '{') depth++;
      at++;
      out += char;
      if (char === '`') out += copyTemplate(/\b(html|css)`$/.exec(out)?.[1]);
    }
    return out;
  }

  function copyTemplate(tag: string | undefined): string {
    let out = '';
    while (at < code.length) {
      const text = matchHere(/(?:\\[\s\S]|\$(?!\{)|[^\\`$])*/y) ?? '';
      out += tag === 'css' ? tightenCss(text) : tag === 'html' ? tightenHtml(text) : text;
      if (code.charAt(at++) === '`') return `${out}\``;
      at++;
      out += `\${${copyCode()}}`;
      at++;
    }
    return out;
  }

  function matchHere(pattern: RegExp): string | undefined {
    pattern.lastIndex = at;
    const found = pattern.exec(code)?.[0];
    if (found) at += found.length;
    return found;
  }

  return copyCode();
}

/** Line breaks next to a tag mean nothing to us, others are one blank. */
function tightenHtml(text: string): string {
  const inline = text.replace(/>\s*\n\s*/g, '>').replace(/\s*\n\s*(?=<)/g, '');
  const blanks = inline.replace(/\s*\n\s*/g, ' ').replace(/^ $/, '');
  return blanks.replace(/ (?=\/?>)/g, '').replace(/^\/>/, '>'); // A slash after a binding would be its value.
}

function tightenCss(text: string): string {
  const plain = text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/\s+/g, ' ');
  const tight = plain
    .replace(/ ?([{};,]) ?/g, '$1')
    .replace(/: /g, ':')
    .replace(/;\}/g, '}');
  return tight
    .replace(/(?<![\w.])0\./g, '.')
    .replace(/ ([*/]) /g, '$1')
    .trim();
}

/** Lit keeps its versions on `globalThis`, and a map for decorators, which we do not use. The page's globals are the page's. */
function leaveNoGlobals(): Plugin {
  const versions = /\(\w+\.\w+Versions\s*\?\?=\s*\[\]\)\.push\([^)]*\)/g;
  const decorators =
    /Symbol\.metadata\s*\?\?=\s*Symbol\("metadata"\),\s*\w+\.litPropertyMetadata\s*\?\?=\s*new WeakMap/g;
  return {
    name: 'leave-no-globals',
    transform: {
      filter: { id: /node_modules\/(lit-html|lit-element|@lit\/reactive-element)\// },
      handler: (code) => ({
        code: code.replace(versions, '0').replace(decorators, '0').replaceAll('this[Symbol.metadata]', 'null'),
        map: null,
      }),
    },
  };
}

/**
 * Lit's Trusted Types policy gets the name of the script it is in: a page that carries two widgets allows two names, not one name
 * twice, which `trusted-types` only takes with 'allow-duplicates'.
 */
function nameTrustedTypesPolicy(policy: string): Plugin {
  return {
    name: 'name-trusted-types-policy',
    transform: {
      filter: { id: /node_modules\/lit-html\// },
      handler: (code) => ({ code: code.replace('createPolicy("lit-html"', `createPolicy("${policy}"`), map: null }),
    },
  };
}

/** Writes what a page needs for its tag next to the script: { file, version, bytes, integrity, files: every one of them }. */
function writeIntegrity(): Plugin {
  return {
    name: 'write-integrity',
    enforce: 'post',
    generateBundle(_options, bundle) {
      const files = Object.values(bundle).map((output) => {
        const bytes = Buffer.from(output.type === 'chunk' ? output.code : output.source);
        return { file: output.fileName, bytes: bytes.length, integrity: hashBytes(bytes) };
      });
      files.sort((one, other) => (one.file < other.file ? -1 : 1));
      const script = files.find(({ file }) => file === `${widget}.js`);
      const manifest = { version, ...script, files };
      this.emitFile({ type: 'asset', fileName: 'integrity.json', source: `${JSON.stringify(manifest, null, 2)}\n` });
    },
  };
}

function hashBytes(bytes: Buffer | string): string {
  return `sha384-${createHash('sha384').update(bytes).digest('base64')}`;
}
