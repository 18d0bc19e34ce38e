import { addTime, dayMilliseconds, type Queries, type UnitOfWork } from '../storage/database.ts';
import { insertRow, newId, updateRow } from '../storage/rows.ts';
import type { MembershipRow } from './membership.ts';

const challengeMilliseconds = 5 * 60 * 1000;
/** The most codes that can be tried against one challenge. */
const mostAttempts = 5;

type Member = Pick<MembershipRow, 'tenant_id' | 'user_id'>;

/** Creates a challenge after a right password: the sign-in requires a code. */
export async function createChallenge(work: UnitOfWork, { tenant_id, user_id }: Member) {
  const id = newId();
  const expiresAt = addTime(work.now, challengeMilliseconds);
  const row = { id, tenant_id, user_id, attempts: 0, expires_at: expiresAt };
  await insertRow(work.transaction, 'sign_in_challenges', row);
  return { id, expiresAt };
}

/** Finds a challenge; undefined when it is unknown, expired or has no attempts left. */
export async function findChallenge(queries: Queries, id: string, now: string): Promise<Member | undefined> {
  return queries
    .selectFrom('sign_in_challenges')
    .select(['tenant_id', 'user_id'])
    .where('id', '=', id)
    .where('expires_at', '>', now)
    .where('attempts', '<', mostAttempts)
    .executeTakeFirst();
}

/** Counts an attempt against a challenge; false when concurrent requests took the last one. */
export async function countChallengeAttempt(queries: Queries, id: string): Promise<boolean> {
  const { numUpdatedRows } = await queries
    .updateTable('sign_in_challenges')
    .set((challenge) => ({ attempts: challenge('attempts', '+', 1) }))
    .where('id', '=', id)
    .where('attempts', '<', mostAttempts)
    .executeTakeFirstOrThrow();
  return numUpdatedRows === 1n;
}

/** Deletes a challenge that was answered; false when another request was faster. */
export async function consumeChallenge(work: UnitOfWork, id: string): Promise<boolean> {
  const { numDeletedRows } = await work.transaction
    .deleteFrom('sign_in_challenges')
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  return numDeletedRows === 1n;
}

/**
 * Counts an attempt of a subject as a failure, until `returnAttempt` takes it back.
 * @param waitAfter the wait after a number of failures, in milliseconds.
 * @param longestWait the most that `waitAfter` returns.
 * @returns until when the subject is blocked; null when the attempt was counted.
 */
export async function countAttempt(
  work: UnitOfWork,
  subject: string,
  waitAfter: (failures: number) => number,
  longestWait: number,
): Promise<string | null> {
  const longestBlock = addTime(work.now, longestWait);
  const counted = await work.transaction
    .insertInto('sign_in_failures')
    .values({ subject, failures: 1, last_failed_at: work.now, blocked_until: null })
    .onConflict((conflict) =>
      conflict
        .column('subject')
        .doUpdateSet((row) => ({
          failures: row('sign_in_failures.failures', '+', 1),
          last_failed_at: work.now,
          blocked_until: null,
        }))
        .where((row) =>
          row.or([
            row('sign_in_failures.blocked_until', 'is', null),
            row('sign_in_failures.blocked_until', '<=', work.now),
            // A wait that was set by a clock in the future must not last longer.
            row('sign_in_failures.blocked_until', '>', longestBlock),
          ]),
        ),
    )
    .returning('failures')
    .executeTakeFirst();
  if (counted === undefined) {
    const waiting = work.transaction.selectFrom('sign_in_failures').select('blocked_until');
    return (await waiting.where('subject', '=', subject).executeTakeFirstOrThrow()).blocked_until;
  }
  const wait = waitAfter(counted.failures);
  if (wait > 0)
    await updateRow(work.transaction, 'sign_in_failures', { subject }, { blocked_until: addTime(work.now, wait) });
  return null;
}

/** Takes back an attempt of a subject, and the wait that it started. */
export async function returnAttempt(work: UnitOfWork, subject: string): Promise<void> {
  await work.transaction
    .updateTable('sign_in_failures')
    .set((row) => ({ failures: row('failures', '-', 1), blocked_until: null }))
    .where('subject', '=', subject)
    .where('failures', '>', 0)
    .execute();
}

/** Rewrites the counter of a subject, for the time of a durable write. Two steps: SQLite skips a write without a change. */
export async function rewriteAttempts(work: UnitOfWork, subject: string): Promise<void> {
  for (const step of [1, -1])
    await work.transaction
      .updateTable('sign_in_failures')
      .set((row) => ({ failures: row('failures', '+', step) }))
      .where('subject', '=', subject)
      .execute();
}

/** Deletes the failures of a subject after a success. */
export async function clearFailures(work: UnitOfWork, subject: string): Promise<void> {
  await work.transaction.deleteFrom('sign_in_failures').where('subject', '=', subject).execute();
}

/** Deletes expired challenges, and the failures of a subject a day after the last one. */
export async function deleteExpiredSignIns(queries: Queries, now: string): Promise<void> {
  await queries.deleteFrom('sign_in_challenges').where('expires_at', '<=', now).execute();
  const before = addTime(now, -dayMilliseconds);
  await queries.deleteFrom('sign_in_failures').where('last_failed_at', '<=', before).execute();
}
