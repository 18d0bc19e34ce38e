import type { ApiPromise, ListOptions, PagePromise, RequestOptions } from '../transport.ts';
import type * as Api from '../types/api.ts';
import { get, post, Resource } from './resource.ts';

const path = '/v1/consent/{id}/records';

/**
 * The records of a notice: an append-only ledger. A withdrawal is a separate record. Reading needs the scope
 * `consent:read`, the other methods `consent:write`.
 */
export class ConsentRecords extends Resource {
  /**
   * Lists the records of a notice, newest first.
   * @param params which ones; `limit` is 1 to 200, default 50. With filters a page may have fewer and still a next one,
   *   and its `total` is null.
   * @throws {BadRequestError} `invalid_cursor`.
   */
  list(
    noticeId: string,
    params: Api.ListConsentRecordsParams = {},
    options?: ListOptions,
  ): PagePromise<Api.ConsentRecord> {
    return this.api.list({ ...get('listConsentRecords', path, { id: noticeId }, params), page: 'data' }, options);
  }

  /**
   * Captures a record against a published notice. One that turns off what the subject granted before is stored as a
   * withdrawal of it. The call has an Idempotency-Key over all its attempts: nothing is recorded twice. Pass your own
   * as `idempotencyKey` to be safe over a restart of your program too.
   * @param record at least one purpose of the notice.
   * @throws {ConflictError} `consent_notice_not_published`, with `requiredStatus` and `actualStatus` in `fields`;
   *   `idempotency_in_progress` while another request with the same key runs.
   * @throws {ValidationError} `validation_failed` for a purpose that the notice does not have, and for a refusal of one
   *   that is required; `idempotency_key_reused` for a key that was used with another request.
   */
  capture(noticeId: string, record: Api.ConsentRecordInput, options?: RequestOptions): ApiPromise<Api.ConsentRecord> {
    return this.api.request(post('captureConsentRecord', path, { id: noticeId }, record), options);
  }

  /** Gets one record. */
  retrieve(noticeId: string, recordId: string, options?: RequestOptions): ApiPromise<Api.ConsentRecord> {
    return this.api.request(get('getConsentRecord', `${path}/{recordId}`, { id: noticeId, recordId }), options);
  }

  /** Gets one record whose notice you do not know. */
  find(recordId: string, options?: RequestOptions): ApiPromise<Api.ConsentRecord> {
    return this.api.request(get('findConsentRecord', '/v1/consent/records/{recordId}', { recordId }), options);
  }

  /**
   * Gets the receipt of a record as JSON-LD, after the profile of ISO/IEC TS 27560 in the Data Privacy Vocabulary.
   * @returns the document; `missing` names the fields of the notice that the profile requires and the notice does not
   *   state.
   */
  retrieveReceipt(recordId: string, options?: RequestOptions): ApiPromise<Api.ConsentReceipt> {
    const operation = get('getConsentReceipt', '/v1/consent/records/{recordId}/receipt', { recordId });
    return this.api.request({ ...operation, answer: 'bare' }, options);
  }

  /**
   * Withdraws purposes that a record granted, of an archived notice too. The original stays as it is.
   * @returns the new record, whose `withdrawsRecordId` names the original.
   * @throws {ConflictError} `consent_already_withdrawn` when none of the purposes is still granted.
   * @throws {ValidationError} `validation_failed` for a purpose that the record did not grant or that is required.
   */
  withdraw(
    noticeId: string,
    recordId: string,
    withdrawal: Api.ConsentWithdrawalInput = {},
    options?: RequestOptions,
  ): ApiPromise<Api.ConsentRecord> {
    return this.api.request(
      post('withdrawConsentRecord', `${path}/{recordId}/withdrawals`, { id: noticeId, recordId }, withdrawal),
      options,
    );
  }
}
