import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';

const { resolve } = createRequire(import.meta.url);
const vite = join(dirname(resolve('vite/package.json')), 'bin/vite.js');
const analyzer = resolve('@custom-elements-manifest/analyzer/cem.js');

/** Runs a program in a widget's folder that writes to a folder of its own. @returns the files by name. */
function run(widget: string, write: (folder: string) => readonly string[]): ReadonlyMap<string, Buffer> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-widget-'));
  execFileSync(process.execPath, write(folder), { cwd: widget });
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => /\.\w+$/.test(name));
  const files = new Map(names.sort().map((name) => [name, readFileSync(join(folder, name))]));
  rmSync(folder, { recursive: true });
  return files;
}

/** Builds the scripts of a widget. @returns its files by name. */
export function buildScripts(widget: string): ReadonlyMap<string, Buffer> {
  return run(widget, (folder) => [vite, 'build', '--outDir', folder, '--logLevel', 'error']);
}

/** The modules that the custom elements manifest of a widget's sources describes. */
export function analyzeSources<Module>(widget: string): readonly Module[] {
  const options = ['--quiet', '--config', '../../tools/widgets/custom-elements-manifest.config.mjs'];
  const files = run(widget, (folder) => [analyzer, 'analyze', ...options, '--outdir', relative(widget, folder)]);
  return JSON.parse(String(files.get('custom-elements.json'))).modules;
}
