import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hash,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';
import { ExplainedError } from './explained-error.ts';
import type { Queries } from './queries.ts';
import { listColumns, tableNames } from './schema.ts';
import type { Tables } from './tables.ts';

/**
 * Keyed hashes that records contain instead of addresses and user agents: the same visitor gives the same hash
 * within one tenant, addresses cannot be guessed without the key, and two tenants cannot compare theirs.
 */
export class PrivateHasher {
  readonly #secret: string;
  readonly #tenantKeys = new Map<string, string>();

  constructor(secret: string) {
    this.#secret = secret;
  }

  /**
   * SHA-256 over the tenant's key (64 hex characters) and a value, hex; null stays null. The key has a fixed length and
   * no client sees the intermediate state, so a plain prefix is as good as HMAC here, at a twentieth of its cost.
   */
  hash(tenantId: string, value: string | null): string | null {
    return value === null ? null : hash('sha256', this.#tenantKey(tenantId) + value);
  }

  /** The value that two servers on one database compare to check that they have the same secret. */
  get fingerprint(): string {
    return hash('sha256', `svc secret ${this.#secret}`);
  }

  #tenantKey(tenantId: string): string {
    let key = this.#tenantKeys.get(tenantId);
    if (key === undefined) {
      key = createHmac('sha256', this.#secret).update(`private hash ${tenantId}`).digest('hex');
      this.#tenantKeys.set(tenantId, key);
    }
    return key;
  }
}

const nonceBytes = 12;
const tagBytes = 16;
const saltBytes = 16;

/** A sealed text: the commitment, which another key does not change, and the encrypted text. */
const sealedForm = /^([\w-]{43})~([\w-]{59,})$/;

/**
 * Seals texts that must be read again, with a key outside the database (AES-256-GCM, NIST SP 800-38D).
 * Random nonces are safe for some four thousand million texts under one key.
 */
export class SecretBox {
  readonly #key: Buffer;

  /** @param secret of the installation; the key is derived from it (HKDF, RFC 5869). */
  constructor(secret: string) {
    this.#key = Buffer.from(hkdfSync('sha256', secret, '', 'svc sealed texts', 32));
  }

  /** @param purpose the purpose of the text; it only opens with the same one. */
  seal(text: string, purpose: string): string {
    return this.#encrypt(Buffer.concat([randomBytes(saltBytes), Buffer.from(text)]), purpose);
  }

  /** @throws {Error} if the text was changed, or sealed for another purpose or with another key. */
  open(sealed: string, purpose: string): string {
    return this.#decrypt(sealed, purpose).toString('utf8', saltBytes);
  }

  /** Encrypts a text of another box with this key; its commitment stays. @throws {Error} if it does not open. */
  reencrypt(sealed: string, other: SecretBox, purpose: string): string {
    return this.#encrypt(other.#decrypt(sealed, purpose), purpose);
  }

  #encrypt(salted: Buffer, purpose: string): string {
    const nonce = randomBytes(nonceBytes);
    const cipher = createCipheriv('aes-256-gcm', this.#key, nonce).setAAD(Buffer.from(purpose));
    const bytes = Buffer.concat([nonce, cipher.update(salted), cipher.final(), cipher.getAuthTag()]);
    return `${hash('sha256', salted, 'base64url')}~${bytes.toString('base64url')}`;
  }

  #decrypt(sealed: string, purpose: string): Buffer {
    const [, commitment, encrypted = ''] = sealedForm.exec(sealed) ?? [];
    const bytes = Buffer.from(encrypted, 'base64url');
    // Decoding ignores bits at the end; only the exact text that was returned opens.
    if (commitment === undefined || bytes.toString('base64url') !== encrypted)
      throw new Error('a sealed text is not in canonical form');
    const tag = bytes.subarray(-tagBytes);
    const decipher = createDecipheriv('aes-256-gcm', this.#key, bytes.subarray(0, nonceBytes), {
      authTagLength: tagBytes,
    });
    decipher.setAAD(Buffer.from(purpose)).setAuthTag(tag);
    const salted = Buffer.concat([decipher.update(bytes.subarray(nonceBytes, -tagBytes)), decipher.final()]);
    if (hash('sha256', salted, 'base64url') !== commitment)
      throw new Error('a sealed text has the commitment of another');
    return salted;
  }
}

/** True for a text in the form of a sealed one. */
export function isSealedText(text: string): boolean {
  return sealedForm.test(text);
}

/** A sealed text, or texts, without what another key would write differently: each becomes its commitment. */
export function committedText(sealed: string): string {
  return sealed.replace(/~[\w-]+/g, '');
}

/** Keyed hashes of rows that only a server of this installation may write. */
export interface RowSeal {
  /** The id of the key, which identifies the secret that sealed a row. */
  readonly keyId: string;
  seal(text: string): string;
}

const blockBytes = 64;

/**
 * Seals rows that only a server with the secret of the installation may write (HMAC-SHA256), such as the heads of the
 * hash chains: with only the database they cannot be changed unnoticed.
 */
export class RowSealer implements RowSeal {
  readonly keyId: string;
  readonly #inner = Buffer.alloc(blockBytes, 0x36);
  readonly #outer = Buffer.alloc(blockBytes + 32, 0x5c);

  /** @param secret of the installation; the key is derived from it (HKDF, RFC 5869). */
  constructor(secret: string) {
    const key = Buffer.from(hkdfSync('sha256', secret, '', 'svc row seals', 32));
    for (const [index, byte] of key.entries()) {
      this.#inner[index] = 0x36 ^ byte;
      this.#outer[index] = 0x5c ^ byte;
    }
    this.keyId = hash('sha256', Buffer.concat([Buffer.from('svc row seal key '), key])).slice(0, 16);
  }

  /** HMAC as RFC 2104 writes it out: with two one-shot hashes it costs a tenth of `createHmac`, on every capture. */
  seal(text: string): string {
    const input = Buffer.allocUnsafe(blockBytes + Buffer.byteLength(text));
    input.set(this.#inner);
    input.write(text, blockBytes);
    this.#outer.write(hash('sha256', input, 'binary'), blockBytes, 'latin1');
    return hash('sha256', this.#outer, 'base64url');
  }
}

/** The key that seals rows. @throws {Error} if the database was opened without the secret. */
export function requireSeal({ seal }: { readonly seal: RowSeal | null }): RowSeal {
  if (seal === null) throw new Error('the database was opened without the secret: sealed rows cannot be written');
  return seal;
}

/**
 * The tables whose rows grant access, or decide who gets it: those with a seal. Each row has a seal over its columns, under a
 * key derived from the secret of the installation, so that writing to the database grants nothing.
 */
export type GrantTable = {
  [Name in keyof Tables]: 'seal' extends keyof Tables[Name] ? Name : never;
}[keyof Tables];

export const grantTables = tableNames.filter((table) =>
  listColumns(table).some(({ name }) => name === 'seal'),
) as readonly GrantTable[];

/** A row of a grant, or what a query read of it, by the names of its columns. */
export type GrantRow = Readonly<Record<string, unknown>>;

const readValue = (row: object, column: string): unknown => (row as GrantRow)[column] ?? null;

export function isGrantTable(table: string): table is GrantTable {
  return Object.hasOwn(sealedColumns, table);
}

/** The columns that the seal of a row covers. */
export const sealedColumns = Object.fromEntries(
  grantTables.map((table) => [table, listColumns(table).flatMap(({ name, isInSeal }) => (isInSeal ? name : []))]),
) as unknown as Readonly<Record<GrantTable, readonly string[]>>;

/** A row that a change depends on was written by something other than a server of this installation. */
export class BrokenSeal extends ExplainedError {
  override readonly name = 'BrokenSeal';

  constructor(table: GrantTable) {
    super(`The seal of a row of ${table} does not hold: something other than Svc wrote it. Find it with svc verify.`);
  }
}

/**
 * The seal of a row. A column that is null is left out, so that seals hold when a later version adds one.
 * @returns null for a value that Svc does not store in these tables.
 */
export function computeSeal(seal: RowSeal, table: GrantTable, row: object): string | null {
  let text = `svc grant 1\n${table}`;
  for (const column of sealedColumns[table]) {
    const value = readValue(row, column);
    if (typeof value === 'string') text += `\n${column} ${value.length} ${value}`;
    else if (typeof value === 'number') text += `\n${column} # ${value}`;
    else if (value !== null) return null;
  }
  return seal.seal(text);
}

/** Compares the seal of a row with its columns. */
export function isSealed(seal: RowSeal, table: GrantTable, row: object): boolean {
  const [computed, stored] = [computeSeal(seal, table, row), readValue(row, 'seal')];
  if (computed === null || typeof stored !== 'string') return false;
  const [one, other] = [Buffer.from(computed), Buffer.from(stored)];
  return one.length === other.length && timingSafeEqual(one, other);
}

interface Binding {
  readonly seal: RowSeal;
  /** The sealed columns of rows by the seal that was verified, oldest first: comparing them costs less than a hash. */
  readonly verified: Map<string, { readonly table: GrantTable; readonly row: GrantRow }>;
}

/** By the adapter of a database, which is one object inside and outside of transactions. */
const bindings = new WeakMap<object, Binding>();

/** Names the key with which the grants of a database are sealed. Without it, none holds and none can be written. */
export function bindSeal(queries: Queries, seal: RowSeal): void {
  bindings.set(queries.getExecutor().adapter, { seal, verified: new Map() });
}

function bindingOf(queries: Queries): Binding | undefined {
  return bindings.get(queries.getExecutor().adapter);
}

/** Computes the seal of a row that is about to be written. @throws {Error} if the database was opened without the secret. */
export function sealGrant(queries: Queries, table: GrantTable, row: object): string {
  const binding = bindingOf(queries);
  if (binding === undefined) throw new Error('the database was opened without the secret: grants cannot be written');
  const seal = computeSeal(binding.seal, table, row);
  if (seal === null) throw new Error(`a row of ${table} has a value that cannot be sealed`);
  return seal;
}

/** Some megabytes of rows. */
const mostRemembered = 5000;

/** Sets a value of a cache of rows whose seals held; the oldest makes room. */
export function remember<Value>(cache: Map<string, Value>, key: string, value: Value): void {
  if (cache.size >= mostRemembered) for (const oldest of cache.keys()) if (cache.delete(oldest)) break;
  cache.set(key, value);
}

/**
 * Verifies the seal of a row; a row whose seal does not hold grants nothing.
 * @param row with all columns of its table.
 */
export function holds(queries: Queries, table: GrantTable, row: object): boolean {
  const binding = bindingOf(queries);
  if (binding === undefined) return false;
  const columns = sealedColumns[table];
  const known = binding.verified.get(readValue(row, 'seal') as string);
  if (known !== undefined) return known.table === table && hasSame(known.row, row as GrantRow, columns);
  if (!isSealed(binding.seal, table, row)) return false;
  const sealed = Object.fromEntries(columns.map((column) => [column, readValue(row, column)]));
  remember(binding.verified, readValue(row, 'seal') as string, { table, row: sealed });
  return true;
}

/** Part of every request: a loop without calls. */
function hasSame(known: GrantRow, row: GrantRow, columns: readonly string[]): boolean {
  for (const column of columns) if (known[column] !== (row[column] ?? null)) return false;
  return true;
}

/**
 * Verifies that some columns of a row are those of a row whose seal holds, without reading the others again.
 * @param part its seal and these columns, among them its key.
 * @param find reads the row with all columns, if its seal was not verified before.
 */
export function holdsPart(
  queries: Queries,
  table: GrantTable,
  part: GrantRow,
  find: () => Promise<object | undefined>,
): boolean | Promise<boolean> {
  const binding = bindingOf(queries);
  if (binding === undefined || typeof part.seal !== 'string') return false;
  const known = binding.verified.get(part.seal);
  const columns = Object.keys(part).filter((column) => column !== 'seal');
  if (known !== undefined) return known.table === table && hasSame(known.row, part, columns);
  // Another server may change the row in between: then the next request verifies it.
  return find().then((row) => {
    return row !== undefined && holds(queries, table, row) && hasSame(row as GrantRow, part, ['seal', ...columns]);
  });
}

/** @throws {BrokenSeal} unless the seal of a row holds. */
export function requireHeld(queries: Queries, table: GrantTable, row: object): void {
  if (!holds(queries, table, row)) throw new BrokenSeal(table);
}
