import { execFileSync, spawnSync } from 'node:child_process';
import { cpus, loadavg, totalmem } from 'node:os';
import { chromium } from '../test/chromium.ts';
import type { Conditions } from './measurement.ts';

/**
 * Reads what a measurement that begins now depends on.
 * @param folder of the repository that is measured.
 * @returns the commit, the versions, the machine and how busy it is; nothing that names the machine or its user.
 * @throws where there is no commit to name.
 */
export function readConditions(folder: string): Conditions {
  const processors = cpus();
  return {
    measuredOn: new Date().toISOString().slice(0, 10),
    ...readCommit(folder),
    node: process.versions.node,
    chromium: readChromiumVersion(),
    processor: processors[0]?.model.replaceAll(/\s+/g, ' ').trim() || 'unknown',
    processors: processors.length,
    gibibytes: Math.round((totalmem() / 2 ** 30) * 10) / 10,
    load: Math.round((loadavg()[0] ?? 0) * 100) / 100,
  };
}

/**
 * Reads which commit a folder has, and whether its files differ from it. The documentation does not count: nothing of it
 * is measured, and the record itself is in it. @throws where git has no commit to name.
 */
export function readCommit(folder: string): Pick<Conditions, 'commit' | 'isModified'> {
  const run = (...words: readonly string[]) =>
    execFileSync('git', ['-C', folder, ...words], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();
  try {
    const commit = run('rev-parse', 'HEAD');
    return { commit, isModified: run('status', '--porcelain', '--', ':/', ':(top,exclude)docs-site') !== '' };
  } catch (cause) {
    throw new Error('A record names the commit that was measured, and git knows of none here.', { cause });
  }
}

function readChromiumVersion(): string | null {
  try {
    const { stdout } = spawnSync(chromium().executablePath, ['--version'], { encoding: 'utf8' });
    return /\d+(\.\d+)+/.exec(stdout)?.[0] ?? null;
  } catch {
    return null;
  }
}
