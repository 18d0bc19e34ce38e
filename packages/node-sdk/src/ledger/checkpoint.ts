import { createPublicKey, hash, type KeyObject, verify } from 'node:crypto';
import { LedgerVerificationError } from './error.ts';
import { readHash } from './merkle.ts';

/** What a signed checkpoint says: this ledger had so many entries, and this was the root of the tree over them. */
export interface OpenedCheckpoint {
  /** The name of the log: `<name of the key>/<tenant id>/<ledger>`. */
  readonly origin: string;
  readonly tenantId: string;
  readonly ledger: 'audit' | 'consent';
  /** How many entries it speaks of: those numbered 1 to this. */
  readonly size: number;
  /** The root of the Merkle tree (RFC 6962) over them. */
  readonly rootHash: Uint8Array;
  /** When it was signed: RFC 3339, UTC. */
  readonly at: string;
}

/** Who signs: what stands in the text of a key. */
export interface Signer {
  readonly name: string;
  readonly id: Buffer;
  readonly key: KeyObject;
}

/**
 * Opens a signed checkpoint (C2SP signed-note and tlog-checkpoint, Ed25519).
 * @param note as the server gave it: nothing added, nothing trimmed.
 * @param publicKey the line that stands at `/.well-known/svc-ledger-key` of the server. Keep your own copy of it: who
 *   fetches it anew each time believes whoever answers.
 * @throws {LedgerVerificationError} `key_invalid`, `checkpoint_not_signed`.
 */
export function openCheckpoint(note: string, publicKey: string): OpenedCheckpoint {
  const checkpoint = readSigned(note, readKey(publicKey));
  if (checkpoint !== null) return checkpoint;
  throw new LedgerVerificationError('checkpoint_not_signed', 'the checkpoint is not signed with this key');
}

/**
 * Reads a key: `<name>+<key id>+<key>`, with white space around it.
 * @throws {LedgerVerificationError} `key_invalid`.
 */
export function readKey(text: unknown): Signer {
  const line = typeof text === 'string' ? text.trim() : '';
  const [, name = '', id = '', encoded = ''] = /^([^\s+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/=]+)$/.exec(line) ?? [];
  const bytes = Buffer.from(encoded, 'base64');
  const isKey = bytes.length === 33 && bytes[0] === ed25519 && bytes.toString('base64') === encoded;
  const named = hash('sha256', Buffer.concat([Buffer.from(`${name}\n`), bytes]), 'buffer').subarray(0, idLength);
  if (!isKey || named.toString('hex') !== id)
    throw new LedgerVerificationError(
      'key_invalid',
      'the public key is none: take the line at /.well-known/svc-ledger-key of the server',
    );
  const x = bytes.subarray(1).toString('base64url');
  return { name, id: named, key: createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' }) };
}

/** The key as the server writes it. */
export function writeKey({ name, id, key }: Signer): string {
  const { x = '' } = key.export({ format: 'jwk' });
  const bytes = Buffer.concat([Buffer.of(ed25519), Buffer.from(x, 'base64url')]);
  return `${name}+${id.toString('hex')}+${bytes.toString('base64')}`;
}

const ed25519 = 1;
const idLength = 4;

/** What a note says; null when it is not signed with the key, or is no checkpoint of a ledger. */
export function readSigned(note: string, signer: Signer): OpenedCheckpoint | null {
  const text = openNote(note, signer);
  return text === null ? null : readCheckpoint(text);
}

/** The text of a note (C2SP signed-note); null when it is not signed with the key. */
export function openNote(note: string, signer: Signer): string | null {
  // No control characters but line breaks (C2SP signed-note), and one empty line before the signatures.
  if (/[^\P{Cc}\n]/u.test(note) || !note.endsWith('\n')) return null;
  const end = note.lastIndexOf('\n\n');
  if (end === -1) return null;
  const text = note.slice(0, end + 1);
  const lines = note.slice(end + 2, -1).split('\n');
  const verdicts = lines.map((line) => judgeSignature(line, text, signer));
  // Others may have signed as well; what claims to be ours must be.
  return verdicts.includes('wrong') || !verdicts.includes('ours') ? null : text;
}

function judgeSignature(line: string, text: string, { name, id, key }: Signer): 'ours' | 'of another' | 'wrong' {
  const [, signer, encoded = ''] = /^— ([^\s+]+) ([A-Za-z0-9+/=]+)$/.exec(line) ?? [];
  const bytes = Buffer.from(encoded, 'base64');
  if (signer === undefined || bytes.toString('base64') !== encoded) return 'wrong';
  if (signer !== name || !bytes.subarray(0, idLength).equals(id)) return 'of another';
  return verify(null, Buffer.from(text), key, bytes.subarray(idLength)) ? 'ours' : 'wrong';
}

function readCheckpoint(text: string): OpenedCheckpoint | null {
  const [origin = '', size = '', root, time = '', ...rest] = text.split('\n');
  const [, tenantId, ledger] = /^\S+\/([^\s/]+)\/(audit|consent)$/.exec(origin) ?? [];
  const rootHash = readHash(root);
  const at = time.replace(/^Timestamp: /, '');
  if (tenantId === undefined || rootHash === null || at === time || !isTime(at)) return null;
  if (!/^(0|[1-9]\d{0,15})$/.test(size) || !Number.isSafeInteger(Number(size))) return null;
  if (rest.length !== 1 || rest[0] !== '') return null;
  return { origin, tenantId, ledger: ledger as OpenedCheckpoint['ledger'], size: Number(size), rootHash, at };
}

/** Whether a text is a time as the server writes it: UTC, milliseconds, and a day that there is. */
export function isTime(text: unknown): text is string {
  if (typeof text !== 'string' || !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(text)) return false;
  const milliseconds = Date.parse(text);
  return !Number.isNaN(milliseconds) && new Date(milliseconds).toISOString() === text;
}

/** A kept note without what mail and editors leave at its edges; the signature is not about that. */
export function tidyNote(note: unknown): string {
  // What is no text is signed by nobody.
  return `${String(note)
    .replace(/^\uFEFF/, '')
    .replaceAll('\r\n', '\n')
    .trim()}\n`;
}
