import type { ApiPromise, ListOptions, PagePromise, RequestOptions } from '../transport.ts';
import type * as Api from '../types/api.ts';
import { get, page, patch, post, Resource } from './resource.ts';

/**
 * Requests of data subjects, with the day by which each must be answered. Reading needs the scope `dsr:read`, the other
 * methods `dsr:write`.
 */
export class DataSubjectRequests extends Resource {
  /**
   * Opens a request. It is due as many days of 24 hours after its receipt as the tenant chose (`dsrDays`); a later
   * change of that setting moves no due date. Emits `dsr.created`.
   * @throws {ValidationError} `validation_failed`, also for a `receivedAt` in the future.
   */
  create(request: Api.DataSubjectRequestInput, options?: RequestOptions): ApiPromise<Api.DataSubjectRequest> {
    return this.api.request(post('createDsr', '/v1/dsr', {}, request), options);
  }

  /**
   * Lists the requests, newest first.
   * @throws {BadRequestError} `invalid_cursor` for a cursor of other filters.
   */
  list(params: Api.ListDsrsParams = {}, options?: ListOptions): PagePromise<Api.DataSubjectRequest> {
    return this.api.list(page('listDsrs', '/v1/dsr', {}, params), options);
  }

  /** Gets a request. */
  retrieve(dsrId: string, options?: RequestOptions): ApiPromise<Api.DataSubjectRequest> {
    return this.api.request(get('getDsr', '/v1/dsr/{id}', { id: dsrId }), options);
  }

  /**
   * Edits an open request: who answers it, notes, and the check of the person's identity, which the server dates and
   * signs with the caller. Omitted fields keep their values.
   * @throws {ConflictError} `dsr_already_completed`.
   * @throws {ValidationError} `validation_failed`, also for an assignee who cannot sign in.
   */
  update(
    dsrId: string,
    change: Api.DataSubjectRequestChange,
    options?: RequestOptions,
  ): ApiPromise<Api.DataSubjectRequest> {
    return this.api.request(patch('editDsr', '/v1/dsr/{id}', { id: dsrId }, change), options);
  }

  /**
   * Extends the period of a request, once and while it runs. It becomes three times as long, but ends 90 days after the
   * receipt at the latest. The same again, with the same reason, changes nothing.
   * @throws {ConflictError} `dsr_already_completed`; `dsr_extension_not_allowed` when it was extended before, has
   *   passed, or is the longest.
   */
  extend(
    dsrId: string,
    extension: Api.DataSubjectRequestExtension,
    options?: RequestOptions,
  ): ApiPromise<Api.DataSubjectRequest> {
    return this.api.request(post('extendDsr', '/v1/dsr/{id}/extend', { id: dsrId }, extension), options);
  }

  /**
   * Creates the token of the link `/privacy/confirm#token` that confirms the address of an open request that was made
   * with the form. It works once, within 14 days; earlier ones of the request end.
   * @throws {ConflictError} `dsr_already_completed`; `conflict` when there is no address, or it is confirmed.
   */
  createConfirmationLink(dsrId: string, options?: RequestOptions): ApiPromise<Api.DataSubjectRequestConfirmationLink> {
    const operation = post('createDsrConfirmationLink', '/v1/dsr/{id}/confirmation-link', { id: dsrId });
    return this.api.request(operation, options);
  }

  /**
   * Completes a request. The same again, with the same outcome and reason, changes nothing. Emits `dsr.completed`.
   * @param completion with a `reason` unless the request is fulfilled.
   * @throws {ConflictError} `dsr_already_completed` with another outcome or reason.
   */
  complete(
    dsrId: string,
    completion: Api.DataSubjectRequestCompletion,
    options?: RequestOptions,
  ): ApiPromise<Api.DataSubjectRequest> {
    return this.api.request(post('completeDsr', '/v1/dsr/{id}/complete', { id: dsrId }, completion), options);
  }

  /**
   * Erases the texts of a completed request, also in the audit events, webhook events and stored responses about it.
   * Its type, dates and outcome stay. It cannot be undone.
   * @throws {ConflictError} `dsr_open` while the request is open.
   * @throws {ValidationError} `validation_failed`, also for a reason that names the person.
   */
  erase(dsrId: string, input: Api.ErasureInput, options?: RequestOptions): ApiPromise<Api.Erasure> {
    return this.api.request(post('eraseDsr', '/v1/dsr/{id}/erase', { id: dsrId }, input), options);
  }
}
