import type { Selectable } from 'kysely';
import { generateToken, isToken } from '../installation/token.ts';
import type { Principal } from '../principal/principal.ts';
import { readScopes, type Scope } from '../principal/scopes.ts';
import type { Queries } from '../storage/database.ts';
import { prepareQuery } from '../storage/prepared-query.ts';
import type { Tables } from '../storage/tables.ts';
import { type RowSeal, requireSeal, type UnitOfWork } from '../storage/unit-of-work.ts';
import { findKeyHolderById } from './api-key-store.ts';

const prefix = 'svc_at_';

/** Makes an access token of an API key. @returns the token: the only time that it can be seen. */
export async function createAccessToken(
  work: UnitOfWork,
  wanted: { readonly keyId: string; readonly scopes: readonly Scope[]; readonly expiresAt: string },
): Promise<string> {
  const token = generateToken(prefix);
  await work.transaction
    .insertInto('access_tokens')
    .values({
      hash: requireSeal(work).hashToken(token),
      key_id: wanted.keyId,
      scopes: wanted.scopes.join(' '),
      expires_at: wanted.expiresAt,
    })
    .execute();
  return token;
}

/**
 * Finds for whom an access token stands: its key, with those scopes of the token that the key still has. It ends with its
 * key at the latest.
 */
export async function findAccessTokenHolder(
  queries: Queries,
  seal: RowSeal,
  token: string,
  now: string,
): Promise<Principal | undefined> {
  if (!isToken(prefix, token)) return undefined;
  const [row] = await selectToken(queries, { hash: seal.hashToken(token) });
  if (row === undefined || row.expires_at <= now) return undefined;
  const key = await findKeyHolderById(queries, row.key_id, now);
  return key && { ...key, scopes: new Set([...readScopes(row.scopes)].filter((scope) => key.scopes.has(scope))) };
}

const selectToken = prepareQuery<{ hash: string }, Selectable<Tables['access_tokens']>>((queries, parameter) =>
  queries.selectFrom('access_tokens').selectAll().where('hash', '=', parameter('hash')),
);

/** Deletes an access token of a key. @returns whether there was one. */
export async function deleteAccessToken(work: UnitOfWork, keyId: string, token: string): Promise<boolean> {
  const { numDeletedRows } = await work.transaction
    .deleteFrom('access_tokens')
    .where('hash', '=', requireSeal(work).hashToken(token))
    .where('key_id', '=', keyId)
    .executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}

/** Forgets tokens that have expired. */
export async function forgetExpiredTokens(queries: Queries, now: string): Promise<void> {
  await queries.deleteFrom('access_tokens').where('expires_at', '<=', now).execute();
}
