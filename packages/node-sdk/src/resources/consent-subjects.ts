import type { ApiPromise, ListOptions, PagePromise, RequestOptions } from '../transport.ts';
import type * as Api from '../types/api.ts';
import type { Items, PageParams } from '../types/values.ts';
import { get, page, post, Resource } from './resource.ts';

const subjectPath = '/v1/consent/subjects/{subjectId}';

/** The people whose consent is recorded. A `subjectId` has 1 to 256 characters. */
export class ConsentSubjects extends Resource {
  /**
   * Gets what holds for a subject, and its newest records. `state.api` has what was captured with credentials, apart
   * from `state.public`, which has what visitors decided on pages. Needs the scope `consent:read`.
   * @param params `limit` of the records is 1 to 200, default 50.
   * @throws {NotFoundError} `not_found` when nothing was ever recorded of the subject.
   * @throws {BadRequestError} `invalid_cursor`.
   */
  retrieve(subjectId: string, params: PageParams = {}, options?: RequestOptions): ApiPromise<Api.SubjectLedger> {
    return this.api.request(get('getSubjectLedger', subjectPath, { subjectId }, params), options);
  }

  /**
   * Lists every record of a subject over all notices, newest first. Needs the scope `consent:read`.
   * @param params `limit` is 1 to 200, default 50.
   * @throws {NotFoundError} `not_found` when nothing was ever recorded of the subject.
   * @throws {BadRequestError} `invalid_cursor`.
   */
  listRecords(subjectId: string, params: PageParams = {}, options?: ListOptions): PagePromise<Api.ConsentRecord> {
    return this.api.list(page('getSubjectLedger', subjectPath, { subjectId }, params), options);
  }

  /**
   * Finds the stored spellings of a subject id: those that are the same without differences of case, Unicode form and
   * white space around them, each with its number of records, at most 1,000. Needs the scope `consent:read`.
   */
  search(input: Api.SubjectSearch, options?: RequestOptions): ApiPromise<Items<Api.SubjectSpelling>> {
    return this.api.request(post('searchSubjects', '/v1/consent/subjects/search', {}, input), options);
  }

  /**
   * Erases what identifies a subject: in its records, completed data-subject requests, audit events, webhook events and
   * stored responses. The records stay in the ledger. It cannot be undone. Needs the scope `dsr:write`.
   * @throws {ConflictError} `dsr_open` while a request of the subject is open.
   * @throws {ValidationError} `validation_failed`, also for a reason that names the person.
   */
  erase(subjectId: string, input: Api.ErasureInput, options?: RequestOptions): ApiPromise<Api.Erasure> {
    return this.api.request(post('eraseSubject', `${subjectPath}/erase`, { subjectId }, input), options);
  }
}
