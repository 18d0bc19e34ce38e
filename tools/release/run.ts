import { spawnSync } from 'node:child_process';

/** Why there is no release; its message is for the person who makes it. */
export class ReleaseError extends Error {
  override readonly name = 'ReleaseError';
}

/**
 * Runs a program to its end.
 * @returns what it printed.
 * @throws {ReleaseError} with its output, if it fails or is missing.
 */
export function run(
  cwd: string,
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): string {
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    cwd,
    env: { ...process.env, ...env },
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (error !== undefined) throw new ReleaseError(`${program} could not be run: ${error.message}`);
  if (status !== 0) throw new ReleaseError(`${program} ${args.join(' ')} failed in ${cwd}:\n${stdout}${stderr}`);
  return stdout.trim();
}

/** The message of a failure; with its stack, if the release did not expect it. */
export function explainFailure(error: unknown): string {
  return error instanceof ReleaseError ? error.message : String((error as Error).stack ?? error);
}
