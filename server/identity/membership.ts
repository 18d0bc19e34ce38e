import type { Selectable } from 'kysely';
import type { Json } from '../ledger/canonical.ts';
import type { MemberRole } from '../principal/roles.ts';
import type { Tables } from '../storage/tables.ts';
import type { EventType } from '../webhooks/deliveries/event.ts';

export type MembershipRow = Selectable<Tables['memberships']>;

const memberStatuses = ['active', 'suspended', 'deleted'] as const;
export type MemberStatus = (typeof memberStatuses)[number];

/** A person's place in one tenant (spec.md "States and transitions"). */
export interface Membership {
  readonly tenantId: string;
  readonly userId: string;
  /** The e-mail address as the tenant writes it. */
  readonly userName: string;
  readonly givenName: string | null;
  readonly familyName: string | null;
  readonly externalId: string | null;
  readonly role: MemberRole;
  readonly status: MemberStatus;
  /** False after `active: false`, until `active: true`. */
  readonly isActivated: boolean;
  /** False after a removal from the role group, until a group names the person again or `active: true`. */
  readonly isAssigned: boolean;
  /** Whether the person took an invitation of this tenant and may sign in to it. */
  readonly isAccepted: boolean;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly lastSignedInAt: string | null;
}

/** A membership as it is stored. */
export function readMembership(row: MembershipRow): Membership {
  const isActivated = row.deactivated_at === null;
  const isAssigned = row.unassigned_at === null;
  const present = isActivated && isAssigned ? 'active' : 'suspended';
  return {
    tenantId: row.tenant_id,
    userId: row.user_id,
    userName: row.user_name,
    givenName: row.given_name,
    familyName: row.family_name,
    externalId: row.external_id,
    role: row.role as MemberRole,
    status: row.deleted_at === null ? present : 'deleted',
    isActivated,
    isAssigned,
    isAccepted: row.accepted_at !== null,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    lastSignedInAt: row.last_signed_in_at,
  };
}

/** What a person is called: the name, as far as it is more than white space, else the address. */
export function displayName({ givenName, familyName, userName }: Membership): string {
  return [givenName, familyName].filter((part) => part !== null && part.trim() !== '').join(' ') || userName;
}

/** Whether somebody may sign in to the tenant of a membership. */
export function canSignIn({ status, isAccepted }: Membership): boolean {
  return status === 'active' && isAccepted;
}

/** What a tenant writes of a person. */
export interface Profile {
  readonly userName?: string;
  readonly givenName?: string | null;
  readonly familyName?: string | null;
  readonly externalId?: string | null;
}

/** What is to become of a membership; what is left out stays. */
export interface MembershipChange extends Profile {
  readonly role?: MemberRole;
  /** `active: true` also puts a person back into their role group. */
  readonly isActivated?: boolean;
  readonly isAssigned?: boolean;
  readonly isAccepted?: true;
  readonly isDeleted?: true;
}

/** The columns that a change sets, the same for every membership that it changes. */
export function changedColumns(change: MembershipChange, now: string): Partial<MembershipRow> {
  const { role, isActivated, isAssigned = isActivated || undefined, isAccepted, isDeleted } = change;
  return {
    ...(change.userName !== undefined && { user_name: change.userName }),
    ...(change.givenName !== undefined && { given_name: change.givenName }),
    ...(change.familyName !== undefined && { family_name: change.familyName }),
    ...(change.externalId !== undefined && { external_id: change.externalId }),
    ...(role !== undefined && { role }),
    ...(isActivated !== undefined && { deactivated_at: isActivated ? null : now }),
    ...(isAssigned !== undefined && { unassigned_at: isAssigned ? null : now }),
    ...(isAccepted && { accepted_at: now }),
    ...(isDeleted && { deleted_at: now }),
  };
}

/** Times that a change sets anew stay as they were where they were set before. */
const times: readonly string[] = ['deactivated_at', 'unassigned_at', 'accepted_at', 'deleted_at'];

/** What a change makes of one row: the columns whose values become others; none when it changes nothing. */
export function findChanges(row: MembershipRow, columns: Partial<MembershipRow>): Partial<MembershipRow> {
  const before = row as unknown as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    Object.entries(columns).filter(([name, value]) =>
      times.includes(name) ? (value === null) !== (before[name] === null) : value !== before[name],
    ),
  );
}

/** An event that a change of a membership gives: for the audit log, and for webhooks where `type` is set. */
export interface MembershipEvent {
  /** In the past: `suspended`. */
  readonly verb: string;
  readonly type: EventType | null;
  readonly diff: Readonly<Record<string, Json>>;
}

/** What to tell of a change. @param before null for a membership that is new. */
export function describeChange(before: Membership | null, after: Membership): readonly MembershipEvent[] {
  const events: MembershipEvent[] = [];
  const tell = (type: EventType, diff: Readonly<Record<string, Json>>) =>
    events.push({ verb: type.slice(type.indexOf('.') + 1), type, diff });
  if (before === null || before.status === 'deleted') {
    const restored = before !== null && { restored: true };
    tell('user.provisioned', { after: { role: after.role, status: after.status }, ...restored });
    return events;
  }
  if (before.role !== after.role)
    tell('user.role_changed', { before: { role: before.role }, after: { role: after.role } });
  if (before.status !== after.status) {
    const type =
      after.status === 'deleted'
        ? 'user.deprovisioned'
        : after.status === 'active'
          ? 'user.reactivated'
          : 'user.suspended';
    tell(type, { before: { status: before.status }, after: { status: after.status } });
  }
  const names = events.length > 0 ? restFields : ([...restFields, ...stateFields] as const);
  const changed = names.filter((name) => before[name] !== after[name]);
  if (changed.length > 0)
    events.push({ verb: 'updated', type: null, diff: { before: pick(before, changed), after: pick(after, changed) } });
  return events;
}

/** What no event of the state or the role tells. */
const restFields = ['userName', 'givenName', 'familyName', 'externalId', 'isAccepted'] as const;
/** What makes the state; told by itself where the state stays as it is. */
const stateFields = ['isActivated', 'isAssigned'] as const;

function pick(membership: Membership, names: readonly (keyof Membership)[]): Readonly<Record<string, Json>> {
  return Object.fromEntries(names.map((name) => [name, membership[name]]));
}
