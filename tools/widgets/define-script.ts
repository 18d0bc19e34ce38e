// Configuration that the Vite builds of the widgets share: one entry → one script for a pinned tag.
import { createHash } from 'node:crypto';
import { minifyHTMLLiterals } from 'minify-literals';
import { minify } from 'terser';
import { build, type ESTree, type Plugin, parseSync, type UserConfig, Visitor } from 'vite';

/**
 * The configuration that builds one entry as one script.
 * @param name of the file, and of the Trusted Types policy inside it.
 */
export function defineScript(entry: string, name: string, ...plugins: readonly Plugin[]): UserConfig {
  return {
    plugins: [minifyTemplates(), adaptLit(name), ...plugins],
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

/** Builds a further script in memory. @returns its code. */
export async function buildScript(config: UserConfig, define: Record<string, string>): Promise<string> {
  const built = await build({
    ...config,
    define: { ...config.define, ...define },
    configFile: false,
    logLevel: 'error',
    build: { ...config.build, write: false },
  });
  const chunks = [built].flat().flatMap((bundle) => ('output' in bundle ? bundle.output : []));
  const [chunk] = chunks.filter((output) => output.type === 'chunk');
  if (chunk === undefined) throw new Error('The entry was built to no script.');
  return chunk.code;
}

/**
 * A script that begins with this comment is compiled by V8 while it loads, off the main thread, not function by function
 * when it runs (https://v8.dev/blog/explicit-compile-hints): the time of the banner's falls by a quarter. What is loaded
 * later needs no hint: it runs when the page is idle.
 */
export const compileHint = '//# allFunctionsCalledOnLoad';

/** The short names of properties. */
const nameCache = {};

/**
 * Minifies a script again: what Terser finds beyond Rolldown's minifier is worth two per cent of the bytes.
 * @param preamble a comment that the script begins with.
 * @param internals names of properties to shorten, the same in every script of a build.
 */
export function minifyAgain(preamble = '', internals: readonly string[] = []): Plugin {
  const properties = { regex: new RegExp(`^(${internals.join('|')})$`) };
  return {
    name: 'minify-again',
    async generateBundle(_options, bundle) {
      for (const output of Object.values(bundle)) {
        if (output.type !== 'chunk') continue;
        const compress = { passes: 3, ecma: 2020, unsafe_arrows: true } as const;
        const format = { preamble };
        const options = { compress, format, mangle: { properties }, nameCache, ecma: 2020, toplevel: true } as const;
        const { code } = await minify(output.code, options);
        output.code = code ?? output.code;
      }
    },
  };
}

/** Removes white space from html`…` and css`…`, which JavaScript minifiers do not touch. */
export function minifyTemplates(): Plugin {
  return {
    name: 'minify-templates',
    enforce: 'pre',
    transform: {
      filter: { id: { include: /\/src\/.*\.ts$/, exclude: /node_modules/ } },
      handler: (code, id) => minifyHTMLLiterals(code, { fileName: id, sourceMap: false }),
    },
  };
}

/** The edits that each module of Lit needs. */
const litEdits: Readonly<Record<string, number>> = { 'lit-html.js': 2, 'lit-element.js': 1, 'reactive-element.js': 4 };

/**
 * Removes what Lit writes to `globalThis` (its versions, and the metadata of decorators, which we do not use), and names its
 * Trusted Types policy after the script: two widgets on a page would otherwise need `'allow-duplicates'`.
 */
function adaptLit(policy: string): Plugin {
  return {
    name: 'adapt-lit',
    transform: {
      filter: { id: /node_modules\/(lit-html|lit-element|@lit\/reactive-element)\/[\w-]+\.js$/ },
      handler(code, id) {
        const edits = findLitEdits(code, policy);
        const name = id.slice(id.lastIndexOf('/') + 1);
        if (edits.length !== (litEdits[name] ?? 0)) throw new Error(`${name} of Lit has changed: adapt findLitEdits.`);
        const adapted = edits.reduceRight(
          (text, { start, end, by }) => text.slice(0, start) + by + text.slice(end),
          code,
        );
        return { code: adapted, map: null };
      },
    },
  };
}

interface Edit {
  readonly start: number;
  readonly end: number;
  readonly by: string;
}

function findLitEdits(code: string, policy: string): readonly Edit[] {
  const edits: Edit[] = [];
  const replace = ({ start, end }: ESTree.Span, by: string) => edits.push({ start, end, by });
  const textOf = ({ start, end }: ESTree.Span) => code.slice(start, end);
  const visitor = new Visitor({
    CallExpression(node) {
      const [argument] = node.arguments;
      if (argument?.type === 'Literal' && argument.value === 'lit-html') replace(argument, JSON.stringify(policy));
      if (/^\(\w+\.\w+Versions\?\?=\[\]\)\.push$/.test(textOf(node.callee))) replace(node, '0');
    },
    AssignmentExpression(node) {
      if (/^(Symbol\.metadata|\w+\.litPropertyMetadata)$/.test(textOf(node.left))) replace(node, '0');
    },
    MemberExpression(node) {
      if (textOf(node) === 'this[Symbol.metadata]') replace(node, 'null');
    },
  });
  visitor.visit(parseSync('lit.js', code).program);
  return edits.sort((one, other) => one.start - other.start);
}

/** Writes what a page needs for its tag next to the script: { version, file, bytes, integrity, files: all of them }. */
export function writeIntegrity(version: string, name: string): Plugin {
  return {
    name: 'write-integrity',
    enforce: 'post',
    generateBundle(_options, bundle) {
      const files = Object.values(bundle).map((output) => {
        const bytes = Buffer.from(output.type === 'chunk' ? output.code : output.source);
        return { file: output.fileName, bytes: bytes.length, integrity: hashBytes(bytes) };
      });
      files.sort((one, other) => (one.file < other.file ? -1 : 1));
      const manifest = { version, ...files.find(({ file }) => file === `${name}.js`), files };
      this.emitFile({ type: 'asset', fileName: 'integrity.json', source: `${JSON.stringify(manifest, null, 2)}\n` });
    },
  };
}

/** The Subresource Integrity hash. Inside of a script SHA-256 does, which is shorter. */
export function hashBytes(bytes: Buffer | string, algorithm: 'sha256' | 'sha384' = 'sha384'): string {
  return `${algorithm}-${createHash(algorithm).update(bytes).digest('base64')}`;
}
