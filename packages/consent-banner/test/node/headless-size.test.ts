import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { brotliCompressSync } from 'node:zlib';
import { build } from 'vite';

const BUDGET = 10_500;

test(`consent without an interface is ${BUDGET} bytes of brotli at most in a page's own bundle, without Lit`, async () => {
  const built = await build({
    configFile: false,
    logLevel: 'error',
    build: {
      write: false,
      target: 'es2022',
      rollupOptions: { external: /blocked-tags/ }, // Loaded on pages with blocked tags.
      lib: { entry: join(import.meta.dirname, '../../src/headless.ts'), formats: ['iife'], name: 'headless' },
    },
  });
  const chunks = [built].flat().flatMap((bundle) => ('output' in bundle ? bundle.output : []));
  const code = chunks.map((chunk) => ('code' in chunk ? chunk.code : '')).join('');
  const { length } = brotliCompressSync(code);
  assert.ok(length > 1_000 && length <= BUDGET, `it has ${length}`);
  assert.doesNotMatch(code, /lit-html|createTreeWalker|showModal/);
});
