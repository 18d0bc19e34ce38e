import { z } from 'zod';
import { Problem } from '../http/problem.ts';
import { namedObject, schemasOf, text, UtcTime } from '../http/schemas.ts';
import { normalizeEmail } from '../identity/email.ts';
import { displayName, type MembershipRow, memberStatus, type Profile } from '../identity/membership.ts';
import { adminOfPlatform, isRole, type Role, RoleName, roleIds } from '../principal/roles.ts';
import {
  type Attributes,
  invalidValue,
  metaOf,
  quote,
  readAttributes,
  readByHand,
  readFlag,
  readMessage,
  readText,
} from './surface.ts';

export const userUrn = 'urn:ietf:params:scim:schemas:core:2.0:User';

const part = z.string().optional();

/** spec.md "SCIM user". All but `schemas` and `id` is optional because of `attributes` and `excludedAttributes`. */
export const ScimUser = z
  .strictObject({
    schemas: schemasOf(userUrn),
    id: z.string().meta({ description: 'The id of the person, who keeps it after leaving and coming back.' }),
    externalId: part.meta({ description: 'The id at the identity provider.' }),
    userName: part.meta({ description: 'The e-mail address; compares without case.' }),
    name: namedObject('ScimName', { givenName: part, familyName: part, formatted: part }).optional(),
    displayName: part,
    emails: z
      .array(
        namedObject('ScimEmail', {
          value: part,
          type: z.literal('work').optional(),
          primary: z.literal(true).optional(),
        }),
      )
      .optional(),
    active: z.boolean().optional().meta({ description: 'False while the membership is suspended, for any reason.' }),
    roles: z
      .array(namedObject('ScimRole', { value: part, primary: z.literal(true).optional() }))
      .optional()
      .meta({ description: 'The role; empty for a user whom the operator of the server manages.' }),
    groups: z
      .array(namedObject('ScimGroupReference', { value: part, type: z.literal('direct').optional() }))
      .optional()
      .meta({ description: 'The role group of the user; empty after a removal from it.' }),
    meta: metaOf('User', { created: UtcTime.optional(), lastModified: UtcTime.optional() }),
  })
  .meta({ id: 'ScimUser' });
export type ScimUser = z.output<typeof ScimUser>;

/** Converts a member to a SCIM user (RFC 7643 section 4.1). */
export function presentUser(member: MembershipRow, location: string): ScimUser {
  const { user_name: userName, given_name, family_name, external_id, role } = member;
  const name = {
    ...(given_name !== null && { givenName: given_name }),
    ...(family_name !== null && { familyName: family_name }),
  };
  const isGiven = Object.keys(name).length > 0;
  const isNamed = Object.values(name).some((part) => part.trim() !== '');
  return {
    schemas: [userUrn],
    id: member.user_id,
    ...(external_id !== null && { externalId: external_id }),
    userName,
    ...(isGiven && { name: { ...name, ...(isNamed && { formatted: displayName(member) }) } }),
    displayName: displayName(member),
    emails: [{ value: userName, type: 'work', primary: true }],
    active: memberStatus(member) === 'active',
    // SCIM has no name and no group for a platform role.
    roles: isRole(role) ? [{ value: role, primary: true }] : [],
    groups: member.unassigned_at === null && isRole(role) ? [{ value: role, type: 'direct' }] : [],
    meta: { resourceType: 'User', created: member.created_at, lastModified: member.updated_at, location },
  };
}

const mostRoles = 100;
const longestName = 256;
/** An index entry of PostgreSQL has at most 2,700 bytes, and a character up to four. */
const longestExternalId = 512;

/** The body of a user, for the documentation. */
export const UserBody = readByHand('ScimUserInput', userUrn, {
  userName: z.string().meta({ format: 'email', description: 'The e-mail address; immutable.' }),
  name: z
    .looseObject({ givenName: text(longestName), familyName: text(longestName) })
    .partial()
    .meta({ id: 'ScimNameInput' })
    .optional(),
  externalId: text(longestExternalId).optional(),
  active: z.boolean().default(true),
  roles: z
    .array(z.looseObject({ value: RoleName, primary: z.boolean().optional() }).meta({ id: 'ScimRoleInput' }))
    .max(mostRoles)
    .optional()
    .meta({ description: 'One role, or several of which one is primary. Default: the default role of the tenant.' }),
});

/**
 * Reads the body of a POST (spec.md "SCIM 2.0" rule 2) or of a PUT. Ignores attributes that are not stored.
 * @param member whom a PUT replaces.
 * @returns `values` undefined where they were omitted.
 * @throws {Problem} `invalidSyntax`, `invalidValue`, `mutability` for a userName that is not that of the member.
 */
export function readUser(body: unknown, member?: MembershipRow) {
  const user = readMessage(body, userUrn);
  const userName = user.get('username');
  const email = typeof userName === 'string' ? normalizeEmail(userName) : undefined;
  if (typeof userName !== 'string' || email === undefined)
    throw invalidValue('userName must be an e-mail address, such as name@example.com.');
  if (member !== undefined && email !== normalizeEmail(member.user_name))
    throw new Problem('mutability', 'userName cannot be changed; delete the user and create another.');
  const profile = readProfile(user);
  const role = readRole(user.get('roles'));
  const active = user.get('active') ?? undefined;
  const isActivated = active === undefined ? undefined : readFlag(active, 'active');
  return { userName, email, values: { ...profile, role, isActivated } };
}

/**
 * Reads the role: the primary one, or the only one.
 * @returns undefined for a missing value, null or an empty array, which are the same (RFC 7643 section 2.5).
 * @throws {Problem} `invalidValue`.
 */
export function readRole(value: unknown): Role | undefined {
  if (value === undefined || value === null) return undefined;
  if (!Array.isArray(value)) throw invalidValue('roles must be an array of objects with a value.');
  if (value.length > mostRoles) throw invalidValue(`roles may have at most ${mostRoles} items.`);
  const named = value.map((item, index) => {
    const where = `roles[${index}]`;
    const attributes = readAttributes(item, where, userUrn);
    const role = attributes.get('value');
    if (typeof role !== 'string' || !isRole(role)) {
      const given = typeof role === 'string' ? `, not ${quote(role)}` : '';
      throw invalidValue(`${where}.value must be one of ${roleIds.join(', ')}${given}.`);
    }
    return { role, isPrimary: readFlag(attributes.get('primary') ?? false, `${where}.primary`) };
  });
  const primary = new Set(named.filter(({ isPrimary }) => isPrimary).map(({ role }) => role));
  const [role, ...others] = primary.size > 0 ? primary : new Set(named.map(({ role }) => role));
  if (others.length > 0) throw invalidValue('A user has one role: mark exactly one as primary.');
  return role;
}

/** Null clears an attribute; a name is replaced as a whole. */
function readProfile(user: Attributes): Profile {
  const externalId = readText(user.get('externalid'), 'externalId', longestExternalId);
  const given = user.get('name');
  if (given === undefined) return { externalId };
  const name = given === null ? new Map() : readAttributes(given, 'name', userUrn);
  return {
    externalId,
    givenName: readText(name.get('givenname'), 'name.givenName', longestName) ?? null,
    familyName: readText(name.get('familyname'), 'name.familyName', longestName) ?? null,
  };
}

/** Only the operator of the server assigns a platform role; a tenant can only revoke access (spec.md "SCIM role group"). */
/**
 * Only the operator of this server, and they themselves, change a `platform_admin`: the token of a tenant must not take
 * their access, whatever the operation does to them.
 * @throws {Problem} `forbidden`.
 */
export function refusePlatformAdmin(members: Iterable<MembershipRow>): void {
  for (const { role, user_id } of members)
    if (role === adminOfPlatform)
      throw new Problem(
        'forbidden',
        `The user ${user_id} administers this server: SCIM cannot change, suspend or delete them. Exclude them from provisioning; the operator changes them with the command line.`,
      );
}

export function managedByOperator(): Problem {
  return new Problem(
    'mutability',
    'This user is managed by the operator of this server: SCIM can suspend or delete them, but not make them active or change their role.',
  );
}
