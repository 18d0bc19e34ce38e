import { apiKeyRows } from '../access/api-key-store.ts';
import { scimTokenRows } from '../access/scim-token-store.ts';
import { findSecret, isSecretOf } from '../access/secret.ts';
import type { RowKind } from '../audit/row-state.ts';
import { listRowOwners, ToldStates, verifyRows } from '../audit/verify-rows.ts';
import { noticeRows } from '../consent/notice-store.ts';
import { verifyVersions } from '../consent/verify-notices.ts';
import { controlRows } from '../controls/control-store.ts';
import { evidenceRows } from '../controls/evidence-store.ts';
import { programRows } from '../controls/program-store.ts';
import { resultRows } from '../controls/result-store.ts';
import { testRows } from '../controls/test-store.ts';
import { accountRows, secondFactorRows } from '../identity/account-store.ts';
import { invitationRows } from '../identity/invitation-store.ts';
import { membershipRows } from '../identity/membership-store.ts';
import { type LedgerName, ledgerTables } from '../ledger/append.ts';
import { NoteSigner, type NoteVerifier } from '../ledger/signed-note.ts';
import { type ChainReport, listOwners, verifyChain } from '../ledger/verify.ts';
import { findStrayProofs, ProofCheck, type ProofReport } from '../ledger/verify-checkpoints.ts';
import { breachRows } from '../privacy/breach-store.ts';
import { dsrRows } from '../privacy/dsr-store.ts';
import type { Settings } from '../settings.ts';
import { type Database, openDatabase } from '../storage/database.ts';
import { checkIntegrity, describeUnreadable } from '../storage/integrity.ts';
import { isMigrated } from '../storage/migrate.ts';
import { listTenants, tenantRows } from '../tenants/store.ts';
import { trustCenterRows } from '../trust/store.ts';
import { endpointRows } from '../webhooks/endpoint-store.ts';
import { type Command, type CommandContext, UsageError } from './command.ts';
import { databaseFile, requireDatabase } from './require-database.ts';
import { isUnreachable } from './unreachable.ts';

/** The tables whose rows may change, and are compared with what the audit log tells of each change. */
export const changingRows: readonly RowKind[] = [
  tenantRows,
  apiKeyRows,
  scimTokenRows,
  accountRows,
  secondFactorRows,
  membershipRows,
  invitationRows,
  noticeRows,
  programRows,
  controlRows,
  evidenceRows,
  testRows,
  resultRows,
  dsrRows,
  breachRows,
  trustCenterRows,
  endpointRows,
];

/** Tables that are not looked at: no record, event, notice, key or tenant stands in them. */
export const workingState = [
  'idempotency_keys',
  'rate_limits',
  'installation',
  'sessions',
  'sign_in_challenges',
  'sign_in_failures',
  'backup_codes',
  'access_tokens',
  'webhook_events',
  'webhook_deliveries',
  'webhook_attempts',
  'webhook_health',
  'webhook_senders',
  'webhook_redeliveries',
  'merkle_trees',
] as const;

export const verify: Command = {
  name: 'verify',
  summary: 'recompute every hash chain and name the rows that were changed',
  description: `Walks the consent ledger and the audit log of each tenant, compares the signed checkpoints and the Merkle trees
with them, and compares the published notice versions and every row of ${changingRows.map(({ table }) => table).join(', ')}
with what the audit log tells.
Ends with 1 when something is not as it was written. May run beside the server.

Not looked at is working state: answers kept for a day for retries (idempotency_keys), counts of requests (rate_limits),
what ends or is used up (sessions, sign_in_challenges, access_tokens, backup_codes), counts of failed sign-ins
(sign_in_failures), events on their way to webhooks and what became of them (webhook_events, webhook_deliveries,
webhook_attempts, webhook_redeliveries), how webhooks fare (webhook_health) and who sends (webhook_senders), how far the
proofs reach (merkle_trees), when keys, tokens and persons were last seen, the fingerprint of the secret (installation),
and the list of migrations that Kysely keeps.`,
  options: { tenant: { type: 'string', meaning: 'only this tenant, by id or slug' } },
  async run(context) {
    const { settings, say, result } = context;
    requireDatabase(settings);
    const found = await verifyDatabase(context).catch((error: unknown) => {
      const reason = describeUnreadable(error);
      if (reason === null || isUnreachable(error)) throw error;
      say(`✗ database: ${reason}`);
      return { database: [reason], tenants: [] };
    });
    const intact =
      found.database.length === 0 &&
      found.tenants.every(
        ({ chains, proofs, notices, rows }) =>
          chains.every(({ fault }) => fault === null) &&
          proofs.every(({ faults }) => faults.length === 0) &&
          notices.faults.length === 0 &&
          rows.faults.length === 0,
      );
    say(
      intact
        ? 'Everything is as it was written.'
        : 'Something was changed. Keep this database and compare it with a backup.',
    );
    result({ intact, ...found });
    return intact ? 0 : 1;
  },
};

async function verifyDatabase(context: CommandContext) {
  const { settings, options, say } = context;
  await using database = openDatabase({ url: settings.databaseUrl, file: databaseFile(settings.dataDir) });
  if (!(await isMigrated(database))) throw new UsageError('The schema is not up to date; first run: svc migrate');
  const issues = [...(await checkIntegrity(database))];
  const owners =
    options.tenant === undefined ? await listAllOwners(database) : [await requireTenant(database, options)];
  issues.push(
    ...owners.filter(({ known }) => !known).map(({ id }) => `there are rows of the tenant ${id}, but no such tenant`),
  );
  issues.push(...(await findStrayProofs(database.kysely)));
  for (const issue of issues) say(`✗ database: ${issue}`);
  const tenants = [];
  const verifier = await findVerifier(database, settings);
  for (const owner of owners) tenants.push(await verifyTenant(context, database, verifier, owner));
  return { database: issues, tenants };
}

/** Whose rows are checked; `known` tells whether there is such a tenant. */
interface Owner {
  readonly id: string;
  readonly slug: string;
  readonly known: boolean;
}

async function listAllOwners({ kysely }: Database): Promise<readonly Owner[]> {
  const tenants = await listTenants(kysely);
  const owners = new Set([...(await listOwners(kysely)), ...(await listRowOwners(kysely, changingRows))]);
  const unknown = [...owners].filter((id) => !tenants.some((tenant) => tenant.id === id));
  return [
    ...tenants.map((tenant) => ({ ...tenant, known: true })),
    ...unknown.map((id) => ({ id, slug: String(id), known: false })),
  ];
}

async function requireTenant({ kysely }: Database, { tenant }: CommandContext['options']): Promise<Owner> {
  const found = (await listTenants(kysely)).find(({ id, slug }) => id === tenant || slug === tenant);
  if (found === undefined) throw new UsageError(`There is no tenant ${tenant}.`);
  return { ...found, known: true };
}

/** The key that checkpoints are verified with; null where the secret of this installation is not at hand. */
async function findVerifier({ kysely }: Database, settings: Settings): Promise<NoteVerifier | null> {
  const secret = findSecret(settings);
  return secret !== null && (await isSecretOf(kysely, secret)) ? new NoteSigner(secret).verifier : null;
}

async function verifyTenant(
  { json, say }: CommandContext,
  { kysely }: Database,
  verifier: NoteVerifier | null,
  { id, slug }: Owner,
) {
  const progress =
    json || !process.stderr.isTTY ? () => undefined : (text: string) => process.stderr.write(`\r\x1b[K${text}`);
  const chains: ChainReport[] = [];
  const proofs: (ProofReport & { readonly ledger: LedgerName })[] = [];
  const told = new ToldStates();
  for (const ledger of Object.keys(ledgerTables) as LedgerName[]) {
    const proof = await ProofCheck.open(kysely, { tenantId: id, ledger });
    const report = await verifyChain(
      kysely,
      ledger,
      id,
      (entries) => progress(`${slug} ${ledger}: ${entries} …`),
      ({ entry, hash }) => {
        if (ledger === 'audit') told.read(entry);
        proof.take(hash);
      },
    );
    chains.push(report);
    const proven = await proof.finish(verifier, report.fault === null);
    proofs.push({ ledger, ...proven });
    progress('');
    say(
      report.fault === null
        ? `✓ ${slug}: ${ledger} chain, ${report.entries} entries`
        : `✗ ${slug}: ${ledger} chain, row ${report.fault.sequence} (${report.fault.id ?? 'gone'}): ${report.fault.issue}`,
    );
  }
  for (const { ledger, checkpoints, signatures, faults } of proofs) {
    const unsigned = signatures ? '' : ' (signatures not checked: the secret of this installation is not here)';
    say(`${faults.length === 0 ? '✓' : '✗'} ${slug}: ${ledger} checkpoints, ${checkpoints}${unsigned}`);
    for (const { size, issue } of faults)
      say(`✗ ${slug}: ${ledger} ${size === null ? 'proofs' : `checkpoint of ${size} entries`}: ${issue}`);
  }
  const notices = await verifyVersions(kysely, id);
  say(`${notices.faults.length === 0 ? '✓' : '✗'} ${slug}: ${notices.versions} published notice versions`);
  for (const { noticeId, version, issue } of notices.faults)
    say(`✗ ${slug}: notice ${noticeId} version ${version}: ${issue}`);
  const rows = await verifyRows(kysely, changingRows, id, told);
  const tables = changingRows.map(({ table }) => table).join(', ');
  say(`${rows.faults.length === 0 ? '✓' : '✗'} ${slug}: ${rows.checked} rows of ${tables}`);
  for (const { table, id, issue } of rows.faults) say(`✗ ${slug}: ${table} ${id}: ${issue}`);
  return { tenantId: id, slug, chains, proofs, notices, rows };
}
