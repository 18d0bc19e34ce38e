import type { Time } from './json.ts';
/** The audit log, or the ledger of consent records. */
export type LedgerName = 'audit' | 'consent';

/** What the server signed about a ledger. */
export interface Checkpoint {
  readonly ledger: LedgerName;
  /** How many entries of the ledger it speaks of: those numbered 1 to this. */
  readonly size: number;
  /** Root of the Merkle tree (RFC 6962) over these entries, base64. */
  readonly rootHash: string;
  readonly at: string;
  /**
   * The checkpoint with its signature (C2SP tlog-checkpoint, signed-note). Keep it: with it and the public key alone anyone
   * can later show whether these entries were changed.
   */
  readonly note: string;
}

/** Proof that an entry is among those of a checkpoint. */
export interface InclusionProof {
  /** The number of the entry; its leaf has this number less one. */
  readonly sequence: number;
  /** The chain hash of the entry, hex. Its 32 bytes are the data of the leaf. */
  readonly hash: string;
  /** SHA-256, base64. */
  readonly leafHash: string;
  /** The audit path from the leaf upwards (RFC 9162 section 2.1.3), base64. */
  readonly hashes: readonly string[];
  readonly checkpoint: Checkpoint;
}

/** Proof that a checkpoint grew out of an earlier one. */
export interface ConsistencyProof {
  /** The size of the earlier checkpoint. */
  readonly from: number;
  /** RFC 9162 section 2.1.4, base64. */
  readonly hashes: readonly string[];
  /** The later checkpoint. */
  readonly checkpoint: Checkpoint;
}

/** An entry by its number. */
export interface EntryBySequence {
  /** The number of the entry, from 1. */
  readonly sequence: number;
  /** The size of the checkpoint; default: the latest. */
  readonly size?: number | undefined;
}

/** An event of the audit log by its id. */
export interface EntryById {
  /** The id of the event. */
  readonly id: string;
  /** The size of the checkpoint; default: the latest. */
  readonly size?: number | undefined;
}

/** Two checkpoints of a ledger. */
export interface ConsistencyParams {
  /** The size of the earlier checkpoint. */
  readonly from: number;
  /** The size of the later one; default: the latest. */
  readonly to?: number | undefined;
}

/** What is exported. */
export interface ExportParams {
  /** Entries at this time or later, RFC 3339. */
  readonly from?: Time | undefined;
  /** Entries before this time, RFC 3339. */
  readonly to?: Time | undefined;
  /** The size of an earlier checkpoint that you kept: the file then proves that it grew out of that one. */
  readonly since?: number | undefined;
}
