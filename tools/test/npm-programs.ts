/** Installs programs from npm for the tests, below node_modules/.cache, the first time that they are needed. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';

const cache = join(import.meta.dirname, '../../node_modules/.cache');

/**
 * Installs packages into a folder of their own; npm checks what it downloads.
 * @param name of the folder.
 * @param file that a complete installation has, from the folder's node_modules.
 * @returns what went wrong; null for nothing.
 */
export function installPrograms(name: string, file: string, specifiers: readonly string[]): string | null {
  if (existsSync(programPath(name, file))) return null;
  console.error(`Installing ${name} for the tests (npm install ${specifiers.join(' ')}) …`);
  const folder = join(cache, name);
  mkdirSync(folder, { recursive: true });
  const options = ['--ignore-scripts', '--omit=optional', '--no-audit', '--no-fund', '--no-save', '--no-package-lock'];
  // Two tests that start at once may both install: npm puts each package in place whole.
  const { status, stderr, error } = spawnSync(
    'npm',
    ['install', '--prefix', folder, ...options, '--loglevel=error', ...specifiers],
    { encoding: 'utf8', timeout: 300_000, shell: process.platform === 'win32' },
  );
  if (status === 0) return null;
  const reason = error?.message ?? stderr.trim().split('\n').at(-1) ?? 'no reason given';
  return `npm could not install ${specifiers.join(' ')} (${reason})`;
}

/** The path of an installed file. */
export function programPath(name: string, file: string): string {
  return join(cache, name, 'node_modules', file);
}
