import type { ListOptions, PagePromise } from '../transport.ts';
import type * as Api from '../types/api.ts';
import type { PageParams } from '../types/values.ts';
import { ConsentSubjectsMethods } from './methods.ts';
import { page } from './resource.ts';

/** The people whose consent is recorded. A `subjectId` has 1 to 256 characters. */
export class ConsentSubjects extends ConsentSubjectsMethods {
  /**
   * Lists every record of a subject over all notices, newest first. Needs the scope `consent:read`.
   * @param params `limit` is 1 to 200, default 50.
   * @throws {NotFoundError} `not_found` when nothing was ever recorded of the subject.
   * @throws {BadRequestError} `invalid_cursor`.
   */
  listRecords(subjectId: string, params: PageParams = {}, options?: ListOptions): PagePromise<Api.ConsentRecord> {
    return this.api.list(page('getSubjectLedger', '/v1/consent/subjects/{subjectId}', { subjectId }, params), options);
  }
}
