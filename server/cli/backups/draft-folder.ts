import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** Makes an empty temporary folder, in place of one that a crash left; disposing of it removes it. */
export function makeDraft(dataDir: string, name: string): Disposable & { readonly folder: string } {
  const folder = join(dataDir, name);
  const remove = () => rmSync(folder, { recursive: true, force: true });
  remove();
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return { folder, [Symbol.dispose]: remove };
}

/** Removes what a process left that was stopped or killed. */
export function removeDraft(dataDir: string, task: 'backup' | 'erasures' | 'rehearsal' | 'restore'): void {
  rmSync(join(dataDir, `${task}-draft`), { recursive: true, force: true });
}
