import type { AuditSource } from '../audit/source.ts';
import { notFound, Problem } from '../http/problem.ts';
import type { Membership, MembershipChange } from '../identity/membership.ts';
import { addMember, changeMembers, readMembersForChange } from '../identity/membership-changes.ts';
import type { UnitOfWork } from '../storage/unit-of-work.ts';
import type { TenantSettings } from '../tenants/tenant.ts';
import { readExtendedPatch, recordExtendedUse } from './compatibility.ts';
import { readPatch } from './patch.ts';
import { isPlatformMember, managedByOperator } from './platform-member.ts';
import { readNewUser, readReplacement } from './user-body.ts';
import { readUserPatch, type UserChange } from './user-patch.ts';

/** Makes a person a member. @throws {Problem} `uniqueness` when they are one, active or suspended. */
export async function createUser(
  work: UnitOfWork,
  source: AuditSource,
  { defaultRole }: TenantSettings,
  body: unknown,
): Promise<Membership> {
  const member = { ...readNewUser(body, defaultRole), isAccepted: false };
  const added = await addMember(work, source, member, 'SCIM: user created');
  if (added !== undefined) return added;
  throw new Problem('uniqueness', 'There is a user with this userName already.');
}

/** Applies the operations of a PATCH, all or none. @throws {Problem} `mutability` for what the operator alone gives. */
export async function patchUser(
  work: UnitOfWork,
  source: AuditSource,
  { scimCompatibility }: TenantSettings,
  id: string,
  body: unknown,
): Promise<Membership> {
  const operations = readPatch(body);
  const { change, use } =
    scimCompatibility === 'strict' ? { change: readUserPatch(operations), use: null } : readExtendedPatch(operations);
  const before = await requireMember(work, source, id);
  if (isPlatformMember(before) && (change.isActivated === true || change.role !== undefined)) throw managedByOperator();
  const isPartOfProfile = use !== null && use.skippedPaths.length > 0;
  const applied = isPartOfProfile ? keepPlace(change, before) : change;
  const member = await changeUser(work, source, id, applied, describeChange(change));
  if (use !== null) await recordExtendedUse(work, source, member, use);
  return member;
}

/** Replaces a user by what a PUT says, where the tenant allows that. @throws {Problem} `not_implemented` where it does not. */
export async function replaceUser(
  work: UnitOfWork,
  source: AuditSource,
  { scimCompatibility }: TenantSettings,
  id: string,
  body: unknown,
): Promise<Membership> {
  if (scimCompatibility === 'strict')
    throw new Problem('not_implemented', 'PUT of a user is not supported; replace active or roles with PATCH.');
  const before = await requireMember(work, source, id);
  const change = readReplacement(body, before);
  const isActivating = change.isActivated === true && !before.isActivated;
  if (isPlatformMember(before) && (isActivating || change.role !== undefined)) throw managedByOperator();
  const member = await changeUser(work, source, id, keepPlace(change, before), 'SCIM: user replaced');
  await recordExtendedUse(work, source, member, { form: 'put', skippedPaths: [] });
  return member;
}

/** Takes a member out of the tenant; the person and the history stay. */
export async function deleteUser(work: UnitOfWork, source: AuditSource, id: string): Promise<void> {
  await changeUser(work, source, id, { isDeleted: true }, 'SCIM: user deleted');
}

async function requireMember(work: UnitOfWork, source: AuditSource, id: string): Promise<Membership> {
  const member = (await readMembersForChange(work, source.tenantId, [id])).get(id);
  if (member === undefined) throw notFound('user');
  return member;
}

/**
 * `active: true` that is said with the rest of a person takes back an `active: false`, yet puts nobody back into a group:
 * it is said with every change of a name.
 */
function keepPlace(change: MembershipChange, { isAssigned }: Membership): MembershipChange {
  return change.isActivated === undefined ? change : { ...change, isAssigned };
}

async function changeUser(
  work: UnitOfWork,
  source: AuditSource,
  id: string,
  change: MembershipChange,
  reason: string,
): Promise<Membership> {
  const member = (await changeMembers(work, source, [id], change, reason)).get(id);
  if (member === undefined) throw notFound('user');
  return member;
}

function describeChange({ isActivated, role }: UserChange): string {
  const parts = [
    ...(isActivated === undefined ? [] : [`active set to ${isActivated}`]),
    ...(role === undefined ? [] : [`role set to ${role}`]),
  ];
  return `SCIM: ${parts.join(', ')}`;
}
