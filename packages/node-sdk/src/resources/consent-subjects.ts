import type { ListOptions, PagePromise, Transport } from '../transport.ts';
import type { ConsentRecord } from '../types/consent.ts';
import type { PageParams } from '../types/lists.ts';

/** The people whose consent is recorded. */
export class ConsentSubjects {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
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
        page: 'data',
      },
      options,
    );
  }
}
