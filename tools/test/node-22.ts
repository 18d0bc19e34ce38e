/**
 * Node 22 for the tests of the packages that promise it: `$SVC_TEST_NODE_22`, or the npm package of this machine's platform,
 * which is installed below node_modules/.cache the first time.
 *
 *   node tools/test/node-22.ts    installs it and says where it is
 */
import { spawnSync } from 'node:child_process';
import { installPrograms, programPath } from './npm-programs.ts';

export type Node22 = { readonly program: string } | { readonly skipped: string };

/** The lowest release line that the packages promise; npm checks what it downloads. */
const version = '22.23.3';
/** Those for which the packages exist: they are linked against glibc on Linux. */
const platforms: readonly string[] = ['linux-x64', 'linux-arm64', 'darwin-x64', 'win32-x64'];

/** Answers the program of Node 22, or one sentence on why there is none. @throws in place of that if CI is set. */
export function findNode22(): Node22 {
  const named = process.env.SVC_TEST_NODE_22;
  if (named !== undefined && named !== '') return check(named) ?? skip(`SVC_TEST_NODE_22 names no Node 22: ${named}`);
  const platform = `${process.platform}-${process.arch}`;
  if (!platforms.includes(platform)) return skip(`there is no package of Node 22 for ${platform}`);
  const name = process.platform === 'win32' ? `node-win-${process.arch}` : `node-${platform}`;
  const file = `${name}/${process.platform === 'win32' ? 'bin/node.exe' : 'bin/node'}`;
  const complaint = installPrograms('node-22', file, [`${name}@${version}`]);
  if (complaint !== null) return skip(complaint);
  const program = programPath('node-22', file);
  return check(program) ?? skip(`${program} does not run here`);
}

function check(program: string): Node22 | undefined {
  const { stdout } = spawnSync(program, ['--version'], { encoding: 'utf8' });
  return stdout?.startsWith('v22.') ? { program } : undefined;
}

function skip(reason: string): Node22 {
  // Continuous integration skips nothing.
  if (process.env.CI) throw new Error(reason);
  const advice = 'Set SVC_TEST_NODE_22 to the program of a Node 22 to test with it.';
  return { skipped: `The tests with Node 22 are skipped: ${reason}. ${advice}` };
}

if (import.meta.main) {
  const found = findNode22();
  console.log('program' in found ? found.program : found.skipped);
}
