import { join } from 'node:path';
import { apiKeyRows } from '../access/api-key-store.ts';
import { scimTokenRows } from '../access/scim-token-store.ts';
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
import { anchorFile, nameLedger } from '../ledger/anchor-log.ts';
import { isSealed, type LedgerName, ledgerTables, readHead } from '../ledger/append.ts';
import { openCheckpoint, readCheckpoint } from '../ledger/checkpoint.ts';
import type { StoredCheckpoint } from '../ledger/checkpoint-store.ts';
import type { LedgerOf } from '../ledger/tree-store.ts';
import { type ChainReport, listOwners, verifyChain } from '../ledger/verify.ts';
import {
  nameNote,
  type ReadAnchors,
  type RootClaim,
  readAnchors,
  readLedgerName,
  readNoteNames,
} from '../ledger/verify-anchors.ts';
import { findStrayProofs, ProofCheck, type ProofReport } from '../ledger/verify-checkpoints.ts';
import { breachRows, dsrRows } from '../privacy/store.ts';
import { checkGuards } from '../storage/append-only.ts';
import { checkTables } from '../storage/check-tables.ts';
import { type Database, openDatabase, type Queries } from '../storage/database.ts';
import { checkIntegrity, describeUnreadable } from '../storage/integrity.ts';
import { isMigrated } from '../storage/migrate.ts';
import { UnreadableDatabase } from '../storage/read-sqlite.ts';
import { DatabaseUnavailable } from '../storage/unavailable.ts';
import { listTenants, tenantRows } from '../tenants/store.ts';
import { trustCenterRows } from '../trust/store.ts';
import { endpointRows } from '../webhooks/endpoints/store.ts';
import { type Command, type CommandContext, UsageError } from './command.ts';
import { exitCodeHelp, exitCodes, type Finding, Findings } from './exit-codes.ts';
import { readNote } from './kept-checkpoint.ts';
import { databaseFile, requireDatabase } from './require-database.ts';
import { explainUnreachable, isUnreachable } from './unreachable.ts';
import { findKeys, type VerifyKeys } from './verify-keys.ts';

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
  description: `Walks the consent ledger and the audit log of each tenant, compares the signed checkpoints, the Merkle trees, the seals
of the chain heads and ${anchorFile} with them, compares the published notice versions and every row of
${changingRows.map(({ table }) => table).join(', ')}
with what the audit log tells, and compares the tables, and the triggers that refuse changes, with those that Svc made.
May run beside the server, and on a backup, also one on read-only storage.

A change of the newest entries is found by the seal of the head. A roll-back of the whole database to an earlier state is
found below the newest entry of ${anchorFile}, which the output names for each ledger; with --checkpoint, a checkpoint
that you kept elsewhere, also against somebody who has the whole machine.

Not looked at is working state: answers kept for a day for retries (idempotency_keys), counts of requests (rate_limits),
what ends or is used up (sessions, sign_in_challenges, access_tokens, backup_codes), counts of failed sign-ins
(sign_in_failures), events on their way to webhooks and what became of them (webhook_events, webhook_deliveries,
webhook_attempts, webhook_redeliveries), how webhooks fare (webhook_health) and who sends (webhook_senders), how far the
proofs reach (merkle_trees), when keys, tokens and persons were last seen, and the list of migrations that Kysely keeps.

${exitCodeHelp}`,
  options: {
    tenant: { type: 'string', meaning: 'only this tenant, by id or slug' },
    checkpoint: {
      type: 'string',
      meaning: 'a file with a checkpoint that you kept: the ledger must contain it; may be given again',
      value: 'file',
      multiple: true,
    },
  },
  async run(context) {
    const { settings, options, say, result } = context;
    requireDatabase(settings);
    const kept = ((options.checkpoint ?? []) as readonly string[]).map(readKept);
    const findings = new Findings(say);
    const found = await verifyDatabase(context, kept, findings).catch((error: unknown) => {
      const { kind, reason } = explainFailure(error, settings.databaseUrl);
      findings.add(kind, 'database', `database: ${reason}`);
      return { database: [reason], anchors: null, tenants: [] };
    });
    const { exitCode, list } = findings;
    say(conclusions[exitCode] ?? '');
    result({ intact: exitCode === exitCodes.holds, exitCode, findings: list, ...found });
    return exitCode;
  },
};

const conclusions: Readonly<Record<number, string>> = {
  [exitCodes.holds]: 'Everything is as it was written.',
  [exitCodes.tampered]: 'Something was changed. Keep this database and compare it with a backup.',
  [exitCodes.unchecked]:
    'Nothing that was checked was changed, but not everything could be checked: see the lines with ?.',
  [exitCodes.unreadable]: 'The database could not be read, so nothing is known of what it holds.',
};

/** Whether a failure says something of what the database holds, or only that it cannot be read. */
function explainFailure(error: unknown, databaseUrl: string | null): { kind: Finding['kind']; reason: string } {
  if (isUnreachable(error)) {
    const reason = (explainUnreachable(error, databaseUrl) as Error).message;
    return { kind: 'unreadable', reason };
  }
  if (error instanceof UnreadableDatabase || error instanceof DatabaseUnavailable)
    return { kind: 'unreadable', reason: error.message };
  const reason = describeUnreadable(error);
  if (reason === null) throw error;
  const { code } = error as { readonly code?: unknown };
  return { kind: saysNothingOfContents.test(String(code)) ? 'unreadable' : 'tampered', reason };
}

/** Locks, storage and rights: of SQLite, of PostgreSQL (SQLSTATE) and of files. */
const saysNothingOfContents =
  /^(SQLITE_(BUSY|LOCKED|IOERR|CANTOPEN|READONLY|PERM|AUTH|NOMEM|FULL|PROTOCOL|INTERRUPT)|42501|57014|55P03|53|E[A-Z]+$)/;

async function verifyDatabase(context: CommandContext, kept: readonly KeptCheckpoint[], findings: Findings) {
  const { settings, options } = context;
  const file = databaseFile(settings.dataDir);
  await using database = openDatabase({ url: settings.databaseUrl, file, reads: true });
  if (!(await isMigrated(database))) throw new UsageError('The schema is not up to date; first run: svc migrate');
  const issues = [...(await checkIntegrity(database))];
  const keys = await findKeys(database, settings, findings);
  // Read before the rows: what the log has a checkpoint of was committed before.
  const anchors = readAnchors(join(settings.dataDir, anchorFile), keys?.verifier ?? null);
  const isPart = options.tenant !== undefined;
  const owners = isPart ? [await requireTenant(database, options)] : await listAllOwners(database);
  issues.push(
    ...owners.filter(({ known }) => !known).map(({ id }) => `there are rows of the tenant ${id}, but no such tenant`),
  );
  issues.push(...(await findStrayProofs(database.kysely)));
  for (const issue of issues) findings.add('tampered', 'database', `database: ${issue}`);
  for (const issue of await checkTables(database)) findings.add('tampered', 'database', `database: ${issue}`);
  for (const issue of await checkGuards(database)) findings.add('tampered', 'trigger', `database: ${issue}`);
  for (const { line, issue } of anchors.faults)
    findings.add('tampered', 'anchor', `${anchorFile} line ${line}: ${issue}, so that it cannot be trusted`);
  for (const { kind, line, at } of anchors.events) {
    const what =
      kind === 'restore'
        ? `a restore was accepted at ${at}: what stands before it no longer counts`
        : `anchors since ${at}: a server found the file empty, and says nothing of what was in it before`;
    context.say(`• ${anchorFile} line ${line}: ${what}`);
  }
  if (!isPart) reportStrayAnchors(anchors, owners, findings);
  const claims = claimsOf(kept, keys, findings);
  for (const { of, place } of claims) {
    if (owners.some(({ id }) => id === of.tenantId)) continue;
    if (isPart) throw new UsageError(`--checkpoint: ${place} is about another tenant.`);
    findings.add('tampered', 'kept_checkpoint', `${place}: its ledger ${nameLedger(of)} is gone`, of.tenantId);
  }
  const stored: StoredCheckpoints[] = [];
  const tenants = [];
  for (const owner of owners)
    tenants.push(await verifyTenant({ context, database, keys, anchors, claims, stored, findings }, owner));
  reportUnanchored(stored, anchors, context, findings);
  const { isThere, records, events } = anchors;
  return { database: issues, anchors: { isThere, records, events }, tenants };
}

/** A checkpoint that the caller kept. */
interface KeptCheckpoint {
  readonly file: string;
  readonly note: string;
}

function readKept(file: string): KeptCheckpoint {
  return { file, note: readNote(file) };
}

/** What a kept checkpoint says of a ledger. */
interface KeptClaim extends RootClaim {
  readonly of: LedgerOf;
}

/** What the kept checkpoints say, as far as their signatures can be relied on. */
function claimsOf(kept: readonly KeptCheckpoint[], keys: VerifyKeys | null, findings: Findings): readonly KeptClaim[] {
  return kept.flatMap(({ file, note }) => {
    const text = note.slice(0, note.lastIndexOf('\n\n') + 1);
    const checkpoint = keys === null ? readCheckpoint(text) : openCheckpoint(note, keys.verifier);
    const of = checkpoint === null ? null : readLedgerName(checkpoint.origin.slice(checkpoint.origin.indexOf('/') + 1));
    if (checkpoint === null || of === null) {
      const issue = `${file} is no checkpoint that this installation signed, so that nothing was compared with it.`;
      findings.add('unchecked', 'kept_checkpoint', issue);
      return [];
    }
    const { size, at, rootHash } = checkpoint;
    return [{ of, size, at, rootHash: rootHash.toString('base64'), place: file, note: null }];
  });
}

/** Ledgers are never removed: one that an anchor speaks of must be there. */
function reportStrayAnchors({ claims }: ReadAnchors, owners: readonly Owner[], findings: Findings): void {
  for (const [name, [first]] of claims) {
    const of = readLedgerName(name);
    if (of !== null && owners.some(({ id }) => id === of.tenantId)) continue;
    const issue = 'is gone: the tenant was removed, or an older database was put in its place';
    findings.add('tampered', 'anchor', `${first?.place}: the ledger ${name} ${issue}`, of?.tenantId ?? null);
  }
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

/** What the check of a tenant needs. */
interface Scene {
  readonly context: CommandContext;
  readonly database: Database;
  readonly keys: VerifyKeys | null;
  readonly anchors: ReadAnchors;
  readonly claims: readonly KeptClaim[];
  /** Takes the checkpoints of each ledger. */
  readonly stored: StoredCheckpoints[];
  readonly findings: Findings;
}

/** The checkpoints that the database has of a ledger. */
interface StoredCheckpoints {
  readonly of: LedgerOf;
  readonly slug: string;
  readonly checkpoints: readonly StoredCheckpoint[];
}

async function verifyTenant(
  { context, database, keys, anchors, claims, stored, findings }: Scene,
  { id, slug }: Owner,
) {
  const { json, say } = context;
  const { kysely } = database;
  const progress =
    json || !process.stderr.isTTY ? () => undefined : (text: string) => process.stderr.write(`\r\x1b[K${text}`);
  const fail = (about: string, message: string) => findings.add('tampered', about, `${slug}: ${message}`, id);
  /** A line that says what was looked at; what was found stands in lines of its own. */
  const saySeen = (isGood: boolean, what: string) => {
    if (isGood) say(`✓ ${slug}: ${what}`);
  };
  const chains: ChainReport[] = [];
  const proofs: (ProofReport & { readonly ledger: LedgerName })[] = [];
  const points: RollbackPoint[] = [];
  const told = new ToldStates();
  for (const ledger of Object.keys(ledgerTables) as LedgerName[]) {
    const of = { tenantId: id, ledger };
    const anchored = anchors.claims.get(nameLedger(of)) ?? [];
    const wanted = claims.filter((claim) => claim.of.tenantId === id && claim.of.ledger === ledger);
    const proof = await ProofCheck.open(kysely, of, [...anchored, ...wanted]);
    const walked = await verifyChain(
      kysely,
      ledger,
      id,
      (entries) => progress(`${slug} ${ledger}: ${entries} …`),
      ({ entry, hash }) => {
        if (ledger === 'audit') told.read(entry);
        proof.take(hash);
      },
    );
    const isSealedHere = walked.fault !== null || keys === null || (await hasSealedHead(kysely, of, keys));
    const report = isSealedHere ? walked : breakSeal(walked, of);
    chains.push(report);
    const proven = await proof.finish(keys?.verifier ?? null, walked.fault === null);
    proofs.push({ ledger, ...proven });
    points.push(describePoint(ledger, anchored));
    progress('');
    saySeen(report.fault === null, `${ledger} chain, ${report.entries} entries`);
    if (report.fault !== null) {
      const { sequence, id: row, issue } = report.fault;
      fail(isSealedHere ? 'chain' : 'head', `${ledger} chain, ${nameRow(sequence, row, isSealedHere)}: ${issue}`);
    }
    stored.push({ of, slug, checkpoints: proof.checkpoints });
  }
  for (const { ledger, checkpoints, signatures, faults } of proofs) {
    const unsigned = signatures ? '' : ' (signatures not checked)';
    saySeen(faults.length === 0, `${ledger} checkpoints, ${checkpoints}${unsigned}`);
    for (const { size, issue } of faults)
      fail('checkpoint', `${ledger} ${size === null ? 'proofs' : `checkpoint of ${size} entries`}: ${issue}`);
  }
  for (const [index, { ledger, claimFaults }] of proofs.entries()) {
    const { anchors: count, size, at } = points[index] as RollbackPoint;
    const reach =
      size === null || size === 0
        ? 'no roll-back is found yet'
        : `a roll-back to fewer than ${size} entries (${at}) is found`;
    saySeen(claimFaults.length === 0, `${ledger} anchors, ${count}: ${reach}`);
    for (const { size, at, place, issue } of claimFaults)
      fail('anchor', `${ledger} checkpoint of ${size} entries (${at}, ${place}): ${issue}`);
  }
  for (const { place, of, size } of claims.filter((claim) => claim.of.tenantId === id))
    saySeen(
      proofs.every(({ claimFaults }) => claimFaults.every((fault) => fault.place !== place)),
      `${of.ledger} ledger contains the ${size} entries of ${place}`,
    );
  const notices = await verifyVersions(kysely, id);
  saySeen(notices.faults.length === 0, `${notices.versions} published notice versions`);
  for (const { noticeId, version, issue } of notices.faults)
    fail('notice', `notice ${noticeId} version ${version}: ${issue}`);
  const rows = await verifyRows(kysely, changingRows, id, told);
  const tables = changingRows.map(({ table }) => table).join(', ');
  saySeen(rows.faults.length === 0, `${rows.checked} rows of ${tables}`);
  for (const { table, id: row, issue } of rows.faults) fail('row', `${table} ${row}: ${issue}`);
  return { tenantId: id, slug, chains, proofs, anchors: points, notices, rows };
}

/** A chain whose rows are all there and whose head alone is wrong names no row. */
function nameRow(sequence: number, id: string | null, isSealed: boolean): string {
  return isSealed ? `row ${sequence} (${id ?? 'gone'})` : `head, after ${sequence} rows`;
}

async function hasSealedHead(queries: Queries, { tenantId, ledger }: LedgerOf, { seal }: VerifyKeys): Promise<boolean> {
  const head = await readHead(queries, tenantId, ledger);
  return head !== undefined && isSealed(seal, tenantId, ledger, head);
}

function breakSeal(report: ChainReport, { tenantId, ledger }: LedgerOf): ChainReport {
  const issue =
    'the seal of the head does not fit: something other than Svc wrote it, so that its newest entries may be missing or made up';
  return { ...report, fault: { ledger, tenantId, sequence: report.entries, id: null, issue } };
}

/** Below which point a roll-back of a ledger is found. */
interface RollbackPoint {
  readonly ledger: LedgerName;
  readonly anchors: number;
  readonly size: number | null;
  readonly at: string | null;
}

function describePoint(ledger: LedgerName, claims: readonly RootClaim[]): RollbackPoint {
  const newest = claims.reduce<RootClaim | null>(
    (one, other) => (one === null || other.size >= one.size ? other : one),
    null,
  );
  return { ledger, anchors: claims.length, size: newest?.size ?? null, at: newest?.at ?? null };
}

/** A server appends each checkpoint at once, and those of other servers within a minute. */
const appendedWithin = 5 * 60_000;

/** Checkpoints that the log lacks: it was cut or replaced, or no server ran here since. */
function reportUnanchored(
  stored: readonly StoredCheckpoints[],
  { isThere }: ReadAnchors,
  { settings: { dataDir }, clock }: CommandContext,
  findings: Findings,
): void {
  if (!isThere) {
    if (stored.some(({ checkpoints }) => checkpoints.length > 0))
      findings.add(
        'unchecked',
        'anchor',
        `${anchorFile} is missing in ${dataDir}: that the database was not put back to an earlier state cannot be checked. Put the file back from a backup; a server that starts without it makes a new one from the database.`,
      );
    return;
  }
  const names = readNoteNames(join(dataDir, anchorFile));
  const now = Date.parse(clock());
  // Also from a clock that is behind, a checkpoint that lies far ahead is no excuse.
  const isRecent = (at: unknown) => Math.abs(now - Date.parse(String(at))) < appendedWithin;
  for (const { of, slug, checkpoints } of stored) {
    const sizes = checkpoints
      .filter(({ note, at }) => !names.has(nameNote(String(note))) && !isRecent(at))
      .map(({ size }) => size);
    if (sizes.length === 0) continue;
    const which = `${sizes.slice(0, 3).join(', ')}${sizes.length > 3 ? ' …' : ''}`;
    findings.add(
      'unchecked',
      'anchor',
      `${slug}: ${of.ledger} checkpoints of ${which} entries are not in ${anchorFile}: records of it are missing, so that it does not show whether the database was put back. A server that starts here appends them.`,
      of.tenantId,
    );
  }
}
