import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after } from 'node:test';

const widget = join(import.meta.dirname, '../..');
const vite = join(dirname(createRequire(import.meta.url).resolve('vite/package.json')), 'bin/vite.js');

/** Builds the scripts that are shipped. @returns their folder, which goes when the tests around the call are done. */
export function buildScripts(): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-consent-'));
  after(() => rmSync(folder, { recursive: true }));
  const args = [vite, 'build', '--outDir', folder, '--logLevel', 'error'];
  execFileSync(process.execPath, args, { cwd: widget });
  return folder;
}
