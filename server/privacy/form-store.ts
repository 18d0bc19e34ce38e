import type { Selectable } from 'kysely';
import { findTenant } from '../accounts/tenants/store.ts';
import type { Tenant } from '../accounts/tenants/tenant.ts';
import type { AuditSource } from '../http/principal.ts';
import { notFound, Problem } from '../http/problem.ts';
import { type Client, clientBucket } from '../http/request.ts';
import type { CountWork } from '../installation/feature.ts';
import { generateToken, hashToken, isToken } from '../installation/token.ts';
import { dsrRows } from '../ledger/audit/rows.ts';
import { recordRemoval, systemSource } from '../ledger/audit/store.ts';
import { addTime, type Database, dayMilliseconds, runTransaction, type Transaction } from '../storage/database.ts';
import type { Queries } from '../storage/queries.ts';
import { countDeleted, insertRow, newId } from '../storage/rows.ts';
import type { PrivateHasher } from '../storage/secrets.ts';
import type { Tables } from '../storage/tables.ts';
import type { DsrRow, PublicDsrInput } from './dsr.ts';
import { lockDsr, openDsr, updateDsr } from './dsr-store.ts';

const hour = 60 * 60_000;
/** Requests an hour: of a client address, and of an IPv6 site (/48). */
const mostOfClient = 5;
const mostOfSite = 20;
/**
 * Requests an hour of a tenant; then as many of sites that have sent none, and then of networks that have sent none. No
 * network can close a form to the others, and none is closed for longer than an hour.
 */
const mostOfTenant = 100;

const prefix = 'svc_confirm_';
const linkLifetime = 14 * dayMilliseconds;

/** Finds the tenant with a slug whose form is on: a tenant without it looks like none. */
export async function findFormTenant(queries: Queries, slug: string): Promise<Tenant | undefined> {
  const tenant = await findTenant(queries, slug);
  return tenant?.slug === slug && tenant.dsrForm ? tenant : undefined;
}

/**
 * Opens a request that was made with the form. Its subject is the address until a member knows better.
 * @throws {Problem} `not_found` unless the form is on; `rate_limited`.
 */
export async function submitDsr(
  tx: Transaction,
  hasher: PrivateHasher,
  client: Client,
  slug: string,
  { type, email, name, message }: PublicDsrInput,
): Promise<DsrRow> {
  const tenant = await findFormTenant(tx.queries, slug);
  if (tenant === undefined) throw notFound('form for requests');
  await tx.lockTenant(tenant.id);
  const hash = (prefix: 64 | 48 | 32) => hasher.hash(tenant.id, clientBucket(client, prefix)) as string;
  await countUse(tx, tenant.id, { client: hash(64), site: hash(48), network: hash(32) });
  // Without the hash of the address: nothing can clear it in the audit log.
  return openDsr(tx, systemSource(tenant.id), tenant, {
    subjectId: email,
    type,
    channel: 'web',
    receivedAt: tx.now,
    source: 'public',
    requesterEmail: email,
    requesterName: name ?? null,
    message: message ?? null,
  });
}

type FormClient = Pick<Selectable<Tables['dsr_form_uses']>, 'client' | 'site' | 'network'>;

/** Counts in the database, because the limits outlast a minute and a restart. @throws {Problem} `rate_limited`. */
async function countUse({ queries, now }: Transaction, tenantId: string, caller: FormClient): Promise<void> {
  const latest = await queries
    .selectFrom('dsr_form_uses')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('used_at', '>', addTime(now, -hour))
    .orderBy('used_at')
    .execute();
  const sharing = (name: keyof FormClient) => latest.filter((use) => use[name] === caller[name]);
  /** @param most requests; that of an hour ago no longer counts. */
  const limit = (uses: typeof latest, most: number) => {
    const first = uses.at(-most);
    if (first === undefined || uses.length < most) return;
    const wait = Math.ceil((Date.parse(first.used_at) + hour - Date.parse(now)) / 1000);
    throw new Problem('rate_limited', `Too many requests were sent; try again in ${wait} s.`, {
      headers: { 'Retry-After': String(wait) },
    });
  };
  limit(sharing('client'), mostOfClient);
  limit(sharing('site'), mostOfSite);
  if (latest.length >= mostOfTenant) limit(sharing('site'), 1);
  if (latest.length >= 2 * mostOfTenant) limit(sharing('network'), 1);
  limit(latest, 3 * mostOfTenant);
  await insertRow(queries, 'dsr_form_uses', { id: newId(), tenant_id: tenantId, ...caller, used_at: now });
}

/** Deletes the uses of forms that no limit counts any more. */
export async function forgetFormUses(queries: Queries, now: string): Promise<number> {
  return countDeleted(queries.deleteFrom('dsr_form_uses').where('used_at', '<=', addTime(now, -hour)));
}

/**
 * Creates the token of the link that confirms the address of a request, and ends an earlier one.
 * @returns it: the only time that it can be read.
 * @throws {Problem} `not_found`, `dsr_already_completed`, `conflict` for a request without an address to confirm.
 */
export async function createConfirmationLink(tx: Transaction, source: AuditSource, id: string) {
  const dsr = await lockDsr(tx, source, id);
  if (dsr.status === 'completed')
    throw new Problem('dsr_already_completed', 'The request is completed; its address needs no confirmation.');
  if (dsr.requester_email === null)
    throw new Problem('conflict', 'The request was not made with the form, so it has no address to confirm.');
  if (dsr.confirmed_at !== null) throw new Problem('conflict', 'The address is confirmed already.');
  const token = generateToken(prefix);
  const expiresAt = addTime(tx.now, linkLifetime);
  const columns = { confirmation_hash: hashToken(token), confirmation_expires_at: expiresAt };
  await updateDsr(tx, source, id, columns, 'confirmation_link_created', { expiresAt });
  return { token, expiresAt };
}

/**
 * Records that the person who reads the mail of the address made the request.
 * @returns when it was confirmed.
 * @throws {Problem} `not_found` for a link that is unknown, used or expired, or whose request is completed.
 */
export async function confirmAddress(tx: Transaction, token: string): Promise<string> {
  const isOver = () => new Problem('not_found', 'This link is unknown, used or expired; ask for a new one.');
  if (!isToken(prefix, token)) throw isOver();
  const hash = hashToken(token);
  const named = tx.queries.selectFrom('dsr_requests').select(['tenant_id', 'id']);
  const [found, other] = await named.where('confirmation_hash', '=', hash).execute();
  // Two of one link: something other than this server wrote one of them.
  if (found === undefined || other !== undefined) throw isOver();
  const source = systemSource(found.tenant_id);
  const dsr = await lockDsr(tx, source, found.id);
  const isValid = dsr.confirmation_hash === hash && (dsr.confirmation_expires_at ?? '') > tx.now;
  if (!isValid || dsr.status === 'completed') throw isOver();
  const columns = { confirmed_at: tx.now, confirmation_hash: null, confirmation_expires_at: null };
  await updateDsr(tx, source, dsr.id, columns, 'address_confirmed', { confirmedAt: tx.now });
  return tx.now;
}

/** A request stays so long after its link has expired unused: time for another link. */
const unconfirmedFor = linkLifetime;
const mostRemoved = 100;

/**
 * Deletes requests whose confirmation link expired unused and that no member has dealt with: anyone can type any address.
 * A request without a confirmation mail stays.
 * @returns true if there may be more.
 */
export async function deleteUnconfirmed(database: Database, now: string, count?: CountWork): Promise<boolean> {
  const found = await selectUnconfirmed(database.kysely, now).limit(mostRemoved).execute();
  for (const { id, tenant_id } of found) {
    const unconfirmedRequests = await runTransaction(database, now, async (tx) => {
      await tx.lockTenant(tenant_id);
      // A member or the person may have come first.
      const ofTenant = selectUnconfirmed(tx.queries, now).where('tenant_id', '=', tenant_id);
      const dsr = await ofTenant.where('id', '=', id).executeTakeFirst();
      if (dsr === undefined) return 0;
      const removal = tx.queries.deleteFrom('dsr_requests').where('tenant_id', '=', tenant_id);
      await removal.where('id', '=', id).execute();
      const diff = { confirmationExpiresAt: dsr.confirmation_expires_at };
      await recordRemoval(tx, systemSource(tenant_id), dsrRows, id, { targetRef: null, diff });
      return 1;
    });
    count?.({ unconfirmedRequests });
  }
  return found.length === mostRemoved;
}

/** The requests to delete, the oldest first. */
export function selectUnconfirmed(queries: Queries, now: string) {
  return queries
    .selectFrom('dsr_requests')
    .select(['id', 'tenant_id', 'confirmation_expires_at'])
    .where('confirmation_expires_at', '<=', addTime(now, -unconfirmedFor))
    .where('status', '=', 'open')
    .where('identity_checked_at', 'is', null)
    .where('extended_at', 'is', null)
    .whereRef('subject_id', '=', 'requester_email')
    .orderBy('confirmation_expires_at');
}
