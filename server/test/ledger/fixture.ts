import { createApiKey } from '../../access/api-key-store.ts';
import { rotateScimToken } from '../../access/scim-token-store.ts';
import { scopes } from '../../access/scopes.ts';
import { hashToken } from '../../access/token.ts';
import { recordChange } from '../../audit/row-state.ts';
import { systemSource } from '../../audit/source.ts';
import { recordEvent } from '../../audit/store.ts';
import type { RowReport } from '../../audit/verify-rows.ts';
import { verify } from '../../cli/verify.ts';
import type { NoticeContent } from '../../consent/notice.ts';
import { createNotice, editNotice, publishNotice } from '../../consent/notice-changes.ts';
import type { RecordDraft } from '../../consent/record.ts';
import { appendRecords } from '../../consent/record-store.ts';
import type { VersionFault } from '../../consent/verify-notices.ts';
import { accountRows, recordAccountChange, secondFactorRows, updatePassword } from '../../identity/account-store.ts';
import { invitationRows } from '../../identity/invitation-store.ts';
import { addMember } from '../../identity/membership-changes.ts';
import { newId } from '../../ids.ts';
import type { Installation } from '../../installation.ts';
import type { ChainReport } from '../../ledger/verify.ts';
import { runUnitOfWork, type UnitOfWork } from '../../storage/unit-of-work.ts';
import { createTenant } from '../../tenants/store.ts';
import { noticeContent } from '../harness.ts';

/** A tenant with something in its ledgers. */
export interface FilledTenant {
  readonly id: string;
  readonly slug: string;
  readonly notices: readonly string[];
}

/** Subjects whose names are hard on whoever looks a value up in canonical text, or counts bytes as characters. */
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
 * each, a member with a second factor, an invitation and a SCIM token; a third tenant without anything.
 */
export async function fillLedgers({ database, clock }: Installation): Promise<readonly FilledTenant[]> {
  const tenants: FilledTenant[] = [];
  for (const slug of ['first', 'second']) {
    tenants.push(await runUnitOfWork(database, clock(), (work) => fillTenant(work, slug)));
  }
  await runUnitOfWork(database, clock(), (work) => createTenant(work, { slug: 'empty', name: 'Empty' }));
  return tenants;
}

async function fillTenant(work: UnitOfWork, slug: string): Promise<FilledTenant> {
  const { id } = await createTenant(work, { slug, name: `Tenant ${slug}` });
  const source = systemSource(id);
  for (const expiresAt of [null, '2027-01-31T00:00:00.000Z'])
    await createApiKey(work, { tenantId: id, name: 'Key \uFFFD', environment: 'test', scopes, expiresAt });
  await fillPeople(work, id, slug);
  const notices: string[] = [];
  for (const name of ['Website', 'Shop \u{1F6D2}']) {
    const notice = await createNotice(work, source, { ...noticeContent, name } as unknown as NoticeContent);
    await publishNotice(work, source, notice.id);
    notices.push(notice.id);
    await appendRecords(
      work.transaction,
      work.now,
      subjects.map((subject) => draftRecord(id, notice.id, subject)),
    );
  }
  await editNotice(work, source, notices[0] as string, { controllerName: 'Other Ltd' });
  await publishNotice(work, source, notices[0] as string);
  await recordEvent(work, source, {
    module: 'consent',
    action: 'consent.recorded',
    targetId: '"id":"x"',
    targetRef: '\uFFFD',
    diff: { id: 'nested', module: 'nested', tenantId: 'nested' },
  });
  return { id, slug, notices };
}

/** A member with all that a tenant keeps of them, an invitation, and a SCIM token. */
async function fillPeople(work: UnitOfWork, tenantId: string, slug: string): Promise<void> {
  const source = systemSource(tenantId);
  const email = `member@${slug}.example.com`;
  const profile = { givenName: 'Zo\u00eb \uFFFD', familyName: 'Smith', externalId: 'external-1' };
  const member = await addMember(
    work,
    source,
    { email, role: 'auditor', isActivated: true, isAccepted: true, ...profile },
    'test',
  );
  const userId = member?.userId as string;
  const account = await updatePassword(work, userId, '$argon2id$v=19$m=8,t=1,p=1$c2FsdA$dGFn');
  await recordAccountChange(work, systemSource, accountRows, userId, account, { verb: 'password_changed' });
  const factor = {
    user_id: userId,
    state: 'enabled',
    secret: 'sealed',
    codes_salt: 'salt',
    last_step: 7,
    updated_at: work.now,
  };
  await work.transaction.insertInto('second_factors').values(factor).execute();
  await recordAccountChange(work, systemSource, secondFactorRows, userId, factor, { verb: 'enabled' });
  const invitation = {
    id: newId(),
    tenant_id: tenantId,
    email: `invited@${slug}.example.com`,
    role: 'dpo',
    token_hash: hashToken(slug),
    created_at: work.now,
    expires_at: '2026-11-28T12:00:00.000Z',
    accepted_at: null,
    revoked_at: null,
  };
  await work.transaction.insertInto('invitations').values(invitation).execute();
  await recordChange(work, source, invitationRows, invitation, { verb: 'created', targetRef: invitation.email });
  await rotateScimToken(work, source);
}

/** A record as a caller would make it. */
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
    // Purposes may be called like the keys that are looked up in the canonical text.
    purposes: { id: true, noticeId: true, recordedAt: true, subjectId: true, tenantId: true },
    source: 'api',
    ipHash: null,
    uaHash: null,
    capturedAt: '2026-11-21T12:00:00.000Z',
  };
}

/** What `svc verify --json` prints. */
export interface VerifyReport {
  readonly intact: boolean;
  readonly database: readonly string[];
  readonly tenants: readonly {
    readonly tenantId: string;
    readonly slug: string;
    readonly chains: readonly ChainReport[];
    readonly notices: { readonly versions: number; readonly faults: readonly VersionFault[] };
    readonly rows: RowReport;
  }[];
}

/** Runs the command `svc verify` in this process. */
export async function runVerify(
  { settings }: Pick<Installation, 'settings'>,
  options: { readonly tenant?: string } = {},
): Promise<{ readonly code: number; readonly lines: readonly string[]; readonly report: VerifyReport }> {
  const lines: string[] = [];
  let report: unknown;
  const code = await verify.run({
    settings,
    options,
    json: true,
    say: (line) => lines.push(line),
    result: (value) => {
      report = value;
    },
  });
  return { code, lines, report: report as VerifyReport };
}
