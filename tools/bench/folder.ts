import { mkdirSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The data folder of the repository, which git ignores. */
const dataFolder = fileURLToPath(new URL('../../data', import.meta.url));

/** The numbers that statfs(2) gives tmpfs and ramfs. */
const memoryTypes = [0x01021994, 0x858458f6];

/** An empty folder on a disk, for a sync to memory costs nothing and would prove nothing. It goes with the process. */
export function createDiskFolder(): string {
  const parent = memoryTypes.includes(statfsSync(tmpdir()).type) ? dataFolder : tmpdir();
  mkdirSync(parent, { recursive: true });
  const folder = mkdtempSync(join(parent, 'svc-bench-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
