import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

/** Builds the site where it is not current; a moment where it is. With SVC_DOCS_DRAFT=1 also with mistakes, to look at it. */
export function ensureBuilt(): void {
  const { status, stderr } = spawnSync(process.execPath, [join(import.meta.dirname, '../build.ts')], {
    encoding: 'utf8',
  });
  if (status !== 0 && process.env.SVC_DOCS_DRAFT === undefined) throw new Error(stderr);
}
