import type { ApiPromise, ListOptions, PagePromise, RequestOptions } from '../transport.ts';
import type * as Api from '../types/api.ts';
import { get, page, patch, post, Resource } from './resource.ts';

/**
 * Breaches of personal data, with the hour by which the authority must be notified. Reading needs the scope
 * `breach:read`, the other methods `breach:write`.
 */
export class Breaches extends Resource {
  /**
   * Reports a breach. The authority must be notified within 72 hours of the discovery (GDPR Article 33(1)). Emits
   * `breach.reported`.
   * @throws {ValidationError} `validation_failed`, also for a `discoveredAt` in the future.
   */
  report(breach: Api.BreachInput, options?: RequestOptions): ApiPromise<Api.Breach> {
    return this.api.request(post('reportBreach', '/v1/breach', {}, breach), options);
  }

  /**
   * Lists the breaches, newest first.
   * @throws {BadRequestError} `invalid_cursor` for a cursor of other filters.
   */
  list(params: Api.ListBreachesParams = {}, options?: ListOptions): PagePromise<Api.Breach> {
    return this.api.list(page('listBreaches', '/v1/breach', {}, params), options);
  }

  /** Gets a breach. */
  retrieve(breachId: string, options?: RequestOptions): ApiPromise<Api.Breach> {
    return this.api.request(get('getBreach', '/v1/breach/{id}', { id: breachId }), options);
  }

  /**
   * Edits a breach, records its notifications, or moves it to another status. Emits `breach.updated`, unless nothing
   * changed.
   * @param change what is left out stays as it is.
   * @throws {ConflictError} `breach_transition_not_allowed`; `breach_erased` where its texts were erased.
   * @throws {ValidationError} `validation_failed`, also where `notificationReason` is missing.
   */
  update(breachId: string, change: Api.BreachChange, options?: RequestOptions): ApiPromise<Api.Breach> {
    return this.api.request(patch('editBreach', '/v1/breach/{id}', { id: breachId }, change), options);
  }

  /**
   * Erases the texts of a closed breach, also in the audit events and stored responses about it. Its severity, dates
   * and the number of people stay; it cannot be reopened. It cannot be undone.
   * @throws {ConflictError} `breach_open` while the breach is not closed.
   */
  erase(breachId: string, input: Api.ErasureInput, options?: RequestOptions): ApiPromise<Api.Erasure> {
    return this.api.request(post('eraseBreach', '/v1/breach/{id}/erase', { id: breachId }, input), options);
  }
}
