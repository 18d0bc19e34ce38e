/**
 * Node 22 for the tests of the packages that promise it: `$SVC_TEST_NODE_22`, or the npm package of this machine's platform,
 * which is installed below node_modules/.cache the first time.
 *
 *   node tools/test/node-22.ts    installs it and says where it is
 */
import { spawnSync } from 'node:child_process';
import { installPrograms, programPath } from './npm-programs.ts';

/** The lowest release line that the packages promise; npm checks what it downloads. */
const version = '22.23.3';
/** Those for which the packages exist: they are linked against glibc on Linux. */
const platforms: readonly string[] = ['linux-x64', 'linux-arm64', 'darwin-x64', 'win32-x64'];

/** Finds the program of Node 22. @throws where it cannot be installed or does not run. */
export function findNode22(): string {
  const named = process.env.SVC_TEST_NODE_22 || null;
  const program = named ?? installNode22();
  const { stdout } = spawnSync(program, ['--version'], { encoding: 'utf8' });
  if (!stdout?.startsWith('v22.')) throw new Error(`${program} is no Node 22, or does not run here. ${advice}`);
  return program;
}

const advice = 'Set SVC_TEST_NODE_22 to the program of a Node 22.';

function installNode22(): string {
  const platform = `${process.platform}-${process.arch}`;
  if (!platforms.includes(platform)) throw new Error(`There is no package of Node 22 for ${platform}. ${advice}`);
  const name = process.platform === 'win32' ? `node-win-${process.arch}` : `node-${platform}`;
  const file = `${name}/${process.platform === 'win32' ? 'bin/node.exe' : 'bin/node'}`;
  const complaint = installPrograms('node-22', file, [`${name}@${version}`]);
  if (complaint !== null) throw new Error(`${complaint}. ${advice}`);
  return programPath('node-22', file);
}

if (import.meta.main) console.log(findNode22());
