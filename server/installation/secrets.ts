import { randomBytes } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { NoteSigner } from '../ledger/signed-note.ts';
import type { Settings } from '../settings.ts';
import { SettingsError } from '../settings.ts';
import { type Database, inTransaction, type Queries } from '../storage/database.ts';
import { PasswordHasher } from './password-hash.ts';
import { PrivateHasher } from './private-hash.ts';
import { RowSealer } from './row-seal.ts';
import { SecretBox } from './secret-box.ts';

/** Where the data folder keeps the secret. */
export const secretFile = 'secret.key';
const shortestSecret = 32;

/** What is made of the secret of an installation. */
export interface Secrets {
  /** Keyed hashes. */
  readonly hasher: PrivateHasher;
  /** Texts that must be read again. */
  readonly box: SecretBox;
  /** Passwords. */
  readonly passwords: PasswordHasher;
  /** Checkpoints of the ledgers. */
  readonly signer: NoteSigner;
  /** Heads of the hash chains. */
  readonly seal: RowSealer;
}

export function deriveSecrets(secret: string): Secrets {
  return {
    hasher: new PrivateHasher(secret),
    box: new SecretBox(secret),
    passwords: new PasswordHasher(secret),
    signer: new NoteSigner(secret),
    seal: new RowSealer(secret),
  };
}

/** The secret that the settings name or the data folder holds; null where there is none. Looking makes none. */
export function findSecret({ secret, dataDir }: Pick<Settings, 'secret' | 'dataDir'>): string | null {
  return secret ?? (existsSync(join(dataDir, secretFile)) ? readSecretFile(dataDir) : null);
}

/**
 * What this installation hashes and seals with. The key is the setting SVC_SECRET, or the file secret.key in the data folder,
 * which is made on the first start; it is never stored in the database that it protects.
 * @throws {SettingsError} when the file is damaged, or the database was used with another secret before.
 */
export async function openSecrets(settings: Settings, database: Database, now: string): Promise<Secrets> {
  const secrets = deriveSecrets(findSecret(settings) ?? (await createSecret(settings, database)));
  const { hasher } = secrets;
  await inTransaction(database, (transaction) =>
    transaction
      .insertInto('installation')
      .values({ id: 1, secret_hash: hasher.fingerprint, created_at: now })
      .onConflict((conflict) => conflict.column('id').doNothing())
      .execute(),
  );
  const { secret_hash } = await database.kysely
    .selectFrom('installation')
    .select('secret_hash')
    .executeTakeFirstOrThrow();
  if (secret_hash === hasher.fingerprint) return secrets;
  throw new SettingsError(
    'This database was used with another secret. Give every server the same SVC_SECRET, or the secret.key of the first.',
  );
}

/** Whether a database was used with this secret; the case as well when it was used with none. */
export async function isSecretOf(queries: Queries, secret: string): Promise<boolean> {
  const row = await queries.selectFrom('installation').select('secret_hash').executeTakeFirst();
  return row === undefined || row.secret_hash === new PrivateHasher(secret).fingerprint;
}

/** Makes the secret of a new installation. A database that was used before belongs to another one, which is not here. */
async function createSecret({ dataDir }: Settings, { kysely }: Database): Promise<string> {
  const file = join(dataDir, secretFile);
  if ((await kysely.selectFrom('installation').select('id').executeTakeFirst()) !== undefined) {
    throw new SettingsError(
      `This database was used with a secret that is not here. Put the secret.key of its first server at ${file}, or give every server the same SVC_SECRET.`,
    );
  }
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  createSecretFile(file);
  return readSecretFile(dataDir);
}

function readSecretFile(dataDir: string): string {
  const file = join(dataDir, secretFile);
  const secret = readFileSync(file, 'utf8').trim();
  if (secret.length >= shortestSecret) return secret;
  throw new SettingsError(
    `${file} is damaged: a secret has ${shortestSecret} characters or more. Put the secret.key of your backup in its place; if this installation holds no records yet, delete the file and a new one is made.`,
  );
}

/** Appears whole or not at all, wherever the process is stopped; the first of several that start at once makes it. */
function createSecretFile(file: string): void {
  const draft = `${file}.${process.pid}-${randomBytes(6).toString('hex')}`;
  try {
    writeFileSync(draft, `${randomBytes(32).toString('base64url')}\n`, { flag: 'wx', mode: 0o600, flush: true });
    // Unlike a rename, a link never replaces what is there.
    linkSync(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}
