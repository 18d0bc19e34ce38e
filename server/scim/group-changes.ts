import type { AuditSource } from '../audit/source.ts';
import type { Membership } from '../identity/membership.ts';
import { changeMembers, readMembersForChange } from '../identity/membership-changes.ts';
import { listGroupMembers } from '../identity/membership-store.ts';
import type { Role } from '../principal/roles.ts';
import type { UnitOfWork } from '../storage/unit-of-work.ts';
import { type GroupStep, planSteps } from './group-patch.ts';
import { invalidValue, quote } from './message.ts';
import { isPlatformMember, managedByOperator } from './platform-member.ts';

/**
 * Applies steps to the members of a role group, all or none. Whoever is named gets the role, from whatever group they come;
 * whoever leaves is suspended (spec.md "SCIM 2.0" rule 5).
 * @throws {Problem} `invalidValue` when somebody is to join who is no member of the tenant, `mutability` when the operator of
 *   the server alone gives them a role.
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
  const members = await readMembersForChange(work, tenantId, named);
  const joining = steps.flatMap(({ kind, userIds }) => (kind === 'remove' ? [] : userIds));
  const unknown = joining.find((id) => !members.has(id));
  if (unknown !== undefined) throw invalidValue(`There is no user ${quote(unknown)}; nobody was added or removed.`);
  if (joining.some((id) => isPlatformMember(members.get(id) as Membership))) throw managedByOperator();
  const current = steps.some(({ kind }) => kind === 'replace')
    ? (await listGroupMembers(work.transaction, tenantId, role)).map(({ userId }) => userId)
    : [...members.values()].filter((member) => member.role === role && member.isAssigned).map(({ userId }) => userId);
  const { assigned, removed } = planSteps(steps, current);
  // The role too: somebody may have come and gone in one request.
  await changeMembers(work, source, removed, { role, isAssigned: false }, `SCIM: removed from the group ${role}`);
  await changeMembers(work, source, assigned, { role, isAssigned: true }, `SCIM: added to the group ${role}`);
}

/** Takes everybody out of a role group; the role and the people stay. */
export async function clearGroup(work: UnitOfWork, source: AuditSource, role: Role): Promise<void> {
  // Locks first, so that nobody joins between the look and the change.
  await readMembersForChange(work, source.tenantId, []);
  const members = await listGroupMembers(work.transaction, source.tenantId, role);
  const ids = members.map(({ userId }) => userId);
  await changeMembers(work, source, ids, { isAssigned: false }, `SCIM: group ${role} deleted`);
}
