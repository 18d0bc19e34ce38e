import type { ApiPromise, RequestOptions, StreamPromise, Transport } from '../transport.ts';
import type {
  ConsistencyProof,
  ExportLedgerParams,
  InclusionProof,
  LatestVerification,
  LedgerName,
  ProveAuditInclusionParams,
  ProveConsentInclusionParams,
  ProveConsistencyParams,
} from '../types/api.ts';
import { Checkpoints, titles } from './checkpoints.ts';
import { get, Resource } from './resource.ts';

/** The two ledgers, and what proves that nothing in them was changed or left out. */
export class Ledgers extends Resource {
  /** The audit log; needs the scope `audit:read`. */
  readonly audit: Ledger<'audit'>;
  /** The consent ledger; needs the scope `consent:read`. */
  readonly consent: Ledger<'consent'>;

  constructor(transport: Transport) {
    super(transport);
    this.audit = new Ledger(transport, 'audit');
    this.consent = new Ledger(transport, 'consent');
  }

  /**
   * Reads the latest verification of both ledgers and of the rows of the tenant by the server, which makes one each day
   * unless it is configured otherwise. Needs the scope `audit:read`.
   * @returns `latest`, which is null until the first one.
   */
  retrieveVerification(options?: RequestOptions): ApiPromise<LatestVerification> {
    return this.transport.request(get('getLedgerVerification', '/v1/ledgers/verification'), options);
  }
}

/** Identifies an entry: a consent record by its number, an audit event by its number or its id. */
export type LedgerEntry<Name extends LedgerName> =
  | ProveConsentInclusionParams
  | (Name extends 'audit' ? ProveAuditInclusionParams & { readonly id: string } : never);

/** One ledger: its checkpoints, its proofs and its export. Needs its scope: `audit:read` or `consent:read`. */
export class Ledger<Name extends LedgerName = LedgerName> extends Resource {
  readonly checkpoints: Checkpoints;
  readonly #name: Name;

  constructor(transport: Transport, name: Name) {
    super(transport);
    this.#name = name;
    this.checkpoints = new Checkpoints(transport, name);
  }

  /**
   * Proves that an entry is among those of a checkpoint.
   * @param entry the number of the entry (`sequence` of a consent record), or the id of an audit event; `size` names the
   *   checkpoint, default: the latest.
   * @throws {ConflictError} `checkpoint_missing` when no checkpoint speaks of the entry yet: make one first.
   * @throws {NotFoundError} `not_found` for an unknown entry, or no checkpoint of that size.
   */
  proveInclusion(entry: LedgerEntry<Name>, options?: RequestOptions): ApiPromise<InclusionProof> {
    return this.transport.request(
      get(`prove${titles[this.#name]}Inclusion`, `/v1/ledgers/${this.#name}/inclusion-proof`, {}, entry),
      options,
    );
  }

  /**
   * Proves that a checkpoint grew out of an earlier one: nothing was changed or taken out in between.
   * @throws {ConflictError} `checkpoint_missing` when there is no checkpoint yet.
   * @throws {NotFoundError} `not_found` when there is no later checkpoint of that size.
   * @throws {ValidationError} `validation_failed` when the earlier one is larger than the later one.
   */
  proveConsistency(sizes: ProveConsistencyParams, options?: RequestOptions): ApiPromise<ConsistencyProof> {
    return this.transport.request(
      get(`prove${titles[this.#name]}Consistency`, `/v1/ledgers/${this.#name}/consistency-proof`, {}, sizes),
      options,
    );
  }

  /**
   * Exports the ledger as JSON Lines that can be verified offline, of any length, as they come. The first line is a
   * header with the latest checkpoint and what the rest proves itself with; each other line is an entry. Entries newer
   * than the checkpoint are not in it: make one first.
   * @throws {ConflictError} `checkpoint_missing` when there is no checkpoint yet.
   * @throws {ValidationError} `validation_failed` when there was no checkpoint of the size `since`.
   */
  export(range: ExportLedgerParams = {}, options?: RequestOptions): StreamPromise {
    return this.transport.stream(
      get(`export${titles[this.#name]}Ledger`, `/v1/ledgers/${this.#name}/export`, {}, range),
      options,
    );
  }
}
