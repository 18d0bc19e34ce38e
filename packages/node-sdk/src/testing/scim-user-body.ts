import type { Role } from '../types/api.ts';
import { normalizeEmail } from './conditions.ts';
import type { Member, MemberChange, NewMember } from './members.ts';
import { isRole, roleIds } from './roles.ts';
import {
  type Attributes,
  attributeName,
  type PatchOperation,
  quote,
  readAttributes,
  readFlag,
  readMessage,
  refuse,
  userUrn,
} from './scim-message.ts';

const longestName = 256;
const longestExternalId = 512;
/** What says who is meant, and asks for nothing. */
const identifying: readonly string[] = ['schemas', 'id', 'meta'];

/** Reads who is to become a member. */
export function readNewUser(body: unknown, defaultRole: Role): NewMember {
  const user = readMessage(body, userUrn);
  return {
    ...readUserName(user),
    ...readProfile(user),
    role: readRole(user.get('roles')) ?? defaultRole,
    isActivated: readActive(user) ?? true,
    isAccepted: false,
  };
}

/** Reads what a PUT makes of a member; what it leaves out stays. */
export function readReplacement(body: unknown, member: Member): MemberChange {
  const user = readMessage(body, userUrn);
  if (readUserName(user).email !== normalizeEmail(member.userName))
    throw refuse('mutability', 'userName names the person and cannot be changed; delete the user and add another.');
  const [role, isActivated] = [readRole(user.get('roles')), readActive(user)];
  return {
    ...readProfile(user),
    ...(role !== undefined && { role }),
    ...(isActivated !== undefined && { isActivated }),
  };
}

/** What a PATCH changes, and what of it the letter of the interface refuses; null for nothing. */
export interface ReadPatch {
  readonly change: Pick<MemberChange, 'isActivated' | 'role'>;
  readonly use: { readonly form: string; readonly skippedPaths: readonly string[] } | null;
}

/** Reads the operations on a user: `replace` of `active` or `roles`. */
export function readUserPatch(operations: readonly PatchOperation[]): ReadPatch['change'] {
  const refused = operations.find((operation) => !isAccepted(operation));
  if (refused !== undefined) throw refusedPath(refused);
  return Object.fromEntries(operations.flatMap((operation) => Object.entries(readChange(operation))));
}

/** The same with the setting `extended`, which takes more. */
export function readExtendedPatch(operations: readonly PatchOperation[]): ReadPatch {
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
  const names = others.map(({ path }) => (path ?? '').replace(/\[.*/s, '').slice(0, 100).toWellFormed());
  const form = isSplit ? 'replace_without_path' : 'unsupported_paths';
  return { change, use: { form, skippedPaths: [...new Set(names)].slice(0, 100) } };
}

/** A `replace` without path is one of each attribute of its value. */
function splitValue(operation: PatchOperation): readonly PatchOperation[] {
  if (operation.op !== 'replace' || operation.path !== null) return [operation];
  const attributes = [...readAttributes(operation.value, 'The value of a replace without path', userUrn)];
  return attributes
    .filter(([name]) => !identifying.includes(name))
    .map(([path, value]) => ({ op: 'replace', path, value }));
}

const isSkippable = (operation: PatchOperation): boolean =>
  ['add', 'remove', 'replace'].includes(operation.op) && operation.path !== null && !isOn('active', operation);

const isOn = (attribute: 'active' | 'roles', { path }: PatchOperation): boolean =>
  path !== null && attributeName(path, userUrn) === attribute;

const isAccepted = (operation: PatchOperation): boolean =>
  operation.op === 'replace' && (isOn('active', operation) || isOn('roles', operation));

function refusedPath({ op, path }: PatchOperation) {
  const what = op === '' ? 'an operation without op' : op.slice(0, 20);
  const given = `${what} ${path === null ? 'without path' : `of ${quote(path)}`}`;
  return refuse('invalidPath', `A user takes replace of active or roles, not ${given}.`);
}

function readChange(operation: PatchOperation): ReadPatch['change'] {
  if (isOn('active', operation)) return { isActivated: readFlag(operation.value, 'active') };
  const role = readRole(operation.value);
  if (role === undefined) throw refuse('invalidValue', 'roles must name a role: a member always has one.');
  return { role };
}

/** Reads the one role that a person is to have: the primary one, or the only one. */
function readRole(value: unknown): Role | undefined {
  if (value === undefined || value === null) return undefined;
  if (!Array.isArray(value)) throw refuse('invalidValue', 'roles must be an array of objects with a value.');
  const named = value.map((item, index) => readNamedRole(item, `roles[${index}]`));
  const primary = new Set(named.filter(({ isPrimary }) => isPrimary).map(({ role }) => role));
  const [role, ...others] = primary.size > 0 ? primary : new Set(named.map((one) => one.role));
  if (others.length > 0) throw refuse('invalidValue', 'A person has one role: mark one as primary, and only one.');
  return role;
}

function readNamedRole(item: unknown, where: string): { readonly role: Role; readonly isPrimary: boolean } {
  const named = readAttributes(item, where, userUrn);
  const role = named.get('value');
  if (typeof role !== 'string' || !isRole(role)) {
    const given = typeof role === 'string' ? `, not ${quote(role)}` : '';
    throw refuse('invalidValue', `${where}.value must be one of ${roleIds.join(', ')}${given}.`);
  }
  return { role, isPrimary: readFlag(named.get('primary') ?? false, `${where}.primary`) };
}

function readUserName(user: Attributes): { readonly userName: string; readonly email: string } {
  const userName = user.get('username');
  const email = typeof userName === 'string' ? normalizeEmail(userName) : null;
  if (typeof userName !== 'string' || email === null)
    throw refuse('invalidValue', 'userName must be an e-mail address, such as name@example.com.');
  return { userName, email };
}

/** Null clears an attribute; a name is given whole. */
function readProfile(user: Attributes): MemberChange {
  const name = user.get('name');
  const externalId = readText(user.get('externalid'), 'externalId', longestExternalId);
  return { ...(name !== undefined && readName(name)), ...(externalId !== undefined && { externalId }) };
}

function readName(value: unknown): MemberChange {
  const name: Attributes = value === null ? new Map() : readAttributes(value, 'name', userUrn);
  return {
    givenName: readText(name.get('givenname'), 'name.givenName', longestName) ?? null,
    familyName: readText(name.get('familyname'), 'name.familyName', longestName) ?? null,
  };
}

function readText(value: unknown, where: string, longest: number): string | null | undefined {
  if (value === undefined || value === null) return value;
  if (typeof value === 'string' && value.length <= longest) return value;
  throw refuse('invalidValue', `${where} must be a text of at most ${longest} characters.`);
}

function readActive(user: Attributes): boolean | undefined {
  const active = user.get('active') ?? undefined;
  return active === undefined ? undefined : readFlag(active, 'active');
}
