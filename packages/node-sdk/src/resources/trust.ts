import type { ApiPromise, RequestOptions, Transport } from '../transport.ts';
import type { TrustCenter, TrustCenterInput } from '../types/api.ts';

/** The trust center: what the tenant shows to everybody. */
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
   * @param content the whole of it: what is left out is emptied.
   * @throws {ValidationError} `validation_failed`, naming each value that breaks its rule.
   */
  replace(content: TrustCenterInput, options?: RequestOptions): ApiPromise<TrustCenter> {
    return this.#transport.request(
      { id: 'replaceTrustCenter', method: 'PUT', path: '/v1/trust', body: content },
      options,
    );
  }
}
