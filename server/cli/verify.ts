import { join } from 'node:path';
import { z } from 'zod';
import { listRowOwners } from '../audit/verify-rows.ts';
import { databaseFile, deriveSecrets, findSecret } from '../installation/installation.ts';
import { anchorFile, nameLedger, nameNote, readLedgerName, readNoteNames } from '../ledger/anchor-log.ts';
import { isSealed } from '../ledger/append.ts';
import { openCheckpoint, readCheckpoint } from '../ledger/checkpoint.ts';
import type { LedgerOf } from '../ledger/tree-store.ts';
import { listOwners } from '../ledger/verify.ts';
import { type ReadAnchors, readAnchors } from '../ledger/verify-anchors.ts';
import { findStrayProofs } from '../ledger/verify-checkpoints.ts';
import { type Settings, SettingsError } from '../settings.ts';
import { checkGuards, checkIntegrity, checkTables } from '../storage/check-schema.ts';
import { openDatabase, type Queries } from '../storage/database.ts';
import { isMigrated } from '../storage/migrate.ts';
import { UnreadableDatabase } from '../storage/sqlite.ts';
import { DatabaseUnavailable } from '../storage/unavailable.ts';
import { listTenants } from '../tenants/store.ts';
import { type CommandContext, defineCommand, requireDatabase, texts, UsageError } from './command.ts';
import { exitCodeHelp, exitCodes, type Finding, Findings, readNote } from './findings.ts';
import { explainUnreachable, isUnreachable } from './unreachable.ts';
import {
  changingRows,
  changingTables,
  type KeptClaim,
  type VerifiedTenant,
  type VerifyKeys,
  verifyTenant,
} from './verify-tenant.ts';

export const verify = defineCommand({
  name: 'verify',
  summary: 'recompute every hash chain and report the rows that were changed',
  description: `Recomputes the consent ledger and the audit log of each tenant; compares them with the signed checkpoints, the Merkle
trees, the seals of the chain heads and ${anchorFile}; compares the published notice versions and every row of
${changingTables}
with the audit log; and compares the tables, and the triggers that reject changes, with those that Svc creates. May run
while the server runs, and on a backup, even on read-only storage.

The seal of the head detects changes of the newest entries. ${anchorFile} detects a roll-back of the whole database to
before its newest entry, which the output names for each ledger. --checkpoint, with a checkpoint that you kept elsewhere,
detects it even if the attacker controls the whole machine.

Working state is not checked: stored answers for retries (idempotency_keys), counts of requests (rate_limits), data that
expires or is used once (sessions, sign_in_challenges, access_tokens, backup_codes), counts of failed sign-ins
(sign_in_failures), webhook events and their deliveries (webhook_events, webhook_deliveries, webhook_attempts,
webhook_redeliveries), the state of webhooks (webhook_health) and their senders (webhook_senders), the progress of proofs
(merkle_trees), when keys, tokens and users were last seen, and Kysely's list of migrations.

${exitCodeHelp}`,
  options: {
    tenant: { schema: z.string().optional(), meaning: 'only this tenant, by id or slug' },
    checkpoint: {
      schema: texts,
      meaning: 'a file with a checkpoint that you kept: the ledger must contain it; can be repeated',
      value: 'file',
    },
  },
  async run(context) {
    const { settings, options, say, result } = context;
    requireDatabase(settings);
    const notes = (options.checkpoint ?? []).map((file) => [file, readNote(file)] as const);
    const findings = new Findings(say);
    const found = await verifyDatabase(context, options.tenant, new Map(notes), findings).catch((error: unknown) => {
      const { kind, reason } = explainFailure(error, settings.databaseUrl);
      findings.add(kind, 'database', `database: ${reason}`);
      return { database: [reason], anchors: null, tenants: [] };
    });
    say(conclusions[findings.exitCode] ?? '');
    result({ ...findings.report(), ...found });
    return findings.exitCode;
  },
});

const conclusions: Readonly<Record<number, string>> = {
  [exitCodes.holds]: 'Everything is as it was written.',
  [exitCodes.tampered]: 'Something was changed. Keep this database and compare it with a backup.',
  [exitCodes.unchecked]: 'No change was found, but not everything could be checked: see the lines with ?.',
  [exitCodes.unreadable]: 'The database could not be read, so nothing is known about its contents.',
};

/** Whether a failure is due to the contents of the database, or only means that it cannot be read. */
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

async function verifyDatabase(
  context: CommandContext,
  only: string | undefined,
  notes: ReadonlyMap<string, string>,
  findings: Findings,
) {
  const { settings } = context;
  const file = databaseFile(settings.dataDir);
  await using database = openDatabase({ url: settings.databaseUrl, file, reads: true });
  const { kysely: queries } = database;
  if (!(await isMigrated(database))) throw new UsageError('The schema is not up to date; first run: svc migrate');
  const issues = [...(await checkIntegrity(database))];
  const keys = await findKeys(queries, settings, findings);
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
    const what =
      kind === 'restore'
        ? `a restore was accepted at ${at}: earlier records no longer count`
        : `anchors since ${at}: a server found the file empty; earlier records are unknown`;
    context.say(`• ${anchorFile} line ${line}: ${what}`);
  }
  const isOwned = (of: LedgerOf) => owners.some(({ id }) => id === of.tenantId);
  // Ledgers are never removed: every ledger in an anchor must exist.
  if (only === undefined)
    for (const [name, [first]] of anchors.claims) {
      const of = readLedgerName(name);
      if (of !== null && isOwned(of)) continue;
      const issue = 'is missing: the tenant was removed, or the database was replaced by an older one';
      findings.add('tampered', 'anchor', `${first?.place}: the ledger ${name} ${issue}`, of?.tenantId ?? null);
    }
  const claims = readClaims(notes, keys, findings);
  for (const { of, place } of claims) {
    if (isOwned(of)) continue;
    if (only !== undefined) throw new UsageError(`--checkpoint: ${place} is about another tenant.`);
    findings.add('tampered', 'kept_checkpoint', `${place}: its ledger ${nameLedger(of)} is missing`, of.tenantId);
  }
  const verified: VerifiedTenant[] = [];
  for (const owner of owners)
    verified.push(await verifyTenant({ context, queries, keys, anchors, claims, findings }, owner));
  const stored = verified.flatMap((tenant) => tenant.stored);
  reportUnanchored(stored, anchors, context, findings);
  const { isThere, records, events } = anchors;
  return { database: issues, anchors: { isThere, records, events }, tenants: verified.map(({ report }) => report) };
}

/** Every tenant, and every id that rows name as a tenant. @param only the one to check, by id or slug. */
async function listAllOwners(queries: Queries, only: string | undefined) {
  const tenants = (await listTenants(queries)).map(({ id, slug }) => ({ id, slug, known: true }));
  if (only !== undefined) {
    const found = tenants.filter(({ id, slug }) => id === only || slug === only);
    if (found.length === 0) throw new UsageError(`There is no tenant ${only}.`);
    return found;
  }
  const ids = new Set([...(await listOwners(queries)), ...(await listRowOwners(queries, changingRows))]);
  for (const { id } of tenants) ids.delete(id);
  return [...tenants, ...[...ids].map((id) => ({ id, slug: String(id), known: false }))];
}

const consequence =
  'the signatures of checkpoints and the seals of the chain heads are not checked, so all of it could have been rewritten.';

/**
 * Finds the keys. Without the secret of this database, nothing that is signed can be trusted.
 * @returns null unless the secret is proven to be that of this database.
 */
async function findKeys(queries: Queries, settings: Settings, findings: Findings): Promise<VerifyKeys | null> {
  const report = (issue: string) => {
    findings.add('unchecked', 'secret', issue);
    return null;
  };
  const installation = await queries.selectFrom('installation').select('secret_hash').executeTakeFirst();
  const head = await queries.selectFrom('chain_heads').select('ledger').limit(1).executeTakeFirst();
  const isNew = installation === undefined && head === undefined;
  let secret: string | null;
  try {
    secret = findSecret(settings);
  } catch (error) {
    if (error instanceof SettingsError) return report(`${error.message} Until then ${consequence}`);
    throw error;
  }
  if (secret === null) return isNew ? null : report(`The secret of this installation is missing: ${consequence}`);
  const { hasher, signer, seal } = deriveSecrets(secret);
  const keys = { verifier: signer.verifier, seal };
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

/** Whether anything in the database was signed or sealed with these keys. */
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
    const text = note.slice(0, note.lastIndexOf('\n\n') + 1);
    const checkpoint = keys === null ? readCheckpoint(text) : openCheckpoint(note, keys.verifier);
    const of = checkpoint && readLedgerName(checkpoint.origin.slice(checkpoint.origin.indexOf('/') + 1));
    if (checkpoint !== null && of !== null) {
      const { size, at, rootHash } = checkpoint;
      return [{ of, size, at, rootHash, place, note: null }];
    }
    const issue = `${place} is no checkpoint that this installation signed, so nothing was compared with it.`;
    findings.add('unchecked', 'kept_checkpoint', issue);
    return [];
  });
}

/** A server appends each checkpoint at once, and those of other servers within a minute. */
const appendedWithin = 5 * 60_000;

/** Reports checkpoints of the database that the log lacks: it was cut or replaced, or no server ran here since. */
function reportUnanchored(
  stored: VerifiedTenant['stored'],
  { isThere }: ReadAnchors,
  { settings: { dataDir }, clock }: CommandContext,
  findings: Findings,
): void {
  if (!isThere) {
    const issue = `${anchorFile} is missing in ${dataDir}: a roll-back of the database to an earlier state cannot be detected. Restore the file from a backup; a server that starts without it creates a new one from the database.`;
    if (stored.some(({ checkpoints }) => checkpoints.length > 0)) findings.add('unchecked', 'anchor', issue);
    return;
  }
  const names = readNoteNames(join(dataDir, anchorFile));
  const now = Date.parse(clock());
  // Even if the clock is behind, a checkpoint far in the future is not recent.
  const isRecent = (at: unknown) => Math.abs(now - Date.parse(String(at))) < appendedWithin;
  for (const { of, slug, checkpoints } of stored) {
    const missing = checkpoints.filter(({ note, at }) => !names.has(nameNote(String(note))) && !isRecent(at));
    if (missing.length === 0) continue;
    const sizes = missing.slice(0, 3).map(({ size }) => size);
    const which = `${sizes.join(', ')}${missing.length > 3 ? ' …' : ''}`;
    const issue = `${slug}: ${of.ledger} checkpoints of ${which} entries are not in ${anchorFile}: it lacks records, so it does not show whether the database was rolled back. A server that starts here appends them.`;
    findings.add('unchecked', 'anchor', issue, of.tenantId);
  }
}
