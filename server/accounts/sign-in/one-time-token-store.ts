import type { Selectable } from 'kysely';
import { generateToken, hashToken, isToken } from '../../installation/token.ts';
import { addTime, type Database, type Transaction } from '../../storage/database.ts';
import type { Queries } from '../../storage/queries.ts';
import { findRow, insertRow } from '../../storage/rows.ts';
import type { Tables } from '../../storage/tables.ts';

const prefixes = { password_reset: 'svc_reset_', start: 'svc_start_', setup: 'svc_setup_' } as const;
type Purpose = keyof typeof prefixes;

type OneTimeTokenRow = Selectable<Tables['one_time_tokens']>;

/** Creates a token that works once. @returns it: the only time that it can be read. */
export async function createOneTimeToken(
  tx: Transaction,
  purpose: Purpose,
  owner: { readonly userId: string | null; readonly tenantId: string | null },
  lifetime: number,
): Promise<{ readonly token: string; readonly expiresAt: string }> {
  const token = generateToken(prefixes[purpose]);
  const expiresAt = addTime(tx.now, lifetime);
  const { userId, tenantId } = owner;
  const account = userId === null ? undefined : await findRow(tx.queries, 'users', { id: userId });
  await insertRow(tx.queries, 'one_time_tokens', {
    hash: hashToken(token),
    purpose,
    user_id: userId,
    tenant_id: tenantId,
    password_changed_at: account?.password_changed_at ?? null,
    expires_at: expiresAt,
  });
  return { token, expiresAt };
}

/** Finds a token that was not used and has not expired. */
export async function findOneTimeToken(database: Database, purpose: Purpose, token: string, now: string) {
  if (!isToken(prefixes[purpose], token)) return undefined;
  const hash = hashToken(token);
  const row = await findRow(database.kysely, 'one_time_tokens', { hash, purpose });
  return row !== undefined && row.expires_at > now ? row : undefined;
}

/** Uses a token up. @returns false if another request was faster. */
export async function spendOneTimeToken(tx: Transaction, { hash }: OneTimeTokenRow): Promise<boolean> {
  const deletion = tx.queries.deleteFrom('one_time_tokens').where('hash', '=', hash);
  return (await deletion.executeTakeFirstOrThrow()).numDeletedRows > 0n;
}

export async function endOneTimeTokens(queries: Queries, purpose: Purpose, userId: string): Promise<void> {
  const deletion = queries.deleteFrom('one_time_tokens').where('user_id', '=', userId);
  await deletion.where('purpose', '=', purpose).execute();
}
