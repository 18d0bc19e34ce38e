import {
  createPrivateKey,
  createPublicKey,
  hash,
  hkdfSync,
  type KeyObject,
  sign as signBytes,
  verify as verifyBytes,
} from 'node:crypto';

// Signed notes as in C2SP signed-note, with Ed25519 signatures (RFC 8032): lines of text, an empty line, and
// signature lines. With the verifier key, any Ed25519 tool can check one.

const ed25519 = 1;
const keyIdBytes = 4;

/** The signer that a verifier key identifies. */
export interface NoteVerifier {
  readonly name: string;
  readonly keyId: Buffer;
  readonly publicKey: KeyObject;
}

/** Signs notes with a key that is derived from the secret of an installation, so that every server has the same. */
export class NoteSigner {
  readonly verifier: NoteVerifier;
  /** The key to verify with, as text: `<name>+<key id>+<public key>`. */
  readonly verifierKey: string;
  readonly #privateKey: KeyObject;

  /** @param secret of the installation; the key is derived from it (HKDF, RFC 5869). */
  constructor(secret: string) {
    const seed = Buffer.from(hkdfSync('sha256', secret, '', 'svc checkpoint signatures', 32));
    this.#privateKey = createPrivateKey({ key: Buffer.concat([pkcs8Prefix, seed]), format: 'der', type: 'pkcs8' });
    const publicKey = createPublicKey(this.#privateKey);
    const bytes = readRawKey(publicKey);
    // Named after the key, because the address of a server may change.
    const name = `svc-${hash('sha256', bytes).slice(0, 12)}`;
    const keyId = nameKey(name, bytes);
    this.verifier = { name, keyId, publicKey };
    this.verifierKey = writeVerifierKey(this.verifier);
  }

  /** @param text lines, each terminated by a line break. */
  sign(text: string): string {
    const signature = signBytes(null, Buffer.from(text), this.#privateKey);
    return `${text}\n— ${this.verifier.name} ${Buffer.concat([this.verifier.keyId, signature]).toString('base64')}\n`;
  }
}

/** The text of a verifier key. */
export function writeVerifierKey({ name, keyId, publicKey }: NoteVerifier): string {
  const key = Buffer.concat([Buffer.of(ed25519), readRawKey(publicKey)]);
  return `${name}+${keyId.toString('hex')}+${key.toString('base64')}`;
}

/**
 * Parses a verifier key.
 * @returns null if it is invalid.
 */
export function readVerifierKey(text: string): NoteVerifier | null {
  const [, name, id, key] = /^([^\s+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/=]+)$/.exec(text.trim()) ?? [];
  if (name === undefined || id === undefined || key === undefined) return null;
  const bytes = Buffer.from(key, 'base64');
  if (bytes.length !== 33 || bytes[0] !== ed25519 || bytes.toString('base64') !== key) return null;
  const keyId = nameKey(name, bytes.subarray(1));
  if (keyId.toString('hex') !== id) return null;
  const publicKey = createPublicKey({
    key: Buffer.concat([spkiPrefix, bytes.subarray(1)]),
    format: 'der',
    type: 'spki',
  });
  return { name, keyId, publicKey };
}

/**
 * Opens a note.
 * @returns its text as it was signed; null if it is not signed by the verifier's key.
 */
export function openNote(note: string, { name, keyId, publicKey }: NoteVerifier): string | null {
  // A note has no control characters except line breaks (C2SP signed-note); they could manipulate a terminal.
  if (/[^\P{Cc}\n]/u.test(note)) return null;
  const end = note.lastIndexOf('\n\n');
  if (end === -1 || !note.endsWith('\n')) return null;
  const text = note.slice(0, end + 1);
  let isSigned = false;
  for (const line of note.slice(end + 2, -1).split('\n')) {
    const [, signer, encoded = ''] = /^— ([^\s+]+) ([A-Za-z0-9+/=]+)$/.exec(line) ?? [];
    const bytes = Buffer.from(encoded, 'base64');
    // Base64 decoding ignores invalid characters: accept only the canonical spelling.
    if (signer === undefined || bytes.toString('base64') !== encoded) return null;
    // Others may have signed as well; a line with this name must be valid.
    if (signer !== name || !bytes.subarray(0, keyIdBytes).equals(keyId)) continue;
    if (!verifyBytes(null, Buffer.from(text), publicKey, bytes.subarray(keyIdBytes))) return null;
    isSigned = true;
  }
  return isSigned ? text : null;
}

/** The first bytes of SHA-256 over the name, a line break, the algorithm and the key. */
function nameKey(name: string, publicKey: Uint8Array): Buffer {
  const input = Buffer.concat([Buffer.from(`${name}\n`), Buffer.of(ed25519), publicKey]);
  return hash('sha256', input, 'buffer').subarray(0, keyIdBytes);
}

function readRawKey(publicKey: KeyObject): Buffer {
  return publicKey.export({ format: 'der', type: 'spki' }).subarray(spkiPrefix.length);
}

/** The prefix of the 32 bytes of an Ed25519 key in its ASN.1 forms (RFC 8410). */
const pkcs8Prefix = Buffer.from('302e020100300506032b657004220420', 'hex');
const spkiPrefix = Buffer.from('302a300506032b6570032100', 'hex');
