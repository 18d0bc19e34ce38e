import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, defineConfig, type Plugin, type UserConfig } from 'vite';

// One widget → one script for a pinned tag, and what that loads: run as `vite build --config ../../vite.config.ts` in the
// widget's folder.
const { version, svc: widget }: { version: string; svc: string } = JSON.parse(readFileSync('package.json', 'utf8'));

const interfaceEntry = 'src/interface-script.ts';
const interfaceName = `${widget}-ui`;
const wordsFolder = 'src/words';

export default defineConfig({
  ...configureScript('src/script.ts', widget),
  plugins: [...sourcePlugins(widget), buildInterface(), emitWords(), writeIntegrity()],
});

/** How one entry becomes one script. */
function configureScript(entry: string, name: string): UserConfig {
  return {
    define: { 'import.meta.url': 'undefined' },
    build: {
      target: 'es2022',
      emptyOutDir: false,
      reportCompressedSize: false,
      lib: { entry, formats: ['iife'], name: '_svc', fileName: () => `${name}.js` },
      rolldownOptions: {
        output: { minify: { compress: true, mangle: true, mangleProps: { include: /^_\$/ } } },
      },
    },
  };
}

function sourcePlugins(policy: string): Plugin[] {
  return [tightTemplates(), leaveNoGlobals(), nameTrustedTypesPolicy(policy)];
}

/**
 * A widget in two stages: the second is a script of its own, whose hash stands in the first. What a page pins by the hash
 * of the first is thereby all of it.
 */
function buildInterface(): Plugin {
  const file = `${interfaceName}.js`;
  let code: string;
  return {
    name: 'build-interface',
    async config() {
      if (!existsSync(interfaceEntry)) return undefined;
      code = await buildScript(interfaceEntry, interfaceName);
      return { define: { SVC_INTERFACE_INTEGRITY: JSON.stringify(hashBytes(code)) } };
    },
    generateBundle() {
      if (code !== undefined) this.emitFile({ type: 'asset', fileName: file, source: code });
    },
  };
}

async function buildScript(entry: string, name: string): Promise<string> {
  const config = configureScript(entry, name);
  const built = await build({
    ...config,
    configFile: false,
    logLevel: 'error',
    plugins: sourcePlugins(name),
    build: { ...config.build, write: false },
  });
  const chunks = [built].flat().flatMap((bundle) => ('output' in bundle ? bundle.output : []));
  const [chunk] = chunks.filter((one) => one.type === 'chunk');
  if (chunk === undefined) throw new Error(`${entry} gave no script`);
  return chunk.code;
}

/** The words of every language but English, which is inside: a file for each, loaded when a visitor needs it. */
function emitWords(): Plugin {
  return {
    name: 'emit-words',
    async generateBundle() {
      const names = existsSync(wordsFolder) ? readdirSync(wordsFolder).sort() : [];
      for (const name of names.filter((one) => one !== 'en.ts')) {
        const { words } = await import(pathToFileURL(resolve(wordsFolder, name)).href);
        const fileName = `words/${name.replace(/\.ts$/, '.json')}`;
        this.emitFile({ type: 'asset', fileName, source: `${JSON.stringify(words)}\n` });
      }
    },
  };
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
