import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The path of the first of these programs that `PATH` leads to. */
export function findProgram(...names: readonly string[]): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter).filter(Boolean);
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find((path) => existsSync(path));
}
