import type { Selectable } from 'kysely';
import { hashRow, type RowChange, type RowKind, recordChanges } from '../audit/row-state.ts';
import type { SourceOf } from '../audit/source.ts';
import { locksRows, type Queries } from '../storage/database.ts';
import { newId } from '../storage/ids.ts';
import type { Tables } from '../storage/tables.ts';
import type { UnitOfWork } from '../storage/unit-of-work.ts';

/** A person, whatever tenants they belong to. */
export const accountRows: RowKind<'users'> = {
  table: 'users',
  module: 'identity',
  noun: 'account',
  key: 'id',
  owner: 'members',
  counters: [],
};

/** The second factor of a person. */
export const secondFactorRows: RowKind<'second_factors'> = {
  table: 'second_factors',
  module: 'mfa',
  noun: 'mfa',
  key: 'user_id',
  owner: 'members',
  counters: ['last_step'],
};

export type AccountRow = Selectable<Tables['users']>;

/** Finds a person by the normalized e-mail address. */
export async function findAccount(queries: Queries, email: string): Promise<AccountRow | undefined> {
  return queries.selectFrom('users').selectAll().where('email', '=', email).executeTakeFirst();
}

/** Finds a person by id. */
export async function findAccountById(queries: Queries, id: string): Promise<AccountRow | undefined> {
  return queries.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Finds the person of an e-mail address, or makes them known. What tells of it is the membership that follows. */
export async function findOrCreateAccount(work: UnitOfWork, email: string): Promise<AccountRow> {
  const row = { id: newId(), email, password_hash: null, password_changed_at: null, created_at: work.now };
  await work.transaction
    .insertInto('users')
    .values(row)
    .onConflict((conflict) => conflict.column('email').doNothing())
    .execute();
  return work.transaction.selectFrom('users').selectAll().where('email', '=', email).executeTakeFirstOrThrow();
}

/** Stores a hash of a person's password. @returns the row as it is now, for the event of the change. */
export async function updatePassword(work: UnitOfWork, id: string, hash: string): Promise<AccountRow> {
  return work.transaction
    .updateTable('users')
    .set({ password_hash: hash, password_changed_at: work.now })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Stores another hash of the same password; undefined when the password was changed since the account was read. */
export async function storeHash(
  work: UnitOfWork,
  { id, password_hash }: AccountRow,
  hash: string,
): Promise<AccountRow | undefined> {
  return work.transaction
    .updateTable('users')
    .set({ password_hash: hash })
    .where('id', '=', id)
    .where('password_hash', '=', password_hash)
    .returningAll()
    .executeTakeFirst();
}

/** Reads a person and keeps others from changing the account until the unit of work ends. */
export async function lockAccount(work: UnitOfWork, id: string): Promise<AccountRow> {
  const query = work.transaction.selectFrom('users').selectAll().where('id', '=', id);
  // The key stays, so that rows that refer to the person need not wait.
  return (locksRows(work.transaction) ? query.forNoKeyUpdate() : query).executeTakeFirstOrThrow();
}

/** Which of these persons have a second factor on. */
export async function listSecondFactorHolders(
  queries: Queries,
  userIds: readonly string[],
): Promise<ReadonlySet<string>> {
  if (userIds.length === 0) return new Set();
  const rows = await queries
    .selectFrom('second_factors')
    .select('user_id')
    .where('user_id', 'in', userIds)
    .where('state', '=', 'enabled')
    .execute();
  return new Set(rows.map((row) => row.user_id));
}

/** Hashes of what is kept of a person beside their memberships, for a tenant that they come to. */
export async function hashAccountStates(queries: Queries, userId: string): Promise<Readonly<Record<string, string>>> {
  const account = await findAccountById(queries, userId);
  const factor = await queries
    .selectFrom('second_factors')
    .selectAll()
    .where('user_id', '=', userId)
    .executeTakeFirst();
  return {
    ...(account && { [accountRows.noun]: hashRow(accountRows, account) }),
    ...(factor && { [secondFactorRows.noun]: hashRow(secondFactorRows, factor) }),
  };
}

/**
 * Tells every tenant that a person took an invitation of about a change to a row of theirs. Others that list them learn
 * nothing: anybody can name an e-mail address.
 * @returns the tenants that were told.
 */
export async function recordAccountChange<Name extends 'users' | 'second_factors'>(
  work: UnitOfWork,
  sourceOf: SourceOf,
  kind: RowKind<Name>,
  userId: string,
  row: Selectable<Tables[Name]>,
  change: Omit<RowChange, 'targetRef'>,
): Promise<readonly string[]> {
  const memberships = await work.transaction
    .selectFrom('memberships')
    .select(['tenant_id', 'user_name'])
    .where('user_id', '=', userId)
    .where('accepted_at', 'is not', null)
    .where('deleted_at', 'is', null)
    .orderBy('tenant_id')
    .execute();
  const changes = memberships.map(({ tenant_id, user_name }) => ({
    source: sourceOf(tenant_id),
    row,
    change: { ...change, targetRef: user_name },
  }));
  await recordChanges(work, kind, changes);
  return memberships.map(({ tenant_id }) => tenant_id);
}
