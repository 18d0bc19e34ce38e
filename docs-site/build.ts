// npm run build:docs: the documentation into docs-site/dist, or every mistake of its pages.
import '../server/cli/compile-cache.js';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { takeFingerprint } from './site/fingerprint.ts';

const folder = join(import.meta.dirname, 'dist');
const fingerprint = takeFingerprint();
if (readFingerprint() !== fingerprint) await build();

/** Loads the generator only if the site must be built: every start of the server runs this file. */
async function build(): Promise<void> {
  const { buildSite } = await import('./site/build-site.ts');
  const { writeFiles } = await import('./site/write-files.ts');
  const { files, pages, mistakes } = await buildSite();
  for (const { message } of mistakes) console.error(message);
  // With mistakes it is written too, so that one can look at it, but does not count as built.
  writeFiles(folder, mistakes.length > 0 ? files : new Map([...files, ['built-from', fingerprint]]));
  if (mistakes.length > 0) {
    process.exitCode = 1;
    return;
  }
  console.log(`${pages.length} pages of documentation are in docs-site/dist.`);
}

function readFingerprint(): string | null {
  try {
    return readFileSync(join(folder, 'built-from'), 'utf8');
  } catch {
    return null;
  }
}
