import { Problem } from '../http/problem.ts';
import type { MembershipChange } from '../identity/membership.ts';
import { attributeName, invalidValue, quote, readFlag } from './message.ts';
import type { PatchOperation } from './patch.ts';
import { userUrn } from './user.ts';
import { readRole } from './user-body.ts';

/** What a PATCH may change of a member. */
export type UserChange = Pick<MembershipChange, 'isActivated' | 'role'>;

/**
 * Reads the operations on a user by the letter of spec.md "SCIM 2.0" rule 3: `replace` of `active` or `roles`. The last one
 * of an attribute counts.
 * @throws {Problem} `invalidPath` for any other operation or path, `invalidValue`.
 */
export function readUserPatch(operations: readonly PatchOperation[]): UserChange {
  const refused = operations.find((operation) => !isAccepted(operation));
  if (refused !== undefined) throw refusedPath(refused);
  return Object.fromEntries(operations.flatMap((operation) => Object.entries(readChange(operation))));
}

/** Whether an operation is one that rule 3 accepts. */
export function isAccepted(operation: PatchOperation): boolean {
  return operation.op === 'replace' && (isOn('active', operation) || isOn('roles', operation));
}

/** Whether an operation is on an attribute. */
export function isOn(attribute: 'active' | 'roles', { path }: PatchOperation): boolean {
  return path !== null && attributeName(path, userUrn) === attribute;
}

/** The 400 for an operation that is not accepted. */
export function refusedPath({ op, path }: PatchOperation): Problem {
  const given = `${op === '' ? 'an operation without op' : op.slice(0, 20)} ${path === null ? 'without path' : `of ${quote(path)}`}`;
  return new Problem('invalidPath', `A user takes replace of active or roles, not ${given}.`);
}

function readChange(operation: PatchOperation): UserChange {
  if (isOn('active', operation)) return { isActivated: readFlag(operation.value, 'active') };
  const role = readRole(operation.value);
  if (role === undefined) throw invalidValue('roles must name a role: a member always has one.');
  return { role };
}
