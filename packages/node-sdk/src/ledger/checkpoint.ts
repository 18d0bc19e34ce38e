import { fromBase64, isEqual, join, type LedgerCrypto, type Sha256, toBase64, toHex } from './bytes.ts';
import { fail } from './error.ts';
import { readHash } from './merkle.ts';

/** A signed checkpoint: the size of a ledger, and the root of the tree over its entries. */
export interface OpenedCheckpoint {
  /** The name of the log: `<name of the key>/<tenant id>/<ledger>`, or `<name of the key>/installation/log`. */
  readonly origin: string;
  readonly tenantId: string;
  /** `log` is the log of the installation, whose entries are checkpoints; its `tenantId` is `installation`. */
  readonly ledger: 'audit' | 'consent' | 'log';
  /** How many entries it covers: those numbered 1 to this. */
  readonly size: number;
  /** The root of the Merkle tree (RFC 6962) over them. */
  readonly rootHash: Uint8Array;
  /** When it was signed: RFC 3339, UTC. */
  readonly at: string;
}

/** The parsed text of a public key: the name, key id and key of its signer. */
export interface Signer {
  readonly name: string;
  readonly id: Uint8Array;
  /** The 32 bytes of an Ed25519 public key. */
  readonly key: Uint8Array<ArrayBuffer>;
}

/**
 * Reads a key: `<name>+<key id>+<key>`, with or without white space around it.
 * @throws {LedgerVerificationError} `key_invalid`.
 */
export function readKey(sha256: Sha256, text: unknown): Signer {
  const signer = parseKey(sha256, typeof text === 'string' ? text.trim() : '', ed25519);
  const message = 'the public key is invalid: copy the line at /.well-known/svc-ledger-key of the server';
  return signer ?? fail('key_invalid', message);
}

/** Null for a text that is not a key for signatures of the type. */
function parseKey(sha256: Sha256, text: string, type: number): Signer | null {
  const [, name = '', id = '', encoded = ''] = /^([^\s+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/=]+)$/.exec(text) ?? [];
  const bytes = fromBase64(encoded);
  if (bytes?.length !== 33 || bytes[0] !== type) return null;
  const signer = nameKey(sha256, name, bytes.slice(1), type);
  return toHex(signer.id) === id ? signer : null;
}

/**
 * A key with its name and its id, which is derived from both (C2SP signed-note).
 * @param type of the signatures; default: Ed25519 of the note.
 */
export function nameKey(sha256: Sha256, name: string, key: Uint8Array<ArrayBuffer>, type = ed25519): Signer {
  const named = join([new TextEncoder().encode(`${name}\n`), Uint8Array.of(type), key]);
  return { name, id: sha256(named).slice(0, idLength), key };
}

/** The key as the server writes it. */
export function writeKey({ name, id, key }: Signer): string {
  return `${name}+${toHex(id)}+${toBase64(join([Uint8Array.of(ed25519), key]))}`;
}

const ed25519 = 1;
const idLength = 4;

/** Reads the text of a checkpoint of a ledger or of the log of the installation; null for any other text. */
export function readLedgerCheckpoint(text: string): OpenedCheckpoint | null {
  const checkpoint = readCheckpoint(text);
  const named = /^\S+\/(?:([^\s/]+)\/(audit|consent)|installation\/log)$/.exec(checkpoint?.origin ?? '');
  if (checkpoint === null || named === null) return null;
  const [, tenantId = 'installation', ledger = 'log'] = named;
  const rootHash = readHash(checkpoint.rootHash) as Uint8Array;
  return { ...checkpoint, tenantId, ledger: ledger as OpenedCheckpoint['ledger'], rootHash };
}

/** The text of a note (C2SP signed-note); null when it is not signed with the key. */
export async function openNote(crypto: LedgerCrypto, note: string, signer: Signer): Promise<string | null> {
  const { text, signatures } = readNote(note, signer);
  for (const signature of signatures) if (!(await crypto.verifyEd25519(signer.key, text, signature))) return null;
  return signatures.length > 0 ? text : null;
}

/** The text of a note, and its signatures that name this signer: each must be valid. There are none of an invalid note. */
export function readNote(
  note: string,
  signer: Pick<Signer, 'name' | 'id'>,
): { readonly text: string; readonly signatures: readonly Uint8Array<ArrayBuffer>[] } {
  const invalid = { text: '', signatures: [] };
  const end = note.lastIndexOf('\n\n');
  // No control characters but line breaks (C2SP signed-note), and one empty line before the signatures.
  if (end === -1 || !note.endsWith('\n') || /[^\P{Cc}\n]/u.test(note)) return invalid;
  const signatures: Uint8Array<ArrayBuffer>[] = [];
  for (const line of note.slice(end + 2, -1).split('\n')) {
    const [, name, encoded] = /^— ([^\s+]+) ([A-Za-z0-9+/=]+)$/.exec(line) ?? [];
    const bytes = fromBase64(encoded);
    if (bytes === null) return invalid;
    // Others may have signed as well.
    if (name === signer.name && isEqual(bytes.subarray(0, idLength), signer.id))
      signatures.push(bytes.subarray(idLength));
  }
  return { text: note.slice(0, end + 1), signatures };
}

/** Reads the text of a checkpoint of Svc, whose root stays in base64; null for any other text. */
export function readCheckpoint(
  text: string,
): (Pick<OpenedCheckpoint, 'origin' | 'size' | 'at'> & { readonly rootHash: string }) | null {
  const [, origin = '', size, rootHash = '', at] =
    /^(\S+)\n(0|[1-9]\d{0,15})\n([A-Za-z0-9+/=]+)\nTimestamp: (\S+)\n$/.exec(text) ?? [];
  if (!Number.isSafeInteger(Number(size)) || readHash(rootHash) === null || !isTime(at)) return null;
  return { origin, size: Number(size), rootHash, at };
}

/** How far the clocks of the servers of an installation, of authorities and of witnesses may differ: ten minutes. */
export const clockTolerance = 600_000;

/** True for a time as the server writes it: UTC, with milliseconds, and a day that exists. */
export function isTime(text: unknown): text is string {
  if (typeof text !== 'string' || !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(text)) return false;
  const milliseconds = Date.parse(text);
  return !Number.isNaN(milliseconds) && new Date(milliseconds).toISOString() === text;
}

/** A kept note without what mail programs and editors add at its edges, which is not signed. */
export function tidyNote(note: unknown): string {
  return `${String(note)
    .replace(/^\uFEFF/, '')
    .replaceAll('\r\n', '\n')
    .trim()}\n`;
}

// Cosignatures of witnesses (C2SP tlog-cosignature, Ed25519): each states that, at a time, the log was append-only.

/** The type of a key that makes cosignatures with Ed25519. */
const cosignatureType = 4;
const timeBytes = 8;

/** Reads the key of a witness, `<name>+<key id>+<key>`; null if it is not an Ed25519 key for cosignatures. */
export function readWitnessKey(sha256: Sha256, text: string): Signer | null {
  const witness = parseKey(sha256, text, cosignatureType);
  return witness !== null && witness.name.length <= 255 ? witness : null;
}

/**
 * Verifies the cosignature of a witness in a note.
 * @returns the time that it states: RFC 3339, UTC; null if there is none or it is invalid.
 */
export async function readCosignature(crypto: LedgerCrypto, note: string, witness: Signer): Promise<string | null> {
  const { text, signatures } = readNote(note, witness);
  const [bytes] = signatures;
  if (bytes === undefined || signatures.length !== 1 || bytes.length !== timeBytes + 64) return null;
  const seconds = Number(new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0));
  // The last second that a date can name in four digits of a year.
  if (seconds === 0 || seconds > 253_402_300_799) return null;
  const message = `cosignature/v1\ntime ${seconds}\n${text}`;
  if (!(await crypto.verifyEd25519(witness.key, message, bytes.slice(timeBytes)))) return null;
  return new Date(seconds * 1000).toISOString();
}
