import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Settings } from '../settings.ts';
import { SettingsError } from '../settings.ts';
import type { Database } from '../storage/database.ts';
import { PrivateHasher } from './private-hash.ts';

/**
 * The keyed hashes of this installation. The key is the setting SVC_SECRET, or the file secret.key in the data folder,
 * which is made on the first start; it never stands in the database that it protects.
 * @throws {SettingsError} when the database was used with another secret before.
 */
export async function openHasher(settings: Settings, database: Database, now: string): Promise<PrivateHasher> {
  const hasher = new PrivateHasher(settings.secret ?? readSecretFile(settings.dataDir));
  await database.kysely
    .insertInto('installation')
    .values({ id: 1, secret_hash: hasher.fingerprint, created_at: now })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute();
  const { secret_hash } = await database.kysely
    .selectFrom('installation')
    .select('secret_hash')
    .executeTakeFirstOrThrow();
  if (secret_hash === hasher.fingerprint) return hasher;
  throw new SettingsError(
    'This database was used with another secret. Give every server the same SVC_SECRET, or the secret.key of the first.',
  );
}

function readSecretFile(dataDir: string): string {
  const file = join(dataDir, 'secret.key');
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  try {
    // Only the first of several processes that start at once may create it.
    writeFileSync(file, `${randomBytes(32).toString('base64url')}\n`, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  return readFileSync(file, 'utf8').trim();
}
