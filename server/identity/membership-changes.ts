import { endSessions } from '../access/session-store.ts';
import { recordChanges } from '../audit/row-state.ts';
import type { AuditSource } from '../audit/source.ts';
import type { MemberRole } from '../principal/roles.ts';
import type { UnitOfWork } from '../storage/database.ts';
import { findRow, insertRow, updateRow } from '../storage/rows.ts';
import { emitEvents } from '../webhooks/deliveries/outbox.ts';
import { findOrCreateAccount, hashAccountStates } from './account-store.ts';
import { closeInvitations } from './invitation-store.ts';
import {
  changedColumns,
  describeChange,
  findChanges,
  type Membership,
  type MembershipChange,
  type MembershipRow,
  type Profile,
  readMembership,
} from './membership.ts';
import { lockMembers, membershipRows, updateMemberships } from './membership-store.ts';

/** A user to make a member. */
export interface NewMember extends Profile {
  /** Normalized. */
  readonly email: string;
  readonly role: MemberRole;
  readonly isActivated: boolean;
  /** Whether they can sign in at once: the operator set their password, or they accepted an invitation. */
  readonly isAccepted: boolean;
}

/**
 * Makes a user a member. An existing account with the e-mail address is used; a former member keeps the id.
 * @param reason for the audit log.
 * @returns undefined when they already are a member.
 */
export async function addMember(
  work: UnitOfWork,
  source: AuditSource,
  member: NewMember,
  reason: string,
): Promise<Membership | undefined> {
  const { tenantId } = source;
  // Concurrent additions of the same user wait here, and the hash of the account that this tenant records stays current
  // until the next change is recorded.
  const { id } = await work.lockAccount((await findOrCreateAccount(work, member.email)).id);
  await work.lockTenant(tenantId);
  const earlier = await findRow(work.transaction, 'memberships', { tenant_id: tenantId, user_id: id });
  if (earlier !== undefined && earlier.deleted_at === null) return undefined;
  const row: MembershipRow = {
    tenant_id: tenantId,
    user_id: id,
    user_name: member.userName ?? member.email,
    given_name: member.givenName ?? null,
    family_name: member.familyName ?? null,
    external_id: member.externalId ?? null,
    role: member.role,
    created_at: earlier?.created_at ?? work.now,
    updated_at: work.now,
    accepted_at: earlier?.accepted_at ?? (member.isAccepted ? work.now : null),
    deactivated_at: member.isActivated ? null : work.now,
    unassigned_at: null,
    deleted_at: null,
    last_signed_in_at: earlier?.last_signed_in_at ?? null,
  };
  if (earlier === undefined) await insertRow(work.transaction, 'memberships', row);
  else await updateRow(work.transaction, 'memberships', { tenant_id: tenantId, user_id: id }, row);
  await announce(work, source, [{ before: earlier === undefined ? null : readMembership(earlier), row }], reason);
  return readMembership(row);
}

/** Locks the tenant and reads the memberships of these users, without deleted ones. */
export async function readMembersForChange(
  work: UnitOfWork,
  tenantId: string,
  userIds: readonly string[],
): Promise<ReadonlyMap<string, Membership>> {
  return byUser(await lockMembers(work, tenantId, userIds));
}

function byUser(rows: Iterable<MembershipRow>): ReadonlyMap<string, Membership> {
  return new Map([...rows].map((row) => [row.user_id, readMembership(row)]));
}

/**
 * Changes the memberships of these users: every change of a state or role goes through here. Each change is recorded in
 * the audit log and sent to webhooks, and members who are no longer active lose their sessions in this tenant. Members
 * that already have the values, and users who are not members, are skipped.
 * @returns the members after the change, by user id.
 */
export async function changeMembers(
  work: UnitOfWork,
  source: AuditSource,
  userIds: readonly string[],
  change: MembershipChange,
  reason: string,
): Promise<ReadonlyMap<string, Membership>> {
  const { tenantId } = source;
  const present = await lockMembers(work, tenantId, [...new Set(userIds)]);
  const columns = changedColumns(change, work.now);
  const after = new Map(present.map((row) => [row.user_id, row]));
  const changed: MembershipRow[] = [];
  // One statement for all rows that change in the same columns; usually that is all of them.
  for (const [names, rows] of Map.groupBy(present, (row) => Object.keys(findChanges(row, columns)).join(' '))) {
    if (names === '') continue;
    const set = findChanges(rows[0] as MembershipRow, columns);
    const ids = rows.map((row) => row.user_id);
    const updated = await updateMemberships(work, tenantId, ids, set);
    if (updated.length !== ids.length) throw new Error('A membership that was locked could not be updated.');
    for (const row of updated) after.set(row.user_id, row);
    changed.push(...rows);
  }
  const changes = changed.map((row) => ({ before: readMembership(row), row: after.get(row.user_id) as MembershipRow }));
  await announce(work, source, changes, reason);
  if (change.isDeleted) {
    // Removed members must not return through an earlier invitation.
    await closeInvitations(work, source, 'revoked', { userIds: [...after.keys()] }, 'The member was removed');
  }
  return byUser(after.values());
}

/** Records changes of memberships, notifies webhooks, and ends the sessions of members who are no longer active. */
async function announce(
  work: UnitOfWork,
  source: AuditSource,
  changes: readonly { readonly before: Membership | null; readonly row: MembershipRow }[],
  reason: string,
): Promise<void> {
  const events = changes.flatMap(({ before, row }) => {
    const after = readMembership(row);
    return describeChange(before, after).map((event) => ({ event, before, after, row }));
  });
  // Once a user can sign in to this tenant, its audit log records the state of their account.
  const states = new Map<string, Readonly<Record<string, string>>>();
  for (const { before, after } of events) {
    const wasKnown = before !== null && before.status !== 'deleted' && before.isAccepted;
    if (after.isAccepted && !wasKnown)
      states.set(after.userId, await hashAccountStates(work.transaction, after.userId));
  }
  await recordChanges(
    work,
    membershipRows,
    events.map(({ event: { verb, diff }, row }) => {
      const alsoStates = states.get(row.user_id);
      const change = { verb, diff, reason, targetRef: row.user_name, ...(alsoStates && { alsoStates }) };
      return { source, row, change };
    }),
  );
  await emitEvents(
    work,
    events.flatMap(({ event: { type, diff }, after: { tenantId, userId, userName, role, status } }) =>
      type === null ? [] : [{ tenantId, type, data: { userId, email: userName, role, status, ...diff } }],
    ),
  );
  const inactive = events.filter(({ after }) => after.status !== 'active').map(({ after }) => after.userId);
  await endSessions(work.transaction, { userIds: inactive, tenantId: source.tenantId });
}
