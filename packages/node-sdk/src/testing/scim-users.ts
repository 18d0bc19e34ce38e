import { normalizeEmail } from './conditions.ts';
import { displayName, type Member, type MemberChange, type Members, statusOf } from './members.ts';
import { notFound, Refusal } from './refusal.ts';
import { isRole } from './roles.ts';
import { Located, type ScimCall, type ScimHandlers } from './scim.ts';
import { presentPage, readFilter, readPage, readPatch, userUrn } from './scim-message.ts';
import { readProjection } from './scim-projection.ts';
import { type ReadPatch, readExtendedPatch, readNewUser, readReplacement, readUserPatch } from './scim-user-body.ts';
import type { World } from './world.ts';

/** The operations of SCIM on users. */
export function scimUserHandlers(world: World, members: Members): ScimHandlers {
  const viewOf = (call: ScimCall) => {
    const project = readProjection(call.query, userUrn);
    return (member: Member) => project(presentUser(member, call.locate));
  };
  const require = ({ params }: ScimCall): Member => {
    const member = members.find(params.id);
    if (member === undefined) throw notFound('user');
    return member;
  };
  const change = (call: ScimCall, { userId }: Member, wanted: MemberChange, reason: string): Member =>
    members.change({ call, now: call.now, reason }, [userId], wanted).get(userId) as Member;
  const recordUse = (call: ScimCall, { userId, userName }: Member, use: ReadPatch['use']): void => {
    const event = { module: 'identity', action: 'scim.extended_request', targetId: userId, targetRef: userName };
    if (use !== null) world.record(call, { ...event, diff: use });
  };
  const isStrict = () => world.tenant.scimCompatibility === 'strict';
  return {
    listScimUsers(call) {
      const view = viewOf(call);
      readPage(call.query);
      return presentPage(select(members, call.query.filter), call.query, view);
    },
    createScimUser(call) {
      const view = viewOf(call);
      const member = readNewUser(call.body, world.tenant.defaultRole);
      const added = members.add({ call, now: call.now, reason: 'SCIM: user created' }, member);
      if (added === undefined) throw new Refusal(409, 'uniqueness', 'There is a user with this userName already.');
      return new Located(view(added), call.locate(`/Users/${added.userId}`));
    },
    getScimUser(call) {
      const view = viewOf(call);
      return view(require(call));
    },
    patchScimUser(call) {
      const view = viewOf(call);
      const operations = readPatch(call.body);
      const read = isStrict() ? { change: readUserPatch(operations), use: null } : readExtendedPatch(operations);
      const before = require(call);
      const isPartOfProfile = read.use !== null && read.use.skippedPaths.length > 0;
      const wanted = isPartOfProfile ? keepPlace(read.change, before) : read.change;
      const member = change(call, before, wanted, describe(read.change));
      recordUse(call, member, read.use);
      return view(member);
    },
    replaceScimUser(call) {
      const view = viewOf(call);
      if (isStrict())
        throw new Refusal(
          501,
          'not_implemented',
          'PUT of a user is not supported; replace active or roles with PATCH.',
        );
      const before = require(call);
      const wanted = keepPlace(readReplacement(call.body, before), before);
      const member = change(call, before, wanted, 'SCIM: user replaced');
      recordUse(call, member, { form: 'put', skippedPaths: [] });
      return view(member);
    },
    deleteScimUser(call) {
      change(call, require(call), { isDeleted: true }, 'SCIM: user deleted');
      return null;
    },
  };
}

function select(members: Members, filter: string | undefined): readonly Member[] {
  if (filter === undefined) return members.list();
  const { attribute, value } = readFilter(filter, userUrn, ['userName', 'externalId']);
  if (attribute === 'externalid') return members.list().filter(({ externalId }) => externalId === value);
  const found = members.findByEmail(normalizeEmail(value));
  return found === undefined ? [] : [found];
}

/** `active: true` that is said with the rest of a person puts nobody back into a group. */
function keepPlace(change: MemberChange, { isAssigned }: Member): MemberChange {
  return change.isActivated === undefined ? change : { ...change, isAssigned };
}

function describe({ isActivated, role }: ReadPatch['change']): string {
  const parts = [
    ...(isActivated === undefined ? [] : [`active set to ${isActivated}`]),
    ...(role === undefined ? [] : [`role set to ${role}`]),
  ];
  return `SCIM: ${parts.join(', ')}`;
}

function presentUser(member: Member, locate: ScimCall['locate']): object {
  const { userId: id, userName, givenName, familyName, externalId, role, isAssigned } = member;
  const name = { ...(givenName !== null && { givenName }), ...(familyName !== null && { familyName }) };
  const isNamed = Object.values(name).some((part) => part.trim() !== '');
  const isGiven = Object.keys(name).length > 0;
  const { createdAt: created, updatedAt: lastModified } = member;
  return {
    schemas: [userUrn],
    id,
    ...(externalId !== null && { externalId }),
    userName,
    ...(isGiven && { name: { ...name, ...(isNamed && { formatted: displayName(member) }) } }),
    displayName: displayName(member),
    emails: [{ value: userName, type: 'work', primary: true }],
    active: statusOf(member) === 'active',
    roles: isRole(role) ? [{ value: role, primary: true }] : [],
    groups: isAssigned && isRole(role) ? [{ value: role, type: 'direct' }] : [],
    meta: { resourceType: 'User', created, lastModified, location: locate(`/Users/${id}`) },
  };
}
