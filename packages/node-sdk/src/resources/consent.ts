import { NotFoundError } from '../api-error.ts';
import type {
  ApiPromise,
  ChangeOptions,
  ListOptions,
  PagePromise,
  RequestOptions,
  ResponseDetails,
} from '../transport.ts';
import type * as Api from '../types/api.ts';
import type { PageParams } from '../types/values.ts';
import { ConsentMethods, ConsentNoticesMethods, ConsentRecords, ConsentSubjectsMethods } from './methods.ts';
import { get, page, post } from './resource.ts';

/**
 * Consent notices: what visitors read and decide. A draft is published as versions that never change. Reading needs the
 * scope `consent:read`, the other methods `consent:write`.
 */
export class ConsentNotices extends ConsentNoticesMethods {
  /** Gets a notice. */
  retrieve(noticeId: string, options?: RequestOptions): ApiPromise<Api.Notice> {
    return this.api.request(
      { ...get('getConsent', '/v1/consent/{id}', { id: noticeId }), read: requireNotice },
      options,
    );
  }

  /**
   * Publishes the content as the next version. Nothing happens when nothing changed since the latest one.
   * @param options `asksAgain` asks every visitor again, whatever changed.
   * @returns the notice, with `status` `published` and the number of the version.
   * @throws {ConflictError} `consent_notice_changed` if the content is not the one of `ifMatch`.
   */
  publish(
    noticeId: string,
    { ifMatch, asksAgain, ...options }: ChangeOptions & Api.NoticePublication = {},
  ): ApiPromise<Api.Notice> {
    const body = asksAgain === undefined ? undefined : { asksAgain };
    const operation = post('publishConsentNotice', '/v1/consent/{id}/publish', { id: noticeId }, body);
    return this.api.request({ ...operation, ifMatch }, options);
  }
}

/**
 * Reads the response of `GET /v1/consent/{id}` where it is a notice. For an id that is no notice it is the records of
 * the subject with that id, which come as a list.
 * @throws {NotFoundError} for those.
 */
function requireNotice(answer: unknown, response: ResponseDetails): unknown {
  if (!('items' in Object(answer))) return answer;
  const { requestId, headers, idempotencyKey, attempts } = response;
  const message = 'There is no such consent notice.';
  const words = { code: 'not_found', message, details: [], fields: {}, excerpt: null };
  const content = { ...words, status: 404, requestId, headers, retryAfterMs: null };
  throw new NotFoundError(content, { operation: 'getConsent', idempotencyKey, attempts });
}

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

/** Consent: the notices, the ledger of records given against them, and the short form for one purpose. */
export class Consent extends ConsentMethods {
  /** The notices that visitors decide on. Scopes: `consent:read`, `consent:write`. */
  readonly notices = new ConsentNotices(this.api);
  /** The consent ledger. Scopes: `consent:read`, `consent:write`. */
  readonly records = new ConsentRecords(this.api);
  /** The people whose consent is recorded. Scopes: `consent:read`, `dsr:write` to erase. */
  readonly subjects = new ConsentSubjects(this.api);
}
