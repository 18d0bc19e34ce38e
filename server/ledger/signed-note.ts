import { createPrivateKey, createPublicKey, hash, hkdfSync, type KeyObject, sign, verify } from 'node:crypto';
import { nameKey, readNote, type Signer, writeKey } from '../../packages/node-sdk/src/ledger/checkpoint.ts';
import { sha256 } from './merkle.ts';

// Signed notes as in C2SP signed-note, with Ed25519 signatures (RFC 8032): lines of text, an empty line, and
// signature lines. With the verifier key, any Ed25519 tool can check one.

/** The signer that a verifier key identifies. */
export interface NoteVerifier extends Signer {
  /** The key, ready to verify with. */
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
    const bytes = new Uint8Array(publicKey.export({ format: 'der', type: 'spki' }).subarray(-32));
    // Named after the key, because the address of a server may change.
    const name = `svc-${hash('sha256', bytes).slice(0, 12)}`;
    this.verifier = { ...nameKey(sha256, name, bytes), publicKey };
    this.verifierKey = writeKey(this.verifier);
  }

  /**
   * @param text lines, each terminated by a line break.
   * @param names further names under which the same key signs.
   */
  sign(text: string, names: readonly string[] = []): string {
    const signature = sign(null, Buffer.from(text), this.#privateKey);
    const lines = [this.verifier, ...names.map((name) => this.named(name))].map(
      ({ name, id }) => `— ${name} ${Buffer.concat([id, signature]).toString('base64')}\n`,
    );
    return `${text}\n${lines.join('')}`;
  }

  /** The same key under another name. */
  named(name: string): Signer {
    return nameKey(sha256, name, this.verifier.key);
  }
}

/** The prefix of the 32 bytes of an Ed25519 private key in ASN.1 (RFC 8410). */
const pkcs8Prefix = Buffer.from('302e020100300506032b657004220420', 'hex');

/** The text of a note, which is what is signed, cosigned and timestamped. */
export function textOf(note: string): string {
  return note.slice(0, note.lastIndexOf('\n\n') + 1);
}

/**
 * Opens a note.
 * @returns its text as it was signed; null if it is not signed by the verifier's key.
 */
export function openNote(note: string, verifier: NoteVerifier): string | null {
  const { text, signatures } = readNote(note, verifier);
  const isSigned = (signature: Uint8Array) => verify(null, Buffer.from(text), verifier.publicKey, signature);
  return signatures.length > 0 && signatures.every(isSigned) ? text : null;
}
