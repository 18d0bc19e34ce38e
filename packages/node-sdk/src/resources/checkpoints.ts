import type { ApiPromise, ListOptions, PagePromise, RequestOptions, Transport } from '../transport.ts';
import type { Checkpoint, LedgerName } from '../types/api.ts';
import type { PageParams } from '../types/values.ts';
import { get, page, post, Resource } from './resource.ts';

/** How the operations of each ledger are called. */
export const titles = { audit: 'Audit', consent: 'Consent' } as const satisfies Record<LedgerName, string>;

/** What the server signed about a ledger. Needs the scope of the ledger: `audit:read` or `consent:read`. */
export class Checkpoints extends Resource {
  readonly #title: string;
  readonly #path: string;

  constructor(transport: Transport, ledger: LedgerName) {
    super(transport);
    this.#title = titles[ledger];
    this.#path = `/v1/ledgers/${ledger}/checkpoints`;
  }

  /**
   * Lists the checkpoints, newest first.
   * @throws {BadRequestError} `invalid_cursor`.
   */
  list(params: PageParams = {}, options?: ListOptions): PagePromise<Checkpoint> {
    return this.transport.list(page(`list${this.#title}Checkpoints`, this.#path, {}, params), options);
  }

  /**
   * Signs a checkpoint of the ledger as it is now. The server signs one at intervals by itself; when nothing was added since
   * the latest, that one is the answer.
   * @throws {RateLimitError} `rate_limited` while the server still takes up a long ledger.
   */
  create(options?: RequestOptions): ApiPromise<Checkpoint> {
    return this.transport.request(post(`create${this.#title}Checkpoint`, this.#path), options);
  }

  /**
   * Gets the latest checkpoint.
   * @throws {ConflictError} `checkpoint_missing` when there is none yet.
   */
  retrieveLatest(options?: RequestOptions): ApiPromise<Checkpoint> {
    return this.transport.request(get(`getLatest${this.#title}Checkpoint`, `${this.#path}/latest`), options);
  }
}
