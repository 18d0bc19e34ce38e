import { createPrivateKey, createPublicKey, hash, hkdfSync, type KeyObject, sign, verify } from 'node:crypto';
import { nameKey, readNote, type Signer, writeKey } from '../../packages/node-sdk/src/ledger/checkpoint.ts';
import { type Rotation, readRotation } from '../../packages/node-sdk/src/ledger/rotation.ts';
import { sha256 } from './merkle.ts';

// Signed notes as in C2SP signed-note, with Ed25519 signatures (RFC 8032): lines of text, an empty line, and
// signature lines. With the verifier key, any Ed25519 tool can check one.

/** A public key, ready to verify with. */
interface NoteKey extends Signer {
  readonly publicKey: KeyObject;
}

/** The keys of an installation: the one that signs, and those before it. All have the name of the first. */
export interface NoteVerifier extends NoteKey {
  /** Newest first. */
  readonly former: readonly FormerKey[];
}

/** A key that was rotated: it signed nothing after the rotation. */
export interface FormerKey extends NoteKey {
  /** When it ended: RFC 3339, UTC. */
  readonly until: string;
  /** How many entries of a ledger it may have signed. @param origin of the checkpoints of the ledger. */
  sizeOf(origin: string): number;
}

/** The notes of a rotation, by the origin of the checkpoints that each is about. Nothing in them is verified yet. */
export interface RotationNotes {
  /** About the log of the installation. */
  readonly log: string;
  readonly notes: ReadonlyMap<string, string>;
}

/** Signs notes with a key that is derived from the secret of an installation, so that every server has the same. */
export class NoteSigner {
  readonly verifier: NoteVerifier;
  /** The key to verify with, as text: `<name>+<key id>+<public key>`. */
  readonly verifierKey: string;
  readonly #privateKey: KeyObject;

  /**
   * @param secret of the installation; the key is derived from it (HKDF, RFC 5869).
   * @param rotations newest first; only those that this key signed, and those that the keys before it signed, count.
   */
  constructor(secret: string, rotations: readonly RotationNotes[] = []) {
    const seed = Buffer.from(hkdfSync('sha256', secret, '', 'svc checkpoint signatures', 32));
    this.#privateKey = createPrivateKey({ key: Buffer.concat([pkcs8Prefix, seed]), format: 'der', type: 'pkcs8' });
    const publicKey = createPublicKey(this.#privateKey);
    const bytes = new Uint8Array(publicKey.export({ format: 'der', type: 'spki' }).subarray(-32));
    const own = (name: string): NoteKey => ({ ...nameKey(sha256, name, bytes), publicKey });
    // Named after the first key, because the address of a server may change, and so may the key.
    let verifier = own(`svc-${hash('sha256', bytes).slice(0, 12)}`);
    const former: FormerKey[] = [];
    for (const rotation of rotations) {
      const named = own(readRotation(sha256, textOf(rotation.log))?.from.name ?? '');
      const before = openFormer(rotation, former.at(-1) ?? named);
      // Anyone who can write to the database can add notes that no key signed.
      if (before === null) continue;
      if (former.length === 0) verifier = named;
      former.push(before);
    }
    this.verifier = { ...verifier, former };
    this.verifierKey = writeKey(this.verifier);
  }

  /**
   * @param text lines, each terminated by a line break.
   * @param names further names under which the same key signs.
   */
  sign(text: string, names: readonly string[] = []): string {
    const signature = sign(null, Buffer.from(text), this.#privateKey);
    const signers = [this.verifier, ...names.map((name) => this.named(name))];
    return `${text}\n${signers.map((signer) => writeSignature(signer, signature)).join('')}`;
  }

  /** Adds a signature of this key to a note. @param name under which it signs. */
  cosign(note: string, name: string): string {
    const signature = sign(null, Buffer.from(textOf(note)), this.#privateKey);
    return `${note}${writeSignature(this.named(name), signature)}`;
  }

  /** The same key under another name. */
  named(name: string): Signer {
    return nameKey(sha256, name, this.verifier.key);
  }
}

function writeSignature({ name, id }: Signer, signature: Uint8Array): string {
  return `— ${name} ${Buffer.concat([id, signature]).toString('base64')}\n`;
}

/** The prefix of the 32 bytes of an Ed25519 private key in ASN.1 (RFC 8410). */
const pkcs8Prefix = Buffer.from('302e020100300506032b657004220420', 'hex');

/** The prefix of the 32 bytes of an Ed25519 public key in ASN.1 (RFC 8410). */
const spkiPrefix = Buffer.from('302a300506032b6570032100', 'hex');

/** The text of a note, which is what is signed, cosigned and timestamped. */
export function textOf(note: string): string {
  return note.slice(0, note.lastIndexOf('\n\n') + 1);
}

/**
 * Opens a note.
 * @returns its text as it was signed; null if it is not signed by the key.
 */
export function openNote(note: string, key: NoteKey): string | null {
  const { text, signatures } = readNote(note, key);
  const isSigned = (signature: Uint8Array) => verify(null, Buffer.from(text), key.publicKey, signature);
  return signatures.length > 0 && signatures.every(isSigned) ? text : null;
}

/** Opens a note of an installation: the key that signed it says whether it counts. */
export function openOwnNote(
  note: string,
  verifier: NoteVerifier,
): { readonly text: string; readonly key: NoteVerifier | FormerKey } | null {
  for (const key of [verifier, ...verifier.former]) {
    const text = openNote(note, key);
    if (text !== null) return { text, key };
  }
  return null;
}

/**
 * Opens a note of an installation that is no checkpoint.
 * @returns its content; null if it is another note, or of a former key and later than its rotation.
 */
export function openStatement<Statement extends { readonly at: string }>(
  note: string,
  verifier: NoteVerifier,
  read: (text: string) => Statement | null,
): Statement | null {
  const opened = openOwnNote(note, verifier);
  const statement = opened === null ? null : read(opened.text);
  if (opened === null || statement === null || !('until' in opened.key)) return statement;
  return statement.at <= opened.key.until ? statement : null;
}

/** Opens the note of a rotation. @returns null unless both of its keys signed it, the newer of which is trusted. */
export function openRotation(note: string, newer: NoteKey): (Rotation & { readonly key: NoteKey }) | null {
  const text = openNote(note, newer);
  const rotation = text === null ? null : readRotation(sha256, text);
  if (rotation === null || writeKey(rotation.to) !== writeKey(newer)) return null;
  const der = Buffer.concat([spkiPrefix, rotation.from.key]);
  const key = { ...rotation.from, publicKey: createPublicKey({ key: der, format: 'der', type: 'spki' }) };
  return openNote(note, key) === null ? null : { ...rotation, key };
}

/** The key before another; null if the rotation is not signed by both. */
function openFormer({ log, notes }: RotationNotes, newer: NoteKey): FormerKey | null {
  const rotation = openRotation(log, newer);
  if (rotation === null || rotation.from.name !== newer.name) return null;
  const sizes = new Map([[rotation.origin, rotation.size]]);
  return {
    ...rotation.key,
    until: rotation.at,
    // Verified when it is needed: an installation has two for each of its tenants.
    sizeOf(origin) {
      let size = sizes.get(origin);
      if (size === undefined) {
        const found = openRotation(notes.get(origin) ?? '', newer);
        const isOfBoth = found?.origin === origin && writeKey(found.from) === writeKey(rotation.from);
        size = isOfBoth ? found.size : -1;
        sizes.set(origin, size);
      }
      return size;
    },
  };
}
