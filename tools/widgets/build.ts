import { execSync } from 'node:child_process';
import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';

// Builds a widget into its `dist`: run as `node ../../tools/widgets/build.ts` in the folder of the widget. What an earlier build left
// there goes at the end, not at the start: a server may be reading it meanwhile.
const steps = [
  'tsc -p .',
  'vite build',
  'cem analyze --quiet --config ../../tools/widgets/custom-elements-manifest.config.mjs',
  'node ../../tools/widgets/write-typings.ts',
  'node ../../tools/widgets/write-readme.ts',
];

const startedAt = Date.now() - 1000; // File systems round the time of a file.
for (const step of steps) execSync(step, { stdio: 'inherit' });
for (const name of readdirSync('dist', { recursive: true, encoding: 'utf8' })) {
  const path = join('dist', name);
  const found = statSync(path);
  if (found.isFile() && found.mtimeMs < startedAt) rmSync(path);
}
