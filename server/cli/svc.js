#!/usr/bin/env node
// The command `svc`. In the repository it runs the sources, in the published package the build.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { findNode24, serverOptions } from './node-24.js';

const words = process.argv.slice(2);
if (process.env.npm_command !== undefined) followParent();
try {
  const node = findNode24();
  if (node !== process.execPath) runWith(node);
  else if (lacksServerOptions()) becomeServer(node);
  else await run();
} catch (error) {
  if (!(error instanceof Error) || !error.message.startsWith('Svc needs Node')) throw error;
  console.error(`svc: ${error.message}`);
  process.exitCode = 1;
}

/**
 * Stops when npm or npx does, or the shell between: both die of signals that they do not pass on, which would leave a
 * server running that no process manager knows.
 */
function followParent() {
  const parent = process.ppid;
  const grandparent = findParent(parent);
  const check = () => {
    if (process.ppid !== parent || findParent(parent) !== grandparent) process.kill(process.pid, 'SIGTERM');
  };
  setInterval(check, 200).unref();
}

/**
 * @param {number} pid
 * @returns {string | undefined} The parent of a process; undefined where the system has no /proc.
 */
function findParent(pid) {
  try {
    // The name of the program, in parentheses, can contain anything.
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ')[1];
  } catch {
    return undefined;
  }
}

async function run() {
  // The database, its log and their copies contain personal data: no other user may read them.
  process.umask(0o077);
  // Beyond `ulimit -f` a write fails with EFBIG, which is explained; the signal would end the process in the middle.
  process.on('SIGXFSZ', () => {});
  await import('./compile-cache.js');
  const isRepository = existsSync(new URL('run-command.ts', import.meta.url));
  const { runCommand } = await import(isRepository ? './run-command.ts' : '../dist/server/cli/run-command.js');
  process.exitCode = await runCommand(words);
}

/** True for a command that serves, unless Node was started with these options, as by the launchers, or with others of the kind. */
function lacksServerOptions() {
  if (!['serve', 'demo'].includes(words[0]) || words[1] === 'remove') return false;
  // A process with a channel to its parent would lose it; Windows cannot replace a process.
  if (process.platform === 'win32' || process.channel) return false;
  const given = [...process.execArgv, process.env.NODE_OPTIONS ?? ''].join(' ').replaceAll('_', '-');
  return !serverOptions.every((option) => given.includes(option.replace(/=.*/, '')));
}

/**
 * Starts again with the options of a server, in the same process: a child would need another 40 MB.
 * @param {string} node
 */
function becomeServer(node) {
  const args = [node, ...serverOptions, ...process.execArgv, fileURLToPath(import.meta.url), ...words];
  process.execve(node, args, process.env);
}

/** @param {string} node a Node that is new enough. */
function runWith(node) {
  const child = spawn(node, [...process.execArgv, fileURLToPath(import.meta.url), ...words], { stdio: 'inherit' });
  // A terminal sends Ctrl-C to both processes; the other signals come to this one, or to both.
  process.on('SIGINT', () => {});
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => {
    if (signal === null) process.exitCode = code ?? 1;
    else process.exit(1);
  });
}
