import type { ApiPromise, ChangeOptions, RequestOptions } from '../transport.ts';
import type * as Api from '../types/api.ts';
import { get, put, Resource, remove } from './resource.ts';

/**
 * The trust center: the public page of the tenant and its settings. Reading needs the scope `trust:read`, the other
 * methods `trust:write`.
 */
export class Trust extends Resource {
  /** Gets the trust center; one that was never set is empty. */
  retrieve(options?: RequestOptions): ApiPromise<Api.TrustCenter> {
    return this.api.request(get('getTrustCenter', '/v1/trust'), options);
  }

  /**
   * Replaces the trust center, and publishes it or takes it back. Nothing happens when nothing changed.
   * @param content the whole of it: what is left out is emptied. A subprocessor is the same as before if its name and
   *   `since` are; the server keeps when it was announced.
   * @throws {ConflictError} `trust_center_changed` if the trust center is not the one of `ifMatch`.
   */
  replace(content: Api.TrustCenterInput, { ifMatch, ...options }: ChangeOptions = {}): ApiPromise<Api.TrustCenter> {
    return this.api.request({ ...put('replaceTrustCenter', '/v1/trust', {}, content), ifMatch }, options);
  }

  /**
   * Saves a draft: what is public stays as it is. To publish it, replace the trust center with its content.
   * @throws {ConflictError} `trust_center_changed` if the trust center is not the one of `ifMatch`.
   */
  saveDraft(content: Api.TrustDraftInput, { ifMatch, ...options }: ChangeOptions = {}): ApiPromise<Api.TrustCenter> {
    return this.api.request({ ...put('saveTrustDraft', '/v1/trust/draft', {}, content), ifMatch }, options);
  }

  /**
   * Discards the draft, if there is one.
   * @throws {ConflictError} `trust_center_changed` if the trust center is not the one of `ifMatch`.
   */
  discardDraft({ ifMatch, ...options }: ChangeOptions = {}): ApiPromise<Api.TrustCenter> {
    return this.api.request({ ...remove('discardTrustDraft', '/v1/trust/draft'), ifMatch }, options);
  }
}
