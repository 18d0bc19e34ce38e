import { createApiKey } from '../../accounts/keys/api-key-store.ts';
import { rotateScimToken } from '../../accounts/keys/scim-token.ts';
import { recordAccountChange, updatePassword } from '../../accounts/members/account-store.ts';
import { addMember } from '../../accounts/members/membership.ts';
import { createTenant, findTenant, updateTenant } from '../../accounts/tenants/store.ts';
import type { Tenant } from '../../accounts/tenants/tenant.ts';
import { verify } from '../../cli/verify.ts';
import type { NoticeContent } from '../../consent/notice.ts';
import { createNotice, editNotice, publishNotice } from '../../consent/notice-changes.ts';
import type { RecordDraft } from '../../consent/record.ts';
import { appendRecords } from '../../consent/record-store.ts';
import { catalogue } from '../../controls/catalogue/catalogue.ts';
import { createControl, editControl, retireControl } from '../../controls/control-changes.ts';
import type { FileReport } from '../../controls/file-store.ts';
import { addEvidence, addTest, recordResult, retireTest, withdrawEvidence } from '../../controls/part-changes.ts';
import { saveProgram } from '../../controls/store.ts';
import { scopes } from '../../http/roles.ts';
import type { Installation } from '../../installation/installation.ts';
import { hashToken } from '../../installation/token.ts';
import { invitationRows, programRows, secondFactorRows, tenantRows } from '../../ledger/audit/rows.ts';
import { recordChange, recordEvent, systemSource } from '../../ledger/audit/store.ts';
import { signCheckpoint } from '../../ledger/checkpoint-store.ts';
import { newSalt } from '../../ledger/entry.ts';
import { editBreach, reportBreach } from '../../privacy/breach.ts';
import { completeDsr, createDsr, extendDsr } from '../../privacy/dsr-store.ts';
import type { Finding } from '../../proofs/findings.ts';
import type { ChainReport } from '../../proofs/verify-chain.ts';
import type { ProofReport } from '../../proofs/verify-checkpoints.ts';
import type { VerifiedLog } from '../../proofs/verify-log.ts';
import type { VersionFault } from '../../proofs/verify-notices.ts';
import type { RowReport } from '../../proofs/verify-rows.ts';
import { replaceTrustCenter } from '../../site/trust/store.ts';
import { TrustCenterInput } from '../../site/trust/trust-center.ts';
import { type Clock, systemClock } from '../../storage/clock.ts';
import { runTransaction, type Transaction } from '../../storage/database.ts';
import { insertRow, newId, updateRow } from '../../storage/rows.ts';
import { createEndpoint, deleteEndpoint, disableEndpoint, rotateSecret } from '../../webhooks/endpoints/changes.ts';
import { EndpointInput } from '../../webhooks/endpoints/endpoint.ts';
import { noticeContent } from '../harness.ts';

/** A tenant with entries in its ledgers. */
export interface FilledTenant {
  readonly id: string;
  readonly slug: string;
  readonly notices: readonly string[];
}

/** Subjects whose names are hard to find in canonical text, or to count in bytes instead of characters. */
const subjects = [
  'plain',
  '"subjectId":"plain"',
  'emoji \u{1F600}',
  '\uFFFD in the middle \uFFFD',
  '{"tenantId":"x"}',
  '\\"',
];

/**
 * Two tenants with two keys and two published notices each, one of them in two versions, and a record of each subject on
 * each, a member with a second factor, an invitation and a SCIM token, requests of data subjects, breaches, webhooks and a
 * trust center, and two checkpoints of each ledger; a third tenant without anything.
 */
export async function fillLedgers(installation: Installation): Promise<readonly FilledTenant[]> {
  const { database, clock } = installation;
  const tenants: FilledTenant[] = [];
  for (const slug of ['first', 'second']) tenants.push(await fillTenant(installation, slug));
  await runTransaction(database, clock(), (tx) => createTenant(tx, { slug: 'empty', name: 'Empty' }));
  return tenants;
}

/** Several transactions: a tenant is locked after the accounts and the consent ledgers. */
async function fillTenant(installation: Installation, slug: string): Promise<FilledTenant> {
  const { database, clock, box } = installation;
  const run = <Result>(step: (tx: Transaction) => Promise<Result>) => runTransaction(database, clock(), step);
  const { id } = await run((tx) => createTenant(tx, { slug, name: `Tenant ${slug}` }));
  const source = systemSource(id);
  await run(async (tx) => {
    for (const expiresAt of [null, '2027-01-31T00:00:00.000Z'])
      await createApiKey(tx, { tenantId: id, name: 'Key \uFFFD', environment: 'test', scopes, expiresAt });
  });
  await run((tx) => fillPeople(tx, id, slug));
  await run(async (tx) => {
    await fillPrivacy(tx, id);
    await fillControls(tx, id);
    await fillWebhooks(tx, id, box);
    const trust = { published: true, headline: 'Safe \uFFFD', links: [{ label: '"x"', url: 'https://example.com/' }] };
    await replaceTrustCenter(tx, source, slug, TrustCenterInput.parse(trust));
  });
  const notices: string[] = [];
  for (const name of ['Website', 'Shop \u{1F6D2}']) {
    const noticeId = await run(async (tx) => {
      const notice = await createNotice(tx, source, { ...noticeContent, name } as unknown as NoticeContent);
      await publishNotice(tx, source, notice.id);
      return notice.id;
    });
    notices.push(noticeId);
    await run(async (tx) => {
      await appendRecords(
        tx,
        subjects.map((subject) => draftRecord(id, noticeId, subject)),
      );
      await signCheckpoint(tx, installation, { tenantId: id, ledger: 'consent' });
    });
  }
  await run(async (tx) => {
    await signCheckpoint(tx, installation, { tenantId: id, ledger: 'audit' });
    await editNotice(tx, source, notices[0] as string, { controllerName: 'Other Ltd' });
    await publishNotice(tx, source, notices[0] as string);
    await recordEvent(tx, source, {
      module: 'consent',
      action: 'consent.recorded',
      targetId: '"id":"x"',
      targetRef: '\uFFFD',
      diff: { id: 'nested', module: 'nested', tenantId: 'nested' },
    });
    await signCheckpoint(tx, installation, { tenantId: id, ledger: 'audit' });
  });
  return { id, slug, notices };
}

/** A member with every kind of row that a tenant keeps of a person, an invitation, and a SCIM token. */
async function fillPeople(tx: Transaction, tenantId: string, slug: string): Promise<void> {
  const source = systemSource(tenantId);
  const email = `member@${slug}.example.com`;
  const profile = { givenName: 'Zo\u00eb \uFFFD', familyName: 'Smith', externalId: 'external-1' };
  const member = await addMember(
    tx,
    source,
    { email, role: 'auditor', isActivated: true, isAccepted: true, ...profile },
    'test',
  );
  const userId = member?.user_id as string;
  await updatePassword(tx, systemSource, userId, '$argon2id$v=19$m=8,t=1,p=1$c2FsdA$dGFn');
  const enabled = { state: 'enabled', secret: 'sealed', codes_salt: 'salt', last_step: 7, updated_at: tx.now };
  const factor = await updateRow(tx.queries, 'second_factors', { user_id: userId }, enabled);
  await recordAccountChange(tx, systemSource, secondFactorRows, userId, factor, { verb: 'enabled' });
  const invitation = await insertRow(tx.queries, 'invitations', {
    id: newId(),
    tenant_id: tenantId,
    email: `invited@${slug}.example.com`,
    role: 'dpo',
    token_hash: hashToken(slug),
    salt: newSalt(),
    created_at: tx.now,
    expires_at: '2026-11-28T12:00:00.000Z',
    accepted_at: null,
    revoked_at: null,
  });
  await recordChange(tx, source, invitationRows, invitation, { verb: 'created', targetRef: invitation.email });
  await rotateScimToken(tx, source);
}

/** Changed settings, and data-subject requests and breaches with the fewest and with all fields. */
async function fillPrivacy(tx: Transaction, tenantId: string): Promise<void> {
  const source = systemSource(tenantId);
  const tenant = await requireTenant(tx, tenantId);
  const edited = await updateTenant(tx, { ...tenant, dsrDays: 45 });
  await recordChange(tx, source, tenantRows, edited, { verb: 'edited', targetRef: tenant.name });
  await createDsr(tx, source, { subjectId: subjects[2] as string, type: 'objection' });
  const wanted = { subjectId: 'plain \uFFFD', type: 'access', channel: 'letter', notes: 'Wrote twice.' } as const;
  const { id } = await createDsr(tx, source, wanted);
  await extendDsr(tx, source, id, { reason: 'Many systems \uFFFD' });
  await completeDsr(tx, source, id, { outcome: 'rejected', reason: 'Not our customer' });
  const incident = { title: 'Lost laptop', description: 'On a train \uFFFD', discoveredAt: tx.now } as const;
  await reportBreach(tx, source, { ...incident, severity: 'low' });
  const details = { severity: 'high', affectedSubjects: 1200, dataCategories: ['Names', 'Addresses'] } as const;
  const breach = await reportBreach(tx, source, {
    ...incident,
    ...details,
    dataCategories: [...details.dataCategories],
  });
  const notified = { authorityNotifiedAt: tx.now, subjectsNotifiedAt: tx.now, notificationReason: 'None' };
  await editBreach(tx, source, breach.id, { status: 'closed', ...notified });
}

/** Custom controls with evidence and tests, so that no column is null in all of their rows. */
async function fillControls(tx: Transaction, tenantId: string): Promise<void> {
  const source = systemSource(tenantId);
  const program = await saveProgram(tx, tenantId, catalogue.frameworks.slice(0, 2));
  await recordChange(tx, source, programRows, program, { verb: 'adopted', targetRef: null });
  const wanted = { title: 'Visitors \uFFFD', description: 'Are met', domain: '"domain"', mappings: {} };
  const owned = { cadence: 'annual', ownerUserId: null } as const;
  const create = async (code: string) => (await createControl(tx, source, { ...wanted, ...owned, code })).row.id;
  const excepted = await create('OWN-1');
  const exceptionEndsAt = '2027-01-31T00:00:00.000Z';
  await editControl(tx, source, excepted, { status: 'excepted', reason: 'Moving \uFFFD', exceptionEndsAt });
  await retireControl(tx, source, await create('OWN-3'));
  const control = await create('OWN-2');
  await editControl(tx, source, control, { status: 'evidence_requested' });
  const collectedAt = '2026-11-01T00:00:00.000Z';
  const bare = { description: null, url: null, sha256: null, expiresAt: null };
  await addEvidence(tx, source, control, { title: 'List', kind: 'log', ...bare, collectedAt });
  const item = {
    title: 'List \uFFFD',
    kind: 'document',
    description: 'Of visitors',
    url: 'https://example.com/list',
    sha256: 'a'.repeat(64),
    collectedAt,
    expiresAt: '2027-11-01T00:00:00.000Z',
  } as const;
  const { id } = await addEvidence(tx, source, control, item);
  await withdrawEvidence(tx, source, { controlId: control, evidenceId: id }, 'Wrong list');
  const test = await addTest(tx, source, control, { title: 'Look', procedure: 'At it \uFFFD', cadence: 'monthly' });
  const run = { controlId: control, testId: test.id };
  await recordResult(tx, source, run, { status: 'fail', notes: 'Gaps', url: 'https://example.com/' });
  await recordResult(tx, source, run, { status: 'pass', notes: null, url: null, testedAt: collectedAt });
  await retireTest(tx, source, run);
  await addTest(tx, source, control, { title: 'Count', procedure: null, cadence: null });
}

/** Webhook endpoints: a new one, one with every field, and a deleted one. */
async function fillWebhooks(tx: Transaction, tenantId: string, box: Installation['box']): Promise<void> {
  const source = systemSource(tenantId);
  const rules = { box, policy: { allowPrivate: false } };
  const create = async (input: object) => createEndpoint(tx, source, rules, EndpointInput.parse(input));
  await create({ url: 'https://hooks.example.com/all' });
  const { id, url } = await create({
    url: 'https://hooks.example.com/some?of=%EF%BF%BD',
    description: 'Ticket \uFFFD system',
    eventTypes: ['breach.reported', 'dsr.created'],
    filter: { severity: ['high', '\uFFFD', 1.5, true, null] },
    rateLimit: 100,
    retrySchedule: [5, 60, 86_400],
    asymmetric: true,
  });
  await rotateSecret(tx, source, rules, id, 24);
  await rotateSecret(tx, source, rules, id, 1);
  await disableEndpoint(tx, { id, tenant_id: tenantId, url }, 'gone');
  await deleteEndpoint(tx, source, (await create({ url: 'https://hooks.example.com/gone', status: 'paused' })).id);
}

async function requireTenant(tx: Transaction, id: string): Promise<Tenant> {
  const tenant = await findTenant(tx.queries, id);
  if (tenant === undefined) throw new Error(`there is no tenant ${id}`);
  return tenant;
}

/** A record as a client would capture it. */
export function draftRecord(tenantId: string, noticeId: string, subjectId: string): RecordDraft {
  return {
    id: newId(),
    tenantId,
    noticeId,
    noticeVersion: 1,
    noticeContentHash: 'a'.repeat(64),
    subjectId,
    subjectChannel: null,
    kind: 'capture',
    withdrawsRecordId: null,
    method: null,
    // Purposes may have the names of the keys that are looked up in the canonical text.
    purposes: { id: true, noticeId: true, recordedAt: true, subjectId: true, tenantId: true },
    basis: { id: 'exempt', noticeId: 'consent', ipHash: 'object', capturedAt: 'consent' },
    otherPurposes: { space: { granted: true, recordId: newId() } },
    source: 'api',
    space: 'api',
    ipHash: null,
    uaHash: null,
    capturedAt: '2026-11-21T12:00:00.000Z',
  };
}

/** The output of `svc verify --json`. */
export interface VerifyReport {
  readonly intact: boolean;
  readonly exitCode: number;
  readonly findings: readonly Finding[];
  readonly database: readonly string[];
  readonly log: VerifiedLog | null;
  readonly grants: { readonly checked: number } | null;
  readonly tenants: readonly {
    readonly tenantId: string;
    readonly slug: string;
    readonly chains: readonly ChainReport[];
    readonly openings: readonly { readonly sequence: number; readonly path: string }[];
    readonly proofs: readonly (ProofReport & { readonly ledger: string })[];
    readonly notices: { readonly versions: number; readonly faults: readonly VersionFault[] };
    readonly rows: RowReport;
    readonly files: FileReport;
  }[];
}

/** Runs the command `svc verify` in this process. */
export async function runVerify(
  { settings }: Pick<Installation, 'settings'>,
  options: { readonly tenant?: string; readonly checkpoint?: readonly string[] } = {},
  clock: Clock = systemClock,
): Promise<{ readonly code: number; readonly lines: readonly string[]; readonly report: VerifyReport }> {
  const lines: string[] = [];
  let report: unknown;
  const code = await verify.run({
    settings,
    options,
    clock,
    say: (line) => lines.push(line),
    showProgress: () => undefined,
    result: (value) => {
      report = value;
    },
  });
  return { code: code ?? 0, lines, report: report as VerifyReport };
}
