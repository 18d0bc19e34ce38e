import { z } from 'zod';
import { Problem } from '../http/problem.ts';
import { findUnstorable } from '../http/request.ts';
import type { MembershipChange } from '../identity/membership.ts';
import type { Role } from '../principal/roles.ts';
import { type GroupRoleMap, groupUrn, readMemberIds, requireSameGroup } from './group.ts';
import { readFilter } from './query.ts';
import {
  attributeName,
  invalidValue,
  longestPath,
  quote,
  readAttributes,
  readFlag,
  readMessage,
  schemasInput,
} from './surface.ts';
import { readRole, userUrn } from './user.ts';

/** Providers send at most a hundred, and many members of a group in one operation. */
const mostOperations = 1000;

const patchUrn = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';

/** The body of a PATCH, for the documentation. */
export const PatchBody = z.unknown().meta({
  documentedAs: z
    .object({
      schemas: schemasInput(patchUrn),
      Operations: z
        .array(
          z
            .object({
              op: z.enum(['add', 'remove', 'replace']),
              path: z.string().optional(),
              value: z.unknown().optional().meta({ description: 'Any JSON value; optional for `remove`.' }),
            })
            .meta({ id: 'ScimPatchOperation' }),
        )
        .min(1)
        .max(mostOperations),
    })
    .meta({ id: 'ScimPatch' }),
});

/** One operation of a PATCH (RFC 7644 section 3.5.2), not yet checked against a resource. */
interface PatchOperation {
  /** In lower case; empty if it is missing. */
  readonly op: string;
  /** Null for an operation on the resource itself. */
  readonly path: string | null;
  /** Undefined if it is missing. */
  readonly value: unknown;
}

/**
 * Reads the body of a PATCH (RFC 7644 section 3.5.2).
 * @throws {Problem} `invalidSyntax`, `invalidPath`, or `invalidValue` for other schemas.
 */
export function readPatch(body: unknown): readonly PatchOperation[] {
  const operations = readMessage(body, patchUrn).get('operations');
  if (!Array.isArray(operations) || operations.length === 0)
    throw new Problem('invalidSyntax', 'Operations must be an array with at least one operation.');
  if (operations.length > mostOperations)
    throw new Problem('invalidSyntax', `Operations may have at most ${mostOperations} operations.`);
  return operations.map((given, index) => {
    const where = `Operations[${index}]`;
    const operation = readAttributes(given, where, patchUrn, 'invalidSyntax');
    const op = operation.get('op');
    const path = operation.get('path') ?? null;
    if (path !== null && typeof path !== 'string') throw new Problem('invalidPath', `${where}.path must be a string.`);
    if (path !== null && path.length > longestPath)
      throw new Problem('invalidPath', `${where}.path is too long: ${quote(path)}.`);
    return { op: typeof op === 'string' ? op.slice(0, 20).toLowerCase() : '', path, value: operation.get('value') };
  });
}

/** The changes that a PATCH can make to a member. */
export type UserChange = Pick<MembershipChange, 'isActivated' | 'role'>;

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
): { readonly change: UserChange; readonly use: ExtendedUse | null } {
  const single = isExtended ? operations.flatMap(splitValue) : operations;
  const { accepted = [], others = [] } = Object.groupBy(single, (one) => (isAccepted(one) ? 'accepted' : 'others'));
  const skips = isExtended && accepted.some((operation) => nameOf(operation) === 'active');
  const refused = others.find((operation) => !skips || !isSkippable(operation));
  if (refused !== undefined || accepted.length === 0) {
    const { op, path } = refused ?? (operations[0] as PatchOperation);
    const given = `${op || 'an operation without op'} ${path === null ? 'without path' : `of ${quote(path)}`}`;
    throw new Problem('invalidPath', `A user accepts only replace of active or roles, not ${given}.`);
  }
  const changes = accepted.map((operation) => replaceable[nameOf(operation)]?.(operation.value));
  const isSplit = operations.some(({ op, path }) => op === 'replace' && path === null);
  const form = isSplit ? 'replace_without_path' : 'unsupported_paths';
  const use = isSplit || others.length > 0 ? ({ form, skippedPaths: nameSkipped(others) } as const) : null;
  return { change: Object.assign({}, ...changes), use };
}

/** What `replace` of an attribute changes, by its name in lower case. */
const replaceable: Readonly<Record<string, (value: unknown) => UserChange>> = {
  active: (value) => ({ isActivated: readFlag(value, 'active') }),
  roles(value) {
    const role = readRole(value);
    if (role === undefined) throw invalidValue('roles must contain a role: every member has one.');
    return { role };
  },
};

function nameOf({ path }: PatchOperation): string {
  return attributeName(path ?? '', userUrn);
}

function isAccepted(operation: PatchOperation): boolean {
  return operation.op === 'replace' && Object.hasOwn(replaceable, nameOf(operation));
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
function isSkippable(operation: PatchOperation): boolean {
  return isOperation(operation.op) && operation.path !== null && nameOf(operation) !== 'active';
}

/** Attributes for the audit log, without the values in the filter of a path: `emails[type eq "work"]` is `emails`. */
function nameSkipped(operations: readonly PatchOperation[]): readonly string[] {
  const names = operations.map(({ path }) => (path ?? '').replace(/\[.*/s, '').slice(0, 100).toWellFormed());
  return [...new Set(names)].slice(0, 100);
}

/** A change of the members of a group. */
export interface GroupStep {
  readonly kind: 'add' | 'remove' | 'replace';
  readonly userIds: readonly string[];
}

/**
 * Reads the operations on a role group (spec.md "SCIM 2.0" rule 4). Operations that set the id or the name to its present
 * value have no effect: Okta and authentik send them.
 * @returns the steps, in order.
 * @throws {Problem} `invalidSyntax`, `invalidPath`, `invalidFilter`, `invalidValue`, `noTarget`, `mutability`.
 */
export function readGroupPatch(
  operations: readonly PatchOperation[],
  role: Role,
  map: GroupRoleMap,
): readonly GroupStep[] {
  return operations.flatMap(({ op, path, value }) => {
    if (!isOperation(op)) throw new Problem('invalidSyntax', 'op must be add, remove or replace.');
    const readAttribute = (name: string, given: unknown): readonly GroupStep[] => {
      if (name === 'members') return [readMembersStep(op, given)];
      if (name === 'id') requireSameGroup(given, undefined, role, map);
      else if (name === 'displayname') requireSameGroup(undefined, given ?? null, role, map);
      // Accepted but not stored.
      else if (!['externalid', 'schemas', 'meta'].includes(name)) throw refusedGroupPath(op, name);
      return [];
    };
    if (path === null) {
      if (op === 'remove') throw new Problem('noTarget', 'A remove needs a path, such as members[value eq "…"].');
      const attributes = [...readAttributes(value, `The value of a ${op} without path`, groupUrn)];
      return attributes.flatMap(([name, given]) => readAttribute(name, given));
    }
    const [, name = '', filter] = /^([^[\]]*)(?:\[(.*)\])?$/s.exec(attributeName(path, groupUrn)) ?? [];
    if (name === 'members' && filter !== undefined && op === 'remove') {
      // Read from the path as it was given: ids compare with case.
      const { value: id } = readFilter(path.slice(path.indexOf('[') + 1, -1), groupUrn, ['value']);
      // PostgreSQL fails to compare an id that it cannot store; no user has it.
      return [{ kind: op, userIds: findUnstorable(id) === null ? [id] : [] }];
    }
    if (filter !== undefined || (op === 'remove' && name !== 'members')) throw refusedGroupPath(op, path);
    return readAttribute(name, value);
  });
}

function isOperation(op: string): op is GroupStep['kind'] {
  return op === 'add' || op === 'remove' || op === 'replace';
}

function readMembersStep(kind: GroupStep['kind'], value: unknown): GroupStep {
  const userIds = value === undefined || value === null ? undefined : readMemberIds(value, 'members');
  // By RFC 7644 section 3.5.2.2 it would remove everyone; an omitted value must not remove access.
  if (kind === 'remove' && (userIds === undefined || userIds.length === 0))
    throw invalidValue('A remove of members needs their ids, in value or path; DELETE the group to remove everyone.');
  if (userIds === undefined)
    throw invalidValue(`A ${kind} of members needs a value: an array of objects with a value.`);
  return { kind, userIds };
}

function refusedGroupPath(op: string, path: string): Problem {
  return new Problem(
    'invalidPath',
    `A role group accepts only add, remove and replace of members, not ${op} of ${quote(path)}.`,
  );
}
