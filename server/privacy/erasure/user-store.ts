import type { Selectable } from 'kysely';
import { displayName, type MembershipRow, memberStatus, readAnyMembership } from '../../accounts/members/membership.ts';
import { requireAdminLeft } from '../../accounts/members/membership-store.ts';
import { endSessions } from '../../accounts/sign-in/session-store.ts';
import { changeAnswers } from '../../http/idempotency.ts';
import type { AuditSource } from '../../http/principal.ts';
import type { CountWork } from '../../installation/feature.ts';
import { invitationRows, membershipRows } from '../../ledger/audit/rows.ts';
import { describeState, recordErasure, recordRemoval, systemSource } from '../../ledger/audit/store.ts';
import type { Erased } from '../../ledger/erasure-log.ts';
import { noteErased } from '../../ledger/erasure-store.ts';
import { countEvents, type OpeningName } from '../../ledger/erasures.ts';
import { clearOpenings, clearOpeningsAbout } from '../../ledger/opening-store.ts';
import { type Database, runTransaction, type Transaction } from '../../storage/database.ts';
import { noteErasure } from '../../storage/erased-remains.ts';
import type { Queries } from '../../storage/queries.ts';
import { findRow, insertRow, newId, updateRow } from '../../storage/rows.ts';
import type { SecretBox } from '../../storage/secrets.ts';
import type { Tables } from '../../storage/tables.ts';
import { emitEvents } from '../../webhooks/deliveries/outbox.ts';
import { requireNameless, restoredReason } from './erase.ts';
import { hasErased } from './erasure.ts';
import { selectEvents, stepRows, writeErased } from './store.ts';
import { erasePerson, type UserErasure } from './user-erasure.ts';

type Job = Selectable<Tables['user_erasures']>;

/**
 * Erases the data of a person in a tenant: the membership with its sessions and invitations, and the openings of the
 * audit log, webhook events and stored answers that name them, up to 1,000 of each in this transaction, the rest in
 * the background. The account is deleted with the last membership: other tenants keep theirs.
 * Call it with the account, if there is one, and the tenant locked.
 * @param person.member present or former; null for an address that was only invited.
 * @param person.email normalized.
 * @param isAgain true if they were erased before, and an older backup restored them: then the last administrator is
 *   erased, too.
 * @throws {Problem} `conflict` for the last administrator who can sign in; `validation_failed` for a reason that names the
 *   person.
 */
export async function eraseUser(
  tx: Transaction,
  box: SecretBox,
  source: AuditSource,
  { member, email }: { readonly member: MembershipRow | null; readonly email: string },
  reason: string,
  isAgain = false,
): Promise<UserErasure> {
  const { queries, now } = tx;
  const { tenantId } = source;
  if (!isAgain) requireNameless(reason, member === null ? [email] : [email, member.user_name, displayName(member)]);
  if (member !== null && !isAgain) await requireAdminLeft(queries, member);
  const userId = member?.user_id ?? null;
  const names = new Set(member === null ? [email] : [email, member.user_name]);
  let sessions = 0;
  if (member !== null) {
    sessions = await endSessions(queries, { userIds: [member.user_id], tenantId });
    for (const table of ['one_time_tokens', 'memberships'] as const)
      await queries.deleteFrom(table).where('user_id', '=', member.user_id).where('tenant_id', '=', tenantId).execute();
    await deleteAccount(queries, member.user_id);
  }
  const invitations = await deleteInvitations(tx, source, email);
  await noteErased(tx, tenantId, { kind: 'user', userId, invitations });
  const job: Job = {
    id: newId(),
    tenant_id: tenantId,
    user_id: userId,
    names: JSON.stringify([...names]),
    position: null,
    created_at: now,
  };
  const step = await eraseStep(tx, box, job);
  const counts = { sessions, invitations: invitations.length, ...step.counts };
  const states = member === null ? {} : { states: describeState(membershipRows, null) };
  await record(tx, source, userId, { ...step, counts }, reason, states);
  // Its receivers learn the rest from the id.
  if (member !== null && member.deleted_at === null) {
    const data = { userId: member.user_id, email: null, role: member.role, status: 'deleted' };
    const change = { before: { status: memberStatus(member) }, after: { status: 'deleted' } };
    await emitEvents(tx, [{ tenantId, type: 'user.deprovisioned', data: { ...data, ...change } }]);
  }
  if (!step.isDone) await insertRow(queries, 'user_erasures', { ...job, position: step.position });
  return { erasureId: job.id, status: step.isDone ? 'done' : 'running', counts };
}

/** Continues the oldest erasure of a person that is not done. @returns true if there may be more. */
export async function continueUserErasure(
  database: Database,
  box: SecretBox,
  now: string,
  count?: CountWork,
): Promise<boolean> {
  const next = await database.kysely.selectFrom('user_erasures').selectAll().orderBy('id').limit(1).executeTakeFirst();
  if (next === undefined) return false;
  await runTransaction(database, now, async (tx) => {
    const { queries } = tx;
    await tx.lockTenant(next.tenant_id);
    // Under the lock: another server may have continued it.
    const match = { tenant_id: next.tenant_id, id: next.id };
    const job = await findRow(queries, 'user_erasures', match);
    if (job === undefined) return;
    const step = await eraseStep(tx, box, job);
    if (hasErased(step.counts))
      await record(tx, systemSource(job.tenant_id), job.user_id, step, 'The rest of an erasure');
    if (!step.isDone) return updateRow(queries, 'user_erasures', match, { position: step.position });
    await queries
      .deleteFrom('user_erasures')
      .where((row) => row.and(match))
      .execute();
    // The job itself named the person.
    await noteErasure(tx);
  });
  count?.({ userErasureSteps: 1 });
  return true;
}

/**
 * Erases in a restored database a person who was erased before, if the backup has them.
 * @returns the erasure so far; null if they are not there.
 */
export async function eraseUserAgain(
  tx: Transaction,
  box: SecretBox,
  tenantId: string,
  { userId, invitations }: Extract<Erased, { kind: 'user' }>,
): Promise<UserErasure | null> {
  const { queries } = tx;
  const member = userId === null ? undefined : await readAnyMembership(queries, tenantId, userId);
  const account = member && (await tx.lockAccount(member.user_id));
  await tx.lockTenant(tenantId);
  let email = account?.email;
  for (const id of email === undefined ? invitations : [])
    email ??= (await findRow(queries, 'invitations', { tenant_id: tenantId, id }))?.email;
  if (email === undefined) return null;
  const person = { member: member ?? null, email };
  return eraseUser(tx, box, systemSource(tenantId), person, restoredReason, true);
}

/** The tenants that have an e-mail address: as that of a member, present or former, or in an invitation. */
export async function listTenantsWith(queries: Queries, email: string): Promise<readonly string[]> {
  const members = queries
    .selectFrom('memberships')
    .select('tenant_id')
    .where('user_id', 'in', (row) => row.selectFrom('users').select('id').where('email', '=', email));
  const invited = queries.selectFrom('invitations').select('tenant_id').where('email', '=', email);
  const rows = await members.union(invited).execute();
  return rows.map(({ tenant_id }) => tenant_id).sort();
}

/** Deletes the account of a user of whom no tenant has a membership. */
async function deleteAccount(queries: Queries, userId: string): Promise<void> {
  const left = await queries.selectFrom('memberships').select('tenant_id').where('user_id', '=', userId).execute();
  if (left.length > 0) return;
  await endSessions(queries, { userIds: [userId] });
  for (const table of ['one_time_tokens', 'second_factors'] as const)
    await queries.deleteFrom(table).where('user_id', '=', userId).execute();
  await queries.deleteFrom('users').where('id', '=', userId).execute();
}

/** Deletes every invitation of an address to the tenant of the source. @returns their ids. */
async function deleteInvitations(tx: Transaction, source: AuditSource, email: string): Promise<readonly string[]> {
  const rows = await tx.queries
    .deleteFrom('invitations')
    .where('tenant_id', '=', source.tenantId)
    .where('email', '=', email)
    .returning('id')
    .execute();
  for (const { id } of rows) await recordRemoval(tx, source, invitationRows, id, { targetRef: null });
  return rows.map(({ id }) => id);
}

interface Step {
  readonly counts: Readonly<Record<'auditEvents' | 'events' | 'deliveries' | 'responses', number>>;
  /** Those of the audit log that were cleared. */
  readonly openings: readonly OpeningName[];
  /** Of the job after it. */
  readonly position: string;
  readonly isDone: boolean;
}

/** Erases a bounded number of rows. The caller records it. */
async function eraseStep(tx: Transaction, box: SecretBox, job: Job): Promise<Step> {
  const { queries } = tx;
  const { tenant_id: tenantId, user_id: userId } = job;
  const names: readonly string[] = JSON.parse(job.names);
  const openings: OpeningName[] = [];
  const clearings = names.map((name) => () => clearOpenings(tx, tenantId, name));
  if (userId !== null) clearings.push(() => clearOpeningsAbout(queries, tenantId, [userId]));
  let hasMore = false;
  for (const clear of clearings) {
    if (hasMore) break;
    const cleared = await clear();
    openings.push(...cleared.openings);
    hasMore = cleared.hasMore;
  }
  const { events, deliveries } = await eraseEvents(tx, job, names);
  const { changed: responses, position } =
    job.position === ''
      ? { changed: 0, position: '' }
      : await changeAnswers(queries, box, tenantId, job.position, stepRows, (text) => erasePerson(text, userId, names));
  return {
    counts: { auditEvents: countEvents(openings), events, deliveries, responses },
    openings,
    position,
    isDone: !hasMore && events < stepRows && position === '',
  };
}

function record(
  tx: Transaction,
  source: AuditSource,
  userId: string | null,
  { openings, counts }: Pick<Step, 'openings' | 'counts'>,
  reason: string,
  states = {},
): Promise<void> {
  const diff = { erasedAt: tx.now, counts, ...states };
  const event = { module: 'identity', action: 'user.erased', targetId: userId, targetRef: null, diff, reason } as const;
  return recordErasure(tx, source, { audit: openings }, event);
}

/** Erases the person in the data of webhook events, and cancels what still waits to be sent. */
async function eraseEvents(tx: Transaction, job: Job, names: readonly string[]) {
  if (job.user_id === null) return { events: 0, deliveries: 0 };
  const rows = await selectEvents(tx.queries, job.tenant_id, 'user_id', [job.user_id]).execute();
  const erased = new Map(rows.map(({ id, data }) => [id, erasePerson(data, job.user_id, names) ?? data]));
  return { events: rows.length, deliveries: await writeErased(tx, job.tenant_id, erased, ['user_id']) };
}
