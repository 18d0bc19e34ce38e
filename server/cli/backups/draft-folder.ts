import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** The work on backups, which may have a temporary folder in the data folder. */
type Work = 'backup' | 'erasures' | 'rehearsal' | 'restore';

/** Makes an empty temporary folder, in place of one that a crash left; disposing of it removes it. */
export function makeDraft(dataDir: string, work: Work): Disposable & { readonly folder: string } {
  const folder = nameDraft(dataDir, work);
  const remove = () => removeDraft(dataDir, work);
  remove();
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return { folder, [Symbol.dispose]: remove };
}

/** Removes the folder that a stopped or killed process left. */
export function removeDraft(dataDir: string, work: Work): void {
  rmSync(nameDraft(dataDir, work), { recursive: true, force: true });
}

function nameDraft(dataDir: string, work: Work): string {
  return join(dataDir, `${work}-draft`);
}
