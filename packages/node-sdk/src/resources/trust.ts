import type { ApiPromise, ChangeOptions, RequestOptions, Transport } from '../transport.ts';
import type { TrustCenter, TrustCenterInput, TrustDraftInput } from '../types/api.ts';

/** The trust center: the public page of the tenant and its settings. */
export class Trust {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Gets the trust center; one that was never set is empty. Needs the scope `trust:read`. */
  retrieve(options?: RequestOptions): ApiPromise<TrustCenter> {
    return this.#transport.request({ id: 'getTrustCenter', method: 'GET', path: '/v1/trust' }, options);
  }

  /**
   * Replaces the trust center, and publishes it or takes it back. Nothing happens when nothing changed. Needs the scope
   * `trust:write`.
   * @param content the whole of it: what is left out is emptied. A subprocessor is the same as before if its name and
   *   `since` are; the server keeps when it was announced.
   * @throws {ConflictError} `trust_center_changed` if the trust center is not the one of `ifMatch`.
   * @throws {ValidationError} `validation_failed`, naming each value that breaks its rule.
   */
  replace(content: TrustCenterInput, { ifMatch, ...options }: ChangeOptions = {}): ApiPromise<TrustCenter> {
    return this.#transport.request(
      { id: 'replaceTrustCenter', method: 'PUT', path: '/v1/trust', body: content, ifMatch },
      options,
    );
  }

  /**
   * Saves a draft: what is public stays as it is. To publish it, replace the trust center with its content. Needs the
   * scope `trust:write`.
   * @throws {ConflictError} `trust_center_changed` if the trust center is not the one of `ifMatch`.
   * @throws {ValidationError} `validation_failed`, naming each value that breaks its rule.
   */
  saveDraft(content: TrustDraftInput, { ifMatch, ...options }: ChangeOptions = {}): ApiPromise<TrustCenter> {
    return this.#transport.request(
      { id: 'saveTrustDraft', method: 'PUT', path: '/v1/trust/draft', body: content, ifMatch },
      options,
    );
  }

  /**
   * Discards the draft, if there is one. Needs the scope `trust:write`.
   * @throws {ConflictError} `trust_center_changed` if the trust center is not the one of `ifMatch`.
   */
  discardDraft({ ifMatch, ...options }: ChangeOptions = {}): ApiPromise<TrustCenter> {
    return this.#transport.request(
      { id: 'discardTrustDraft', method: 'DELETE', path: '/v1/trust/draft', ifMatch },
      options,
    );
  }
}
