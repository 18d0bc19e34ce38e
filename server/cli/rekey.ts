import { totpPurpose } from '../accounts/mfa/codes.ts';
import { answerPurpose } from '../http/idempotency.ts';
import type { Secrets } from '../installation/installation.ts';
import { hashPurpose } from '../installation/password-hash.ts';
import { isSealed as isSealedHead, type SealedHead, sealHead } from '../ledger/entry.ts';
import { resealErasure } from '../ledger/erasure-log.ts';
import { changeTable, type Row } from '../storage/copy-rows.ts';
import type { Queries } from '../storage/queries.ts';
import { listColumns, tableNames } from '../storage/schema.ts';
import { computeSeal, isGrantTable, isSealed, isSealedText } from '../storage/secrets.ts';
import { readLayout } from '../storage/table-layout.ts';
import { type Endpoint, mapSecrets } from '../webhooks/endpoints/store.ts';

/** The keys of the secret that was used until now, and those of the one that replaces it. */
export interface Change {
  readonly from: Pick<Secrets, 'box' | 'seal'>;
  readonly to: Pick<Secrets, 'box' | 'seal'>;
}

/** Encrypts a text with the new key. @throws {Error} for one that does not open: something other than Svc wrote it. */
type Reencrypt = (sealed: string, purpose: string) => string;

/** The encrypted texts of each table, as the new key writes them. */
const encryptedTexts: Readonly<Record<string, (row: Row, reencrypt: Reencrypt) => Row>> = {
  users: ({ password_hash: hash = null }, reencrypt) =>
    hash === null ? {} : { password_hash: reencrypt(String(hash), hashPurpose) },
  second_factors: ({ user_id, secret = null }, reencrypt) =>
    secret === null ? {} : { secret: reencrypt(String(secret), totpPurpose(String(user_id))) },
  idempotency_keys: ({ tenant_id, key, body }, reencrypt) =>
    // Only answers with a secret are encrypted.
    isSealedText(String(body))
      ? { body: reencrypt(String(body), answerPurpose({ tenantId: String(tenant_id), key: String(key) })) }
      : {},
  webhook_endpoints: (row, reencrypt) => mapSecrets(row as unknown as Endpoint, reencrypt),
};

for (const table of tableNames)
  if (listColumns(table).some(({ isEncrypted }) => isEncrypted) !== Object.hasOwn(encryptedTexts, table))
    throw new Error(`the encrypted columns of ${table} and their purposes differ`);

/** What a rotation did to the rows of a database. */
export interface Rekeyed {
  readonly changed: number;
  /** Rows whose seal does not hold, or with a text that does not open: something other than Svc wrote them. */
  readonly broken: number;
}

/**
 * Replaces everything in the database that the keys of a secret made: the seals of rows that grant access and of the heads
 * of chains, encrypted texts, and the lines of erasures. A row that does not hold stays as it is.
 */
export async function rekeyDatabase(
  queries: Queries,
  change: Change,
  onProgress: (table: string, rows: number) => void,
): Promise<Rekeyed> {
  let changed = 0;
  let broken = 0;
  for (const table of await readLayout()) {
    const rekey = rekeyerOf(table.name, change);
    if (rekey === null) continue;
    const rekeyOrLeave = (row: Row): Row => {
      const values = rekey(row);
      if (values === null) broken += 1;
      return values ?? {};
    };
    changed += await changeTable(queries, table, rekeyOrLeave, (rows) => onProgress(table.name, rows));
  }
  return { changed, broken };
}

/**
 * @returns null if nothing in the table depends on the secret; otherwise what computes the new values of a row, null for one
 *   that does not hold.
 */
function rekeyerOf(table: string, { from, to }: Change): ((row: Row) => Row | null) | null {
  if (table === 'chain_heads')
    return (row) => {
      const head = row as unknown as SealedHead;
      return isSealedHead(from.seal, head) ? sealHead(to.seal, head) : null;
    };
  if (table === 'erasures')
    return (row) => {
      const line = resealErasure(to.seal, from.seal, String(row.line));
      return line === null ? null : { line };
    };
  const texts = encryptedTexts[table];
  if (texts === undefined && !isGrantTable(table)) return null;
  return (row) => {
    if (isGrantTable(table) && !isSealed(from.seal, table, row)) return null;
    try {
      const values = texts?.(row, (sealed, purpose) => to.box.reencrypt(sealed, from.box, purpose)) ?? {};
      return isGrantTable(table) ? { ...values, seal: computeSeal(to.seal, table, { ...row, ...values }) } : values;
    } catch {
      return null;
    }
  };
}
