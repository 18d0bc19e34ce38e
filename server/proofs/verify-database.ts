import { join } from 'node:path';
import { listTenants } from '../accounts/tenants/store.ts';
import {
  databaseFile,
  deriveSecrets,
  describeIncomplete,
  describeMoved,
  findInstallation,
  findSecret,
  isRotationIncomplete,
} from '../installation/installation.ts';
import { explainUnreachable, isUnreachable } from '../installation/unreachable.ts';
import { anchorFile, nameNote, readNoteNames } from '../ledger/anchor-log.ts';
import { changingRows } from '../ledger/audit/rows.ts';
import { nameOrigin, nameTree, openCheckpoint, readCheckpoint, readTreeName } from '../ledger/checkpoint.ts';
import { isSealed } from '../ledger/entry.ts';
import { readRotations } from '../ledger/rotation-store.ts';
import { openRotation, textOf } from '../ledger/signed-note.ts';
import type { TreeOf } from '../ledger/tree-store.ts';
import { type Settings, SettingsError } from '../settings.ts';
import { checkGuards, checkIntegrity, checkTables } from '../storage/check-schema.ts';
import { areWithin, openDatabase } from '../storage/database.ts';
import { readDistribution } from '../storage/distribution.ts';
import { isMigrated, listLaterMigrations } from '../storage/migrate.ts';
import type { Queries } from '../storage/queries.ts';
import { UnreadableDatabase } from '../storage/sqlite.ts';
import { DatabaseUnavailable } from '../storage/unavailable.ts';
import type { Finding, Findings } from './findings.ts';
import { type ReadAnchors, readAnchors } from './verify-anchors.ts';
import { listOwners } from './verify-chain.ts';
import { findStrayProofs } from './verify-checkpoints.ts';
import { appendedWithin, verifyErasureLog } from './verify-erasure-log.ts';
import { type GrantReport, verifyGrants } from './verify-grants.ts';
import { type StoredState, type VerifiedLog, verifyLog } from './verify-log.ts';
import { listRowOwners } from './verify-rows.ts';
import {
  type KeptClaim,
  type Progress,
  type Scene,
  type VerifiedTenant,
  type VerifyKeys,
  verifyTenant,
} from './verify-tenant.ts';

/** Distinguishes a failure due to the contents of the database from one that only means that it cannot be read. */
function explainFailure(error: unknown, databaseUrl: string | null): { kind: Finding['kind']; reason: string } {
  if (!(error instanceof Error)) throw error;
  if (isUnreachable(error))
    return { kind: 'unreadable', reason: (explainUnreachable(error, databaseUrl) as Error).message };
  if (error instanceof UnreadableDatabase || error instanceof DatabaseUnavailable)
    return { kind: 'unreadable', reason: error.message };
  // Errors of the drivers have a code.
  if (!('code' in error)) throw error;
  const code = String(error.code);
  return { kind: saysNothingOfContents.test(code) ? 'unreadable' : 'tampered', reason: error.message || code };
}

/** Locks, storage and rights: of SQLite, of PostgreSQL (SQLSTATE) and of files. */
const saysNothingOfContents =
  /^(SQLITE_(BUSY|LOCKED|IOERR|CANTOPEN|READONLY|PERM|AUTH|NOMEM|FULL|PROTOCOL|INTERRUPT)|42501|57014|55P03|53|E[A-Z]+$)/;

/** The scope of a verification, and the material to compare with. */
export interface VerifyOrder {
  readonly settings: Settings;
  readonly now: string;
  /** The one tenant to check, by id or slug; undefined for all. */
  readonly only?: string | undefined;
  /** Notes of checkpoints that the caller kept, by where they are from. */
  readonly notes: ReadonlyMap<string, string>;
  readonly progress: Progress;
  countTenants?(done: number, all: number): void;
  /** True if `svc move` verifies its copy before it completes it. */
  readonly isMoving?: boolean;
}

/** The order cannot be carried out as it is; the message says why. */
export class Unverifiable extends Error {
  override readonly name = 'Unverifiable';
}

/**
 * Verifies the database of an installation with a separate connection, which only reads.
 * @param findings collects the faults, and the reasons why something could not be checked or read.
 * @throws {Unverifiable}
 */
export async function verifyInstallation(order: VerifyOrder, findings: Findings): Promise<Verified> {
  return verifyDatabase(order, findings).catch((error: unknown) => {
    const { kind, reason } = explainFailure(error, order.settings.databaseUrl);
    findings.add(kind, 'database', `database: ${reason}`);
    return { database: [reason], anchors: null, grants: null, log: null, tenants: [] };
  });
}

export interface Verified {
  readonly database: readonly string[];
  readonly anchors: Pick<ReadAnchors, 'isThere' | 'records' | 'events'> | null;
  readonly grants: GrantReport | null;
  /** Null if only one tenant was verified. */
  readonly log: VerifiedLog | null;
  readonly tenants: readonly VerifiedTenant['report'][];
}

async function verifyDatabase(order: VerifyOrder, findings: Findings) {
  const { settings, now, only, notes, progress } = order;
  const file = databaseFile(settings.dataDir);
  await using database = openDatabase({ url: settings.databaseUrl, file, reads: true });
  const { kysely: queries } = database;
  await readDistribution(database);
  const later = await listLaterMigrations(database);
  if (later.length > 0)
    throw new Unverifiable(
      `A later version of Svc changed the schema (${later.join(', ')}): verify with that version.`,
    );
  if (!(await isMigrated(database))) throw new Unverifiable('The schema is not up to date; first run: svc migrate');
  const { moving_from = null, moved_to = null, moved_at = null } = (await findInstallation(queries)) ?? {};
  if (moving_from !== null && order.isMoving !== true)
    findings.add('unchecked', 'database', `database: ${describeIncomplete(moving_from)}`);
  if (moved_to !== null) progress.say(`• ${describeMoved(moved_to, moved_at)}`);
  const issues = [...(await checkIntegrity(database))];
  const keys = await findKeys(queries, order, findings);
  // Read before the rows: the entries of each checkpoint in the log were committed before it.
  const anchors = readAnchors(join(settings.dataDir, anchorFile), keys?.verifier ?? null);
  const owners = await listAllOwners(queries, only);
  const strangers = owners.filter(({ known }) => !known);
  issues.push(...strangers.map(({ id }) => `there are rows of the tenant ${id}, but no such tenant`));
  issues.push(...(await findStrayProofs(queries)));
  for (const issue of issues) findings.add('tampered', 'database', `database: ${issue}`);
  for (const issue of await checkTables(database)) findings.add('tampered', 'database', `database: ${issue}`);
  for (const issue of await checkGuards(database)) findings.add('tampered', 'trigger', `database: ${issue}`);
  for (const { line, issue } of anchors.faults)
    findings.add('tampered', 'anchor', `${anchorFile} line ${line}: ${issue}, so it cannot be trusted`);
  for (const { kind, line, at } of anchors.events) {
    const what = {
      restore: `a restore was accepted at ${at}: earlier records no longer count`,
      start: `anchors since ${at}: a server found the file empty; earlier records are unknown`,
    }[kind];
    progress.say(`• ${anchorFile} line ${line}: ${what}`);
  }
  const isOwned = (of: TreeOf) =>
    of.ledger === 'log' ? only === undefined : owners.some(({ id }) => id === of.tenantId);
  // Ledgers are never removed: every ledger in an anchor must exist.
  if (only === undefined)
    for (const [name, [first]] of anchors.claims) {
      const of = readTreeName(name);
      if (of !== null && isOwned(of)) continue;
      const issue = 'is missing: the tenant was removed, or the database was replaced by an older one';
      findings.add('tampered', 'anchor', `${first?.place}: the ledger ${name} ${issue}`, of?.tenantId ?? null);
    }
  const claims = readClaims(notes, keys, findings);
  for (const { of, place } of claims) {
    if (isOwned(of)) continue;
    if (only !== undefined) throw new Unverifiable(`--checkpoint: ${place} is not about this tenant.`);
    findings.add('tampered', 'kept_checkpoint', `${place}: its ledger ${nameTree(of)} is missing`, of.tenantId);
  }
  const rotations = (await readRotationClaims(queries, keys, findings)).filter(({ of }) => isOwned(of));
  const scene = { queries, settings, now, keys, anchors, claims, rotations, progress, findings };
  const verified: VerifiedTenant[] = [];
  for (const owner of owners) {
    order.countTenants?.(verified.length, owners.length);
    verified.push(await verifyTenant(scene, owner));
  }
  const grants = await verifyGrants(scene, owners, only === undefined);
  await verifyErasureLog(scene, owners);
  const log = only === undefined ? await verifyLog(scene) : null;
  const stored = [...verified.flatMap((tenant) => tenant.stored), ...(log === null ? [] : [log.stored])];
  reportUnanchored(stored, scene);
  const { isThere, records, events } = anchors;
  return {
    database: issues,
    anchors: { isThere, records, events },
    grants,
    log: log?.report ?? null,
    tenants: verified.map(({ report }) => report),
  };
}

/** Every tenant, and every id that rows name as a tenant. @param only the one to check, by id or slug. */
async function listAllOwners(queries: Queries, only: string | undefined) {
  const tenants = (await listTenants(queries)).map(({ id, slug }) => ({ id, slug, known: true }));
  if (only !== undefined) {
    const found = tenants.filter(({ id, slug }) => id === only || slug === only);
    if (found.length === 0) throw new Unverifiable(`There is no tenant ${only}.`);
    return found;
  }
  const ids = new Set([...(await listOwners(queries)), ...(await listRowOwners(queries, changingRows))]);
  for (const { id } of tenants) ids.delete(id);
  return [...tenants, ...[...ids].map((id) => ({ id, slug: String(id), known: false }))];
}

const consequence =
  'the signatures of checkpoints and the seals of the chain heads and of the rows that grant access are not checked, so all of it could have been rewritten.';

/**
 * Finds the keys. Without the secret of this database, nothing that is signed can be trusted.
 * @returns null unless the secret is proven to be that of this database.
 */
async function findKeys(
  queries: Queries,
  { settings, isMoving }: VerifyOrder,
  findings: Findings,
): Promise<VerifyKeys | null> {
  const report = (issue: string) => {
    findings.add('unchecked', 'secret', issue);
    return null;
  };
  const installation = await findInstallation(queries);
  const head = await queries.selectFrom('chain_heads').select('ledger').limit(1).executeTakeFirst();
  const isNew = installation === undefined && head === undefined;
  let secret: string | null;
  try {
    secret = findSecret(settings);
    if (isMoving !== true && isRotationIncomplete(settings, installation))
      throw new Unverifiable(
        'The rotation of the secret has not reached this data folder: the next start of the server, or svc secret rotate, completes it. Then verify again.',
      );
  } catch (error) {
    if (error instanceof SettingsError) return report(`${error.message} Until then ${consequence}`);
    throw error;
  }
  if (secret === null) return isNew ? null : report(`The secret of this installation is missing: ${consequence}`);
  const { hasher, signer, seal, box } = deriveSecrets(secret, await readRotations(queries));
  const keys = { verifier: signer.verifier, seal, box };
  if (isNew || installation?.secret_hash === hasher.fingerprint) return keys;
  if (!(await wroteSomething(queries, keys)))
    return report(`The secret is not the one of this database: ${consequence}`);
  const issue =
    installation === undefined
      ? 'The row of the table installation was removed'
      : 'installation.secret_hash was changed: it is not the hash of the secret of this database';
  findings.add('tampered', 'secret', `${issue}. A server with another secret could be started on it.`);
  return keys;
}

/** True if anything in the database was signed or sealed with these keys. */
async function wroteSomething(queries: Queries, { verifier, seal }: VerifyKeys): Promise<boolean> {
  const heads = await queries.selectFrom('chain_heads').selectAll().execute();
  if (heads.some((head) => isSealed(seal, head))) return true;
  const checkpoints = await queries.selectFrom('checkpoints').select('note').limit(100).execute();
  return checkpoints.some(({ note }) => typeof note === 'string' && openCheckpoint(note, verifier) !== null);
}

/** The roots in the notes of kept checkpoints whose signatures are valid; without keys, in all of them. */
function readClaims(
  notes: ReadonlyMap<string, string>,
  keys: VerifyKeys | null,
  findings: Findings,
): readonly KeptClaim[] {
  return [...notes].flatMap(([place, note]) => {
    const checkpoint = keys === null ? readCheckpoint(textOf(note)) : openCheckpoint(note, keys.verifier);
    const of = checkpoint && readTreeName(checkpoint.origin.slice(checkpoint.origin.indexOf('/') + 1));
    if (checkpoint !== null && of !== null) {
      const { size, at, rootHash } = checkpoint;
      return [{ of, size, at, rootHash, place, note: null }];
    }
    const issue = `${place} is no checkpoint that this installation signed, so nothing was compared with it.`;
    findings.add('unchecked', 'kept_checkpoint', issue);
    return [];
  });
}

/**
 * Verifies the rotations of the key in the database: each is signed by both keys, and none is missing.
 * @returns the roots that they have.
 */
async function readRotationClaims(
  queries: Queries,
  keys: VerifyKeys | null,
  findings: Findings,
): Promise<readonly KeptClaim[]> {
  if (keys === null) return [];
  const { verifier } = keys;
  const newestFirst = [verifier, ...verifier.former];
  const rows = await queries.selectFrom('key_rotations').selectAll().orderBy('number').execute();
  return rows.flatMap(({ tenant_id: tenantId, ledger, number, note }) => {
    const newer = newestFirst[verifier.former.length - number];
    const rotation = newer === undefined ? null : openRotation(String(note), newer);
    const of = readTreeName(`${tenantId}/${ledger}`);
    const fits = of !== null && rotation?.origin === nameOrigin(verifier.name, tenantId, ledger);
    if (fits) {
      const { size, at, rootHash } = rotation;
      return [{ of, size, at, rootHash, place: `the rotation of the key at ${at}`, note: null }];
    }
    const issue = `key_rotations ${tenantId} ${ledger} ${number}: both keys did not sign it, so that checkpoints before it cannot be verified`;
    findings.add('tampered', 'database', `database: ${issue}`);
    return [];
  });
}

/** Reports checkpoints of the database that the log lacks: it was cut or replaced, or no server ran here since. */
function reportUnanchored(
  stored: readonly StoredState[],
  { anchors, settings: { dataDir }, now, findings }: Scene,
): void {
  if (!anchors.isThere) {
    const issue = `${anchorFile} is missing in ${dataDir}: a roll-back of the database to an earlier state cannot be detected. Restore the file from a backup; a server that starts without it creates a new one from the database.`;
    if (stored.some(({ checkpoints }) => checkpoints.length > 0)) findings.add('unchecked', 'anchor', issue);
    return;
  }
  const names = readNoteNames(join(dataDir, anchorFile));
  for (const { of, slug, checkpoints } of stored) {
    const missing = checkpoints.filter(
      ({ note, at }) => !names.has(nameNote(String(note))) && !areWithin(appendedWithin, now, at),
    );
    if (missing.length === 0) continue;
    const sizes = missing.slice(0, 3).map(({ size }) => size);
    const which = `${sizes.join(', ')}${missing.length > 3 ? ' …' : ''}`;
    const unit = of.ledger === 'log' ? 'ledger checkpoints' : 'entries';
    const issue = `${slug}: ${of.ledger} checkpoints of ${which} ${unit} are not in ${anchorFile}: it lacks records, so it does not show whether the database was rolled back. A server that starts here appends them.`;
    findings.add('unchecked', 'anchor', issue, of.ledger === 'log' ? null : of.tenantId);
  }
}
