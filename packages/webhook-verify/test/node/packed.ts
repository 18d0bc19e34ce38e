import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const root = join(import.meta.dirname, '../..');
export const compiler = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'lib/tsc.js');

/** The package as npm would publish it, and a project in which it is installed. */
export interface Packed extends Disposable {
  readonly tarball: string;
  /** Has `node_modules/@svc/webhook-verify`, and nothing else. */
  readonly project: string;
  readonly installed: string;
}

/** Builds and packs the package in a temporary folder, without the network. */
export function packPackage(): Packed {
  const folder = mkdtempSync(join(tmpdir(), 'svc-webhook-verify-'));
  const source = join(folder, 'source');
  for (const name of ['package.json', 'README.md', 'LICENSE', 'src'])
    cpSync(join(root, name), join(source, name), { recursive: true });
  execFileSync(process.execPath, [compiler, '-p', root, '--outDir', join(source, 'dist')]);
  const npm = ['pack', '--offline', '--ignore-scripts', '--silent', '--pack-destination', folder];
  const name = execFileSync('npm', npm, { cwd: source, encoding: 'utf8' }).trim();
  const project = join(folder, 'project');
  const installed = join(project, 'node_modules/@svc/webhook-verify');
  mkdirSync(installed, { recursive: true });
  execFileSync('tar', ['-xzf', join(folder, name), '-C', installed, '--strip-components=1']);
  return {
    tarball: join(folder, name),
    project,
    installed,
    [Symbol.dispose]: () => rmSync(folder, { recursive: true }),
  };
}

/** Runs Node without our source condition; what it printed, both ways, and whether it succeeded. */
export function runNode(args: readonly string[], cwd: string): { readonly isFine: boolean; readonly output: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd,
    encoding: 'utf8',
    env: { PATH: process.env.PATH ?? '' },
  });
  return { isFine: status === 0, output: stdout + stderr };
}
