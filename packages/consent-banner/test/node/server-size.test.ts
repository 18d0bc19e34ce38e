import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { brotliCompressSync } from 'node:zlib';
import { build } from 'vite';

const BUDGET = 1_220;

test(`what a server reads the decision with is ${BUDGET} bytes of brotli at most, without Lit or a page`, async () => {
  const built = await build({
    configFile: false,
    logLevel: 'error',
    build: {
      write: false,
      target: 'es2022',
      lib: { entry: join(import.meta.dirname, '../../src/server.ts'), formats: ['es'], fileName: 'server' },
    },
  });
  const chunks = [built].flat().flatMap((bundle) => ('output' in bundle ? bundle.output : []));
  const code = chunks.map((chunk) => ('code' in chunk ? chunk.code : '')).join('');
  const { length } = brotliCompressSync(code);
  assert.ok(length > 500 && length <= BUDGET, `it has ${length}`);
  assert.doesNotMatch(code, /lit-html|HTMLElement|customElements|attachShadow/);
});
