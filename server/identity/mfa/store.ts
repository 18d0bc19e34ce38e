import type { Selectable } from 'kysely';
import type { Queries } from '../../storage/database.ts';
import { insertRows } from '../../storage/insert-rows.ts';
import type { Tables } from '../../storage/tables.ts';
import type { UnitOfWork } from '../../storage/unit-of-work.ts';
import type { StoredCodes } from './backup-code.ts';
import { describeStatus, type FactorState, type MfaStatus } from './second-factor.ts';

export type SecondFactorRow = Omit<Selectable<Tables['second_factors']>, 'state'> & { readonly state: FactorState };

/** Finds the second factor of a person; undefined for one who never enrolled. */
export async function findSecondFactor(queries: Queries, userId: string): Promise<SecondFactorRow | undefined> {
  const row = await queries.selectFrom('second_factors').selectAll().where('user_id', '=', userId).executeTakeFirst();
  return row as SecondFactorRow | undefined;
}

/** Whether a sign-in of a person needs a code. */
export async function isSecondFactorEnabled(queries: Queries, userId: string): Promise<boolean> {
  return (await findSecondFactor(queries, userId))?.state === 'enabled';
}

/** Reads the status of a person's second factor. */
export async function readStatus(queries: Queries, userId: string): Promise<MfaStatus> {
  const factor = await findSecondFactor(queries, userId);
  const { codes } = await queries
    .selectFrom('backup_codes')
    .select((code) => code.fn.countAll<number | string>().as('codes'))
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow();
  return describeStatus(factor?.state ?? 'disabled', Number(codes));
}

/** Stores a secret that waits for its first code; undefined where a second factor is on. */
export async function savePendingFactor(
  work: UnitOfWork,
  userId: string,
  secret: string,
  salt: string,
): Promise<SecondFactorRow | undefined> {
  const pending = { state: 'pending', secret, codes_salt: salt, last_step: null, updated_at: work.now };
  const row = await work.transaction
    .insertInto('second_factors')
    .values({ user_id: userId, ...pending })
    .onConflict((conflict) =>
      conflict.column('user_id').doUpdateSet(pending).where('second_factors.state', '!=', 'enabled'),
    )
    .returningAll()
    .executeTakeFirst();
  return row as SecondFactorRow | undefined;
}

/**
 * Turns the second factor on that waits.
 * @param secret the very one, sealed, whose code was accepted: another enrolment may have taken its place since.
 * @returns undefined where it does not wait any more.
 */
export async function saveEnabledFactor(
  work: UnitOfWork,
  userId: string,
  secret: string,
  step: number,
): Promise<SecondFactorRow | undefined> {
  const row = await work.transaction
    .updateTable('second_factors')
    .set({ state: 'enabled', last_step: step, updated_at: work.now })
    .where('user_id', '=', userId)
    .where('state', '=', 'pending')
    .where('secret', '=', secret)
    .returningAll()
    .executeTakeFirst();
  return row as SecondFactorRow | undefined;
}

/** Turns a second factor off and forgets all of it but the row. */
export async function saveDisabledFactor(work: UnitOfWork, userId: string): Promise<SecondFactorRow> {
  const row = await work.transaction
    .updateTable('second_factors')
    .set({ state: 'disabled', secret: null, codes_salt: null, last_step: null, updated_at: work.now })
    .where('user_id', '=', userId)
    .returningAll()
    .executeTakeFirstOrThrow();
  return row as SecondFactorRow;
}

/** Notes the salt of another set of backup codes; undefined where no second factor is on. */
export async function saveCodesSalt(
  work: UnitOfWork,
  userId: string,
  salt: string,
): Promise<SecondFactorRow | undefined> {
  const row = await work.transaction
    .updateTable('second_factors')
    .set({ codes_salt: salt, updated_at: work.now })
    .where('user_id', '=', userId)
    .where('state', '=', 'enabled')
    .returningAll()
    .executeTakeFirst();
  return row as SecondFactorRow | undefined;
}

/** Puts these backup codes in the place of all earlier ones. */
export async function saveBackupCodes(work: UnitOfWork, userId: string, hashes: StoredCodes['hashes']): Promise<void> {
  await work.transaction.deleteFrom('backup_codes').where('user_id', '=', userId).execute();
  const rows = hashes.map((hash) => ({ user_id: userId, hash }));
  await insertRows(work.transaction, 'backup_codes', rows);
}

/** Whether a person has a backup code that was not used yet. */
export async function hasBackupCode(queries: Queries, userId: string, hash: string): Promise<boolean> {
  const row = await queries
    .selectFrom('backup_codes')
    .select('hash')
    .where('user_id', '=', userId)
    .where('hash', '=', hash)
    .executeTakeFirst();
  return row !== undefined;
}

/** Uses a step of the clock and all before it up; false when that has happened. */
export async function consumeStep(work: UnitOfWork, userId: string, step: number): Promise<boolean> {
  const { numUpdatedRows } = await work.transaction
    .updateTable('second_factors')
    .set({ last_step: step })
    .where('user_id', '=', userId)
    .where('state', '=', 'enabled')
    .where((factor) => factor.or([factor('last_step', 'is', null), factor('last_step', '<', step)]))
    .executeTakeFirstOrThrow();
  return numUpdatedRows === 1n;
}

/** Uses a backup code up; false when that has happened. */
export async function consumeBackupCode(work: UnitOfWork, userId: string, hash: string): Promise<boolean> {
  const { numDeletedRows } = await work.transaction
    .deleteFrom('backup_codes')
    .where('user_id', '=', userId)
    .where('hash', '=', hash)
    .executeTakeFirstOrThrow();
  return numDeletedRows === 1n;
}
