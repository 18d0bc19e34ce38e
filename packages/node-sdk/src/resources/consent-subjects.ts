import type { ApiPromise, ListOptions, PagePromise, RequestOptions, Transport } from '../transport.ts';
import type { ConsentRecord, Erasure, ErasureInput, SubjectLedger } from '../types/api.ts';
import type { PageParams } from '../types/values.ts';

/** The people whose consent is recorded. */
export class ConsentSubjects {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Gets what holds for a subject, and its newest records. `state.api` has what was captured with credentials, apart from
   * `state.public`, which has what visitors decided on pages. Needs the scope `consent:read`.
   * @param subjectId 1 to 256 characters.
   * @param params `limit` of the records is 1 to 200, default 50.
   * @throws {NotFoundError} `not_found` when nothing was ever recorded of the subject.
   * @throws {BadRequestError} `invalid_cursor`.
   */
  retrieve(subjectId: string, params: PageParams = {}, options?: RequestOptions): ApiPromise<SubjectLedger> {
    return this.#transport.request(
      {
        id: 'getSubjectLedger',
        method: 'GET',
        path: '/v1/consent/subjects/{subjectId}',
        parameters: { subjectId },
        query: params,
      },
      options,
    );
  }

  /**
   * Lists every record of a subject over all notices, newest first. Needs the scope `consent:read`.
   * @param subjectId 1 to 256 characters.
   * @param params `limit` is 1 to 200, default 50.
   * @throws {NotFoundError} `not_found` when nothing was ever recorded of the subject.
   * @throws {BadRequestError} `invalid_cursor`.
   */
  listRecords(subjectId: string, params: PageParams = {}, options?: ListOptions): PagePromise<ConsentRecord> {
    return this.#transport.list(
      {
        id: 'getSubjectLedger',
        method: 'GET',
        path: '/v1/consent/subjects/{subjectId}',
        parameters: { subjectId },
        query: params,
        page: 'items',
      },
      options,
    );
  }

  /**
   * Erases what identifies a subject: in its records, completed data-subject requests, audit events, webhook events
   * and stored responses. The records stay in the ledger. It cannot be undone. Needs the scope `dsr:write`.
   * @param subjectId 1 to 256 characters.
   * @param input `reason` is for the audit log, 1 to 2,000 characters; it must not contain
   *   the subject.
   * @throws {ConflictError} `dsr_open` while a request of the subject is open.
   * @throws {ValidationError} `validation_failed`.
   */
  erase(subjectId: string, input: ErasureInput, options?: RequestOptions): ApiPromise<Erasure> {
    return this.#transport.request(
      {
        id: 'eraseSubject',
        method: 'POST',
        path: '/v1/consent/subjects/{subjectId}/erase',
        parameters: { subjectId },
        body: input,
      },
      options,
    );
  }
}
