import { SvcError } from '../errors.ts';

/** The reason of the error, for programs; the messages are for people. */
export type LedgerFault =
  /**
   * The public key is none, or is not written as `/.well-known/svc-ledger-key` gives it. Or there are too many rotations, or
   * they lead from one key to different ones.
   */
  | 'key_invalid'
  /**
   * A checkpoint that neither this key nor one that rotations lead to signed, or a signed text that is no checkpoint. Or a
   * former key signed it, and its rotation does not state as much of the ledger.
   */
  | 'checkpoint_not_signed'
  /** A checkpoint of another tenant, ledger or installation. */
  | 'checkpoint_foreign'
  /** An export about another tenant, ledger or time than the one that was wanted. */
  | 'export_foreign'
  /** Bytes that are not UTF-8, text that is not JSON, or JSON without what must be in it. */
  | 'line_malformed'
  /** A header that contradicts itself or is not written as the server writes it. */
  | 'header_invalid'
  /** An entry in other words than those that the server wrote: two programs could read it differently. */
  | 'entry_malformed'
  /** A number that is missing, is there twice, or is out of order. */
  | 'entry_missing'
  /** An entry that the header does not know of. */
  | 'entry_unexpected'
  /** An entry, or a whole side of the range, that was left out although it belongs there. */
  | 'entries_left_out'
  /** An entry of another tenant. */
  | 'entry_foreign'
  /** An entry that names another predecessor than the one before it. */
  | 'chain_broken'
  /** An entry that is not the one that was hashed: it was changed. */
  | 'hash_mismatch'
  /** A value beside an entry that is not the one that the entry has a commitment to, or only a part of the values. */
  | 'opening_mismatch'
  /** A record that does not have the hash of what was shown, or an export or a proof without that text. */
  | 'shown_missing'
  /** A text that is not the one that the record names, or is about another notice, version or language than the record. */
  | 'shown_mismatch'
  /**
   * The time of an entry is much before that of an earlier checkpoint that does not cover it; or a timestamp or a
   * cosignature is much older than its checkpoint.
   */
  | 'time_implausible'
  /** Entries other than those that the signed checkpoint covers. */
  | 'root_mismatch'
  /** Fewer entries than an earlier checkpoint spoke of. */
  | 'ledger_shrunk'
  /** Nothing in the export leads to the earlier checkpoint. */
  | 'consistency_missing'
  /** Entries that an earlier checkpoint covers were changed, removed or reordered since. */
  | 'history_rewritten'
  /** A proof that does not lead to the root. */
  | 'proof_invalid'
  /** Not enough of the given witnesses cosigned the log, or the log does not contain a checkpoint of the ledger. */
  | 'cosignatures_missing'
  /** There is no timestamp of the log, or the log does not contain a checkpoint of the ledger. */
  | 'timestamp_missing'
  /** `verifyTimestamp` rejected the timestamp. */
  | 'timestamp_invalid';

/**
 * Something does not fit: nothing that was handed in may be relied on. Thrown by every function of this entry, which
 * return only when all is well.
 */
export class LedgerVerificationError extends SvcError {
  static override readonly kind: string = 'LedgerVerificationError';
  declare readonly code: LedgerFault;
  /** The line of the export, from 1: where reading stopped; null where there are no lines. */
  readonly line: number | null;
  /** The number of the entry that is wrong, where one is. */
  readonly sequence: number | null;

  constructor(
    code: LedgerFault,
    message: string,
    { line = null, sequence = null }: { readonly line?: number | null; readonly sequence?: number | null } = {},
  ) {
    super(code, message);
    this.line = line;
    this.sequence = sequence;
  }
}

/** @param sequence the number of the entry that is wrong, where one is. */
export function fail(code: LedgerFault, message: string, sequence: number | null = null): never {
  throw new LedgerVerificationError(code, message, { sequence });
}
