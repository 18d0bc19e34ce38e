import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setupLifetime } from '../accounts/members/setup.ts';
import { hasTenants } from '../accounts/tenants/store.ts';
import type { Installation } from '../installation/installation.ts';
import { addTime } from '../storage/database.ts';
import type { FaultLog } from '../storage/fault-log.ts';
import { repeat } from '../storage/repeat.ts';

/** The file in the data folder with the setup link of a server without a terminal. */
const setupFile = 'setup-link.txt';

/** Removes the file of an earlier start. */
export function removeSetupLink(dataDir: string): void {
  rmSync(join(dataDir, setupFile), { force: true });
}

/** Writes the setup link to the data folder, and removes the file when any server was set up or the link has expired. */
export function keepSetupLink({ database, settings, clock }: Installation, faults: FaultLog, link: string) {
  const file = join(settings.dataDir, setupFile);
  const expiresAt = addTime(clock(), setupLifetime);
  writeFileSync(file, `${link}\n`, { mode: 0o600, flag: 'wx' });
  const watch = repeat({ every: 1000, task: 'checking the setup link', faults }, async () => {
    if (clock() < expiresAt && !(await hasTenants(database.kysely))) return false;
    removeSetupLink(settings.dataDir);
    void watch.stop();
    return false;
  });
  return { file, expiresAt, [Symbol.asyncDispose]: () => watch.stop() };
}
