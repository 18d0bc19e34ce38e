import { fromBase64, type LedgerCrypto, type Sha256, toHex } from './bytes.ts';
import { nameKey, readNote, type Signer } from './checkpoint.ts';

// Cosignatures of witnesses (C2SP tlog-cosignature, Ed25519): each states that, at a time, the log was append-only.

/** The type of a key that makes cosignatures with Ed25519. */
const cosignatureType = 4;
const timeBytes = 8;

/** Reads the key of a witness, `<name>+<key id>+<key>`; null if it is not an Ed25519 key for cosignatures. */
export function readWitnessKey(sha256: Sha256, text: string): Signer | null {
  const [, name = '', id = '', encoded = ''] =
    /^([^\s+]{1,255})\+([0-9a-f]{8})\+([A-Za-z0-9+/=]{1,64})$/.exec(text) ?? [];
  const bytes = fromBase64(encoded);
  if (bytes?.length !== 33 || bytes[0] !== cosignatureType) return null;
  const witness = nameKey(sha256, name, bytes.slice(1), cosignatureType);
  return toHex(witness.id) === id ? witness : null;
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
