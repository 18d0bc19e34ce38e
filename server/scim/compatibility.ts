import type { AuditSource } from '../audit/source.ts';
import { recordEvent } from '../audit/store.ts';
import type { Membership } from '../identity/membership.ts';
import type { UnitOfWork } from '../storage/unit-of-work.ts';
import { readAttributes } from './message.ts';
import type { PatchOperation } from './patch.ts';
import { userUrn } from './user.ts';
import { isAccepted, isOn, readUserPatch, refusedPath, type UserChange } from './user-patch.ts';

/** What a request used that the letter of spec.md refuses (contract.md "SCIM", `scimCompatibility`). */
export interface ExtendedUse {
  readonly form: 'put' | 'replace_without_path' | 'unsupported_paths';
  /** The attributes that were asked to change and did not. */
  readonly skippedPaths: readonly string[];
}

/** What says who is meant, and asks for nothing. */
const identifying: readonly string[] = ['schemas', 'id', 'meta'];
const operationNames: readonly string[] = ['add', 'remove', 'replace'];

/**
 * Reads the operations on a user as the setting `extended` allows: a `replace` without path sets the attributes of its value,
 * and what is not supported is skipped where `active` is replaced too, so that nobody stays active because of a title. Where
 * something is skipped, `active` came along with a profile.
 * @throws {Problem} `invalidPath`, `invalidValue`.
 */
export function readExtendedPatch(operations: readonly PatchOperation[]): {
  readonly change: UserChange;
  readonly use: ExtendedUse | null;
} {
  const single = operations.flatMap(splitValue);
  const accepted = single.filter(isAccepted);
  const others = single.filter((operation) => !isAccepted(operation));
  const setsActive = accepted.some((operation) => isOn('active', operation));
  const refused = others.find((operation) => !setsActive || !isSkippable(operation));
  if (refused !== undefined) throw refusedPath(refused);
  if (accepted.length === 0) throw refusedPath(operations[0] as PatchOperation);
  const change = readUserPatch(accepted);
  const isSplit = operations.some(({ op, path }) => op === 'replace' && path === null);
  if (!isSplit && others.length === 0) return { change, use: null };
  const form = isSplit ? 'replace_without_path' : 'unsupported_paths';
  return { change, use: { form, skippedPaths: nameSkipped(others) } };
}

/** Tells the audit log that a request was taken which the letter refuses. */
export async function recordExtendedUse(
  work: UnitOfWork,
  source: AuditSource,
  { userId, userName }: Membership,
  { form, skippedPaths }: ExtendedUse,
): Promise<void> {
  await recordEvent(work, source, {
    module: 'identity',
    action: 'scim.extended_request',
    targetId: userId,
    targetRef: userName,
    diff: { form, skippedPaths },
  });
}

/** A `replace` without path is one of each attribute of its value (RFC 7644 section 3.5.2.3). */
function splitValue(operation: PatchOperation): readonly PatchOperation[] {
  if (operation.op !== 'replace' || operation.path !== null) return [operation];
  const attributes = [...readAttributes(operation.value, 'The value of a replace without path', userUrn)];
  return attributes
    .filter(([name]) => !identifying.includes(name))
    .map(([path, value]) => ({ op: 'replace', path, value }));
}

/** What may contradict the replacement of `active` is not skipped. */
function isSkippable(operation: PatchOperation): boolean {
  return operationNames.includes(operation.op) && operation.path !== null && !isOn('active', operation);
}

/** Names attributes without the values that a filter in a path holds: `emails[type eq "work"]` is `emails`. */
function nameSkipped(operations: readonly PatchOperation[]): readonly string[] {
  const names = operations.map(({ path }) => (path ?? '').replace(/\[.*/s, '').slice(0, 100).toWellFormed());
  return [...new Set(names)].slice(0, 100);
}
