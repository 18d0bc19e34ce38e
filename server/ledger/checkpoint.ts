import { hashBytes } from './merkle.ts';
import { type NoteVerifier, openNote } from './signed-note.ts';

/** The content of a checkpoint: the number of entries of a ledger, and the root of the tree over them. */
export interface Checkpoint {
  /** The name of the log: `<name of the key>/<tenant id>/<ledger>`. */
  readonly origin: string;
  readonly size: number;
  readonly rootHash: Buffer;
  /** When it was signed: RFC 3339, UTC. */
  readonly at: string;
}

/** The name of the log of a tenant. */
export function nameOrigin(keyName: string, tenantId: string, ledger: string): string {
  return `${keyName}/${tenantId}/${ledger}`;
}

/** The text of a checkpoint (C2SP tlog-checkpoint): origin, size, root, and the time as an extension line. */
export function writeCheckpoint({ origin, size, rootHash, at }: Checkpoint): string {
  return `${origin}\n${size}\n${rootHash.toString('base64')}\nTimestamp: ${at}\n`;
}

/**
 * Parses the text of a checkpoint.
 * @returns null if it is not a checkpoint of Svc.
 */
export function readCheckpoint(text: string): Checkpoint | null {
  const [, origin, size, root = '', at] =
    /^(\S+)\n(0|[1-9]\d{0,15})\n([A-Za-z0-9+/=]+)\nTimestamp: (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)\n$/.exec(text) ??
    [];
  if (origin === undefined || size === undefined || at === undefined) return null;
  const rootHash = Buffer.from(root, 'base64');
  if (rootHash.length !== hashBytes || rootHash.toString('base64') !== root) return null;
  if (!isTime(at)) return null;
  return Number.isSafeInteger(Number(size)) ? { origin, size: Number(size), rootHash, at } : null;
}

/** Whether a text of the right form is a valid time: February 30 is not. */
function isTime(text: string): boolean {
  const milliseconds = Date.parse(text);
  return !Number.isNaN(milliseconds) && new Date(milliseconds).toISOString() === text;
}

/**
 * Opens a signed checkpoint.
 * @returns its content; null if it is not a checkpoint or not signed by the verifier's key.
 */
export function openCheckpoint(note: string, verifier: NoteVerifier): Checkpoint | null {
  const text = openNote(note, verifier);
  return text === null ? null : readCheckpoint(text);
}
