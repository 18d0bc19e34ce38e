// npm run test:browser: the tests of the elements and the end-to-end tests at the same time. One after the other, each would
// leave a processor idle: focus and keys belong to one page at a time.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

const elements = spawn('wtr', ['--config', 'tools/test/web-test-runner.config.js', '--root-dir', '.'], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
const journeys = spawn(
  process.execPath,
  [
    '-C',
    '@svc/source',
    '--import',
    './tools/test/compile-cache.ts',
    '--test',
    '--test-concurrency=2',
    '--test-timeout=2400000', // Several times what the longest file needs: one that hangs is named.
    'server/test/**/*.e2e.ts',
    'docs-site/test/*.e2e.ts',
  ],
  { stdio: 'inherit' },
);
const [output, ...ends] = await Promise.all([text(elements.stdout), once(elements, 'close'), once(journeys, 'close')]);
process.stdout.write(output);
process.exitCode = ends.every(([code]) => code === 0) ? 0 : 1;
