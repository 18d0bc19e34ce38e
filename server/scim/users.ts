import { z } from 'zod';
import { normalizeEmail } from '../accounts/members/email.ts';
import {
  addMember,
  changeLockedMembers,
  displayName,
  lockMembers,
  type MembershipChange,
  type MembershipRow,
  memberStatus,
} from '../accounts/members/membership.ts';
import { findMember, findMemberByEmail, readMemberPage } from '../accounts/members/membership-store.ts';
import { requireTenant } from '../accounts/tenants/store.ts';
import type { AuditSource } from '../http/principal.ts';
import { Problem, requireFound } from '../http/problem.ts';
import { adminOfPlatform, isPlatformRole, isRole, type Role, RoleName, roleIds } from '../http/roles.ts';
import { namedObject, schemasOf, text, UtcTime } from '../http/schemas.ts';
import type { Transaction } from '../storage/database.ts';
import {
  attributeName,
  attributesOf,
  inputOf,
  invalidValue,
  metaOf,
  type PatchOperation,
  presentAttributes,
  quote,
  readAttributes,
  readBody,
  readByHand,
  readFlag,
  readMessage,
  readPatch,
  readText,
  replaceableOf,
  shapeOf,
  shown,
} from './attribute.ts';
import { type ExtendedUse, limitExtended, readExtended, recordUse } from './extended.ts';
import { slicePage } from './list.ts';
import type { ResourceType } from './resource.ts';

const userUrn = 'urn:ietf:params:scim:schemas:core:2.0:User';

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
const userAttributes = {
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
const ScimUser = z
  .strictObject({
    schemas: schemasOf(userUrn),
    id: z.string().meta({ description: 'The id of the person, who keeps it after leaving and coming back.' }),
    ...shapeOf(userAttributes),
    meta: metaOf('User', { created: UtcTime.optional(), lastModified: UtcTime.optional() }),
  })
  .meta({ id: 'ScimUser' });
type ScimUser = z.output<typeof ScimUser>;

/** The names of the attributes that a PATCH can replace; `replaceable` has them in lower case. */
const replaceableNames = replaceableOf(userAttributes);
const replaceable = new Map(replaceableNames.map((name) => [name.toLowerCase(), userAttributes[name]]));

/** The body of a user, for the documentation. */
const UserBody = readByHand('ScimUserInput', userUrn, inputOf(userAttributes));

/** Users: the members of a tenant. */
export const users: ResourceType<MembershipRow, ScimUser> = {
  urn: userUrn,
  name: 'User',
  description: 'A member of the tenant',
  plural: 'Members of the tenant',
  result: ScimUser,
  parameter: ['id', z.string()],
  attributes: userAttributes,
  filters: ['userName', 'externalId'],
  operations: {
    list: {
      summary: 'List users, ordered by id',
      description: 'At most 100 on a page. The only filters are `eq` on `userName` and on `externalId`.',
      errors: ['invalidFilter', 'invalidValue'],
    },
    create: {
      summary: 'Provision a user',
      description: 'A former member keeps the same id. The user can sign in after accepting an invitation.',
      body: UserBody,
      errors: ['invalidSyntax', 'invalidValue', 'uniqueness'],
    },
    get: {
      summary: 'Get a user',
      description: 'Choose attributes with `attributes` or `excludedAttributes`.',
      errors: ['invalidValue'],
    },
    patch: {
      summary: 'Suspend or reactivate a user, or change the role',
      description:
        'Accepts `replace` of `active` or `roles`. A suspended user cannot sign in, and their sessions end immediately. With the setting `scimCompatibility: "extended"` it also accepts a `replace` without path, and skips unsupported operations if `active` is replaced too; `active: true` then does not revert a removal from a role group.',
      errors: ['forbidden', 'invalidPath', 'invalidSyntax', 'invalidValue', 'mutability'],
    },
    replace: {
      summary: 'Replace a user, if the tenant allows it',
      description:
        'Needs the setting `scimCompatibility: "extended"`; else it returns 501. Sets active, roles, name and externalId; omitted attributes keep their values. `active: true` reverts `active: false`, but not a removal from a role group.',
      body: UserBody,
      errors: ['forbidden', 'invalidSyntax', 'invalidValue', 'mutability', 'not_implemented'],
    },
    delete: {
      summary: 'Remove a user from the tenant',
      description:
        'The person and the history stay. Like every change, it returns 403 for an administrator of the server (`platform_admin`).',
      errors: ['forbidden'],
    },
  },
  idOf: ({ user_id }) => user_id,
  async present(_, member, location) {
    return {
      schemas: [userUrn],
      id: member.user_id,
      ...presentAttributes(userAttributes, member),
      meta: { resourceType: 'User', created: member.created_at, lastModified: member.updated_at, location },
    };
  },

  async list(queries, tenantId, filter, page) {
    if (filter?.attribute !== 'username') return readMemberPage(queries, tenantId, page, filter?.value);
    // An invalid address matches no user: providers send one to test the connection.
    const email = normalizeEmail(filter.value);
    const member = email === undefined ? undefined : await findMemberByEmail(queries, tenantId, email);
    return slicePage(member === undefined ? [] : [member], page);
  },
  get: async (queries, tenantId, id) => requireFound(await findMember(queries, tenantId, id), 'user'),

  /** Adds a member. @throws {Problem} `uniqueness` if the person is a member, active or suspended. */
  async create(tx, source, body) {
    const { defaultRole } = await requireTenant(tx.queries, source.tenantId);
    const { userName, email, values } = readUser(body);
    const { role = defaultRole, isActivated = true } = values;
    const member = { ...values, userName, email, role, isActivated, isAccepted: false };
    const added = await addMember(tx, source, member, 'SCIM: user created');
    if (added === undefined) throw new Problem('uniqueness', 'A user with this userName already exists.');
    return added;
  },

  /**
   * Applies the operations of a PATCH, all or none.
   * @throws {Problem} `not_found`, `forbidden` for a `platform_admin`, `mutability` for other members whom the operator
   *   manages, and those of the body.
   */
  async patch(tx, source, id, body) {
    const operations = readPatch(body);
    const { change, use } = readUserPatch(operations, !operations.every(isStrict) && (await isExtended(tx, source)));
    const { isActivated, role } = change;
    const before = await requireMember(tx, source, id);
    const parts = [
      ...(isActivated === undefined ? [] : [`active set to ${isActivated}`]),
      ...(role === undefined ? [] : [`role set to ${role}`]),
    ];
    return changeUser(tx, source, before, change, `SCIM: ${parts.join(', ')}`, use);
  },

  /**
   * Applies a PUT, with `scimCompatibility: "extended"` only.
   * @throws {Problem} `not_implemented`, `not_found`, `forbidden`, `mutability`, and those of the body.
   */
  async replace(tx, source, id, body) {
    if (!(await isExtended(tx, source)))
      throw new Problem(
        'not_implemented',
        `PUT of a user is not supported; replace ${replaceableNames.join(' or ')} with PATCH.`,
      );
    const before = await requireMember(tx, source, id);
    const { values } = readUser(body, before);
    return changeUser(tx, source, before, values, 'SCIM: user replaced', { form: 'put', skippedPaths: [] });
  },

  /** Removes a member from the tenant; the person and the history stay. @throws {Problem} `not_found`, `forbidden`. */
  async delete(tx, source, id) {
    const member = await requireMember(tx, source, id);
    await changeLockedMembers(tx, source, [member], { isDeleted: true }, 'SCIM: user deleted');
  },
};

async function isExtended({ queries }: Transaction, { tenantId }: AuditSource): Promise<boolean> {
  return (await requireTenant(queries, tenantId)).scimCompatibility === 'extended';
}

/** Locks and reads the member to change. @throws {Problem} `not_found`, `forbidden`. */
async function requireMember(tx: Transaction, { tenantId }: AuditSource, id: string): Promise<MembershipRow> {
  const [member] = await lockMembers(tx, tenantId, [id]);
  refusePlatformAdmin(member === undefined ? [] : [member]);
  return requireFound(member, 'user');
}

/** @param use the parts of the request that the strict rules would have rejected, for the audit log. */
async function changeUser(
  tx: Transaction,
  source: AuditSource,
  before: MembershipRow,
  change: MembershipChange,
  reason: string,
  use: ExtendedUse | null,
): Promise<MembershipRow> {
  // A PUT repeats what did not change.
  const isActivating = change.isActivated === true && (use?.form !== 'put' || before.deactivated_at !== null);
  if (isPlatformRole(before.role) && (isActivating || change.role !== undefined)) throw managedByOperator();
  const applied = use === null ? change : limitExtended(change, use, before);
  const [member = before] = await changeLockedMembers(tx, source, [before], applied, reason);
  if (use !== null) await recordUse(tx, source, member, use);
  return member;
}

/**
 * Reads the body of a POST (spec.md "SCIM 2.0" rule 2) or of a PUT. Ignores attributes that are not stored.
 * @param member whom a PUT replaces.
 * @returns `values` undefined where they were omitted.
 * @throws {Problem} `invalidSyntax`, `invalidValue`, `mutability` for a userName that is not that of the member.
 */
function readUser(body: unknown, member?: MembershipRow) {
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
function readRole(value: unknown): Role | undefined {
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

/**
 * Reads the operations on a user by spec.md "SCIM 2.0" rule 3: `replace` of `active` or `roles`. The last one of an
 * attribute counts.
 * @param isExtended accepts what `readExtended` accepts.
 * @returns `use` null if the strict rules accept the request.
 * @throws {Problem} `invalidPath` for any other operation or path, `invalidValue`.
 */
export function readUserPatch(
  operations: readonly PatchOperation[],
  isExtended: boolean,
): { readonly change: MembershipChange; readonly use: ExtendedUse | null } {
  const strict = { accepted: operations, use: null };
  const { accepted, use } = isExtended ? readExtended(operations, userUrn, isStrict) : strict;
  const refused = accepted.length === 0 ? operations[0] : accepted.find((operation) => !isStrict(operation));
  if (refused !== undefined) {
    const { op, path } = refused;
    const given = `${op || 'an operation without op'} ${path === null ? 'without path' : `of ${quote(path)}`}`;
    throw new Problem('invalidPath', `A user accepts only replace of ${replaceableNames.join(' or ')}, not ${given}.`);
  }
  return { change: mergeChanges(accepted), use };
}

/** Returns true if the strict rules accept an operation. */
function isStrict({ op, path }: PatchOperation): boolean {
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
