/** A real S3 server for tests: gofakes3, whose fork is that of `rclone serve s3`, built once by Go below node_modules/.cache. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { findProgram } from './find-program.ts';
import { findFreePort } from './postgres.ts';

const module = 'github.com/johannesboyne/gofakes3/cmd/gofakes3@v1.2.0';
const folder = join(import.meta.dirname, '../../node_modules/.cache/gofakes3');
const program = join(folder, 'gofakes3');

/** Installs the server. @returns why it is missing; null if it is there. */
export function installS3Server(): string | null {
  if (existsSync(program)) return null;
  const go = findProgram('go');
  if (go === undefined) return 'the S3 server for tests is missing: install Go (https://go.dev/doc/install)';
  console.error(`Installing the S3 server for the tests (go install ${module}) …`);
  const options = { env: { ...process.env, GOBIN: folder, GOFLAGS: '-mod=mod' }, encoding: 'utf8' } as const;
  const { status, stderr } = spawnSync(go, ['install', module], options);
  return status === 0 ? null : `go could not install ${module} (${stderr.trim().split('\n').at(-1)})`;
}

/** Starts the server with an empty bucket in memory. */
export async function startS3Server(bucket: string): Promise<AsyncDisposable & { readonly url: string }> {
  const port = await findFreePort();
  const args = ['-backend', 'memory', '-host', `127.0.0.1:${port}`, '-initialbucket', bucket];
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = once(child, 'exit');
  const [first] = await Promise.race([once(child.stderr, 'data'), ended]);
  if (child.exitCode !== null) throw new Error(`the S3 server did not start: ${first}`);
  child.stderr.resume();
  const url = `http://127.0.0.1:${port}`;
  // It logs its address before it listens.
  while (
    !(await fetch(url).then(
      () => true,
      () => false,
    ))
  );
  return {
    url,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
