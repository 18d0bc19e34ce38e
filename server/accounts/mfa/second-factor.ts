import type { Selectable } from 'kysely';
import { Problem } from '../../http/problem.ts';
import { Id, namedObject } from '../../http/schemas.ts';
import { secondFactorRows } from '../../ledger/audit/rows.ts';
import type { RowChange, SourceOf } from '../../ledger/audit/store.ts';
import type { SessionLifetime } from '../../settings.ts';
import type { Transaction } from '../../storage/database.ts';
import type { Queries } from '../../storage/queries.ts';
import { findRow, updateRow } from '../../storage/rows.ts';
import { BrokenSeal } from '../../storage/secrets.ts';
import type { Tables } from '../../storage/tables.ts';
import { emitEvents } from '../../webhooks/deliveries/outbox.ts';
import { recordAccountChange } from '../members/account-store.ts';
import { EventEmail } from '../members/membership-store.ts';
import { endSessions, type OpenSession, type OwnSession, renewSession } from '../sign-in/session-store.ts';

/** The state is `disabled`, `pending` or `enabled` (spec.md "User second factor"). Every user has a row. */
export type SecondFactorRow = Selectable<Tables['second_factors']>;

const MfaEventData = namedObject('MfaEventData', { userId: Id, email: EventEmail });

export const mfaEvents = { 'mfa.enabled': MfaEventData, 'mfa.disabled': MfaEventData };

/** @throws {BrokenSeal} also if the row is missing: its removal must not turn the second factor off. */
export async function findSecondFactor(queries: Queries, userId: string): Promise<SecondFactorRow> {
  const row = await findRow(queries, 'second_factors', { user_id: userId });
  if (row === undefined) throw new BrokenSeal('second_factors');
  return row;
}

/** True if a sign-in of a user requires a code. */
export async function isSecondFactorEnabled(queries: Queries, userId: string): Promise<boolean> {
  return (await findSecondFactor(queries, userId)).state === 'enabled';
}

export interface StoredCodes {
  /** One salt for the whole set, so that a code can be looked up by its hash. */
  readonly salt: string;
  readonly hashes: readonly string[];
}

/** Replaces a pending enrolment. @throws {Problem} `conflict` while the second factor is enabled. */
export async function startEnrolment(
  tx: Transaction,
  sourceOf: SourceOf,
  userId: string,
  { secret, codes }: { readonly secret: string; readonly codes: StoredCodes },
): Promise<void> {
  await tx.lockAccount(userId);
  if (await isSecondFactorEnabled(tx.queries, userId)) throw conflict('enabled');
  const pending = { state: 'pending', secret, last_step: null, ...toCodeColumns(codes), updated_at: tx.now };
  const row = await updateRow(tx.queries, 'second_factors', { user_id: userId }, pending);
  await record(tx, sourceOf, row, { verb: 'enrolment_started', diff: { backupCodes: codes.hashes.length } });
}

/**
 * Enables a pending second factor. Every session of the user ends, in all tenants, because it was opened without a code;
 * the caller's is replaced by a new one (ASVS 7.2.4).
 * @param pending the row whose code was verified.
 * @throws {Problem} `conflict` when the enrolment is no longer pending, `unauthenticated` when the session has ended.
 */
export async function enableSecondFactor(
  tx: Transaction,
  sourceOf: SourceOf,
  { user_id: userId, secret }: SecondFactorRow,
  verified: { readonly step: number; readonly session: OwnSession['session']; readonly lifetime: SessionLifetime },
): Promise<OpenSession> {
  const { step, session, lifetime } = verified;
  const { email } = await tx.lockAccount(userId);
  // The secret too: another enrolment may have replaced this one.
  const required = { state: 'pending', secret: secret ?? '' };
  const row = await updateFactor(tx, userId, required, { state: 'enabled', last_step: step }, 'notPending');
  const diff = { state: { before: 'pending', after: 'enabled' } };
  await record(tx, sourceOf, row, { verb: 'enabled', diff }, { type: 'mfa.enabled', email });
  return renewSession(tx, { userId, session }, lifetime);
}

/** Replaces the backup codes of a user. @throws {Problem} `conflict` while the second factor is disabled. */
export async function replaceBackupCodes(
  tx: Transaction,
  sourceOf: SourceOf,
  userId: string,
  codes: StoredCodes,
): Promise<void> {
  await tx.lockAccount(userId);
  const row = await updateFactor(tx, userId, { state: 'enabled' }, toCodeColumns(codes), 'notEnabled');
  await record(tx, sourceOf, row, { verb: 'backup_codes_replaced', diff: { backupCodes: codes.hashes.length } });
}

/**
 * Disables the second factor of a user, or cancels a pending enrolment: deletes the secret and the backup codes, notifies
 * the tenants of the user, and ends the sessions and pending sign-ins.
 * @param verb `disabled` by the user, `reset` by an administrator or operator.
 * @param keptSessionId the session of the caller, which does not end.
 * @returns false when there was nothing to disable.
 */
export async function disableSecondFactor(
  tx: Transaction,
  sourceOf: SourceOf,
  userId: string,
  verb: 'disabled' | 'reset',
  reason?: string,
  keptSessionId?: string,
): Promise<boolean> {
  const { email } = await tx.lockAccount(userId);
  const { state: before } = await findSecondFactor(tx.queries, userId);
  if (before === 'disabled') return false;
  const cleared = { state: 'disabled', secret: null, codes_salt: null, codes: null, last_step: null };
  const row = await updateFactor(tx, userId, { state: before }, cleared, 'notEnabled');
  const diff = { state: { before, after: 'disabled' } };
  const change = { verb, diff, ...(reason !== undefined && { reason }) };
  await record(tx, sourceOf, row, change, before === 'enabled' ? { type: 'mfa.disabled', email } : undefined);
  const kept = keptSessionId !== undefined && { exceptSessionId: keptSessionId };
  await endSessions(tx.queries, { userIds: [userId], ...kept });
  return true;
}

/** Records a change in the audit logs of the user's tenants, and sends them an event. */
async function record(
  tx: Transaction,
  sourceOf: SourceOf,
  row: SecondFactorRow,
  change: Omit<RowChange, 'targetRef'>,
  event?: { readonly type: 'mfa.enabled' | 'mfa.disabled'; readonly email: string },
): Promise<void> {
  const { user_id: userId } = row;
  const tenantIds = await recordAccountChange(tx, sourceOf, secondFactorRows, userId, row, change);
  if (event === undefined) return;
  const { type, email } = event;
  const events = tenantIds.map((tenantId) => ({ tenantId, type, data: { userId, email } }));
  await emitEvents(tx, events);
}

/** Updates a second factor whose row has the required values. Call it with the account locked. @throws {Problem} `conflict` when it has others. */
async function updateFactor(
  tx: Transaction,
  userId: string,
  required: { readonly state: string; readonly secret?: string },
  columns: Partial<SecondFactorRow>,
  otherwise: keyof typeof conflicts,
): Promise<SecondFactorRow> {
  const factor = await findSecondFactor(tx.queries, userId);
  const isAsRequired = factor.state === required.state && factor.secret === (required.secret ?? factor.secret);
  if (!isAsRequired) throw conflict(otherwise);
  return updateRow(tx.queries, 'second_factors', { user_id: userId }, { ...columns, updated_at: tx.now });
}

function toCodeColumns({ salt, hashes }: StoredCodes) {
  return { codes_salt: salt, codes: hashes.join(' ') };
}

/** The hashes of the unused backup codes. */
export function backupCodesOf({ codes }: SecondFactorRow): readonly string[] {
  return codes?.split(' ') ?? [];
}

/** Marks a backup code as used. Call it with the account locked. @returns false if it was used in the meantime. */
export async function useBackupCode(
  tx: Transaction,
  sourceOf: SourceOf,
  userId: string,
  hash: string,
): Promise<boolean> {
  const factor = await findSecondFactor(tx.queries, userId);
  const unused = backupCodesOf(factor);
  const left = unused.filter((one) => one !== hash);
  if (factor.state !== 'enabled' || left.length === unused.length) return false;
  const codes = left.length === 0 ? null : left.join(' ');
  const row = await updateFactor(tx, userId, { state: 'enabled' }, { codes }, 'notEnabled');
  await record(tx, sourceOf, row, { verb: 'backup_code_used', diff: { backupCodes: left.length } });
  return true;
}

const conflicts = {
  enabled: 'The second factor is enabled; disable it before you enroll again.',
  notPending: 'No enrolment is pending; start one with POST /v1/me/mfa/totp/enroll.',
  notEnabled: 'The second factor is not enabled.',
};

/** Why the state of the second factor does not allow a change. */
export function conflict(why: keyof typeof conflicts): Problem {
  return new Problem('conflict', conflicts[why]);
}
