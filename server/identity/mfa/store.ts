import type { Selectable } from 'kysely';
import { z } from 'zod';
import { Id } from '../../http/schemas.ts';
import type { Queries, UnitOfWork } from '../../storage/database.ts';
import { findRow, insertRows } from '../../storage/rows.ts';
import type { Tables } from '../../storage/tables.ts';

/** The states are those of spec.md "User second factor"; a user who never enrolled has no row. */
export type SecondFactorRow = Omit<Selectable<Tables['second_factors']>, 'state'> & {
  readonly state: 'disabled' | 'pending' | 'enabled';
};

/** spec.md "MFA status". */
export const MfaStatus = z
  .strictObject({
    enabled: z.boolean().meta({ description: 'Whether sign-in requires a code; false while an enrolment is pending.' }),
    methods: z
      .array(z.enum(['totp', 'backup_code']).meta({ id: 'MfaMethod' }))
      .meta({ description: 'The kinds of codes that sign-in accepts.' }),
    backupCodesRemaining: z.int().min(0),
  })
  .meta({ id: 'MfaStatus' });

const MfaEventData = z.strictObject({ userId: Id, email: z.string() }).meta({ id: 'MfaEventData' });

/** The data of the webhook events about second factors. */
export const mfaEvents = { 'mfa.enabled': MfaEventData, 'mfa.disabled': MfaEventData };

/** Finds the second factor of a user; undefined for a user who never enrolled. */
export async function findSecondFactor(queries: Queries, userId: string): Promise<SecondFactorRow | undefined> {
  return (await findRow(queries, 'second_factors', { user_id: userId })) as SecondFactorRow | undefined;
}

/** Whether a sign-in of a user requires a code. */
export async function isSecondFactorEnabled(queries: Queries, userId: string): Promise<boolean> {
  return (await findSecondFactor(queries, userId))?.state === 'enabled';
}

/** Reads the status of a user's second factor; the backup codes of a pending enrolment do not count. */
export async function readStatus(queries: Queries, userId: string): Promise<z.output<typeof MfaStatus>> {
  if (!(await isSecondFactorEnabled(queries, userId))) return { enabled: false, methods: [], backupCodesRemaining: 0 };
  const codes = await queries.selectFrom('backup_codes').select('hash').where('user_id', '=', userId).execute();
  const methods: z.output<typeof MfaStatus>['methods'] = codes.length > 0 ? ['totp', 'backup_code'] : ['totp'];
  return { enabled: true, methods, backupCodesRemaining: codes.length };
}

/** Stores a sealed secret as a pending enrolment; undefined when the second factor is enabled. */
export async function savePendingFactor(
  work: UnitOfWork,
  userId: string,
  secret: string,
  salt: string,
): Promise<SecondFactorRow | undefined> {
  const pending = { state: 'pending', secret, codes_salt: salt, last_step: null, updated_at: work.now };
  const insert = work.transaction.insertInto('second_factors').values({ user_id: userId, ...pending });
  const row = await insert
    .onConflict((present) =>
      present.column('user_id').doUpdateSet(pending).where('second_factors.state', '!=', 'enabled'),
    )
    .returningAll()
    .executeTakeFirst();
  return row as SecondFactorRow | undefined;
}

/**
 * Updates the second factor of a user.
 * @param required the values that the row must have for the update.
 * @returns the updated row, for the event of the change; undefined when the row has other values.
 */
export async function updateFactor(
  work: UnitOfWork,
  userId: string,
  required: { readonly state: SecondFactorRow['state']; readonly secret?: string },
  columns: Partial<SecondFactorRow>,
): Promise<SecondFactorRow | undefined> {
  const row = await work.transaction
    .updateTable('second_factors')
    .set({ ...columns, updated_at: work.now })
    .where('user_id', '=', userId)
    .where((factor) => factor.and({ ...required }))
    .returningAll()
    .executeTakeFirst();
  return row as SecondFactorRow | undefined;
}

/** Replaces all backup codes of a user. */
export async function saveBackupCodes(work: UnitOfWork, userId: string, hashes: readonly string[]): Promise<void> {
  await work.transaction.deleteFrom('backup_codes').where('user_id', '=', userId).execute();
  const rows = hashes.map((hash) => ({ user_id: userId, hash }));
  await insertRows(work.transaction, 'backup_codes', rows);
}

/** Marks a TOTP step and all earlier ones as used; false when it was used before. */
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

/** Deletes a backup code that was used; false when it was used before. */
export async function consumeBackupCode(work: UnitOfWork, userId: string, hash: string): Promise<boolean> {
  const { numDeletedRows } = await work.transaction
    .deleteFrom('backup_codes')
    .where('user_id', '=', userId)
    .where('hash', '=', hash)
    .executeTakeFirstOrThrow();
  return numDeletedRows === 1n;
}
