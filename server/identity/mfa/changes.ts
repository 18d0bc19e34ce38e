import { endSessions, type OpenSession, renewSession } from '../../access/session-store.ts';
import type { SourceOf } from '../../audit/source.ts';
import { Problem } from '../../http/problem.ts';
import type { Json } from '../../ledger/canonical.ts';
import type { SessionLifetime } from '../../settings.ts';
import type { UnitOfWork } from '../../storage/unit-of-work.ts';
import { emitEvents } from '../../webhooks/deliveries/outbox.ts';
import { lockAccount, recordAccountChange, secondFactorRows } from '../account-store.ts';
import type { StoredCodes } from './backup-code.ts';
import {
  findSecondFactor,
  type SecondFactorRow,
  saveBackupCodes,
  saveCodesSalt,
  saveDisabledFactor,
  saveEnabledFactor,
  savePendingFactor,
} from './store.ts';

/**
 * Stores a secret and backup codes that count once a code is verified. An enrolment that waits is replaced.
 * @param secret sealed.
 * @throws {Problem} `conflict` while the second factor is on, which then stays as it is.
 */
export async function startEnrolment(
  work: UnitOfWork,
  sourceOf: SourceOf,
  userId: string,
  { secret, codes }: { readonly secret: string; readonly codes: StoredCodes },
): Promise<void> {
  await lockAccount(work, userId);
  const row = await savePendingFactor(work, userId, secret, codes.salt);
  if (row === undefined) throw enabledAlready();
  await saveBackupCodes(work, userId, codes.hashes);
  await record(work, sourceOf, row, 'enrolment_started', { backupCodes: codes.hashes.length });
}

/**
 * Turns the second factor on that waits. Whoever signed in without a code must do so again with one: every session of the
 * person ends, in all tenants, and the present one goes on under another token (ASVS 7.2.4).
 * @param pending the row whose code was accepted.
 * @returns the session that goes on.
 * @throws {Problem} `conflict` when the enrolment does not wait any more.
 */
export async function enableSecondFactor(
  work: UnitOfWork,
  sourceOf: SourceOf,
  { user_id, secret }: SecondFactorRow,
  { step, sessionId, lifetime }: EnablingCode,
): Promise<OpenSession> {
  const { email } = await lockAccount(work, user_id);
  const row = await saveEnabledFactor(work, user_id, secret ?? '', step);
  if (row === undefined) throw nothingPending();
  const tenantIds = await record(work, sourceOf, row, 'enabled', { state: { before: 'pending', after: 'enabled' } });
  await emitEvents(
    work,
    tenantIds.map((tenantId) => ({ tenantId, type: 'mfa.enabled', data: { userId: user_id, email } })),
  );
  return renewSession(work, { userId: user_id, sessionId }, lifetime);
}

/** The code that proves that the authenticator of the person works, and the session that it came in. */
export interface EnablingCode {
  readonly step: number;
  readonly sessionId: string;
  readonly lifetime: SessionLifetime;
}

/** Puts another set of backup codes in the place of the present one. @throws {Problem} `conflict` where none is on. */
export async function replaceBackupCodes(
  work: UnitOfWork,
  sourceOf: SourceOf,
  userId: string,
  codes: StoredCodes,
): Promise<void> {
  await lockAccount(work, userId);
  const row = await saveCodesSalt(work, userId, codes.salt);
  if (row === undefined) throw disabledAlready();
  await saveBackupCodes(work, userId, codes.hashes);
  await record(work, sourceOf, row, 'backup_codes_replaced', { backupCodes: codes.hashes.length });
}

/**
 * Turns the second factor of a person off, or drops an enrolment that waits: secret and backup codes are forgotten, every
 * tenant of the person is told, and their sessions and half-finished sign-ins end.
 * @param verb `disabled` by the person, `reset` by somebody else.
 * @param keptSessionId the session that stays, of the person who asks.
 * @returns false when nothing was on or waited; nothing has changed then.
 */
export async function disableSecondFactor(
  work: UnitOfWork,
  sourceOf: SourceOf,
  userId: string,
  verb: 'disabled' | 'reset',
  reason?: string,
  keptSessionId?: string,
): Promise<boolean> {
  const { email } = await lockAccount(work, userId);
  const before = (await findSecondFactor(work.transaction, userId))?.state ?? 'disabled';
  if (before === 'disabled') return false;
  const row = await saveDisabledFactor(work, userId);
  await saveBackupCodes(work, userId, []);
  const diff = { state: { before, after: 'disabled' } };
  const tenantIds = await record(work, sourceOf, row, verb, diff, reason);
  if (before === 'enabled') {
    await emitEvents(
      work,
      tenantIds.map((tenantId) => ({ tenantId, type: 'mfa.disabled', data: { userId, email } })),
    );
  }
  await endSessions(work.transaction, {
    userIds: [userId],
    ...(keptSessionId !== undefined && { exceptSessionId: keptSessionId }),
  });
  return true;
}

export function enabledAlready(): Problem {
  return new Problem('conflict', 'The second factor is on already; disable it before you enrol anew.');
}

export function nothingPending(): Problem {
  return new Problem('conflict', 'No enrolment waits for a code; start one with POST /v1/me/mfa/totp/enroll.');
}

export function disabledAlready(): Problem {
  return new Problem('conflict', 'The second factor is not on.');
}

/** Tells every tenant of the person. @returns their ids. */
function record(
  work: UnitOfWork,
  sourceOf: SourceOf,
  row: SecondFactorRow,
  verb: string,
  diff: Readonly<Record<string, Json>>,
  reason?: string,
): Promise<readonly string[]> {
  const change = { verb, diff, ...(reason !== undefined && { reason }) };
  return recordAccountChange(work, sourceOf, secondFactorRows, row.user_id, row, change);
}
