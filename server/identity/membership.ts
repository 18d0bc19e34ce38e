import type { Selectable } from 'kysely';
import { z } from 'zod';
import { diffFields } from '../audit/row-state.ts';
import { Id, UtcTime } from '../http/schemas.ts';
import type { Json } from '../ledger/canonical.ts';
import { type MemberRole, platformRole, roleIds } from '../principal/roles.ts';
import type { Tables } from '../storage/tables.ts';
import type { EventType } from '../webhooks/deliveries/event.ts';

export type MembershipRow = Selectable<Tables['memberships']>;

const UserStatus = z.enum(['active', 'suspended', 'deleted']).meta({ id: 'UserStatus' });
export type MemberStatus = z.output<typeof UserStatus>;

/** The membership of a user in one tenant (spec.md "States and transitions"). */
export type Membership = Readonly<ReturnType<typeof readMembership>>;

/** Reads a membership from its row. */
export function readMembership(row: MembershipRow) {
  const isActivated = row.deactivated_at === null;
  const isAssigned = row.unassigned_at === null;
  const present = isActivated && isAssigned ? 'active' : 'suspended';
  const status: MemberStatus = row.deleted_at === null ? present : 'deleted';
  return {
    tenantId: row.tenant_id,
    userId: row.user_id,
    /** The e-mail address, spelled as the tenant entered it. */
    userName: row.user_name,
    givenName: row.given_name,
    familyName: row.family_name,
    externalId: row.external_id,
    role: row.role as MemberRole,
    status,
    /** False after `active: false`, until `active: true`. */
    isActivated,
    /** False after a removal from the role group, until the user is added to a group again or `active: true`. */
    isAssigned,
    /** Whether the user accepted an invitation of this tenant, so that they can sign in to it. */
    isAccepted: row.accepted_at !== null,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    lastSignedInAt: row.last_signed_in_at,
  };
}

/** The display name of a user: the name if it is more than white space, else the address. */
export function displayName({ givenName, familyName, userName }: Membership): string {
  return [givenName, familyName].filter((part) => part !== null && part.trim() !== '').join(' ') || userName;
}

/** Whether a membership allows sign-in to its tenant. */
export function canSignIn({ status, isAccepted }: Membership): boolean {
  return status === 'active' && isAccepted;
}

/** The attributes of a user that a tenant can edit. */
export interface Profile {
  readonly userName?: string | undefined;
  readonly givenName?: string | null | undefined;
  readonly familyName?: string | null | undefined;
  readonly externalId?: string | null | undefined;
}

/** The values that a membership is to have; omitted ones do not change. */
export interface MembershipChange extends Profile {
  readonly role?: MemberRole | undefined;
  /** `active: true` also adds the user to their role group again. */
  readonly isActivated?: boolean | undefined;
  readonly isAssigned?: boolean;
  readonly isAccepted?: true;
  readonly isDeleted?: true;
}

/** The columns that a change sets, the same for every membership. */
export function changedColumns(change: MembershipChange, now: string): Partial<MembershipRow> {
  const { isActivated, isAssigned = isActivated || undefined, isAccepted, isDeleted } = change;
  const columns = {
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
  return Object.fromEntries(Object.entries(columns).filter(([, value]) => value !== undefined));
}

/** A change keeps a time that is already set. */
const times: readonly string[] = ['deactivated_at', 'unassigned_at', 'accepted_at', 'deleted_at'];

/** The columns of a row that a change gives another value; none when it changes nothing. */
export function findChanges(row: MembershipRow, columns: Partial<MembershipRow>): Partial<MembershipRow> {
  const before: Readonly<Record<string, unknown>> = { ...row };
  return Object.fromEntries(
    Object.entries(columns).filter(([name, value]) =>
      times.includes(name) ? (value === null) !== (before[name] === null) : value !== before[name],
    ),
  );
}

/** An event about a change of a membership: for the audit log, and for webhooks where `type` is set. */
interface MembershipEvent {
  /** In the past tense: `suspended`. */
  readonly verb: string;
  readonly type: EventType | null;
  readonly diff: Readonly<Record<string, Json>>;
}

/** The events of a change. @param before null for a new membership. */
export function describeChange(before: Membership | null, after: Membership): readonly MembershipEvent[] {
  const { role, status } = after;
  if (before === null || before.status === 'deleted') {
    const restored = before !== null && { restored: true };
    return [describe('user.provisioned', { after: { role, status }, ...restored })];
  }
  const events: MembershipEvent[] = [];
  if (before.role !== role)
    events.push(describe('user.role_changed', { before: { role: before.role }, after: { role } }));
  if (before.status !== status)
    events.push(describe(statusEvents[status], { before: { status: before.status }, after: { status } }));
  const names = events.length > 0 ? restFields : [...restFields, ...stateFields];
  const diff = diffFields(pick(before, names), pick(after, names));
  return Object.keys(diff.after).length === 0
    ? events
    : [...events, { verb: 'updated', type: null, diff: { ...diff } }];
}

function describe(type: EventType, diff: Readonly<Record<string, Json>>): MembershipEvent {
  return { verb: type.slice(type.indexOf('.') + 1), type, diff };
}

/** The event of a change to each status. */
const statusEvents = {
  active: 'user.reactivated',
  suspended: 'user.suspended',
  deleted: 'user.deprovisioned',
} as const;

type Field = keyof Membership;
/** The fields that events about the state or role leave out. */
const restFields: readonly Field[] = ['userName', 'givenName', 'familyName', 'externalId', 'isAccepted'];
/** The fields that make up the state; listed only when the state itself does not change. */
const stateFields: readonly Field[] = ['isActivated', 'isAssigned'];

function pick(membership: Membership, names: readonly Field[]): Readonly<Record<string, Json>> {
  return Object.fromEntries(names.map((name) => [name, membership[name]]));
}

export const MemberRoleName = z.enum([...roleIds, platformRole]).meta({
  id: 'MemberRole',
  description: 'A role, or the platform role, which only the operator of this server can give.',
});

/** A member, as their tenant sees them. */
export const User = z
  .strictObject({
    id: Id,
    email: z.string(),
    displayName: z.string(),
    givenName: z.string().nullable(),
    familyName: z.string().nullable(),
    externalId: z.string().nullable().meta({ description: 'The id at the identity provider.' }),
    role: MemberRoleName,
    status: UserStatus,
    canSignIn: z.boolean().meta({ description: 'False until the user has accepted an invitation of this tenant.' }),
    mfaEnabled: z.boolean(),
    createdAt: UtcTime,
    updatedAt: UtcTime,
    lastSignedInAt: UtcTime.nullable(),
  })
  .meta({ id: 'User' });
export type User = z.output<typeof User>;

/** A membership as the API returns it. */
export function viewUser(membership: Membership, mfaEnabled: boolean): User {
  return {
    id: membership.userId,
    email: membership.userName,
    displayName: displayName(membership),
    givenName: membership.givenName,
    familyName: membership.familyName,
    externalId: membership.externalId,
    role: membership.role,
    status: membership.status,
    canSignIn: canSignIn(membership),
    // Before the user accepts an invitation, the tenant sees only what it entered itself.
    mfaEnabled: membership.isAccepted && mfaEnabled,
    createdAt: membership.createdAt,
    updatedAt: membership.updatedAt,
    lastSignedInAt: membership.lastSignedInAt,
  };
}

/** The tenant of a session. */
export const TenantReference = z
  .strictObject({ id: Id, slug: z.string(), name: z.string() })
  .meta({ id: 'TenantReference' });

const memberFields = { userId: Id, email: z.string(), role: MemberRoleName, status: UserStatus };
const StatusState = z.strictObject({ status: UserStatus }).meta({ id: 'UserStatusState' });
const RoleState = z.strictObject({ role: MemberRoleName }).meta({ id: 'UserRoleState' });
const StatusChange = z
  .strictObject({ ...memberFields, before: StatusState, after: StatusState })
  .meta({ id: 'UserStatusEventData' });

/** The data of the webhook events about members. */
export const userEvents = {
  'user.provisioned': z
    .strictObject({
      ...memberFields,
      after: z.strictObject({ role: MemberRoleName, status: UserStatus }).meta({ id: 'UserState' }),
      restored: z.literal(true).optional().meta({ description: 'True when a former member is added again.' }),
    })
    .meta({ id: 'UserProvisionedEventData' }),
  'user.suspended': StatusChange,
  'user.reactivated': StatusChange,
  'user.deprovisioned': StatusChange,
  'user.role_changed': z
    .strictObject({ ...memberFields, before: RoleState, after: RoleState })
    .meta({ id: 'UserRoleEventData' }),
};
