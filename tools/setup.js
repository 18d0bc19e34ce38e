// From a fresh clone to installed packages. `npm start` and `npm test` run this first (prestart, pretest),
// under whatever Node the machine has: plain JavaScript, no dependencies.
import { spawnSync } from 'node:child_process';
import { existsSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const neededNode = 24;
const nodeLink = 'node_modules/.bin/node';
const hiddenLock = 'node_modules/.package-lock.json';
const packagedNode = `node-${process.platform}-${process.arch}/bin/node`;

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
const installed = hasCurrentPackages() ? false : installPackages();
if (installed || !existsSync(nodeLink)) linkPackagedNode();
if (!existsSync(nodeLink)) requireOwnNode();

/** npm writes the hidden lock last, so an interrupted installation leaves none and is done again. */
function hasCurrentPackages() {
  return changedAt(hiddenLock) >= changedAt('package-lock.json');
}

function changedAt(file) {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

function installPackages() {
  console.log('Installing packages (npm ci) …');
  const command = [
    'npm ci --no-audit --no-fund --no-update-notifier --loglevel=error',
    // None is needed, and better-sqlite3 would be compiled instead of using its prebuilt binary.
    '--ignore-scripts',
    // Also when NODE_ENV is production: the widgets are built here.
    '--include=dev --include=optional',
    // Without a network say so within seconds.
    '--prefer-offline --fetch-retry-mintimeout=1000 --fetch-retry-maxtimeout=5000',
  ].join(' ');
  process.on('SIGINT', () => {}); // npm ends by itself and tidies up; a second one must not start beside it
  const { status, signal } = spawnSync(command, { stdio: 'inherit', shell: true });
  if (status === 0) return true;
  if (signal || status === 130 || status === 143) process.exit(1);
  return stop(
    status === 127
      ? 'npm was not found on the PATH. It comes with Node: https://nodejs.org'
      : 'The packages could not be installed; npm says why above. It needs the network (or a filled npm cache) and the right to write to this folder.',
  );
}

/**
 * npm 10 leaves the link out, because the packages for x64 and arm64 both offer the command `node`; and where the
 * packaged Node cannot run (it is linked against glibc, Alpine has none), the link would hide the machine's own.
 */
function linkPackagedNode() {
  const runs = spawnSync(`node_modules/${packagedNode}`, ['--version']).status === 0;
  rmSync(nodeLink, { force: true });
  if (runs) symlinkSync(`../${packagedNode}`, nodeLink);
}

/** npm puts node_modules/.bin first on the PATH. Without a Node there, scripts run under the machine's own. */
function requireOwnNode() {
  if (Number.parseInt(process.versions.node, 10) >= neededNode) return;
  // npm passes over an optional package that it failed to fetch: the next run shall try again.
  rmSync(hiddenLock, { force: true });
  stop(
    `Node ${neededNode} or newer is needed; this is ${process.version} on ${process.platform} (${process.arch}). ` +
      'Only on Linux with glibc (x64, arm64) it comes with the packages. Install it from https://nodejs.org or your package manager, then run the command again.',
  );
}

function stop(message) {
  console.error(`\n${message}`);
  process.exit(1);
}
