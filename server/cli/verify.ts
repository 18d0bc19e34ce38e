import { join } from 'node:path';
import { z } from 'zod';
import { listRowOwners } from '../audit/verify-rows.ts';
import { databaseFile } from '../installation/installation.ts';
import { anchorFile, nameLedger } from '../ledger/anchor-log.ts';
import { listOwners } from '../ledger/verify.ts';
import { readAnchors } from '../ledger/verify-anchors.ts';
import { findStrayProofs } from '../ledger/verify-checkpoints.ts';
import { checkGuards, checkIntegrity, checkTables } from '../storage/check-schema.ts';
import { type Database, openDatabase } from '../storage/database.ts';
import { isMigrated } from '../storage/migrate.ts';
import { UnreadableDatabase } from '../storage/sqlite.ts';
import { DatabaseUnavailable } from '../storage/unavailable.ts';
import { listTenants } from '../tenants/store.ts';
import { type CommandContext, defineCommand, requireDatabase, texts, UsageError } from './command.ts';
import { exitCodeHelp, exitCodes, type Finding, Findings } from './findings.ts';
import {
  readClaims,
  readNote,
  reportStrayAnchors,
  reportUnanchored,
  type StoredCheckpoints,
} from './outside-checkpoints.ts';
import { explainUnreachable, isUnreachable } from './unreachable.ts';
import { changingRows } from './verified-tables.ts';
import { findKeys } from './verify-keys.ts';
import { type Owner, verifyTenant } from './verify-tenant.ts';

export const verify = defineCommand({
  name: 'verify',
  summary: 'recompute every hash chain and report the rows that were changed',
  description: `Recomputes the consent ledger and the audit log of each tenant; compares them with the signed checkpoints, the Merkle
trees, the seals of the chain heads and ${anchorFile}; compares the published notice versions and every row of
${changingRows.map(({ table }) => table).join(', ')}
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
    const notes = new Map((options.checkpoint ?? []).map((file) => [file, readNote(file)]));
    const findings = new Findings(say);
    const found = await verifyDatabase(context, options.tenant, notes, findings).catch((error: unknown) => {
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
  if (isUnreachable(error)) {
    const reason = (explainUnreachable(error, databaseUrl) as Error).message;
    return { kind: 'unreadable', reason };
  }
  if (error instanceof UnreadableDatabase || error instanceof DatabaseUnavailable)
    return { kind: 'unreadable', reason: error.message };
  // Errors of the drivers have a code.
  if (!(error instanceof Error && 'code' in error)) throw error;
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
  if (!(await isMigrated(database))) throw new UsageError('The schema is not up to date; first run: svc migrate');
  const issues = [...(await checkIntegrity(database))];
  const keys = await findKeys(database, settings, findings);
  // Read before the rows: the entries of each checkpoint in the log were committed before it.
  const anchors = readAnchors(join(settings.dataDir, anchorFile), keys?.verifier ?? null);
  const owners = await listAllOwners(database, only);
  issues.push(
    ...owners.filter(({ known }) => !known).map(({ id }) => `there are rows of the tenant ${id}, but no such tenant`),
  );
  issues.push(...(await findStrayProofs(database.kysely)));
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
  if (only === undefined) reportStrayAnchors(anchors, owners, findings);
  const claims = readClaims(notes, keys, findings);
  for (const { of, place } of claims) {
    if (owners.some(({ id }) => id === of.tenantId)) continue;
    if (only !== undefined) throw new UsageError(`--checkpoint: ${place} is about another tenant.`);
    findings.add('tampered', 'kept_checkpoint', `${place}: its ledger ${nameLedger(of)} is missing`, of.tenantId);
  }
  const stored: StoredCheckpoints[] = [];
  const tenants = [];
  for (const owner of owners)
    tenants.push(await verifyTenant({ context, database, keys, anchors, claims, stored, findings }, owner));
  reportUnanchored(stored, anchors, context, findings);
  const { isThere, records, events } = anchors;
  return { database: issues, anchors: { isThere, records, events }, tenants };
}

/** Every tenant, and every id that rows name as a tenant. @param only the one to check, by id or slug. */
async function listAllOwners({ kysely }: Database, only: string | undefined): Promise<readonly Owner[]> {
  const tenants = (await listTenants(kysely)).map((tenant) => ({ ...tenant, known: true }));
  if (only !== undefined) {
    const found = tenants.filter(({ id, slug }) => id === only || slug === only);
    if (found.length === 0) throw new UsageError(`There is no tenant ${only}.`);
    return found;
  }
  const ids = new Set([...(await listOwners(kysely)), ...(await listRowOwners(kysely, changingRows))]);
  for (const { id } of tenants) ids.delete(id);
  return [...tenants, ...[...ids].map((id) => ({ id, slug: String(id), known: false }))];
}
