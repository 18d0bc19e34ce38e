import { readCheckpoint } from '../../packages/node-sdk/src/ledger/checkpoint.ts';
import { type NoteVerifier, openNote } from './signed-note.ts';

export { readCheckpoint };

/** The content of a checkpoint: the number of entries of a ledger, and the root of the tree over them. */
export type Checkpoint = NonNullable<ReturnType<typeof readCheckpoint>>;

/** The name of the log of a ledger, which is the origin of its checkpoints. */
export function nameOrigin(keyName: string, tenantId: string, ledger: string): string {
  return `${keyName}/${tenantId}/${ledger}`;
}

/** The text of a checkpoint (C2SP tlog-checkpoint): origin, size, root, and the time as an extension line. */
export function writeCheckpoint({ origin, size, rootHash, at }: Checkpoint): string {
  return `${origin}\n${size}\n${rootHash}\nTimestamp: ${at}\n`;
}

/**
 * Opens a signed checkpoint.
 * @returns its content; null if it is not a checkpoint or not signed by the verifier's key.
 */
export function openCheckpoint(note: string, verifier: NoteVerifier): Checkpoint | null {
  const text = openNote(note, verifier);
  return text === null ? null : readCheckpoint(text);
}
