import { type LedgerCrypto, type Sha256, toBase64 } from './bytes.ts';
import {
  type OpenedCheckpoint,
  openNote,
  readKey,
  readLedgerCheckpoint,
  type Signer,
  tidyNote,
  writeKey,
} from './checkpoint.ts';
import { fail } from './error.ts';
import { type Rotation, readRotation } from './rotation.ts';

// A caller keeps one public key. Rotations lead from it to the newer keys, and back to the older ones.

/** The key that a caller trusts, and the rotations that the caller has. */
export interface KeyOptions {
  /** Your own copy of the line at `/.well-known/svc-ledger-key`. */
  readonly publicKey: string;
  /**
   * Rotations of the key (signed notes), besides those that exports and proofs contain, in any order. An element may have
   * several notes, as `/.well-known/svc-ledger-key-rotations` returns them. One counts only if both of its keys signed it.
   */
  readonly rotations?: readonly string[] | undefined;
}

/** The keys that a caller trusts. All have the name of the first key of the installation. */
export interface Keys {
  /** The key that signs now, as far as the rotations say. */
  readonly current: Signer;
  readonly former: readonly FormerKey[];
  /** The notes that lead from one to the other. */
  readonly rotations: ReadonlySet<string>;
}

/** A key that was rotated, and what its rotation states of each ledger, by the origin of its checkpoints. */
interface FormerKey extends Signer {
  readonly ends: ReadonlyMap<string, Rotation>;
}

/** A rotation with the note that contains it. */
interface RotationNote extends Rotation {
  readonly note: string;
}

/** More would only be made to keep a verifier busy. */
const mostRotations = 1000;
const mostCharacters = 4_000_000;

/**
 * Finds the keys that a trusted key leads to: forward to the newest, and backward to the first. A key that is found backward
 * is not followed forward: anyone who has a leaked former key could sign a rotation to a key of their own.
 * @param sources lists of rotations, unverified.
 * @throws {LedgerVerificationError} `key_invalid`.
 */
export async function openKeys(
  crypto: LedgerCrypto,
  publicKey: unknown,
  ...sources: readonly (readonly string[] | undefined)[]
): Promise<Keys> {
  const own = readKey(crypto.sha256, publicKey);
  const notes = readRotations(crypto.sha256, sources.flat()).filter((rotation) => isOf(rotation, own));
  const former: FormerKey[] = [];
  const counted = new Set<string>();
  const seen = new Set([writeKey(own)]);
  const follow = async (trusted: 'from' | 'to', found: 'from' | 'to'): Promise<Signer> => {
    const byTrusted = Map.groupBy(notes, (rotation) => writeKey(rotation[trusted]));
    for (let key: Signer = own; ; ) {
      const signed = await filterSigned(crypto, byTrusted.get(writeKey(key)) ?? [], trusted, found);
      const [rotation] = signed;
      if (rotation === undefined) return key;
      requireOne(signed, key, found);
      former.push({ ...rotation.from, ends: limit(signed) });
      for (const { note } of signed) counted.add(note);
      key = rotation[found];
      if (seen.has(writeKey(key))) fail('key_invalid', `the rotations lead back to the key ${writeKey(key)}`);
      seen.add(writeKey(key));
    }
  };
  const current = await follow('from', 'to');
  await follow('to', 'from');
  return { current, former, rotations: counted };
}

/** `followKey` of `LedgerVerifier`. */
export async function followKey(
  crypto: LedgerCrypto,
  publicKey: string,
  rotations: readonly string[],
): Promise<string> {
  return writeKey((await openKeys(crypto, publicKey, rotations)).current);
}

/**
 * The rotations of notes, each once; other texts are left out. Signatures are not verified.
 * @throws {LedgerVerificationError} `key_invalid` for more than 1,000.
 */
export function readRotations(sha256: Sha256, rotations: readonly unknown[]): readonly RotationNote[] {
  const notes = new Set<string>();
  let length = 0;
  for (const text of rotations) {
    if (typeof text !== 'string') continue;
    length += text.length;
    if (length > mostCharacters) fail('key_invalid', tooMany);
    for (const note of splitNotes(text)) notes.add(note);
  }
  if (notes.size > mostRotations) fail('key_invalid', tooMany);
  return [...notes].flatMap((note) => {
    const rotation = readRotation(sha256, note.slice(0, note.indexOf('\n\n') + 1));
    return rotation === null ? [] : [{ ...rotation, note }];
  });
}

const tooMany = `there are more than ${mostRotations} rotations: pass those of one ledger`;

/** The notes in a text: each has an empty line before its signatures, and after itself if others follow. */
function splitNotes(text: string): readonly string[] {
  const parts = tidyNote(text).slice(0, -1).split('\n\n');
  return parts.flatMap((part, index) => (index % 2 === 0 ? [`${part}\n\n${parts[index + 1]}\n`] : []));
}

/** True if a rotation is of the installation of a key. */
function isOf({ origin, from, to }: Rotation, { name }: Signer): boolean {
  return from.name === name && to.name === name && origin.startsWith(`${name}/`);
}

/** The rotations that both keys signed; the other key is not used unless the trusted one signed. */
async function filterSigned(
  crypto: LedgerCrypto,
  rotations: readonly RotationNote[],
  trusted: 'from' | 'to',
  found: 'from' | 'to',
): Promise<readonly RotationNote[]> {
  const signed: RotationNote[] = [];
  for (const rotation of rotations)
    if (
      (await openNote(crypto, rotation.note, rotation[trusted])) !== null &&
      (await openNote(crypto, rotation.note, rotation[found])) !== null
    )
      signed.push(rotation);
  return signed;
}

/** @throws {LedgerVerificationError} `key_invalid` unless all rotations of a key name the same other key. */
function requireOne(rotations: readonly Rotation[], key: Signer, found: 'from' | 'to'): void {
  const keys = new Set(rotations.map((rotation) => writeKey(rotation[found])));
  if (keys.size === 1) return;
  const others = [...keys].join(', ');
  const issue = `the key ${writeKey(key)} signed rotations with different keys (${others}), so it may have leaked`;
  fail('key_invalid', `${issue}: get the current key over another channel`);
}

/** What the rotations of a key state, by ledger; of two about the same ledger, the smaller counts. */
function limit(rotations: readonly Rotation[]): ReadonlyMap<string, Rotation> {
  const ends = new Map<string, Rotation>();
  for (const rotation of rotations)
    if (rotation.size < (ends.get(rotation.origin)?.size ?? Number.POSITIVE_INFINITY))
      ends.set(rotation.origin, rotation);
  return ends;
}

/** True if the text is one of the keys. */
export function includesKey({ current, former }: Keys, text: string): boolean {
  return [current, ...former].some((key) => writeKey(key) === text);
}

/**
 * Opens a signed checkpoint. A former key counts only as far as its rotation states of the ledger.
 * @param what names the note in the error.
 * @returns with the text that was signed.
 * @throws {LedgerVerificationError} `checkpoint_not_signed`.
 */
export async function openSigned(
  crypto: LedgerCrypto,
  note: string,
  keys: Keys,
  what: string,
): Promise<{ readonly text: string; readonly checkpoint: OpenedCheckpoint }> {
  let issue = 'is not signed with this key, nor with one that the rotations lead to';
  for (const key of [keys.current, ...keys.former] as readonly (Signer & Partial<FormerKey>)[]) {
    const text = await openNote(crypto, note, key);
    const checkpoint = text === null ? null : readLedgerCheckpoint(text);
    if (text === null || checkpoint === null) continue;
    const fault = key.ends === undefined ? null : explainExcess(key.ends, checkpoint);
    if (fault === null) return { text, checkpoint };
    issue = fault;
  }
  fail('checkpoint_not_signed', `${what} ${issue}`);
}

/** The reason why a former key does not count for a checkpoint; null if it counts. */
function explainExcess(ends: FormerKey['ends'], { origin, size, rootHash }: OpenedCheckpoint): string | null {
  const end = ends.get(origin);
  if (end === undefined) return 'is signed with a former key: pass the rotation of this ledger too';
  if (size > end.size) return `is signed with a former key, which signed ${end.size} entries at most, not ${size}`;
  return size < end.size || toBase64(rootHash) === end.rootHash
    ? null
    : 'is signed with a former key, and differs from the rotation of this ledger';
}

/** `openCheckpoint` of `LedgerVerifier`. */
export async function openCheckpoint(
  crypto: LedgerCrypto,
  note: string,
  { publicKey, rotations }: KeyOptions,
): Promise<OpenedCheckpoint> {
  const keys = await openKeys(crypto, publicKey, rotations);
  return (await openSigned(crypto, note, keys, 'the checkpoint')).checkpoint;
}
