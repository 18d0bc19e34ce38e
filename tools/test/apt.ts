import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/** True if Debian packages can be installed without a question: as root, where there is apt. */
export function mayInstallPackages(): boolean {
  return process.getuid?.() === 0 && existsSync('/usr/bin/apt-get');
}

/**
 * Installs what the tests need from outside npm, where it may.
 * @param names packages that are only useful together.
 * @returns whether they were installed.
 */
export function installPackages(...names: readonly string[]): boolean {
  if (!mayInstallPackages()) return false;
  console.error(`Installing ${names.join(', ')} for the tests (apt-get install) …`);
  update();
  const { status, stderr } = runApt('install', '--yes', '--no-install-recommends', ...names);
  if (status !== 0) console.error(stderr);
  return status === 0;
}

let isUpdated = false;

function update(): void {
  if (!isUpdated) runApt('update');
  isUpdated = true;
}

function runApt(...args: readonly string[]) {
  const options = ['-qq', '-o', 'DPkg::Lock::Timeout=60', '-o', 'Dpkg::Options::=--force-confold'];
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  return spawnSync('apt-get', [...options, ...args], { env, encoding: 'utf8', stdio: ['ignore', 'ignore', 'pipe'] });
}
