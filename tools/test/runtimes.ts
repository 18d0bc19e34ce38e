/**
 * The runtimes on which the release tests run the SDK. They come from npm the first time; none is a dependency of the
 * repository, because together they take half a gigabyte.
 */
import { spawnSync } from 'node:child_process';
import { installPrograms, programPath } from './npm-programs.ts';

export interface Runtime {
  readonly name: string;
  /** The packages and their versions. */
  readonly packages: readonly string[];
  /** The program, from node_modules; that of miniflare is its module, which Node loads. */
  readonly file: string;
}

/** They are linked against glibc. */
const suffix = process.arch === 'arm64' ? 'arm64' : 'x64';
const deno = process.arch === 'arm64' ? 'arm64' : 'x64';
const bun = process.arch === 'arm64' ? 'aarch64' : 'x64';
const workerd = process.arch === 'arm64' ? 'arm64' : '64';

export const runtimes = {
  node20: { name: 'Node 20', packages: [`node-linux-${suffix}@20.19.5`], file: `node-linux-${suffix}/bin/node` },
  node22: { name: 'Node 22', packages: [`node-linux-${suffix}@22.19.0`], file: `node-linux-${suffix}/bin/node` },
  node26: { name: 'Node 26', packages: [`node-linux-${suffix}@26.12.1`], file: `node-linux-${suffix}/bin/node` },
  bun: { name: 'Bun', packages: [`@oven/bun-linux-${bun}@1.4.5`], file: `@oven/bun-linux-${bun}/bin/bun` },
  deno: { name: 'Deno', packages: [`@deno/linux-${deno}-glibc@2.9.6`], file: `@deno/linux-${deno}-glibc/deno` },
  miniflare: {
    name: 'miniflare',
    packages: ['miniflare@4.20260730.0', `@cloudflare/workerd-linux-${workerd}@1.20260730.1`],
    file: `@cloudflare/workerd-linux-${workerd}/bin/workerd`,
  },
} as const satisfies Readonly<Record<string, Runtime>>;

/** The path of a runtime's program, installed if it is missing. @throws where it cannot be installed or does not run. */
export function findRuntime({ name, packages, file }: Runtime): string {
  if (process.platform !== 'linux') throw new Error(`${name} for the tests exists for Linux only.`);
  const complaint = installPrograms(name.toLowerCase().replace(' ', '-'), file, packages);
  if (complaint !== null) throw new Error(complaint);
  const program = programPath(name.toLowerCase().replace(' ', '-'), file);
  const { status, error } = spawnSync(program, ['--version'], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program} does not run here: ${error?.message ?? `exit code ${status}`}`);
  return program;
}
