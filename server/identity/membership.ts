import type { Selectable } from 'kysely';
import type { Json } from '../ledger/canonical.ts';
import type { MemberRole } from '../principal/roles.ts';
import type { Tables } from '../storage/tables.ts';
import type { EventType } from '../webhooks/deliveries/event.ts';

export type MembershipRow = Selectable<Tables['memberships']>;

export const memberStatuses = ['active', 'suspended', 'deleted'] as const;
export type MemberStatus = (typeof memberStatuses)[number];

/** The membership of a user in one tenant (spec.md "States and transitions"). */
export interface Membership {
  readonly tenantId: string;
  readonly userId: string;
  /** The e-mail address, spelled as the tenant entered it. */
  readonly userName: string;
  readonly givenName: string | null;
  readonly familyName: string | null;
  readonly externalId: string | null;
  readonly role: MemberRole;
  readonly status: MemberStatus;
  /** False after `active: false`, until `active: true`. */
  readonly isActivated: boolean;
  /** False after a removal from the role group, until the user is added to a group again or `active: true`. */
  readonly isAssigned: boolean;
  /** Whether the user accepted an invitation of this tenant, so that they can sign in to it. */
  readonly isAccepted: boolean;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly lastSignedInAt: string | null;
}

/** Reads a membership from its row. */
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
  readonly userName?: string;
  readonly givenName?: string | null;
  readonly familyName?: string | null;
  readonly externalId?: string | null;
}

/** The values that a membership is to have; omitted ones do not change. */
export interface MembershipChange extends Profile {
  readonly role?: MemberRole;
  /** `active: true` also adds the user to their role group again. */
  readonly isActivated?: boolean;
  readonly isAssigned?: boolean;
  readonly isAccepted?: true;
  readonly isDeleted?: true;
}

/** The columns that a change sets, the same for every membership. */
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

/** A change keeps a time that is already set. */
const times: readonly string[] = ['deactivated_at', 'unassigned_at', 'accepted_at', 'deleted_at'];

/** The columns of a row that a change gives another value; none when it changes nothing. */
export function findChanges(row: MembershipRow, columns: Partial<MembershipRow>): Partial<MembershipRow> {
  const before = row as unknown as Readonly<Record<string, unknown>>;
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
  const events: MembershipEvent[] = [];
  const add = (type: EventType, diff: Readonly<Record<string, Json>>) =>
    events.push({ verb: type.slice(type.indexOf('.') + 1), type, diff });
  if (before === null || before.status === 'deleted') {
    const restored = before !== null && { restored: true };
    add('user.provisioned', { after: { role: after.role, status: after.status }, ...restored });
    return events;
  }
  if (before.role !== after.role)
    add('user.role_changed', { before: { role: before.role }, after: { role: after.role } });
  if (before.status !== after.status) {
    const type =
      after.status === 'deleted'
        ? 'user.deprovisioned'
        : after.status === 'active'
          ? 'user.reactivated'
          : 'user.suspended';
    add(type, { before: { status: before.status }, after: { status: after.status } });
  }
  const names = events.length > 0 ? restFields : ([...restFields, ...stateFields] as const);
  const changed = names.filter((name) => before[name] !== after[name]);
  if (changed.length > 0)
    events.push({ verb: 'updated', type: null, diff: { before: pick(before, changed), after: pick(after, changed) } });
  return events;
}

/** The fields that events about the state or role leave out. */
const restFields = ['userName', 'givenName', 'familyName', 'externalId', 'isAccepted'] as const;
/** The fields that make up the state; listed only when the state itself does not change. */
const stateFields = ['isActivated', 'isAssigned'] as const;

function pick(membership: Membership, names: readonly (keyof Membership)[]): Readonly<Record<string, Json>> {
  return Object.fromEntries(names.map((name) => [name, membership[name]]));
}
