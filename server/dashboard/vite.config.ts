import { join } from 'node:path';
import { defaultClientConditions, defineConfig } from 'vite';
import { minifyTemplates } from '../../tools/widgets/define-script.ts';

// A browser takes milliseconds for each file: what is always needed together is one. The previews have no part of the
// dashboard but Lit, and the sign-in page none of the frame.
const lit = { name: 'lit', test: /node_modules\/@?lit/, priority: 3 };
const entry = { name: 'entry', test: /vite\/preload-helper|dashboard\/src\/(app|words\/en)\.(ts|json)/, priority: 2 };
const frame = {
  name: 'frame',
  test: /dashboard\/src\/(shell|page-element|list|format|members|conflict|sdk)\.ts/,
  priority: 1,
};

// `npm run build:dashboard`: pages are chunks of their own, with hashed names that may be cached forever.
export default defineConfig({
  root: import.meta.dirname,
  base: '/app/',
  plugins: [minifyTemplates()],
  // Words are imported whole.
  json: { namedExports: false, stringify: false },
  // The SDK is bundled from its sources.
  resolve: { conditions: ['@svc/source', ...defaultClientConditions] },
  build: {
    target: 'es2023',
    outDir: 'dist',
    emptyOutDir: true,
    reportCompressedSize: false,
    // For the licenses of what is bundled, and the SBOM of a release.
    license: { fileName: 'licenses.json' },
    // A data: address of an image or a font would need an exception in the Content-Security-Policy.
    assetsInlineLimit: 0,
    modulePreload: {
      polyfill: false,
      // Pages import from the frame, which is already loaded: a link for each chunk costs more than the request it
      // expedites.
      resolveDependencies: (_file, dependencies, { hostType }) => (hostType === 'html' ? dependencies : []),
    },
    rolldownOptions: {
      input: ['index.html', 'preview.html', 'trust-preview.html', 'badge-preview.html'].map((name) =>
        join(import.meta.dirname, name),
      ),
      output: { codeSplitting: { groups: [lit, entry, frame] } },
    },
  },
});
