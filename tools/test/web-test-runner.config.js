import { esbuildPlugin } from '@web/dev-server-esbuild';
import { chromeLauncher } from '@web/test-runner-chrome';
import { devtoolsPlugin } from '../../packages/consent-banner/test/devtools-plugin.ts';
import { serveVisitorPage } from '../../packages/consent-banner/test/visitor-page.ts';
import { serveBadgePage } from '../../packages/trust-badge/test/badge-page.ts';
import { chromium } from './chromium.ts';

export default {
  files: ['packages/{consent-banner,trust-badge}/test/*.test.ts', 'server/dashboard/test/*.test.ts'],
  nodeResolve: true,
  concurrency: 1, // Focus and keys belong to one page at a time.
  testsFinishTimeout: 180_000,
  // The first test of a file loads all modules, and a busy machine takes its time.
  testFramework: { config: { timeout: 10_000 } },
  // Without a target the built scripts arrive untouched, byte for byte as their integrity says.
  plugins: [esbuildPlugin({ ts: true }), devtoolsPlugin],
  browsers: [chromeLauncher({ launchOptions: chromium() })],
  middleware: [serveVisitorPage, serveBadgePage],
  filterBrowserLogs: ({ args }) => !String(args[0]).startsWith('Lit is in dev mode'),
  coverageConfig: {
    include: ['packages/*/src/**'],
    threshold: { statements: 90, branches: 80, functions: 90, lines: 90 },
  },
};
