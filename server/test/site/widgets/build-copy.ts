import { execFile, execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';

const root = join(import.meta.dirname, '../../../..');
const run = promisify(execFile);

/**
 * Builds a widget from a copy of its sources in a folder, by its own `npm run build`.
 * @returns the copy of its package.
 */
export async function buildCopy(packageName: string, folder: string): Promise<string> {
  mkdirSync(join(folder, 'packages'), { recursive: true });
  for (const name of ['package.json', 'tsconfig.json', 'tools/widgets'])
    cpSync(join(root, name), join(folder, name), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  const copy = join(folder, 'packages', packageName);
  const isLeftOut = (path: string) => ['dist', 'test', 'node_modules'].includes(basename(path));
  cpSync(join(root, 'packages', packageName), copy, { recursive: true, filter: (path) => !isLeftOut(path) });
  await run('npm', ['run', '--silent', 'build'], { cwd: copy });
  return copy;
}

/** Packs a package without the network. @returns the tarball. */
export function packPackage(source: string, folder: string): string {
  const options = ['pack', '--offline', '--ignore-scripts', '--silent', '--pack-destination', folder];
  return join(folder, execFileSync('npm', options, { cwd: source, encoding: 'utf8' }).trim());
}

/** Every file below a folder, by its path. */
export function readTree(folder: string): ReadonlyMap<string, Buffer> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = entries.map(({ parentPath, name }) => join(parentPath, name));
  return new Map(paths.sort().map((path) => [path.slice(folder.length + 1), readFileSync(path)]));
}
