import type { Selectable } from 'kysely';
import type { AuditSource } from '../../http/principal.ts';
import type { MemberRole } from '../../http/roles.ts';
import { membershipRows } from '../../ledger/audit/rows.ts';
import { diffFields, type Personal, personal, type RowChange, recordChanges } from '../../ledger/audit/store.ts';
import type { Json } from '../../ledger/canonical.ts';
import { newSalt } from '../../ledger/entry.ts';
import type { Transaction } from '../../storage/database.ts';
import type { Queries } from '../../storage/queries.ts';
import { inBatches, insertRow, updateRow, updateTexts } from '../../storage/rows.ts';
import { requireHeld, sealGrant } from '../../storage/secrets.ts';
import type { Tables } from '../../storage/tables.ts';
import type { EventType, NewWebhookEvent } from '../../webhooks/deliveries/event.ts';
import { emitEvents } from '../../webhooks/deliveries/outbox.ts';
import { endSessions } from '../sign-in/session-store.ts';
import { describeAccountStates, findOrCreateAccount } from './account-store.ts';
import { closeInvitations } from './invitation-store.ts';

export type MembershipRow = Selectable<Tables['memberships']>;

export type MemberStatus = 'active' | 'suspended' | 'deleted';

/** The status of a membership (spec.md "States and transitions"). */
export function memberStatus(row: MembershipRow): MemberStatus {
  if (row.deleted_at !== null) return 'deleted';
  return row.deactivated_at === null && row.unassigned_at === null ? 'active' : 'suspended';
}

export function canSignIn(row: MembershipRow): boolean {
  return memberStatus(row) === 'active' && row.accepted_at !== null;
}

/** The display name of a user: the name if it is more than white space, else the address. */
export function displayName({ given_name, family_name, user_name }: MembershipRow): string {
  return [given_name, family_name].filter((part) => part !== null && part.trim() !== '').join(' ') || user_name;
}

/** The attributes of a user that a tenant can edit. */
interface Profile {
  readonly userName?: string | undefined;
  readonly givenName?: string | null | undefined;
  readonly familyName?: string | null | undefined;
  readonly externalId?: string | null | undefined;
}

/** The values that a membership is to have; omitted ones do not change. */
export interface MembershipChange extends Profile {
  readonly role?: MemberRole | undefined;
  /** `active: false` suspends until `active: true`, which also adds the user to their role group again. */
  readonly isActivated?: boolean | undefined;
  /** A removal from the role group suspends until the user is added to a group again. */
  readonly isAssigned?: boolean;
  /** The user accepted an invitation of this tenant, so that they can sign in to it. */
  readonly isAccepted?: true;
  readonly isDeleted?: true;
}

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
export async function addMember(tx: Transaction, source: AuditSource, member: NewMember, reason: string) {
  const { tenantId } = source;
  // Concurrent additions of the same user wait here, and the hash of the account that this tenant records stays current
  // until the next change is recorded.
  const { id } = await tx.lockAccount((await findOrCreateAccount(tx, member.email)).id);
  await tx.lockTenant(tenantId);
  const earlier = await findAnyMembership(tx.queries, tenantId, id);
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
    created_at: earlier?.created_at ?? tx.now,
    updated_at: tx.now,
    accepted_at: earlier?.accepted_at ?? (member.isAccepted ? tx.now : null),
    deactivated_at: member.isActivated ? null : tx.now,
    unassigned_at: null,
    deleted_at: null,
    last_signed_in_at: earlier?.last_signed_in_at ?? null,
    seal: null,
  };
  if (earlier === undefined) await insertRow(tx.queries, 'memberships', row);
  else await updateRow(tx.queries, 'memberships', { tenant_id: tenantId, user_id: id }, row);
  await announce(tx, source, [{ before: earlier ?? null, row }], reason);
  return row;
}

/** Finds the membership of a user in a tenant, also a former one. @throws {BrokenSeal} if its seal does not hold. */
export async function findAnyMembership(queries: Queries, tenantId: string, userId: string) {
  const row = await readAnyMembership(queries, tenantId, userId);
  if (row !== undefined) requireHeld(queries, 'memberships', row);
  return row;
}

/** As `findAnyMembership`, also one whose seal does not hold: its role and times may be false. */
export function readAnyMembership(queries: Queries, tenantId: string, userId: string) {
  const ofUser = queries.selectFrom('memberships').selectAll().where('user_id', '=', userId);
  return ofUser.where('tenant_id', '=', tenantId).executeTakeFirst();
}

/**
 * Locks the tenant and reads the memberships of these users, without deleted ones.
 * @throws {BrokenSeal} if the seal of one does not hold: a change would make it valid.
 */
export async function lockMembers(tx: Transaction, tenantId: string, userIds: readonly string[]) {
  await tx.lockTenant(tenantId);
  const present = tx.queries
    .selectFrom('memberships')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('deleted_at', 'is', null);
  const rows = await inBatches(userIds, (some) => present.where('user_id', 'in', some).execute());
  for (const row of rows) requireHeld(tx.queries, 'memberships', row);
  return rows;
}

/**
 * Changes the memberships of these users. Users who are not members are skipped.
 * @returns the members after the change.
 */
export async function changeMembers(
  tx: Transaction,
  source: AuditSource,
  userIds: readonly string[],
  change: MembershipChange,
  reason: string | Personal,
): Promise<readonly MembershipRow[]> {
  const present = await lockMembers(tx, source.tenantId, [...new Set(userIds)]);
  return changeLockedMembers(tx, source, present, change, reason);
}

/**
 * Changes memberships: every change of a state or role goes through here. Each change is recorded in the audit log and
 * sent to webhooks, and members who are no longer active lose their sessions in this tenant. Members that already have the
 * values are skipped.
 * @param members as they are read under the lock of the tenant, each once.
 * @returns the members after the change.
 * @throws {BrokenSeal} if the seal of one does not hold: the change would make it valid.
 */
export async function changeLockedMembers(
  tx: Transaction,
  source: AuditSource,
  members: readonly MembershipRow[],
  change: MembershipChange,
  reason: string | Personal,
): Promise<readonly MembershipRow[]> {
  const { queries, now } = tx;
  const after: MembershipRow[] = [];
  const changes: ChangedMember[] = [];
  // By the columns that change: one statement for all rows of one set, which usually is all of them.
  const sets = new Map<string, { readonly set: Partial<MembershipRow>; readonly seals: Map<string, string> }>();
  for (const before of members) {
    requireHeld(queries, 'memberships', before);
    const changed = findChanges(before, change, now);
    const names = Object.keys(changed).join(' ');
    if (names === '') {
      after.push(before);
      continue;
    }
    const set = { ...changed, updated_at: now };
    const seal = sealGrant(queries, 'memberships', { ...before, ...set });
    const row = { ...before, ...set, seal };
    const same = sets.get(names) ?? { set, seals: new Map() };
    sets.set(names, same);
    same.seals.set(row.user_id, seal);
    after.push(row);
    changes.push({ before, row });
  }
  const where = { tenantId: source.tenantId, key: 'user_id', column: 'seal' } as const;
  for (const { set, seals } of sets.values()) await updateTexts(queries, 'memberships', { ...where, set }, seals);
  await announce(tx, source, changes, reason);
  if (change.isDeleted) {
    // Removed members must not return through an earlier invitation.
    const userIds = after.map((row) => row.user_id);
    await closeInvitations(tx, source, 'revoked', { userIds }, 'The member was removed');
  }
  return after;
}

/** A change keeps a time that is already set. */
const times: readonly string[] = ['deactivated_at', 'unassigned_at', 'accepted_at', 'deleted_at'];

/** The columns to which a change gives another value; none if it changes nothing. */
export function findChanges(before: MembershipRow, change: MembershipChange, now: string): Partial<MembershipRow> {
  const { isActivated, isAssigned = isActivated || undefined, isAccepted, isDeleted } = change;
  const columns: Readonly<Record<string, string | null | undefined>> = {
    user_name: change.userName,
    given_name: change.givenName,
    family_name: change.familyName,
    external_id: change.externalId,
    role: change.role,
    deactivated_at: isActivated === false ? now : isActivated && null,
    unassigned_at: isAssigned === false ? now : isAssigned && null,
    accepted_at: isAccepted && now,
    deleted_at: isDeleted && now,
  };
  const changed: Record<string, string | null> = {};
  for (const [name, value] of Object.entries(columns)) {
    if (value === undefined) continue;
    const earlier = (before as Readonly<Record<string, unknown>>)[name];
    const isSame = times.includes(name) ? (value === null) === (earlier === null) : value === earlier;
    if (!isSame) changed[name] = value;
  }
  return changed as Partial<MembershipRow>;
}

/** @property before null for a new membership. */
type ChangedMember = { readonly before: MembershipRow | null; readonly row: MembershipRow };

/** Records changes of memberships, notifies webhooks, and ends the sessions of members who are no longer active. */
async function announce(
  tx: Transaction,
  source: AuditSource,
  changes: readonly ChangedMember[],
  reason: string | Personal,
): Promise<void> {
  const { tenantId } = source;
  const audited: { source: AuditSource; row: MembershipRow; change: RowChange }[] = [];
  const sent: NewWebhookEvent[] = [];
  const inactive: string[] = [];
  for (const { before, row } of changes) {
    const { user_id: userId, user_name: email, role } = row;
    const status = memberStatus(row);
    // Once a user can sign in to this tenant, its audit log records the state of their account.
    const wasKnown = before !== null && before.deleted_at === null && before.accepted_at !== null;
    const isNew = row.accepted_at !== null && !wasKnown;
    const alsoStates = isNew ? await describeAccountStates(tx.queries, userId) : undefined;
    for (const { verb, type, diff } of describeChange(before, row)) {
      const change = { verb, diff, reason, targetRef: personal(email), ...(alsoStates && { alsoStates }) };
      audited.push({ source, row, change });
      if (type !== null) sent.push({ tenantId, type, data: { userId, email, role, status, ...diff } });
    }
    if (status !== 'active') inactive.push(userId);
  }
  await recordChanges(tx, membershipRows, audited);
  await emitEvents(tx, sent);
  await endSessions(tx.queries, { userIds: inactive, tenantId });
}

/** An event about a change of a membership: for the audit log, and for webhooks where `type` is set. */
interface MembershipEvent {
  /** In the past tense: `suspended`. */
  readonly verb: string;
  readonly type: EventType | null;
  readonly diff: Readonly<Record<string, Json>>;
}

/** The events of a change. @param before null for a new membership. */
export function describeChange(before: MembershipRow | null, after: MembershipRow): readonly MembershipEvent[] {
  const { role } = after;
  const status = memberStatus(after);
  if (before === null || before.deleted_at !== null) {
    const restored = before !== null && { restored: true };
    return [describe('user.provisioned', { after: { role, status }, ...restored })];
  }
  const events: MembershipEvent[] = [];
  if (before.role !== role)
    events.push(describe('user.role_changed', { before: { role: before.role }, after: { role } }));
  const earlier = memberStatus(before);
  if (earlier !== status)
    events.push(describe(statusEvents[status], { before: { status: earlier }, after: { status } }));
  const hasState = events.length === 0;
  const diff = diffFields(listFields(before, hasState), listFields(after, hasState));
  if (Object.keys(diff.after).length > 0) events.push({ verb: 'updated', type: null, diff: { ...diff } });
  return events;
}

function describe(type: EventType, diff: Readonly<Record<string, Json>>): MembershipEvent {
  return { verb: type.slice(type.indexOf('.') + 1), type, diff };
}

const statusEvents = {
  active: 'user.reactivated',
  suspended: 'user.suspended',
  deleted: 'user.deprovisioned',
} as const;

/** @param hasState adds the fields of the state; false for an event about the state or role. */
function listFields(row: MembershipRow, hasState: boolean): Readonly<Record<string, Json>> {
  return {
    userName: row.user_name,
    givenName: row.given_name,
    familyName: row.family_name,
    externalId: row.external_id,
    isAccepted: row.accepted_at !== null,
    ...(hasState && { isActivated: row.deactivated_at === null, isAssigned: row.unassigned_at === null }),
  };
}
