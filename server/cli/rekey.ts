import { totpPurpose } from '../accounts/mfa/codes.ts';
import { answerPurpose } from '../http/idempotency.ts';
import type { Secrets } from '../installation/installation.ts';
import { hashPurpose } from '../installation/password-hash.ts';
import { isSealed as isSealedHead, type SealedHead, sealHead } from '../ledger/entry.ts';
import { resealErasure } from '../ledger/erasure-log.ts';
import type { Queries } from '../storage/queries.ts';
import { listColumns, tableNames } from '../storage/schema.ts';
import { computeSeal, isGrantTable, isSealed, isSealedText } from '../storage/secrets.ts';
import { readLayout } from '../storage/table-layout.ts';
import type { Tables } from '../storage/tables.ts';
import { secretPurpose, signingKeyPurpose } from '../webhooks/endpoints/endpoint.ts';

/** The keys of the secret that was used until now, and those of the one that replaces it. */
export interface Change {
  readonly from: Pick<Secrets, 'box' | 'seal'>;
  readonly to: Pick<Secrets, 'box' | 'seal'>;
}

type Row = Readonly<Record<string, unknown>>;

/** Encrypts a text with the new key. One that does not open stays: something other than Svc wrote it, and it must not become valid. */
type SealText = (sealed: unknown, purpose: string) => unknown;

/** The purposes of the encrypted texts of each table. */
const encryptedTexts: Readonly<Record<string, (row: Row, seal: SealText) => Row>> = {
  users: ({ password_hash }, seal) => ({ password_hash: seal(password_hash, hashPurpose) }),
  second_factors: ({ user_id, secret }, seal) => ({ secret: seal(secret, totpPurpose(String(user_id))) }),
  idempotency_keys: ({ tenant_id, key, body }, seal) => ({
    body: seal(body, answerPurpose({ tenantId: String(tenant_id), key: String(key) })),
  }),
  webhook_endpoints: ({ id, secret, previous_secrets, signing_key }, seal) => {
    const purpose = secretPurpose(String(id));
    return {
      secret: seal(secret, purpose),
      previous_secrets: String(previous_secrets).replace(
        /"sealed":"([^"]*)"/g,
        (_, sealed) => `"sealed":"${seal(sealed, purpose)}"`,
      ),
      signing_key: seal(signing_key, signingKeyPurpose(String(id))),
    };
  },
};

for (const table of tableNames)
  if (listColumns(table).some(({ isEncrypted }) => isEncrypted) !== Object.hasOwn(encryptedTexts, table))
    throw new Error(`the encrypted columns of ${table} and their purposes differ`);

const pageSize = 500;

/** What a rotation did to the rows of a database. */
export interface Rekeyed {
  readonly changed: number;
  /** Rows whose seal does not hold, or with a text that does not open: something other than Svc wrote them. */
  readonly broken: number;
}

/**
 * Replaces everything in the database that the keys of a secret made: the seals of rows that grant access and of the heads
 * of chains, encrypted texts, and the lines of erasures. What does not hold stays as it is.
 */
export async function rekeyDatabase(
  queries: Queries,
  change: Change,
  onProgress: (table: string, rows: number) => void,
): Promise<Rekeyed> {
  let changed = 0;
  let broken = 0;
  for (const { name, key } of await readLayout()) {
    const convert = converterOf(name, change);
    if (convert === null) continue;
    for (let read = 0, last: Row | undefined; ; ) {
      const rows = await readPage(queries, name as keyof Tables, key, last);
      for (const row of rows) {
        const { values, isBroken } = convert(row);
        if (isBroken) broken += 1;
        const changes = Object.entries(values).filter(([column, value]) => row[column] !== value);
        if (changes.length === 0) continue;
        await updateRow(queries, name as keyof Tables, key, row, Object.fromEntries(changes));
        changed += 1;
      }
      read += rows.length;
      if (read > 0) onProgress(name, read);
      if (rows.length < pageSize) break;
      last = rows.at(-1);
    }
  }
  return { changed, broken };
}

/** What changes in a row. */
interface Converted {
  readonly values: Row;
  readonly isBroken: boolean;
}

/** @returns null if nothing in the table depends on the secret. */
function converterOf(table: string, { from, to }: Change): ((row: Row) => Converted) | null {
  const broken = { values: {}, isBroken: true };
  if (table === 'chain_heads')
    return (row) => {
      const head = row as unknown as SealedHead;
      return isSealedHead(from.seal, head) ? { values: sealHead(to.seal, head), isBroken: false } : broken;
    };
  if (table === 'erasures')
    return ({ line }) => {
      const own = resealErasure(to.seal, from.seal, String(line));
      return own === null ? broken : { values: { line: own }, isBroken: false };
    };
  const texts = encryptedTexts[table];
  if (texts === undefined && !isGrantTable(table)) return null;
  return (row) => {
    if (isGrantTable(table) && !isSealed(from.seal, table, row)) return broken;
    let isBroken = false;
    const values = texts?.(row, (sealed, purpose) => {
      if (typeof sealed !== 'string' || !isSealedText(sealed)) return sealed;
      try {
        return to.box.reencrypt(sealed, from.box, purpose);
      } catch {
        isBroken = true;
        return sealed;
      }
    });
    if (!isGrantTable(table)) return { values: values ?? {}, isBroken };
    return { values: { ...values, seal: computeSeal(to.seal, table, { ...row, ...values }) }, isBroken };
  };
}

/** The rows after one, in the order of their keys. */
async function readPage(
  queries: Queries,
  table: keyof Tables,
  key: readonly string[],
  last: Row | undefined,
): Promise<readonly Row[]> {
  const columns = key as readonly never[];
  let query = queries.selectFrom(table).selectAll();
  if (last !== undefined)
    query = query.where(({ eb, refTuple, tuple }) =>
      key.length === 1
        ? eb(columns[0] as never, '>', last[key[0] as string] as never)
        : eb(
            refTuple(...(columns as unknown as [never, never])),
            '>',
            tuple(...(key.map((name) => last[name]) as [never, never])),
          ),
    );
  for (const column of columns) query = query.orderBy(column);
  return (await query.limit(pageSize).execute()) as unknown as readonly Row[];
}

async function updateRow(
  queries: Queries,
  table: keyof Tables,
  key: readonly string[],
  row: Row,
  values: Row,
): Promise<void> {
  let query = queries.updateTable(table).set(values as never);
  for (const name of key) query = query.where(name as never, '=', row[name] as never);
  await query.execute();
}
