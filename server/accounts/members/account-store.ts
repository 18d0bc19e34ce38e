import type { Selectable } from 'kysely';
import type { Actor } from '../../http/principal.ts';
import { Problem } from '../../http/problem.ts';
import { accountRows, type RowKind, secondFactorRows } from '../../ledger/audit/rows.ts';
import { describeState, personal, type RowChange, recordChanges, type SourceOf } from '../../ledger/audit/store.ts';
import { newSalt } from '../../ledger/entry.ts';
import type { Transaction } from '../../storage/database.ts';
import type { Queries } from '../../storage/queries.ts';
import { findRow, insertRow, newId, updateRow, withSeal } from '../../storage/rows.ts';
import { BrokenSeal, requireHeld } from '../../storage/secrets.ts';
import type { Tables } from '../../storage/tables.ts';
import { findKeyCreator } from '../keys/api-key-store.ts';
import { endOneTimeTokens } from '../sign-in/one-time-token-store.ts';

export type AccountRow = Selectable<Tables['users']>;

/** @param email normalized. */
export function findAccount(queries: Queries, email: string): Promise<AccountRow | undefined> {
  return findRow(queries, 'users', { email });
}

/** As `findAccount`. @throws {BrokenSeal} if its seal does not hold: the operator must not take it for missing. */
export async function findIntactAccount(queries: Queries, email: string): Promise<AccountRow | undefined> {
  const row = await queries.selectFrom('users').selectAll().where('email', '=', email).executeTakeFirst();
  if (row !== undefined) requireHeld(queries, 'users', row);
  return row;
}

/**
 * A new account is recorded by the event of the membership that follows.
 * @throws {BrokenSeal} for an account whose seal does not hold.
 */
export async function findOrCreateAccount({ queries, now }: Transaction, email: string): Promise<AccountRow> {
  const id = newId();
  const row = withSeal(queries, 'users', { id, email, salt: newSalt(), created_at: now });
  const insert = queries.insertInto('users').values(row);
  const { numInsertedOrUpdatedRows } = await insert
    .onConflict((conflict) => conflict.column('email').doNothing())
    .executeTakeFirstOrThrow();
  if (numInsertedOrUpdatedRows === 1n)
    await insertRow(queries, 'second_factors', { user_id: id, state: 'disabled', updated_at: now });
  const account = await findAccount(queries, email);
  if (account === undefined) throw new BrokenSeal('users');
  return account;
}

/**
 * Requires that a caller does not replace their own credentials: with a session, or a key that it created, a thief of the
 * session could set a password without the current one.
 * @throws {Problem} `conflict`.
 */
export async function requireOtherUser(queries: Queries, actor: Actor, userId: string, message: string): Promise<void> {
  const isKey = actor.type === 'api_key' && actor.id !== null;
  const callerId = isKey ? await findKeyCreator(queries, actor.id) : actor.id;
  if (callerId === userId) throw new Problem('conflict', message);
}

/** Stores the hash of a new password, records the change, and ends the links that would set another. @returns the row. */
export async function updatePassword(tx: Transaction, sourceOf: SourceOf, id: string, hash: string, reason?: string) {
  const columns = { password_hash: hash, password_changed_at: tx.now };
  const row = await updateRow(tx.queries, 'users', { id }, columns);
  await endOneTimeTokens(tx.queries, 'password_reset', id);
  const change = { verb: 'password_changed', ...(reason !== undefined && { reason }) };
  await recordAccountChange(tx, sourceOf, accountRows, id, row, change);
  return row;
}

/** The states of the account and the second factor of a user, for the audit log of a tenant that they join. */
export async function describeAccountStates(queries: Queries, userId: string): Promise<RowChange['alsoStates']> {
  const account = await findRow(queries, 'users', { id: userId });
  const factor = await findRow(queries, 'second_factors', { user_id: userId });
  return {
    ...(account && describeState(accountRows, account)),
    ...(factor && describeState(secondFactorRows, factor)),
  };
}

/**
 * Records a change of a user's account or second factor in the audit log of every tenant whose invitation they accepted.
 * Other tenants that list them are left out: anyone can invite an e-mail address.
 * @returns the ids of the tenants.
 */
export async function recordAccountChange<Name extends 'users' | 'second_factors'>(
  tx: Transaction,
  sourceOf: SourceOf,
  kind: RowKind<Name>,
  userId: string,
  row: Selectable<Tables[Name]>,
  change: Omit<RowChange, 'targetRef'>,
): Promise<readonly string[]> {
  const memberships = await listAccepted(tx.queries, userId);
  const changes = memberships.map(({ tenant_id, user_name }) => {
    return { source: sourceOf(tenant_id), row, change: { ...change, targetRef: personal(user_name) } };
  });
  await recordChanges(tx, kind, changes);
  return memberships.map(({ tenant_id }) => tenant_id);
}

/** The memberships in whose tenants changes of an account are recorded. */
export function listAccepted(queries: Queries, userId: string) {
  return queries
    .selectFrom('memberships')
    .select(['tenant_id', 'user_name'])
    .where('user_id', '=', userId)
    .where('accepted_at', 'is not', null)
    .where('deleted_at', 'is', null)
    .orderBy('tenant_id')
    .execute();
}
