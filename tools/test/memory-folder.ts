import { accessSync, constants, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';

/** Databases of a whole run at once, with room to spare. */
const enoughBytes = 2 * 2 ** 30;

/**
 * The folder for the databases of tests: one in memory where the system has it (Linux: /dev/shm) with room to spare, else
 * the usual temporary one. SQLite waits for the disk at every commit, and no test cuts the power.
 */
export function findMemoryFolder(folder = '/dev/shm'): string {
  if (tmpdir().startsWith(folder)) return tmpdir(); // as the caller of the tests chose
  try {
    accessSync(folder, constants.W_OK);
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize < enoughBytes ? tmpdir() : folder;
  } catch {
    return tmpdir();
  }
}
