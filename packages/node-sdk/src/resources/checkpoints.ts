import type { ApiPromise, ListOptions, PagePromise, RequestOptions, Transport } from '../transport.ts';
import type { Checkpoint, LedgerName } from '../types/api.ts';
import type { PageParams } from '../types/values.ts';

/** How the operations of each ledger are called. */
export const titles = { audit: 'Audit', consent: 'Consent' } as const satisfies Record<LedgerName, string>;

/** What the server signed about a ledger. Needs the scope of the ledger: `audit:read` or `consent:read`. */
export class Checkpoints {
  readonly #transport: Transport;
  readonly #title: string;
  readonly #path: string;

  constructor(transport: Transport, ledger: LedgerName) {
    this.#transport = transport;
    this.#title = titles[ledger];
    this.#path = `/v1/ledgers/${ledger}/checkpoints`;
  }

  /**
   * Lists the checkpoints, newest first.
   * @param params `limit` is 1 to 100, default 25.
   * @throws {BadRequestError} `invalid_cursor`.
   */
  list(params: PageParams = {}, options?: ListOptions): PagePromise<Checkpoint> {
    return this.#transport.list(
      { id: `list${this.#title}Checkpoints`, method: 'GET', path: this.#path, query: params, page: 'items' },
      options,
    );
  }

  /**
   * Signs a checkpoint of the ledger as it is now. The server signs one at intervals by itself; when nothing was added since
   * the latest, that one is the answer.
   * @throws {RateLimitError} `rate_limited` while the server still takes up a long ledger.
   */
  create(options?: RequestOptions): ApiPromise<Checkpoint> {
    return this.#transport.request({ id: `create${this.#title}Checkpoint`, method: 'POST', path: this.#path }, options);
  }

  /**
   * Gets the latest checkpoint.
   * @throws {ConflictError} `checkpoint_missing` when there is none yet.
   */
  retrieveLatest(options?: RequestOptions): ApiPromise<Checkpoint> {
    return this.#transport.request(
      { id: `getLatest${this.#title}Checkpoint`, method: 'GET', path: `${this.#path}/latest` },
      options,
    );
  }
}
