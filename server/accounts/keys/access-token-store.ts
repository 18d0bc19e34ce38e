import type { Selectable } from 'kysely';
import type { AuditSource, Principal } from '../../http/principal.ts';
import { readScopes, type Scope } from '../../http/roles.ts';
import { generateToken, isToken } from '../../installation/token.ts';
import { recordEvent } from '../../ledger/audit/store.ts';
import type { UnitOfWork } from '../../storage/database.ts';
import type { Queries } from '../../storage/queries.ts';
import { findHeld, insertRow, prepareQuery } from '../../storage/rows.ts';
import { type RowSeal, requireSeal } from '../../storage/secrets.ts';
import type { Tables } from '../../storage/tables.ts';
import { type ApiKeyRow, expiryAfter } from './api-key.ts';
import { findKeyHolderById } from './api-key-store.ts';

const prefix = 'svc_at_';

/** Issues an access token for a key: it expires after an hour, or with the key. @returns RFC 6749 section 5.1. */
export async function issueToken(work: UnitOfWork, source: AuditSource, key: ApiKeyRow, scopes: readonly Scope[]) {
  const expiresAt = expiryAfter(key, 1, work.now);
  const token = generateToken(prefix);
  const hash = requireSeal(work).hashToken(token);
  const scope = scopes.join(' ');
  await insertRow(work.transaction, 'access_tokens', {
    tenant_id: key.tenant_id,
    hash,
    key_id: key.id,
    scopes: scope,
    expires_at: expiresAt,
  });
  await recordEvent(work, source, { ...tokenEvent('issued', key), diff: { scopes, expiresAt } });
  const seconds = Math.floor((Date.parse(expiresAt) - Date.parse(work.now)) / 1000);
  return { access_token: token, token_type: 'Bearer', expires_in: seconds, scope } as const;
}

/** Revokes an access token of a key; does nothing when the key has no such token (RFC 7009 section 2.2). */
export async function revokeToken(work: UnitOfWork, source: AuditSource, key: ApiKeyRow, token: string): Promise<void> {
  const { numDeletedRows } = await work.transaction
    .deleteFrom('access_tokens')
    .where('tenant_id', '=', key.tenant_id)
    .where('hash', '=', requireSeal(work).hashToken(token))
    .where('key_id', '=', key.id)
    .executeTakeFirstOrThrow();
  if (numDeletedRows > 0n) await recordEvent(work, source, tokenEvent('revoked', key));
}

function tokenEvent(verb: string, { id, name }: ApiKeyRow) {
  return { module: 'access', action: `access_token.${verb}`, targetId: id, targetRef: name } as const;
}

/**
 * Finds the principal of an access token: its key, with those scopes of the token that the key still has. Undefined when
 * the token or its key is unknown, expired or revoked.
 */
export async function findAccessTokenHolder(
  queries: Queries,
  seal: RowSeal,
  token: string,
  now: string,
): Promise<Principal | undefined> {
  if (!isToken(prefix, token)) return undefined;
  const row = findHeld(queries, 'access_tokens', await selectToken(queries, { hash: seal.hashToken(token) }));
  if (row === undefined || row.expires_at <= now) return undefined;
  const key = await findKeyHolderById(queries, { tenantId: row.tenant_id, id: row.key_id }, now);
  return key && { ...key, scopes: new Set([...readScopes(row.scopes)].filter((scope) => key.scopes.has(scope))) };
}

const selectToken = prepareQuery<{ hash: string }, Selectable<Tables['access_tokens']>>((queries, parameter) =>
  queries.selectFrom('access_tokens').selectAll().where('hash', '=', parameter('hash')),
);

export async function deleteExpiredTokens(queries: Queries, now: string): Promise<void> {
  await queries.deleteFrom('access_tokens').where('expires_at', '<=', now).execute();
}
