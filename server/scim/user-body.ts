import { z } from 'zod';
import { Problem } from '../http/problem.ts';
import { text } from '../http/schemas.ts';
import { normalizeEmail } from '../identity/email.ts';
import type { Membership, MembershipChange, Profile } from '../identity/membership.ts';
import type { NewMember } from '../identity/membership-changes.ts';
import { isRole, type Role, RoleName, roleIds } from '../principal/roles.ts';
import {
  type Attributes,
  invalidValue,
  quote,
  readAttributes,
  readByHand,
  readFlag,
  readMessage,
  readText,
} from './message.ts';
import { userUrn } from './user.ts';

const mostRoles = 100;
const longestName = 256;
/** PostgreSQL takes some 2,700 bytes into an index, and a character has up to four. */
const longestExternalId = 512;

/** The body of a user, for the documentation. */
export const UserBody = readByHand(
  z
    .looseObject({
      schemas: z.array(z.string()).meta({ description: `Contains ${userUrn}.` }),
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
        .meta({ description: 'One role, or several of which one is primary; without any the tenant chooses.' }),
    })
    .meta({ id: 'ScimUserInput' }),
);

/**
 * Reads who is to become a member (spec.md "SCIM 2.0" rule 2). Attributes that we do not keep are passed over.
 * @throws {Problem} `invalidSyntax`, `invalidValue`.
 */
export function readNewUser(body: unknown, defaultRole: Role): Omit<NewMember, 'isAccepted'> {
  const user = readMessage(body, userUrn);
  return {
    ...readUserName(user),
    ...readProfile(user),
    role: readRole(user.get('roles')) ?? defaultRole,
    isActivated: readActive(user) ?? true,
  };
}

/**
 * Reads what a PUT makes of a member. What it leaves out stays.
 * @throws {Problem} `invalidSyntax`, `invalidValue`, or `mutability` for the address of somebody else.
 */
export function readReplacement(body: unknown, member: Membership): MembershipChange {
  const user = readMessage(body, userUrn);
  if (readUserName(user).email !== normalizeEmail(member.userName))
    throw new Problem(
      'mutability',
      'userName names the person and cannot be changed; delete the user and add another.',
    );
  const role = readRole(user.get('roles'));
  const isActivated = readActive(user);
  return {
    ...readProfile(user),
    ...(role !== undefined && { role }),
    ...(isActivated !== undefined && { isActivated }),
  };
}

/**
 * Reads the one role that a person is to have: the primary one, or the only one.
 * @returns undefined where none is named: nothing, null and an empty array are the same (RFC 7643 section 2.5).
 * @throws {Problem} `invalidValue`.
 */
export function readRole(value: unknown): Role | undefined {
  if (value === undefined || value === null) return undefined;
  if (!Array.isArray(value)) throw invalidValue('roles must be an array of objects with a value.');
  if (value.length > mostRoles) throw invalidValue(`roles may have at most ${mostRoles} items.`);
  const named = value.map((item, index) => readNamedRole(item, `roles[${index}]`));
  const primary = new Set(named.filter(({ isPrimary }) => isPrimary).map(({ role }) => role));
  const [role, ...others] = primary.size > 0 ? primary : new Set(named.map(({ role }) => role));
  if (others.length > 0) throw invalidValue('A person has one role: mark one as primary, and only one.');
  return role;
}

function readNamedRole(item: unknown, where: string): { readonly role: Role; readonly isPrimary: boolean } {
  const named = readAttributes(item, where, userUrn);
  const role = named.get('value');
  if (typeof role !== 'string' || !isRole(role)) {
    const given = typeof role === 'string' ? `, not ${quote(role)}` : '';
    throw invalidValue(`${where}.value must be one of ${roleIds.join(', ')}${given}.`);
  }
  const primary = named.get('primary') ?? false;
  return { role, isPrimary: readFlag(primary, `${where}.primary`) };
}

function readUserName(user: Attributes): { readonly userName: string; readonly email: string } {
  const userName = user.get('username');
  const email = typeof userName === 'string' ? normalizeEmail(userName) : undefined;
  if (typeof userName !== 'string' || email === undefined)
    throw invalidValue('userName must be an e-mail address, such as name@example.com.');
  return { userName, email };
}

/** Null clears an attribute; a name is given whole. */
function readProfile(user: Attributes): Profile {
  const name = user.get('name');
  const externalId = readText(user.get('externalid'), 'externalId', longestExternalId);
  return {
    ...(name !== undefined && readName(name)),
    ...(externalId !== undefined && { externalId }),
  };
}

function readName(value: unknown): Profile {
  const name = value === null ? new Map() : readAttributes(value, 'name', userUrn);
  return {
    givenName: readText(name.get('givenname'), 'name.givenName', longestName) ?? null,
    familyName: readText(name.get('familyname'), 'name.familyName', longestName) ?? null,
  };
}

function readActive(user: Attributes): boolean | undefined {
  const active = user.get('active') ?? undefined;
  return active === undefined ? undefined : readFlag(active, 'active');
}
