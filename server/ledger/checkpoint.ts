import { isTime, readCheckpoint } from '../../packages/node-sdk/src/ledger/checkpoint.ts';
import { readHash } from '../../packages/node-sdk/src/ledger/merkle.ts';
import type { LedgerOf } from './entry.ts';
import { type NoteVerifier, openOwnNote } from './signed-note.ts';
import type { TreeOf } from './tree-store.ts';

// The texts that an installation signs: checkpoints, and the other records of the checkpoint log.

export { readCheckpoint };

/** The content of a checkpoint: the number of entries of a ledger, and the root of the tree over them. */
export type Checkpoint = NonNullable<ReturnType<typeof readCheckpoint>>;

/** The name of the log of a ledger, which is the origin of its checkpoints. */
export function nameOrigin(keyName: string, tenantId: string, ledger: string): string {
  return `${keyName}/${tenantId}/${ledger}`;
}

/** The name of a ledger or of the log of the installation without the name of the key: `<tenant id>/<ledger>`. */
export function nameTree({ tenantId, ledger }: TreeOf): string {
  return `${tenantId}/${ledger}`;
}

/** Parses a name (`nameTree`). */
export function readTreeName(name: string): TreeOf | null {
  if (name === 'installation/log') return { tenantId: 'installation', ledger: 'log' };
  const [, tenantId, ledger] = /^([^\s/]+)\/(consent|audit)$/.exec(name) ?? [];
  return tenantId === undefined ? null : { tenantId, ledger: ledger as LedgerOf['ledger'] };
}

/** The text of a checkpoint (C2SP tlog-checkpoint): origin, size, root, and the time as an extension line. */
export function writeCheckpoint({ origin, size, rootHash, at }: Checkpoint): string {
  return `${origin}\n${size}\n${rootHash}\nTimestamp: ${at}\n`;
}

/**
 * Opens a signed checkpoint.
 * @returns its content; null if it is not a checkpoint, or not signed by a key of the installation that counts for its size.
 */
export function openCheckpoint(note: string, verifier: NoteVerifier): Checkpoint | null {
  const opened = openOwnNote(note, verifier);
  const checkpoint = opened === null ? null : readCheckpoint(opened.text);
  if (opened === null || checkpoint === null || !('until' in opened.key)) return checkpoint;
  return checkpoint.size <= opened.key.sizeOf(checkpoint.origin) ? checkpoint : null;
}

export interface LogPosition {
  readonly records: number;
  /** SHA-256 over the records before it, each with the empty line after it: base64. */
  readonly hash: string;
}

/** States that an operator with the secret put a database in place; earlier anchors no longer count. */
export interface RestoreStatement {
  /** The name of the key, and `/restore`. */
  readonly origin: string;
  /** RFC 3339, UTC. */
  readonly at: string;
  /** Its position in the log: the statement is invalid at any other. */
  readonly after: LogPosition;
  /** The size of each ledger and of the log of the installation at that time, and the root of its Merkle tree, base64. */
  readonly states: readonly (TreeOf & Pick<Checkpoint, 'size' | 'rootHash'>)[];
}

/** The name that restore statements have where checkpoints have the name of a ledger. */
export function nameRestore(keyName: string): string {
  return `${keyName}/restore`;
}

/** The text of a statement: its origin, time, position in the log, and a line for each ledger and the log of the installation. */
export function writeRestoreStatement({ origin, at, after, states }: RestoreStatement): string {
  const lines = states.map(({ size, rootHash, ...of }) => `${nameTree(of)} ${size} ${rootHash}`);
  return `${[origin, `Restored: ${at}`, `After: ${after.records} ${after.hash}`, ...lines].join('\n')}\n`;
}

/**
 * Parses the text of a statement.
 * @returns null if it is not a restore statement.
 */
export function readRestoreStatement(text: string): RestoreStatement | null {
  const [, origin = '', at, records, hash = '', lines = ''] =
    /^([^\s/]+\/restore)\nRestored: (\S+)\nAfter: (0|[1-9]\d{0,14}) (\S+)\n((?:.+\n)*)$/.exec(text) ?? [];
  if (!isTime(at) || readHash(hash) === null) return null;
  const states: RestoreStatement['states'][number][] = [];
  for (const line of lines.split('\n').slice(0, -1)) {
    const [, name = '', size, rootHash = ''] = /^(\S+) (0|[1-9]\d{0,14}) (\S+)$/.exec(line) ?? [];
    const of = readTreeName(name);
    if (of === null || readHash(rootHash) === null) return null;
    states.push({ ...of, size: Number(size), rootHash });
  }
  return { origin, at, after: { records: Number(records), hash }, states };
}

/** The text of the first record of a log that was started when the database already had checkpoints. */
export function writeStart(keyName: string, at: string): string {
  return `${keyName}/start\nStarted: ${at}\n`;
}

/**
 * Parses the text of `writeStart`.
 * @returns null if it is not a start record.
 */
export function readStart(text: string): { readonly origin: string; readonly at: string } | null {
  const [, origin = '', at] = /^([^\s/]+\/start)\nStarted: (\S+)\n$/.exec(text) ?? [];
  return isTime(at) ? { origin, at } : null;
}
