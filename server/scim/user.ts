import { z } from 'zod';
import { normalizeEmail } from '../accounts/members/email.ts';
import {
  displayName,
  type MembershipChange,
  type MembershipRow,
  memberStatus,
} from '../accounts/members/membership.ts';
import { Problem } from '../http/problem.ts';
import { adminOfPlatform, isRole, type Role, RoleName, roleIds } from '../http/roles.ts';
import { namedObject, schemasOf, text, UtcTime } from '../http/schemas.ts';
import {
  attributeName,
  attributesOf,
  inputOf,
  invalidValue,
  quote,
  readAttributes,
  readBody,
  readFlag,
  readText,
  replaceableOf,
  shapeOf,
  shown,
} from './attribute.ts';
import { isOperation, metaOf, type PatchOperation, readByHand, readMessage } from './surface.ts';

export const userUrn = 'urn:ietf:params:scim:schemas:core:2.0:User';

const mostRoles = 100;
const longestName = 256;
/** An index entry of PostgreSQL has at most 2,700 bytes, and a character up to four. */
const longestExternalId = 512;

/** Set by a POST only, and marked so that clients do not try to patch it. */
const immutable = { mutability: 'immutable' } as const;
const readWrite = { mutability: 'readWrite' } as const;

const ScimName = namedObject('ScimName', {
  formatted: shown(z.string(), 'The full name'),
  givenName: shown(z.string(), 'The given name', immutable),
  familyName: shown(z.string(), 'The family name', immutable),
});
const ScimEmail = namedObject('ScimEmail', {
  value: shown(z.string(), 'The address'),
  type: shown(z.literal('work'), 'Always work'),
  primary: shown(z.literal(true), 'Always true'),
});
const ScimRole = namedObject('ScimRole', {
  value: shown(z.string(), 'The role', { ...readWrite, caseExact: true, canonicalValues: roleIds }),
  primary: shown(z.literal(true), 'Marks the role to use if there are several', readWrite),
});
const ScimGroupReference = namedObject('ScimGroupReference', {
  value: shown(z.string(), 'The id of the group', { caseExact: true }),
  type: shown(z.literal('direct'), 'Always direct'),
});
const NameInput = z.looseObject({ givenName: text(longestName), familyName: text(longestName) });
const RoleInput = z.looseObject({ value: RoleName, primary: z.boolean().optional() });

const attribute = attributesOf<MembershipRow, MembershipChange>();

/** The attributes of a user, in the order of responses. */
export const userAttributes = {
  externalId: attribute(shown(z.string(), 'The id at the identity provider', { ...immutable, caseExact: true }), {
    documented: 'The id at the identity provider.',
    present: ({ external_id }) => external_id ?? undefined,
    input: text(longestExternalId).optional(),
    read: (value) => ({ externalId: readText(value, 'externalId', longestExternalId) }),
    isCleared: true,
  }),
  userName: attribute(shown(z.string(), 'The e-mail address', { ...immutable, required: true, uniqueness: 'server' }), {
    documented: 'The e-mail address; compares without case.',
    present: ({ user_name }) => user_name,
    input: z.string().meta({ format: 'email', description: 'The e-mail address; immutable.' }),
  }),
  name: attribute(shown(ScimName, 'The name of the person', immutable), {
    present(member) {
      const { given_name: givenName, family_name: familyName } = member;
      if (givenName === null && familyName === null) return undefined;
      const isNamed = [givenName, familyName].some((part) => part !== null && part.trim() !== '');
      return {
        ...(givenName !== null && { givenName }),
        ...(familyName !== null && { familyName }),
        ...(isNamed && { formatted: displayName(member) }),
      };
    },
    input: NameInput.partial().meta({ id: 'ScimNameInput' }).optional(),
    /** Replaces the name as a whole. */
    read(value) {
      const name = value === null ? new Map() : readAttributes(value, 'name', userUrn);
      return {
        givenName: readText(name.get('givenname'), 'name.givenName', longestName) ?? null,
        familyName: readText(name.get('familyname'), 'name.familyName', longestName) ?? null,
      };
    },
    isCleared: true,
  }),
  displayName: attribute(shown(z.string(), 'The name, or the e-mail address if there is none'), {
    present: displayName,
  }),
  emails: attribute(shown(z.array(ScimEmail), 'The e-mail address'), {
    present: ({ user_name }) => [{ value: user_name, type: 'work', primary: true } as const],
  }),
  active: attribute(shown(z.boolean(), 'Whether the membership is active; false suspends it', readWrite), {
    documented: 'False while the membership is suspended, for any reason.',
    present: (member) => memberStatus(member) === 'active',
    input: z.boolean().default(true),
    read: (value) => ({ isActivated: readFlag(value, 'active') }),
  }),
  // SCIM has no name and no group for a platform role.
  roles: attribute(shown(z.array(ScimRole), 'The role of the user', readWrite), {
    documented: 'The role; empty for a user whom the operator of the server manages.',
    present: ({ role }) => (isRole(role) ? [{ value: role, primary: true } as const] : []),
    input: z
      .array(RoleInput.meta({ id: 'ScimRoleInput' }))
      .max(mostRoles)
      .optional()
      .meta({
        description: 'One role, or several of which one is primary. Default: the default role of the tenant.',
      }),
    read: (value) => ({ role: readRole(value) }),
    requires: 'roles must contain a role: every member has one.',
  }),
  groups: attribute(shown(z.array(ScimGroupReference), 'The role group of the user'), {
    documented: 'The role group of the user; empty after a removal from it.',
    present: ({ unassigned_at, role }) =>
      unassigned_at === null && isRole(role) ? [{ value: role, type: 'direct' } as const] : [],
  }),
};

/** spec.md "SCIM user". */
export const ScimUser = z
  .strictObject({
    schemas: schemasOf(userUrn),
    id: z.string().meta({ description: 'The id of the person, who keeps it after leaving and coming back.' }),
    ...shapeOf(userAttributes),
    meta: metaOf('User', { created: UtcTime.optional(), lastModified: UtcTime.optional() }),
  })
  .meta({ id: 'ScimUser' });
export type ScimUser = z.output<typeof ScimUser>;

/** The names of the attributes that a PATCH can replace; `replaceable` has them in lower case. */
export const replaceableNames = replaceableOf(userAttributes);
const replaceable = new Map(replaceableNames.map((name) => [name.toLowerCase(), userAttributes[name]]));

/** The body of a user, for the documentation. */
export const UserBody = readByHand('ScimUserInput', userUrn, inputOf(userAttributes));

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
  return { userName, email, values: readBody(userAttributes, user) };
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

/** A use of `scimCompatibility: "extended"`: a request that the strict rules reject (contract.md "SCIM"). */
export interface ExtendedUse {
  readonly form: 'put' | 'replace_without_path' | 'unsupported_paths';
  /** The attributes that the request tried to change without effect. */
  readonly skippedPaths: readonly string[];
}

/**
 * Reads the operations on a user by spec.md "SCIM 2.0" rule 3: `replace` of `active` or `roles`. The last one of an
 * attribute counts.
 * @param isExtended by `scimCompatibility: "extended"`: a `replace` without path sets the attributes of its value, and
 *   unsupported operations are skipped if `active` is replaced too, so that a rejected title never prevents a suspension.
 * @returns `use` null if the strict rules accept the request.
 * @throws {Problem} `invalidPath` for any other operation or path, `invalidValue`.
 */
export function readUserPatch(
  operations: readonly PatchOperation[],
  isExtended: boolean,
): { readonly change: MembershipChange; readonly use: ExtendedUse | null } {
  if (operations.every(isStrict)) return { change: mergeChanges(operations), use: null };
  const single = isExtended ? operations.flatMap(splitValue) : operations;
  const { accepted = [], others = [] } = Object.groupBy(single, (one) => (isStrict(one) ? 'accepted' : 'others'));
  const skips = isExtended && accepted.some(({ path }) => nameOf(path) === 'active');
  const refused = others.find((operation) => !skips || !isSkippable(operation));
  if (refused !== undefined || accepted.length === 0) {
    const { op, path } = refused ?? (operations[0] as PatchOperation);
    const given = `${op || 'an operation without op'} ${path === null ? 'without path' : `of ${quote(path)}`}`;
    throw new Problem('invalidPath', `A user accepts only replace of ${replaceableNames.join(' or ')}, not ${given}.`);
  }
  const isSplit = operations.some(({ op, path }) => op === 'replace' && path === null);
  const form = isSplit ? 'replace_without_path' : 'unsupported_paths';
  const use = isSplit || others.length > 0 ? ({ form, skippedPaths: nameSkipped(others) } as const) : null;
  return { change: mergeChanges(accepted), use };
}

/** Returns true if the strict rules accept an operation. */
export function isStrict({ op, path }: PatchOperation): boolean {
  return op === 'replace' && replaceable.has(nameOf(path));
}

function mergeChanges(replacements: readonly PatchOperation[]): MembershipChange {
  const change: MembershipChange = {};
  for (const { path, value } of replacements) {
    const { read, requires } = replaceable.get(nameOf(path)) ?? {};
    const values = read?.(value) ?? {};
    if (requires !== undefined && Object.values(values).includes(undefined)) throw invalidValue(requires);
    Object.assign(change, values);
  }
  return change;
}

function nameOf(path: string | null): string {
  return attributeName(path ?? '', userUrn);
}

/** Splits a `replace` without path into one for each attribute of its value (RFC 7644 section 3.5.2.3). */
function splitValue(operation: PatchOperation): readonly PatchOperation[] {
  if (operation.op !== 'replace' || operation.path !== null) return [operation];
  const attributes = [...readAttributes(operation.value, 'The value of a replace without path', userUrn)];
  return attributes
    .filter(([name]) => !['schemas', 'id', 'meta'].includes(name))
    .map(([path, value]) => ({ op: 'replace', path, value }));
}

/** Operations on `active` are never skipped: they may contradict its replacement. */
function isSkippable({ op, path }: PatchOperation): boolean {
  return isOperation(op) && path !== null && nameOf(path) !== 'active';
}

/** Attributes for the audit log, without the values in the filter of a path: `emails[type eq "work"]` is `emails`. */
function nameSkipped(operations: readonly PatchOperation[]): readonly string[] {
  const names = operations.map(({ path }) => (path ?? '').replace(/\[.*/s, '').slice(0, 100).toWellFormed());
  return [...new Set(names)].slice(0, 100);
}

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

/** Only the operator of the server assigns a platform role; a tenant can only revoke access (spec.md "SCIM role group"). */
export function managedByOperator(): Problem {
  return new Problem(
    'mutability',
    'This user is managed by the operator of this server: SCIM can suspend or delete them, but not make them active or change their role.',
  );
}
