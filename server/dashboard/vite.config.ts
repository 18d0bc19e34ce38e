import { join } from 'node:path';
import { defineConfig } from 'vite';
import { minifyTemplates } from '../../tools/widgets/define-script.ts';

// `npm run build:dashboard`: pages are chunks of their own, with hashed names that may be cached forever.
export default defineConfig({
  root: import.meta.dirname,
  base: '/app/',
  plugins: [minifyTemplates()],
  build: {
    target: 'es2023',
    outDir: 'dist',
    emptyOutDir: true,
    reportCompressedSize: false,
    // A data: address of an image or a font would need an exception in the Content-Security-Policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      input: ['index.html', 'preview.html'].map((name) => join(import.meta.dirname, name)),
    },
  },
});
