import { hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { addTime, dayMilliseconds } from '../storage/database.ts';
import type { Queries } from '../storage/queries.ts';
import { findRow, updateTexts } from '../storage/rows.ts';
import type { RowSeal, SecretBox } from '../storage/secrets.ts';
import { ReadyAnswer } from './answer.ts';
import { normalizeTags } from './entity-tag.ts';
import type { Principal } from './principal.ts';
import { Problem } from './problem.ts';
import type { Route } from './route.ts';

/** A request with an Idempotency-Key. The key belongs to the tenant; the fingerprint identifies the request. */
export interface IdempotencyClaim {
  readonly tenantId: string;
  readonly key: string;
  /** Keyed hash of method, path with query, precondition and body, which confirms no guess of erased values. */
  readonly fingerprint: string;
  /** True for the fingerprint of the same request, also under a former secret. */
  isOf(fingerprint: string): boolean;
  /** True if the answer holds a secret: it is stored sealed. */
  readonly isSecret: boolean;
}

const keyPattern = /^[A-Za-z0-9_-]{8,128}$/;

/**
 * Checks the header (spec.md "Rules for POST /v1/consent/{id}/records").
 * @throws {Problem} `idempotency_key_required`, `idempotency_key_invalid`.
 */
export function readIdempotencyKey(header: string | undefined, required: boolean): string | null {
  if (header === undefined) {
    if (!required) return null;
    throw new Problem('idempotency_key_required', 'Send an Idempotency-Key header, a new value for each new record.');
  }
  if (keyPattern.test(header)) return header;
  throw new Problem(
    'idempotency_key_invalid',
    'The Idempotency-Key must be 8 to 128 of the characters A-Z a-z 0-9 _ -.',
  );
}

export function claimOf(
  { method, showsSecret }: Route,
  { tenantId, actor, scopes }: Principal,
  key: string,
  { url, headers }: IncomingMessage,
  body: Buffer,
  seal: RowSeal,
  former: readonly { readonly seal: RowSeal }[],
): IdempotencyClaim {
  // An answer with a secret is replayed only to the same caller with the same rights.
  const rights = showsSecret ? `${actor.type} ${actor.id} ${[...scopes].sort().join(' ')} ` : '';
  const precondition = headers['if-match'] === undefined ? '' : `if-match ${normalizeTags(headers['if-match'])}\n`;
  const request = Buffer.concat([Buffer.from(`${rights}${method} ${url}\n${precondition}`), body]);
  const text = `svc request 1\n${tenantId}\n${hash('sha256', request)}`;
  const fingerprint = seal.seal(text);
  const isOf = (stored: string) => stored === fingerprint || former.some((one) => one.seal.seal(text) === stored);
  return { tenantId, key, fingerprint, isOf, isSecret: showsSecret === true };
}

/** The only place that claims idempotency keys, stores the answers of their requests and replays them. */
export class IdempotencyKeys {
  readonly #box: SecretBox;
  /** The keys whose requests run in this process. */
  readonly #running = new Set<string>();

  /** @param box seals the stored answers that hold a secret. */
  constructor(box: SecretBox) {
    this.#box = box;
  }

  /** Runs a request. @throws {Problem} `idempotency_in_progress` while another one with the key is running. */
  async hold<Result>(claim: IdempotencyClaim, run: () => Promise<Result>): Promise<Result> {
    const name = nameKey(claim);
    if (this.#running.has(name))
      throw new Problem('idempotency_in_progress', 'A request with this Idempotency-Key is still running; try again.', {
        headers: { 'Retry-After': '1' },
      });
    this.#running.add(name);
    try {
      return await run();
    } finally {
      this.#running.delete(name);
    }
  }

  /**
   * Takes the key for this transaction. A server that shares the database waits here until the other one is done.
   * @returns the answer of the earlier request with the key, or null when this is the first in 24 hours.
   * @throws {Problem} `idempotency_key_reused` when the earlier request was another one.
   */
  async take(queries: Queries, claim: IdempotencyClaim, now: string): Promise<ReadyAnswer | null> {
    const taken = { fingerprint: claim.fingerprint, status: 0, body: '', created_at: now };
    const claimed = await queries
      .insertInto('idempotency_keys')
      .values({ ...rowOf(claim), ...taken })
      .onConflict((conflict) =>
        conflict
          .columns(['tenant_id', 'key'])
          .doUpdateSet(taken)
          .where('idempotency_keys.created_at', '<=', expiryOf(now)),
      )
      .returning('key')
      .executeTakeFirst();
    return claimed === undefined ? this.find(queries, claim, null) : null;
  }

  /**
   * Finds the answer of an earlier request without taking the key, where work comes before the transaction.
   * @param now null for a key that cannot have expired.
   * @throws {Problem} `idempotency_key_reused` when the earlier request was another one.
   */
  async find(queries: Queries, claim: IdempotencyClaim, now: string | null): Promise<ReadyAnswer | null> {
    const earlier = await findRow(queries, 'idempotency_keys', rowOf(claim));
    if (earlier === undefined || (now !== null && earlier.created_at <= expiryOf(now))) return null;
    if (!claim.isOf(earlier.fingerprint))
      throw new Problem('idempotency_key_reused', 'This Idempotency-Key was used with another request; use a new one.');
    const body = claim.isSecret ? this.#box.open(earlier.body, answerPurpose(claim)) : earlier.body;
    return new ReadyAnswer(earlier.status, body, { 'Idempotent-Replayed': 'true' });
  }

  /** Stores the answer of a successful request, in the transaction that holds its changes. */
  async store(queries: Queries, claim: IdempotencyClaim, answer: ReadyAnswer): Promise<void> {
    const text = String(answer.body);
    const body = claim.isSecret ? this.#box.seal(text, answerPurpose(claim)) : text;
    await queries
      .updateTable('idempotency_keys')
      .set({ status: answer.status, body })
      .where('tenant_id', '=', claim.tenantId)
      .where('key', '=', claim.key)
      .execute();
  }

  /** Gives a key back whose request failed, where the transaction goes on without it. */
  async release(queries: Queries, { tenantId, key }: IdempotencyClaim): Promise<void> {
    await queries.deleteFrom('idempotency_keys').where('tenant_id', '=', tenantId).where('key', '=', key).execute();
  }
}

/**
 * Changes stored answers of a tenant.
 * @param box opens those that hold a secret, too; null leaves them as they are.
 * @param after the last key of the previous call; null for the first.
 * @param change returns null for an answer that stays as it is.
 * @returns how many changed, and the last key; empty after the last of all.
 */
export async function changeAnswers(
  queries: Queries,
  box: SecretBox | null,
  tenantId: string,
  after: string | null,
  limit: number,
  change: (text: string) => string | null,
): Promise<{ readonly changed: number; readonly position: string }> {
  const rows = await queries
    .selectFrom('idempotency_keys')
    .select(['key', 'body'])
    .where('tenant_id', '=', tenantId)
    .$if(after !== null, (query) => query.where('key', '>', after as string))
    .orderBy('key')
    .limit(limit)
    .execute();
  const changed = new Map<string, string>();
  for (const { key, body } of rows) {
    // A key that was just taken has none yet; a sealed answer is no JSON.
    if (body === '') continue;
    const isSealed = !body.startsWith('{');
    const purpose = answerPurpose({ tenantId, key });
    if (isSealed && box === null) continue;
    const text = change(isSealed && box !== null ? box.open(body, purpose) : body);
    if (text !== null) changed.set(key, isSealed && box !== null ? box.seal(text, purpose) : text);
  }
  await updateTexts(queries, 'idempotency_keys', { tenantId, key: 'key', column: 'body' }, changed);
  return { changed: changed.size, position: rows.length < limit ? '' : (rows.at(-1)?.key ?? '') };
}

/** The tenant first: the same key may exist in several. */
export function nameKey({ tenantId, key }: Pick<IdempotencyClaim, 'tenantId' | 'key'>): string {
  return `${tenantId} ${key}`;
}

/** The purpose of a sealed answer (`SecretBox`). */
export function answerPurpose(claim: Pick<IdempotencyClaim, 'tenantId' | 'key'>): string {
  return `answer ${nameKey(claim)}`;
}

/** The most keys that one step deletes: a few milliseconds of work, which requests may have to wait for. */
export const mostForgotten = 1000;

/** Deletes keys older than 24 hours, a bounded number at a time. @returns how many. */
export async function forgetExpiredKeys(queries: Queries, now: string, most = mostForgotten): Promise<number> {
  const expired = expiryOf(now);
  const { numDeletedRows } = await queries
    .deleteFrom('idempotency_keys')
    .where(({ eb, refTuple, selectFrom }) =>
      eb(
        refTuple('tenant_id', 'key'),
        'in',
        selectFrom('idempotency_keys')
          .select(['tenant_id', 'key'])
          .where('created_at', '<=', expired)
          .orderBy('created_at')
          .limit(most)
          .$asTuple('tenant_id', 'key'),
      ),
    )
    // Checked again: a request may have taken an expired key again in the meantime.
    .where('created_at', '<=', expired)
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}

function rowOf({ tenantId, key }: IdempotencyClaim) {
  return { tenant_id: tenantId, key };
}

function expiryOf(now: string): string {
  return addTime(now, -dayMilliseconds);
}
