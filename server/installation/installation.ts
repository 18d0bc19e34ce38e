import { randomBytes } from 'node:crypto';
import { existsSync, linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Selectable } from 'kysely';
import { AnchorLog, anchorFile } from '../ledger/anchor-log.ts';
import { ErasureLog, erasureFile } from '../ledger/erasure-log.ts';
import { readRotations } from '../ledger/rotation-store.ts';
import { NoteSigner, type RotationNotes } from '../ledger/signed-note.ts';
import { type Settings, SettingsError } from '../settings.ts';
import { type Clock, systemClock } from '../storage/clock.ts';
import { attachSeal, type Database, inTransaction, openDatabase } from '../storage/database.ts';
import { readDistribution } from '../storage/distribution.ts';
import { FolderInUse, lockFolder } from '../storage/folder-lock.ts';
import { flushToDisk } from '../storage/log-file.ts';
import { makeFolder } from '../storage/make-folder.ts';
import { isMigrated, migrate } from '../storage/migrate.ts';
import type { Queries } from '../storage/queries.ts';
import { requireUsable } from '../storage/requirements.ts';
import { insertRows } from '../storage/rows.ts';
import { PrivateHasher, RowSealer, SecretBox } from '../storage/secrets.ts';
import type { Tables } from '../storage/tables.ts';
import { PasswordHasher } from './password-hash.ts';

/** The data of one installation: a database whose schema is current, and the secret that belongs to it. */
export interface Installation extends Secrets, AsyncDisposable {
  /** Keys of former secrets, by which what was written with them is recognized: it grants nothing. */
  readonly former: readonly Pick<Secrets, 'hasher' | 'seal'>[];
  readonly settings: Settings;
  readonly clock: Clock;
  readonly database: Database;
  /** The signed checkpoints outside of the database. */
  readonly anchors: AnchorLog;
  /** The log of erasures, outside of the database. */
  readonly erasures: ErasureLog;
  /** The migrations that ran when it was opened. */
  readonly migrations: readonly string[];
}

/** The SQLite file of a data folder. */
export function databaseFile(dataDir: string): string {
  return join(dataDir, 'svc.sqlite');
}

/**
 * Opens the installation that the settings name, creating it when there is none. No other process replaces its secret or its
 * data until the database is closed.
 * @param statementSeconds how long a statement may take; null where no request waits for it.
 * @param isLocked true if the caller has the lock of the data folder.
 * @throws {FolderInUse}
 */
export async function openInstallation(
  settings: Settings,
  clock: Clock = systemClock,
  statementSeconds: number | null = settings.databaseSeconds,
  isLocked = false,
): Promise<Installation> {
  const { dataDir, databaseUrl: url } = settings;
  const location = { url, file: databaseFile(dataDir), pool: settings.databasePool };
  await using held = new AsyncDisposableStack();
  let lock = isLocked ? null : lockFolder(dataDir, 'shared');
  held.defer(() => lock?.[Symbol.dispose]());
  const opened = held.use(openDatabase(location, statementSeconds));
  await requireUsable(opened);
  let migrations: readonly string[] = [];
  if (!(await isMigrated(opened))) {
    // A migration may take longer than a statement of a request, and waits for servers that start at the same time.
    await using patient = openDatabase(location);
    migrations = await migrate(patient);
  }
  await readDistribution(opened);
  const installation = await findInstallation(opened.kysely);
  if (isRotationIncomplete(settings, installation)) {
    lock?.[Symbol.dispose]();
    {
      using _ = isLocked ? null : await lockAlone(dataDir);
      completeRotation(settings, installation);
    }
    lock = isLocked ? null : lockFolder(dataDir, 'shared');
  }
  const secrets = await openSecrets(settings, opened, clock());
  const anchors = new AnchorLog(join(dataDir, anchorFile), secrets.signer.verifier);
  const erasures = openErasures(findKeyring(settings));
  opened.signals.on('erasureNoted', (line) => {
    try {
      erasures.append([line]);
    } catch {
      // It is committed; housekeeping appends it, or logs why it cannot.
    }
  });
  const opening = held.move();
  const close = () => opening.disposeAsync();
  const database = { ...attachSeal(opened, secrets.seal), clock, close, [Symbol.asyncDispose]: close };
  return { settings, clock, database, migrations, anchors, erasures, ...secrets, [Symbol.asyncDispose]: close };
}

/** Waits until no other process uses a data folder: one that starts at the same moment may be completing the same. */
async function lockAlone(dataDir: string): Promise<Disposable> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return lockFolder(dataDir, 'exclusive');
    } catch (error) {
      if (!(error instanceof FolderInUse) || attempt === mostAttempts) throw error;
      await new Promise((resolve) => setTimeout(resolve, pauseMilliseconds));
    }
  }
}

const mostAttempts = 100;
const pauseMilliseconds = 50;

/** Where the data folder keeps the secret. */
export const secretFile = 'secret.key';
const shortestSecret = 32;

/** The log of erasures of a data folder. @param allowsFormer as in `ErasureLog`. */
export function openErasures({ secrets, dataDir }: Keyring, allowsFormer = false): ErasureLog {
  const [seal, ...former] = secrets.map((secret) => new RowSealer(secret));
  if (seal === undefined) throw new Error(`there is no secret for ${erasureFile}`);
  return new ErasureLog(join(dataDir, erasureFile), seal, former, allowsFormer);
}

/** The secrets of a data folder, the present one first. */
export interface Keyring {
  readonly secrets: readonly string[];
  readonly dataDir: string;
}

/** @throws {SettingsError} */
export function findKeyring(place: SecretPlace): Keyring {
  return { secrets: findSecrets(place), dataDir: place.dataDir };
}

/** The keys that are derived from the secret of an installation. */
export type Secrets = Readonly<ReturnType<typeof deriveSecrets>>;

/**
 * Derives every key of an installation from its secret.
 * @param rotations of the key that signs (`readRotations`), if checkpoints of before are verified.
 */
export function deriveSecrets(secret: string, rotations: readonly RotationNotes[] = []) {
  const box = new SecretBox(secret);
  return {
    hasher: new PrivateHasher(secret),
    box,
    passwords: new PasswordHasher(box),
    /** Signs the checkpoints of the ledgers. */
    signer: new NoteSigner(secret, rotations),
    seal: new RowSealer(secret),
  };
}

/** Where a secret is: in a setting, or in a data folder. */
export type SecretPlace = Pick<Settings, 'secret' | 'dataDir'>;

/**
 * The secrets that the settings name or the data folder holds: the present one, then those that were rotated. Only the order
 * here says which is the present one: the database would believe who knows a former one. Does not create one.
 */
export function findSecrets({ secret, dataDir }: SecretPlace): readonly string[] {
  if (secret !== null) return secret.split(/[,\n]/).map((one) => one.trim());
  return existsSync(join(dataDir, secretFile)) ? readSecretFile(dataDir).secrets : [];
}

/** The present secret; null if there is none. */
export function findSecret(place: SecretPlace): string | null {
  return findSecrets(place)[0] ?? null;
}

/** True if a database was used with this secret, or never with any. */
export function isSecretOf(row: InstallationRow | undefined, secret: string): boolean {
  return row === undefined || row.secret_hash === new PrivateHasher(secret).fingerprint;
}

/**
 * Opens the keys with which this installation hashes and seals. The secret is the setting SVC_SECRET, or the file
 * secret.key in the data folder, which is created on the first start; it is never stored in the database that it
 * protects.
 * @throws {SettingsError} when the file is damaged, or the database was used with another secret before.
 */
async function openSecrets(settings: Settings, database: Database, now: string) {
  const { kysely } = database;
  // Before a secret is made, and before anything is written.
  requireInPlace(await findInstallation(kysely));
  const secret = findSecret(settings) ?? (await createSecret(settings, database));
  if ((await findInstallation(kysely)) === undefined) {
    const row = { id: 1, secret_hash: new PrivateHasher(secret).fingerprint, created_at: now };
    await inTransaction(database, (transaction) =>
      insertRows(transaction, 'installation', [row], { skipsPresent: true }),
    );
  }
  const installation = await findInstallation(kysely);
  // A move that began meanwhile.
  requireInPlace(installation);
  const [, ...former] = findSecrets(settings);
  if (!isSecretOf(installation, secret))
    throw new SettingsError(
      former.some((other) => isSecretOf(installation, other))
        ? 'This database is used with a former secret: it is older than the last svc secret rotate, or was changed. If you restored it, put its secret first in secret.key or SVC_SECRET, and rotate the secret again.'
        : 'This database was used with another secret. Give every server the same SVC_SECRET, or the secret.key of the first.',
    );
  return {
    ...deriveSecrets(secret, await readRotations(kysely)),
    former: former.map((other) => ({ hasher: new PrivateHasher(other), seal: new RowSealer(other) })),
  };
}

/** The secret of a rotation that was interrupted after its commit; null if there was none. */
function findCommitted({ secret, dataDir }: SecretPlace, installation: InstallationRow | undefined): string | null {
  if (secret !== null || installation === undefined || !existsSync(join(dataDir, secretFile))) return null;
  const { next } = readSecretFile(dataDir);
  return next !== null && isSecretOf(installation, next) ? next : null;
}

/** True if a data folder is still as before the rotation that the database has had. */
export function isRotationIncomplete(place: SecretPlace, installation: InstallationRow | undefined): boolean {
  if (findCommitted(place, installation) !== null) return true;
  const { secrets } = findKeyring(place);
  return secrets.length > 1 && openErasures(findKeyring(place)).hasFormer();
}

/**
 * Brings a data folder up to the rotation that the database has had. Requires that no other process uses the folder.
 * @returns true if the rotation was interrupted.
 */
export function completeRotation(place: SecretPlace, installation: InstallationRow | undefined): boolean {
  const next = findCommitted(place, installation);
  if (next !== null) writeSecrets(place.dataDir, [next, ...findSecrets(place)]);
  const ring = findKeyring(place);
  if (ring.secrets.length > 1) openErasures(ring).reseal();
  return next !== null;
}

/** Marks the secret of a rotation that has not been committed. */
const nextMark = 'next,';

/**
 * Replaces the file of the secret, at once and on disk.
 * @param secrets the present one first.
 * @param next the one that a rotation is about to use.
 */
export function writeSecrets(dataDir: string, secrets: readonly string[], next: string | null = null): void {
  const file = join(dataDir, secretFile);
  const draft = nameDraft(file);
  const lines = [...secrets, ...(next === null ? [] : [`${nextMark}${next}`])];
  try {
    writeFileSync(draft, `${lines.join('\n')}\n`, { flag: 'wx', mode: 0o600, flush: true });
    renameSync(draft, file);
  } finally {
    rmSync(draft, { force: true });
  }
  flushToDisk(dataDir);
}

/** A new secret: 256 random bits. */
export function generateSecret(): string {
  return randomBytes(32).toString('base64url');
}

function nameDraft(file: string): string {
  return `${file}.${process.pid}-${randomBytes(6).toString('hex')}`;
}

/** The row of the installation; undefined if the database was never used. */
export function findInstallation(queries: Queries): Promise<InstallationRow | undefined> {
  return queries.selectFrom('installation').selectAll().executeTakeFirst();
}

export type InstallationRow = Readonly<Selectable<Tables['installation']>>;

/** @throws {SettingsError} if the data was moved elsewhere, or is being moved here. */
export function requireInPlace(installation: InstallationRow | undefined): void {
  const { moving_from = null, moved_to = null, moved_at = null } = installation ?? {};
  if (moved_to !== null) throw new SettingsError(describeMoved(moved_to, moved_at));
  if (moving_from !== null) throw new SettingsError(describeIncomplete(moving_from));
}

/** Where the data of a database went. */
export function describeMoved(to: string, at: string | null): string {
  const setting = to.startsWith('sqlite:') ? `SVC_DATA_DIR=${to.slice('sqlite:'.length)}` : 'DATABASE_URL';
  return `The data of this database was moved to ${to} at ${at}. Use it there: set ${setting}.`;
}

/** Why a database is not complete. */
export function describeIncomplete(from: string): string {
  return `This database is an incomplete copy of ${from}: run svc move again, there.`;
}

/** Makes the secret of a new installation. A database that was used before belongs to another one, which is not here. */
async function createSecret({ dataDir }: Settings, { kysely }: Database): Promise<string> {
  const file = join(dataDir, secretFile);
  if ((await findInstallation(kysely)) !== undefined) {
    throw new SettingsError(
      `This database was used with a secret that is not here. Put the secret.key of its first server at ${file}, or give every server the same SVC_SECRET.`,
    );
  }
  makeFolder(dataDir);
  createSecretFile(file);
  return readSecretFile(dataDir).secrets[0] as string;
}

function readSecretFile(dataDir: string) {
  const file = join(dataDir, secretFile);
  const lines = readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => line.trim());
  const next = lines.find((line) => line.startsWith(nextMark))?.slice(nextMark.length) ?? null;
  const secrets = lines.filter((line) => !line.startsWith(nextMark));
  const isWhole = [...secrets, ...(next === null ? [] : [next])].every(
    (one) => one.length >= shortestSecret && !one.includes(','),
  );
  if (isWhole && secrets.length > 0) return { secrets, next };
  throw new SettingsError(
    `${file} is damaged: a secret has ${shortestSecret} characters or more. Put the secret.key of your backup in its place; if this installation holds no records yet, delete the file and a new one is made.`,
  );
}

/** Appears whole or not at all, wherever the process is stopped; the first of several that start at once makes it. */
function createSecretFile(file: string): void {
  const draft = nameDraft(file);
  try {
    writeFileSync(draft, `${generateSecret()}\n`, { flag: 'wx', mode: 0o600, flush: true });
    // Unlike a rename, a link never replaces what is there.
    linkSync(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}
