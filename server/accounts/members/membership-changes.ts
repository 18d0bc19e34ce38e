import type { Selectable } from 'kysely';
import type { AuditSource } from '../../http/principal.ts';
import type { MemberRole } from '../../http/roles.ts';
import { describeRows, type Personal, personal, type RowChange, recordChanges } from '../../ledger/audit/store.ts';
import { newSalt } from '../../ledger/entry.ts';
import type { UnitOfWork } from '../../storage/database.ts';
import { inBatches, insertRow, updateRow, updateTexts } from '../../storage/rows.ts';
import { holds, sealGrant } from '../../storage/secrets.ts';
import type { Tables } from '../../storage/tables.ts';
import { emitEvents } from '../../webhooks/deliveries/outbox.ts';
import { endSessions } from '../sign-in/session-store.ts';
import { describeAccountStates, findOrCreateAccount } from './account-store.ts';
import {
  changedColumns,
  describeChange,
  findChanges,
  type MembershipChange,
  type MembershipRow,
  memberStatus,
  type Profile,
} from './membership.ts';
import { findAnyMembership, lockMembers, membershipRows } from './membership-store.ts';

export type InvitationRow = Selectable<Tables['invitations']>;

export const invitationRows = describeRows('invitations', 'identity', 'invitation');

export interface NewMember extends Profile {
  /** Normalized. */
  readonly email: string;
  readonly role: MemberRole;
  readonly isActivated: boolean;
  /** True if they can sign in at once: the operator set their password, or they accepted an invitation. */
  readonly isAccepted: boolean;
}

/**
 * Makes a user a member. An existing account with the e-mail address is used; a former member keeps the id.
 * @returns undefined when they already are a member.
 */
export async function addMember(work: UnitOfWork, source: AuditSource, member: NewMember, reason: string) {
  const { tenantId } = source;
  // Concurrent additions of the same user wait here, and the hash of the account that this tenant records stays current
  // until the next change is recorded.
  const { id } = await work.lockAccount((await findOrCreateAccount(work, member.email)).id);
  await work.lockTenant(tenantId);
  const earlier = await findAnyMembership(work.transaction, tenantId, id);
  if (earlier !== undefined && earlier.deleted_at === null) return undefined;
  const row: MembershipRow = {
    tenant_id: tenantId,
    user_id: id,
    user_name: member.userName ?? member.email,
    given_name: member.givenName ?? null,
    family_name: member.familyName ?? null,
    external_id: member.externalId ?? null,
    role: member.role,
    salt: earlier?.salt ?? newSalt(),
    created_at: earlier?.created_at ?? work.now,
    updated_at: work.now,
    accepted_at: earlier?.accepted_at ?? (member.isAccepted ? work.now : null),
    deactivated_at: member.isActivated ? null : work.now,
    unassigned_at: null,
    deleted_at: null,
    last_signed_in_at: earlier?.last_signed_in_at ?? null,
    seal: null,
  };
  if (earlier === undefined) await insertRow(work.transaction, 'memberships', row);
  else await updateRow(work.transaction, 'memberships', { tenant_id: tenantId, user_id: id }, row);
  await announce(work, source, [{ before: earlier ?? null, row }], reason);
  return row;
}

/**
 * Changes the memberships of these users: every change of a state or role goes through here. Each change is recorded in
 * the audit log and sent to webhooks, and members who are no longer active lose their sessions in this tenant. Members
 * that already have the values, and users who are not members, are skipped.
 * @returns the members after the change.
 */
export async function changeMembers(
  work: UnitOfWork,
  source: AuditSource,
  userIds: readonly string[],
  change: MembershipChange,
  reason: string | Personal,
): Promise<readonly MembershipRow[]> {
  const { tenantId } = source;
  const present = await lockMembers(work, tenantId, [...new Set(userIds)]);
  const columns = changedColumns(change, work.now);
  const after = new Map(present.map((row) => [row.user_id, row]));
  const changes: ChangedMember[] = [];
  // One statement for all rows that change in the same columns; usually that is all of them.
  for (const [names, rows] of Map.groupBy(present, (row) => Object.keys(findChanges(row, columns)).join(' '))) {
    if (names === '') continue;
    const set = { ...findChanges(rows[0] as MembershipRow, columns), updated_at: work.now };
    const update = work.transaction.updateTable('memberships').set(set).where('tenant_id', '=', tenantId);
    const ids = rows.map((row) => row.user_id);
    const updated = await inBatches(ids, (some) => update.where('user_id', 'in', some).returningAll().execute());
    if (updated.length !== ids.length) throw new Error('A membership that was locked could not be updated.');
    for (const row of updated) after.set(row.user_id, row);
    const seals = updated.map((row) => [row.user_id, sealGrant(work.transaction, 'memberships', row)] as const);
    await updateTexts(work.transaction, 'memberships', { tenantId, key: 'user_id', column: 'seal' }, new Map(seals));
    changes.push(...rows.map((before) => ({ before, row: after.get(before.user_id) as MembershipRow })));
  }
  await announce(work, source, changes, reason);
  if (change.isDeleted) {
    // Removed members must not return through an earlier invitation.
    await closeInvitations(work, source, 'revoked', { userIds: [...after.keys()] }, 'The member was removed');
  }
  return [...after.values()];
}

/** @property before null for a new membership. */
type ChangedMember = { readonly before: MembershipRow | null; readonly row: MembershipRow };

/** Records changes of memberships, notifies webhooks, and ends the sessions of members who are no longer active. */
async function announce(
  work: UnitOfWork,
  source: AuditSource,
  changes: readonly ChangedMember[],
  reason: string | Personal,
): Promise<void> {
  const { tenantId } = source;
  const events = changes.flatMap(({ before, row }) =>
    describeChange(before, row).map((event) => ({ ...event, before, row })),
  );
  // Once a user can sign in to this tenant, its audit log records the state of their account.
  const states = new Map<string, RowChange['alsoStates']>();
  for (const { before, row } of events) {
    const wasKnown = before !== null && before.deleted_at === null && before.accepted_at !== null;
    if (row.accepted_at !== null && !wasKnown)
      states.set(row.user_id, await describeAccountStates(work.transaction, row.user_id));
  }
  const audited = events.map(({ verb, diff, row }) => {
    const alsoStates = states.get(row.user_id);
    const change = { verb, diff, reason, targetRef: personal(row.user_name), ...(alsoStates && { alsoStates }) };
    return { source, row, change };
  });
  await recordChanges(work, membershipRows, audited);
  const sent = events.flatMap(({ type, diff, row }) => {
    const { user_id: userId, user_name: email, role } = row;
    const data = { userId, email, role, status: memberStatus(row), ...diff };
    return type === null ? [] : [{ tenantId, type, data }];
  });
  await emitEvents(work, sent);
  const inactive = events.filter(({ row }) => memberStatus(row) !== 'active').map(({ row }) => row.user_id);
  await endSessions(work.transaction, { userIds: inactive, tenantId });
}

/** Closes pending invitations of a tenant: one, those to an address, or those of users. @returns the updated rows. */
export async function closeInvitations(
  work: UnitOfWork,
  source: AuditSource,
  verb: 'accepted' | 'revoked',
  which: { readonly id: string } | { readonly email: string } | { readonly userIds: readonly string[] },
  reason?: string,
): Promise<readonly InvitationRow[]> {
  const pending = work.transaction
    .selectFrom('invitations')
    .selectAll()
    .where('tenant_id', '=', source.tenantId)
    .where('accepted_at', 'is', null)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', work.now);
  const emailsOf = (ids: readonly string[]) =>
    pending.where('email', 'in', (row) => row.selectFrom('users').select('email').where('id', 'in', ids)).execute();
  let found: InvitationRow[];
  if ('id' in which) found = await pending.where('id', '=', which.id).execute();
  else if ('email' in which) found = await pending.where('email', '=', which.email).execute();
  else found = await inBatches(which.userIds, emailsOf);
  const rows: InvitationRow[] = [];
  const closed = { [`${verb}_at`]: work.now };
  // One whose seal does not hold grants nothing, and must not get a valid one.
  for (const row of found)
    if (holds(work.transaction, 'invitations', row))
      rows.push(await updateRow(work.transaction, 'invitations', { tenant_id: row.tenant_id, id: row.id }, closed));
  const why = reason === undefined ? {} : { reason };
  const changes = rows.map((row) => ({ source, row, change: { verb, targetRef: personal(row.email), ...why } }));
  await recordChanges(work, invitationRows, changes);
  return rows;
}
