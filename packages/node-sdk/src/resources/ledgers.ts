import type { ApiPromise, ListOptions, PagePromise, RequestOptions, StreamPromise, Transport } from '../transport.ts';
import type * as Api from '../types/api.ts';
import type { PageParams } from '../types/values.ts';
import { get, page, post, Resource } from './resource.ts';

/** How the operations of each ledger are called. */
const titles = { audit: 'Audit', consent: 'Consent' } as const satisfies Record<Api.LedgerName, string>;

/** The two ledgers, and what proves that nothing in them was changed or left out. */
export class Ledgers extends Resource {
  /** The audit log. Scope: `audit:read`. */
  readonly audit = new Ledger(this.api, 'audit');
  /** The consent ledger. Scope: `consent:read`. */
  readonly consent = new Ledger(this.api, 'consent');

  /**
   * Reads the latest verification of both ledgers and of the rows of the tenant by the server, which makes one each day
   * unless it is configured otherwise. Needs the scope `audit:read`.
   * @returns `latest`, which is null until the first one.
   */
  retrieveVerification(options?: RequestOptions): ApiPromise<Api.LatestVerification> {
    return this.api.request(get('getLedgerVerification', '/v1/ledgers/verification'), options);
  }
}

/** Identifies an entry: a consent record by its number, an audit event by its number or its id. */
export type LedgerEntry<Name extends Api.LedgerName> =
  | Api.ProveConsentInclusionParams
  | (Name extends 'audit' ? Api.ProveAuditInclusionParams & { readonly id: string } : never);

/** One ledger: its checkpoints, its proofs and its export. Needs its scope: `audit:read` or `consent:read`. */
class Ledger<Name extends Api.LedgerName = Api.LedgerName> extends Resource {
  /** Checkpoints of the ledger, signed by the server. Needs the scope of the ledger. */
  readonly checkpoints: Checkpoints;
  readonly #title: string;
  readonly #path: string;

  constructor(transport: Transport, name: Name) {
    super(transport);
    this.#title = titles[name];
    this.#path = `/v1/ledgers/${name}`;
    this.checkpoints = new Checkpoints(transport, name);
  }

  /**
   * Proves that an entry is among those of a checkpoint.
   * @param entry the number of the entry (`sequence` of a consent record), or the id of an audit event; `size` names
   *   the checkpoint, default: the latest.
   * @throws {ConflictError} `checkpoint_missing` when no checkpoint covers the entry yet: create one first.
   * @throws {NotFoundError} `not_found` for an unknown entry, or no checkpoint of that size.
   */
  proveInclusion(entry: LedgerEntry<Name>, options?: RequestOptions): ApiPromise<Api.InclusionProof> {
    return this.api.request(get(`prove${this.#title}Inclusion`, `${this.#path}/inclusion-proof`, {}, entry), options);
  }

  /**
   * Proves that a checkpoint grew out of an earlier one: nothing was changed or taken out in between.
   * @throws {ConflictError} `checkpoint_missing` when there is no checkpoint yet.
   * @throws {NotFoundError} `not_found` when there is no later checkpoint of that size.
   * @throws {ValidationError} `validation_failed` when the earlier one is larger than the later one.
   */
  proveConsistency(sizes: Api.ProveConsistencyParams, options?: RequestOptions): ApiPromise<Api.ConsistencyProof> {
    const operation = get(`prove${this.#title}Consistency`, `${this.#path}/consistency-proof`, {}, sizes);
    return this.api.request(operation, options);
  }

  /**
   * Exports the ledger as JSON Lines that can be verified offline, of any length, as they come. The first line is a
   * header with the latest checkpoint and what the rest proves itself with; each other line is an entry. Entries newer
   * than the checkpoint are not in it: create one first.
   * @throws {ConflictError} `checkpoint_missing` when there is no checkpoint yet.
   * @throws {ValidationError} `validation_failed` when there was no checkpoint of the size `since`.
   */
  export(range: Api.ExportLedgerParams = {}, options?: RequestOptions): StreamPromise {
    return this.api.stream(get(`export${this.#title}Ledger`, `${this.#path}/export`, {}, range), options);
  }
}

/** Checkpoints of a ledger, signed by the server. Needs the scope of the ledger: `audit:read` or `consent:read`. */
class Checkpoints extends Resource {
  readonly #title: string;
  readonly #path: string;

  constructor(transport: Transport, ledger: Api.LedgerName) {
    super(transport);
    this.#title = titles[ledger];
    this.#path = `/v1/ledgers/${ledger}/checkpoints`;
  }

  /**
   * Lists the checkpoints, newest first.
   * @throws {BadRequestError} `invalid_cursor`.
   */
  list(params: PageParams = {}, options?: ListOptions): PagePromise<Api.Checkpoint> {
    return this.api.list(page(`list${this.#title}Checkpoints`, this.#path, {}, params), options);
  }

  /**
   * Signs a checkpoint of the ledger as it is now. The server signs one at intervals by itself; when nothing was added
   * since the latest, that one is returned.
   * @throws {RateLimitError} `rate_limited` while the server still takes up a long ledger.
   */
  create(options?: RequestOptions): ApiPromise<Api.Checkpoint> {
    return this.api.request(post(`create${this.#title}Checkpoint`, this.#path), options);
  }

  /**
   * Gets the latest checkpoint.
   * @throws {ConflictError} `checkpoint_missing` when there is none yet.
   */
  retrieveLatest(options?: RequestOptions): ApiPromise<Api.Checkpoint> {
    return this.api.request(get(`getLatest${this.#title}Checkpoint`, `${this.#path}/latest`), options);
  }
}
