import { endSessions } from '../access/session-store.ts';
import { recordChanges } from '../audit/row-state.ts';
import type { AuditSource } from '../audit/source.ts';
import { lockChain } from '../ledger/append.ts';
import type { MemberRole } from '../principal/roles.ts';
import type { UnitOfWork } from '../storage/unit-of-work.ts';
import { emitEvents } from '../webhooks/deliveries/outbox.ts';
import { findOrCreateAccount, hashAccountStates, lockAccount } from './account-store.ts';
import { closeInvitations, invitationRows } from './invitation-store.ts';
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
import { insertMembership, membershipRows, readMembershipRows, updateMemberships } from './membership-store.ts';

/** A person who is to become a member. */
export interface NewMember extends Profile {
  /** Normalized. */
  readonly email: string;
  readonly role: MemberRole;
  readonly isActivated: boolean;
  /** Whether they may sign in at once, because the tenant gave them their password or they took an invitation. */
  readonly isAccepted: boolean;
}

/**
 * Makes a person a member: a person with that e-mail address is taken up, one who was a member before comes back under the
 * same id.
 * @param reason what the audit log tells of why.
 * @returns undefined when they are a member already.
 */
export async function addMember(
  work: UnitOfWork,
  source: AuditSource,
  member: NewMember,
  reason: string,
): Promise<Membership | undefined> {
  const { tenantId } = source;
  // First the person, then the tenant, as whatever else changes an account. Two that add the same person wait for each
  // other here, and what this tenant is told of the account stays so until it is told of the next change.
  const { id } = await findOrCreateAccount(work, member.email);
  const account = await lockAccount(work, id);
  await lockChain(work.transaction, tenantId, 'audit');
  const [earlier] = await readMembershipRows(work.transaction, tenantId, [account.id]);
  if (earlier !== undefined && earlier.deleted_at === null) return undefined;
  const row: MembershipRow = {
    tenant_id: tenantId,
    user_id: account.id,
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
  if (earlier === undefined) await insertMembership(work, row);
  else await updateMemberships(work, tenantId, [account.id], row);
  const changed = { before: earlier === undefined ? null : readMembership(earlier), row };
  await tell(work, source, [changed], reason);
  return readMembership(row);
}

/**
 * Reads the memberships of these persons, and keeps everybody else from changing memberships of the tenant until the unit
 * of work ends. Deleted ones are left out.
 */
export async function readMembersForChange(
  work: UnitOfWork,
  tenantId: string,
  userIds: readonly string[],
): Promise<ReadonlyMap<string, Membership>> {
  await lockChain(work.transaction, tenantId, 'audit');
  const rows = await readMembershipRows(work.transaction, tenantId, userIds);
  return new Map(rows.filter((row) => row.deleted_at === null).map((row) => [row.user_id, readMembership(row)]));
}

/**
 * Changes the memberships of these persons: the only way in which a state or a role changes. Each change is told to the
 * audit log and to webhooks, and whoever is no longer active loses the sessions in this tenant. What is as it shall be
 * already is left alone; persons who are no members are passed over.
 * @returns the members as they are now, by id.
 */
export async function changeMembers(
  work: UnitOfWork,
  source: AuditSource,
  userIds: readonly string[],
  change: MembershipChange,
  reason: string,
): Promise<ReadonlyMap<string, Membership>> {
  const { tenantId } = source;
  await lockChain(work.transaction, tenantId, 'audit');
  const present = (await readMembershipRows(work.transaction, tenantId, [...new Set(userIds)])).filter(
    (row) => row.deleted_at === null,
  );
  const columns = changedColumns(change, work.now);
  const before = new Map(present.map((row) => [row.user_id, row]));
  const after = new Map(before);
  // Rows whose same columns become others are written together; nearly always that is all of them.
  const groups = Map.groupBy(present, (row) => Object.keys(findChanges(row, columns)).join(' '));
  const changed: MembershipRow[] = [];
  for (const [names, rows] of groups) {
    if (names === '') continue;
    const set = findChanges(rows[0] as MembershipRow, columns);
    const ids = rows.map((row) => row.user_id);
    for (const row of await updateMemberships(work, tenantId, ids, set)) after.set(row.user_id, row);
    changed.push(...rows);
  }
  const changes = changed.map((row) => ({
    before: readMembership(row),
    row: after.get(row.user_id) as MembershipRow,
  }));
  await tell(work, source, changes, reason);
  if (change.isDeleted) await revokeInvitations(work, source, [...before.keys()]);
  return new Map([...after].map(([id, row]) => [id, readMembership(row)]));
}

/** Whoever was removed does not come back by an invitation from before. */
async function revokeInvitations(work: UnitOfWork, source: AuditSource, userIds: readonly string[]): Promise<void> {
  const rows = await closeInvitations(work, 'revoked_at', { tenantId: source.tenantId, userIds });
  const changes = rows.map((row) => ({
    source,
    row,
    change: { verb: 'revoked', targetRef: row.email, reason: 'The member was removed' },
  }));
  await recordChanges(work, invitationRows, changes);
}

interface Changed {
  readonly before: Membership | null;
  readonly row: MembershipRow;
}

/** All that belongs to changes of memberships besides the rows: events, webhooks, and the end of sessions. */
async function tell(work: UnitOfWork, source: AuditSource, changes: readonly Changed[], reason: string): Promise<void> {
  const told = changes.flatMap(({ before, row }) => {
    const after = readMembership(row);
    return describeChange(before, after).map((event) => ({ event, before, after, row }));
  });
  // Whoever may sign in to this tenant from now on brings an account, of which it is told from now on.
  const states = new Map<string, Readonly<Record<string, string>>>();
  for (const { before, after } of told) {
    const wasKnown = before !== null && before.status !== 'deleted' && before.isAccepted;
    if (after.isAccepted && !wasKnown)
      states.set(after.userId, await hashAccountStates(work.transaction, after.userId));
  }
  await recordChanges(
    work,
    membershipRows,
    told.map(({ event: { verb, diff }, row }) => {
      const alsoStates = states.get(row.user_id);
      const change = { verb, diff, reason, targetRef: row.user_name, ...(alsoStates && { alsoStates }) };
      return { source, row, change };
    }),
  );
  await emitEvents(
    work,
    told.flatMap(({ event: { type, diff }, after: { tenantId, userId, userName, role, status } }) =>
      type === null ? [] : [{ tenantId, type, data: { userId, email: userName, role, status, ...diff } }],
    ),
  );
  const inactive = told.filter(({ after }) => after.status !== 'active').map(({ after }) => after.userId);
  await endSessions(work.transaction, { userIds: inactive, tenantId: source.tenantId });
}
