import type { AuditSource } from '../audit/source.ts';
import { recordEvent } from '../audit/store.ts';
import { Problem, requireFound } from '../http/problem.ts';
import type { MembershipChange, MembershipRow } from '../identity/membership.ts';
import { addMember, changeMembers } from '../identity/membership-changes.ts';
import { listGroupMembers, lockMembers } from '../identity/membership-store.ts';
import { platformRole, type Role } from '../principal/roles.ts';
import type { UnitOfWork } from '../storage/database.ts';
import { requireTenant } from '../tenants/store.ts';
import { mapOf, type NamedGroup, readGroupReplacement, readNamedGroup } from './group.ts';
import { type ExtendedUse, type GroupStep, readGroupPatch, readPatch, readUserPatch } from './patch.ts';
import { groupQueries } from './store.ts';
import { invalidValue, quote } from './surface.ts';
import { readNewUser, readReplacement } from './user.ts';

/** The changes of one type of resource; they return it as it is after the change. */
export interface ResourceChanges<Item> {
  create(work: UnitOfWork, source: AuditSource, body: unknown): Promise<Item>;
  patch(work: UnitOfWork, source: AuditSource, id: string, body: unknown): Promise<Item>;
  replace(work: UnitOfWork, source: AuditSource, id: string, body: unknown): Promise<Item>;
  delete(work: UnitOfWork, source: AuditSource, id: string): Promise<void>;
}

/** The changes of users. */
export const userChanges: ResourceChanges<MembershipRow> = {
  /** Adds a member. @throws {Problem} `uniqueness` if the person is a member, active or suspended. */
  async create(work, source, body) {
    const { defaultRole } = await requireTenant(work.transaction, source.tenantId);
    const member = { ...readNewUser(body, defaultRole), isAccepted: false };
    const added = await addMember(work, source, member, 'SCIM: user created');
    if (added === undefined) throw new Problem('uniqueness', 'A user with this userName already exists.');
    return added;
  },

  /**
   * Applies the operations of a PATCH, all or none.
   * @throws {Problem} `not_found`, `mutability` for a member whom the operator manages, and those of the body.
   */
  async patch(work, source, id, body) {
    const { scimCompatibility } = await requireTenant(work.transaction, source.tenantId);
    const { change, use } = readUserPatch(readPatch(body), scimCompatibility === 'extended');
    const { isActivated, role } = change;
    const before = await requireMember(work, source, id);
    if (isPlatformMember(before) && (isActivated === true || role !== undefined)) throw managedByOperator();
    const parts = [
      ...(isActivated === undefined ? [] : [`active set to ${isActivated}`]),
      ...(role === undefined ? [] : [`role set to ${role}`]),
    ];
    return changeUser(work, source, before, change, `SCIM: ${parts.join(', ')}`, use);
  },

  /**
   * Applies a PUT, with `scimCompatibility: "extended"` only.
   * @throws {Problem} `not_implemented`, `not_found`, `mutability`, and those of the body.
   */
  async replace(work, source, id, body) {
    const { scimCompatibility } = await requireTenant(work.transaction, source.tenantId);
    if (scimCompatibility === 'strict')
      throw new Problem('not_implemented', 'PUT of a user is not supported; replace active or roles with PATCH.');
    const before = await requireMember(work, source, id);
    const change = readReplacement(body, before);
    const isActivating = change.isActivated === true && before.deactivated_at !== null;
    if (isPlatformMember(before) && (isActivating || change.role !== undefined)) throw managedByOperator();
    return changeUser(work, source, before, change, 'SCIM: user replaced', { form: 'put', skippedPaths: [] });
  },

  /** Removes a member from the tenant; the person and the history stay. @throws {Problem} `not_found`. */
  async delete(work, source, id) {
    const [deleted] = await changeMembers(work, source, [id], { isDeleted: true }, 'SCIM: user deleted');
    requireFound(deleted, 'user');
  },
};

async function requireMember(work: UnitOfWork, { tenantId }: AuditSource, id: string): Promise<MembershipRow> {
  const [member] = await lockMembers(work, tenantId, [id]);
  return requireFound(member, 'user');
}

/** @param use what the strict rules would have rejected, for the audit log. */
async function changeUser(
  work: UnitOfWork,
  source: AuditSource,
  { user_id, unassigned_at }: MembershipRow,
  change: MembershipChange,
  reason: string,
  use: ExtendedUse | null,
): Promise<MembershipRow> {
  const isPartOfProfile = use !== null && (use.form === 'put' || use.skippedPaths.length > 0);
  // Providers send `active: true` with every change of a profile, so as part of one it reverts `active: false`, but not a
  // removal from a role group.
  const applied =
    isPartOfProfile && change.isActivated !== undefined ? { ...change, isAssigned: unassigned_at === null } : change;
  const [changed] = await changeMembers(work, source, [user_id], applied, reason);
  const member = requireFound(changed, 'user');
  if (use !== null)
    await recordEvent(work, source, {
      module: 'identity',
      action: 'scim.extended_request',
      targetId: user_id,
      targetRef: member.user_name,
      diff: { ...use },
    });
  return member;
}

/** Only the operator of the server assigns the role of the platform; a tenant can only revoke access (spec.md "SCIM role group"). */
function isPlatformMember({ role }: MembershipRow): boolean {
  return role === platformRole;
}

function managedByOperator(): Problem {
  return new Problem(
    'mutability',
    'This user is managed by the operator of this server: SCIM can suspend or delete them, but not make them active or change their role.',
  );
}

/** The changes of role groups. */
export const groupChanges: ResourceChanges<NamedGroup> = {
  /** Adds the members of a POST to the role group that it names. */
  async create(work, source, body) {
    const tenant = await requireTenant(work.transaction, source.tenantId);
    const { members, ...group } = readNamedGroup(body, tenant);
    if (members.length > 0) await changeGroup(work, source, group.role, [{ kind: 'add', userIds: members }]);
    return group;
  },

  /** Applies the operations of a PATCH, all or none. @throws {Problem} those of `changeGroup` and of the body. */
  async patch(work, source, name, body) {
    const group = await groupQueries.get(work.transaction, source.tenantId, name);
    const steps = readGroupPatch(readPatch(body), group.role, mapOf(group.tenant));
    await changeGroup(work, source, group.role, steps);
    return group;
  },

  /** Applies a PUT. @throws {Problem} those of `changeGroup` and of the body. */
  async replace(work, source, name, body) {
    const group = await groupQueries.get(work.transaction, source.tenantId, name);
    await changeGroup(work, source, group.role, [{ kind: 'replace', userIds: readGroupReplacement(body, group) }]);
    return group;
  },

  /** Removes all members of a role group; the role and the people stay. */
  async delete(work, source, name) {
    const { role } = await groupQueries.get(work.transaction, source.tenantId, name);
    // Takes the lock before the list is read.
    await work.lockTenant(source.tenantId);
    const members = await listGroupMembers(work.transaction, source.tenantId, role);
    const ids = members.map(({ user_id }) => user_id);
    await changeMembers(work, source, ids, { isAssigned: false }, `SCIM: group ${role} deleted`);
  },
};

/**
 * Applies steps to the members of a role group, all or none. Added members get the role and leave any other group;
 * removed members are suspended (spec.md "SCIM 2.0" rule 5).
 * @throws {Problem} `invalidValue` if an added user is not a member of the tenant, `mutability` if the operator manages them.
 */
export async function changeGroup(
  work: UnitOfWork,
  source: AuditSource,
  role: Role,
  steps: readonly GroupStep[],
): Promise<void> {
  if (steps.length === 0) return;
  const { tenantId } = source;
  const named = [...new Set(steps.flatMap(({ userIds }) => userIds))];
  const members = new Map((await lockMembers(work, tenantId, named)).map((row) => [row.user_id, row]));
  const joining = steps.flatMap(({ kind, userIds }) => (kind === 'remove' ? [] : userIds));
  const unknown = joining.find((id) => !members.has(id));
  if (unknown !== undefined) throw invalidValue(`There is no user ${quote(unknown)}; nothing was changed.`);
  if (joining.some((id) => isPlatformMember(members.get(id) as MembershipRow))) throw managedByOperator();
  const current = steps.some(({ kind }) => kind === 'replace')
    ? await listGroupMembers(work.transaction, tenantId, role)
    : [...members.values()].filter((member) => member.role === role && member.unassigned_at === null);
  const ids = current.map(({ user_id }) => user_id);
  const { assigned, removed } = planSteps(steps, ids);
  // Sets the role too: a request can add and remove the same user.
  await changeMembers(work, source, removed, { role, isAssigned: false }, `SCIM: removed from the group ${role}`);
  await changeMembers(work, source, assigned, { role, isAssigned: true }, `SCIM: added to the group ${role}`);
}

/**
 * Computes the result of steps in order: a member who is removed and added again stays.
 * @param current ids of the members of the group: all for a `replace`, else at least those that the steps name.
 * @returns the ids that the steps add, members or not, and those that they remove.
 */
export function planSteps(
  steps: readonly GroupStep[],
  current: Iterable<string>,
): { readonly assigned: readonly string[]; readonly removed: readonly string[] } {
  const present = new Set(current);
  const [added, left] = [new Set<string>(), new Set<string>()];
  for (const { kind, userIds } of steps) {
    const named = new Set(userIds);
    const leaving = kind === 'replace' ? [...present].filter((id) => !named.has(id)) : kind === 'remove' ? named : [];
    for (const id of leaving) if (present.delete(id)) left.add(id);
    if (kind === 'remove') continue;
    for (const id of named) {
      present.add(id);
      added.add(id);
    }
  }
  return {
    assigned: [...added].filter((id) => present.has(id)),
    removed: [...left].filter((id) => !present.has(id)),
  };
}
