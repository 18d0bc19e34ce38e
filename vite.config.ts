import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { defineConfig, type Plugin } from 'vite';

// One widget → one script for a pinned tag: run as `vite build --config ../../vite.config.ts` in the widget's folder.
const { version, svc: widget }: { version: string; svc: string } = JSON.parse(readFileSync('package.json', 'utf8'));

export default defineConfig({
  define: { 'import.meta.url': 'undefined' },
  build: {
    target: 'es2022',
    emptyOutDir: false,
    reportCompressedSize: false,
    lib: { entry: 'src/script.ts', formats: ['iife'], name: '_svc', fileName: () => `${widget}.js` },
    rolldownOptions: {
      output: { minify: { compress: true, mangle: true, mangleProps: { include: /^_\$/ } } },
    },
  },
  plugins: [tightTemplates(), leaveNoGlobals(), nameTrustedTypesPolicy(), writeIntegrity()],
});

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
 * Lit's Trusted Types policy gets the name of the widget: a page that carries two widgets allows two names, not one name
 * twice, which `trusted-types` only takes with 'allow-duplicates'.
 */
function nameTrustedTypesPolicy(): Plugin {
  return {
    name: 'name-trusted-types-policy',
    transform: {
      filter: { id: /node_modules\/lit-html\// },
      handler: (code) => ({ code: code.replace('createPolicy("lit-html"', `createPolicy("${widget}"`), map: null }),
    },
  };
}

/** Writes what a page needs for its tag next to the script: { file, version, bytes, integrity }. */
function writeIntegrity(): Plugin {
  return {
    name: 'write-integrity',
    enforce: 'post',
    generateBundle(_options, bundle) {
      for (const chunk of Object.values(bundle)) {
        if (chunk.type !== 'chunk') continue;
        const integrity = `sha384-${createHash('sha384').update(chunk.code).digest('base64')}`;
        const manifest = { file: chunk.fileName, version, bytes: Buffer.byteLength(chunk.code), integrity };
        this.emitFile({ type: 'asset', fileName: 'integrity.json', source: `${JSON.stringify(manifest, null, 2)}\n` });
      }
    },
  };
}
