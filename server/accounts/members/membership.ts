import type { Selectable } from 'kysely';
import { z } from 'zod';
import { type MemberRole, platformRoles, roleIds } from '../../http/roles.ts';
import { Id, namedObject, UtcTime } from '../../http/schemas.ts';
import { diffFields } from '../../ledger/audit/store.ts';
import type { Json } from '../../ledger/canonical.ts';
import type { Tables } from '../../storage/tables.ts';
import type { EventType } from '../../webhooks/deliveries/event.ts';

export type MembershipRow = Selectable<Tables['memberships']>;

const UserStatus = z.enum(['active', 'suspended', 'deleted']).meta({ id: 'UserStatus' });
export type MemberStatus = z.output<typeof UserStatus>;

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
export interface Profile {
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

export const MemberRoleName = z.enum([...roleIds, ...platformRoles]).meta({
  id: 'MemberRole',
  description: 'A role, or a platform role, which only the operator of this server can give.',
});

export const User = namedObject('User', {
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
});

/** A member, as those who assign work see them. */
export const Member = namedObject('Member', {
  id: Id,
  name: z.string().meta({ description: 'The name of the member; the e-mail address for one without a name.' }),
  role: MemberRoleName,
});

export const TenantReference = namedObject('TenantReference', { id: Id, slug: z.string(), name: z.string() });

export const EventEmail = z.string().nullable().meta({ description: 'Null once the user was erased.' });

const memberFields = { userId: Id, email: EventEmail, role: MemberRoleName, status: UserStatus };
const StatusState = namedObject('UserStatusState', { status: UserStatus });
const RoleState = namedObject('UserRoleState', { role: MemberRoleName });
const StatusChange = namedObject('UserStatusEventData', { ...memberFields, before: StatusState, after: StatusState });

export const userEvents = {
  'user.provisioned': namedObject('UserProvisionedEventData', {
    ...memberFields,
    after: namedObject('UserState', { role: MemberRoleName, status: UserStatus }),
    restored: z.literal(true).optional().meta({ description: 'True when a former member is added again.' }),
  }),
  'user.suspended': StatusChange,
  'user.reactivated': StatusChange,
  'user.deprovisioned': StatusChange,
  'user.role_changed': namedObject('UserRoleEventData', { ...memberFields, before: RoleState, after: RoleState }),
};
