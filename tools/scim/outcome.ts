import { roleIds } from '../../server/http/roles.ts';
import { findDifferences } from './match.ts';
import type { Answer, Target } from './target.ts';
import type { ExpectedMember, Scene, Sequence } from './transcript.ts';

/** Lists the user with this address. */
export function findUser(target: Target, userName: string): Promise<Answer> {
  return target.scim('GET', `/Users?filter=${encodeURIComponent(`userName eq "${userName}"`)}`);
}

/** How many members the tenant has. */
export async function countMembers(target: Target): Promise<number> {
  const { body } = await target.scim('GET', '/Users?count=0');
  return Number(body?.totalResults);
}

/**
 * Looks at what became of everybody: in GET /Users, in every group, and with a key in GET /v1/users and the audit log too.
 * @param before how many members the tenant had before the sequence.
 * @returns what is not as it must be.
 */
export async function checkOutcome(
  target: Target,
  { expected, extendedUses }: Sequence,
  scene: Scene,
  before: number,
): Promise<readonly string[]> {
  const differences: string[] = [];
  for (const member of expected) {
    differences.push(...(await checkUser(target, member, scene)));
    if (target.hasKey) differences.push(...(await checkMember(target, member, scene)));
  }
  differences.push(...(await checkGroups(target, expected, scene)));
  const present = expected.filter(({ status }) => status !== 'deleted').length;
  const added = (await countMembers(target)) - before;
  if (added !== present) differences.push(`GET /Users must show ${present} members more than before, not ${added}`);
  if (target.hasKey) {
    const uses = await countExtendedUses(target, expected, scene);
    if (uses !== extendedUses)
      differences.push(`the audit log must contain ${extendedUses} uses of extended, not ${uses}`);
  }
  return differences;
}

async function checkUser(target: Target, member: ExpectedMember, scene: Scene): Promise<readonly string[]> {
  const { body } = await findUser(target, scene.email(member.who));
  const where = `${member.who} in GET /Users`;
  if (member.status === 'deleted') return findDifferences({ totalResults: 0 }, body, where);
  const { status, role, isInGroup, displayName } = member;
  const user = {
    id: scene.id(member.who),
    active: status === 'active',
    roles: [{ value: role }],
    groups: isInGroup ? [{ value: role }] : [],
    ...(displayName !== undefined && { displayName }),
  };
  return findDifferences({ totalResults: 1, Resources: [user] }, body, where);
}

async function checkMember(target: Target, member: ExpectedMember, scene: Scene): Promise<readonly string[]> {
  const page = await target.rest('GET', `/v1/users?email=${encodeURIComponent(scene.email(member.who))}`);
  const where = `${member.who} in GET /v1/users`;
  if (member.status === 'deleted') return findDifferences({ items: [] }, page, where);
  const { status, role, displayName } = member;
  const row = { id: scene.id(member.who), role, status, ...(displayName !== undefined && { displayName }) };
  return findDifferences({ items: [row] }, page, where);
}

/** Each person must be in one group or in none, whatever else the groups have. */
async function checkGroups(
  target: Target,
  expected: readonly ExpectedMember[],
  scene: Scene,
): Promise<readonly string[]> {
  const differences: string[] = [];
  for (const role of roleIds) {
    const { body } = await target.scim('GET', `/Groups/${role}`);
    const ids: readonly unknown[] = (body?.members ?? []).map(({ value }: { readonly value: unknown }) => value);
    for (const member of expected) {
      const isIn = ids.includes(scene.id(member.who));
      const mustBe = member.status !== 'deleted' && member.role === role && member.isInGroup;
      if (isIn !== mustBe) differences.push(`${member.who} must ${mustBe ? '' : 'not '}be in GET /Groups/${role}`);
    }
  }
  return differences;
}

async function countExtendedUses(target: Target, expected: readonly ExpectedMember[], scene: Scene): Promise<number> {
  const ids = new Set(expected.map(({ who }) => scene.id(who)));
  const { items } = await target.rest('GET', '/v1/audit?module=identity&limit=200');
  return items.filter(
    ({ action, targetId }: { readonly action: string; readonly targetId: string }) =>
      action === 'scim.extended_request' && ids.has(targetId),
  ).length;
}
