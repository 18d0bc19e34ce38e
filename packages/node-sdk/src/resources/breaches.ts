import type { ApiPromise, ListOptions, PagePromise, RequestOptions } from '../transport.ts';
import type { Breach, BreachChange, BreachInput, Erasure, ErasureInput, ListBreachesParams } from '../types/api.ts';
import { get, page, patch, post, Resource } from './resource.ts';

/** Breaches of personal data, with the hour by which the authority must be notified. */
export class Breaches extends Resource {
  /**
   * Reports a breach. The authority must be notified within 72 hours of the discovery (GDPR Article 33(1)). Emits
   * `breach.reported`. Needs the scope `breach:write`.
   * @throws {ValidationError} `validation_failed`, also for a `discoveredAt` in the future.
   */
  report(breach: BreachInput, options?: RequestOptions): ApiPromise<Breach> {
    return this.transport.request(post('reportBreach', '/v1/breach', {}, breach), options);
  }

  /**
   * Lists the breaches, newest first. Needs the scope `breach:read`.
   * @param params which ones; `limit` is 1 to 100, default 25.
   * @throws {BadRequestError} `invalid_cursor` for a cursor of other filters.
   */
  list(params: ListBreachesParams = {}, options?: ListOptions): PagePromise<Breach> {
    return this.transport.list(page('listBreaches', '/v1/breach', {}, params), options);
  }

  /**
   * Gets a breach. Needs the scope `breach:read`.
   * @throws {NotFoundError} `not_found`.
   */
  retrieve(breachId: string, options?: RequestOptions): ApiPromise<Breach> {
    return this.transport.request(get('getBreach', '/v1/breach/{id}', { id: breachId }), options);
  }

  /**
   * Edits a breach, records its notifications, or moves it to another status. Emits `breach.updated`, unless
   * nothing changed. Needs the scope `breach:write`.
   * @param change what is left out stays as it is.
   * @throws {ConflictError} `breach_transition_not_allowed`; `breach_erased` where its texts were erased.
   * @throws {NotFoundError} `not_found`.
   * @throws {ValidationError} `validation_failed`, also where `notificationReason` is missing.
   */
  update(breachId: string, change: BreachChange, options?: RequestOptions): ApiPromise<Breach> {
    return this.transport.request(patch('editBreach', '/v1/breach/{id}', { id: breachId }, change), options);
  }

  /**
   * Erases the texts of a closed breach, also in the audit events and stored responses about it. Its severity, dates and
   * the number of people stay; it cannot be reopened. It cannot be undone. Needs the scope `breach:write`.
   * @param input `reason` is for the audit log, 1 to 2,000 characters; do not name a person in it.
   * @throws {ConflictError} `breach_open` while the breach is not closed.
   * @throws {NotFoundError} `not_found`.
   */
  erase(breachId: string, input: ErasureInput, options?: RequestOptions): ApiPromise<Erasure> {
    return this.transport.request(post('eraseBreach', '/v1/breach/{id}/erase', { id: breachId }, input), options);
  }
}
