import type { MembershipChange, MembershipRow } from '../accounts/members/membership.ts';
import type { AuditSource } from '../http/principal.ts';
import { personal, recordEvent } from '../ledger/audit/store.ts';
import type { Transaction } from '../storage/database.ts';
import { attributeName, isOperation, type PatchOperation, readAttributes } from './attribute.ts';

/** A use of `scimCompatibility: "extended"`: a request that the strict rules reject (contract.md "SCIM"). */
export interface ExtendedUse {
  readonly form: 'put' | 'replace_without_path' | 'unsupported_paths';
  /** The attributes that the request tried to change without effect. */
  readonly skippedPaths: readonly string[];
}

/**
 * Reads the operations on a user with `scimCompatibility: "extended"`: a `replace` without path sets the attributes of its
 * value, and unsupported operations are skipped if `active` is replaced too, so that a rejected title never prevents a
 * suspension.
 * @param isStrict returns true if the strict rules accept an operation.
 * @returns `accepted` the operations that the strict rules accept, then those that the request fails for; `use` null if
 *   the strict rules accept the request.
 */
export function readExtended(
  operations: readonly PatchOperation[],
  urn: string,
  isStrict: (operation: PatchOperation) => boolean,
): { readonly accepted: readonly PatchOperation[]; readonly use: ExtendedUse | null } {
  const isActive = ({ path }: PatchOperation) => attributeName(path ?? '', urn) === 'active';
  const single = operations.flatMap((operation) => splitValue(operation, urn));
  const { accepted = [], others = [] } = Object.groupBy(single, (one) => (isStrict(one) ? 'accepted' : 'others'));
  const skips = accepted.some(isActive);
  // Operations on `active` are never skipped: they may contradict its replacement.
  const refused = others.filter((one) => !skips || !isOperation(one.op) || one.path === null || isActive(one));
  const isSplit = operations.some(({ op, path }) => op === 'replace' && path === null);
  const form = isSplit ? 'replace_without_path' : 'unsupported_paths';
  const use = isSplit || others.length > 0 ? ({ form, skippedPaths: nameSkipped(others) } as const) : null;
  return { accepted: [...accepted, ...refused], use };
}

/** Splits a `replace` without path into one for each attribute of its value (RFC 7644 section 3.5.2.3). */
function splitValue(operation: PatchOperation, urn: string): readonly PatchOperation[] {
  if (operation.op !== 'replace' || operation.path !== null) return [operation];
  const attributes = [...readAttributes(operation.value, 'The value of a replace without path', urn)];
  return attributes
    .filter(([name]) => !['schemas', 'id', 'meta'].includes(name))
    .map(([path, value]) => ({ op: 'replace', path, value }));
}

/** Attributes for the audit log, without the values in the filter of a path: `emails[type eq "work"]` is `emails`. */
function nameSkipped(operations: readonly PatchOperation[]): readonly string[] {
  const names = operations.map(({ path }) => (path ?? '').replace(/\[.*/s, '').slice(0, 100).toWellFormed());
  return [...new Set(names)].slice(0, 100);
}

/**
 * Limits what a change does as part of a profile: providers send `active: true` with every change of one, so it reverts
 * `active: false`, but not a removal from a role group.
 */
export function limitExtended(change: MembershipChange, use: ExtendedUse, before: MembershipRow): MembershipChange {
  const isPartOfProfile = use.form === 'put' || use.skippedPaths.length > 0;
  if (!isPartOfProfile || change.isActivated === undefined) return change;
  return { ...change, isAssigned: before.unassigned_at === null };
}

/** Records in the audit log which parts of a request the strict rules would have rejected. */
export function recordUse(
  tx: Transaction,
  source: AuditSource,
  { user_id: targetId, user_name }: MembershipRow,
  use: ExtendedUse,
): Promise<void> {
  const [module, action] = ['identity', 'scim.extended_request'] as const;
  return recordEvent(tx, source, { module, action, targetId, targetRef: personal(user_name), diff: { ...use } });
}
