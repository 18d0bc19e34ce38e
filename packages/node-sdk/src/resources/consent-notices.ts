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
import type { Items, PageParams } from '../types/values.ts';
import { get, page, patch, post, Resource, remove } from './resource.ts';

const path = '/v1/consent/{id}';

/**
 * Consent notices: what visitors read and decide. A draft is published as versions that never change. Reading needs the
 * scope `consent:read`, the other methods `consent:write`.
 */
export class ConsentNotices extends Resource {
  /**
   * Lists the notices, newest first.
   * @throws {BadRequestError} `invalid_cursor` for a cursor of other filters.
   */
  list(params: Api.ListConsentNoticesParams = {}, options?: ListOptions): PagePromise<Api.Notice> {
    return this.api.list({ ...get('listConsentNotices', '/v1/consent', {}, params), page: 'data' }, options);
  }

  /** Gets a notice. */
  retrieve(noticeId: string, options?: RequestOptions): ApiPromise<Api.Notice> {
    return this.api.request({ ...get('getConsent', path, { id: noticeId }), read: requireNotice }, options);
  }

  /** Creates a notice as a draft; publish it to capture records. */
  create(content: Api.NoticeContent, options?: RequestOptions): ApiPromise<Api.Notice> {
    return this.api.request(post('createConsentNotice', '/v1/consent/notices', {}, content), options);
  }

  /**
   * Edits the content of a notice. What is published stays public as it is until the notice is published again.
   * @param change at least one field; what is left out stays as it is.
   * @throws {ConflictError} `consent_notice_changed` if the content is not the one of `ifMatch`.
   */
  update(
    noticeId: string,
    change: Api.NoticeChange,
    { ifMatch, ...options }: ChangeOptions = {},
  ): ApiPromise<Api.Notice> {
    return this.api.request({ ...patch('editConsentNotice', path, { id: noticeId }, change), ifMatch }, options);
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
    const operation = post('publishConsentNotice', `${path}/publish`, { id: noticeId }, body);
    return this.api.request({ ...operation, ifMatch }, options);
  }

  /**
   * Deletes a notice that was never published.
   * @throws {ConflictError} `consent_notice_versioned` for a notice with a version, which can only be archived;
   *   `consent_notice_changed` if the content is not the one of `ifMatch`.
   */
  delete(noticeId: string, { ifMatch, ...options }: ChangeOptions = {}): ApiPromise<void> {
    const operation = remove('deleteConsentNotice', path, { id: noticeId });
    return this.api.request({ ...operation, ifMatch, answer: 'none' }, options);
  }

  /** Archives a notice: it is public no more and takes no more records. Records can still be withdrawn. */
  archive(noticeId: string, options?: RequestOptions): ApiPromise<Api.Notice> {
    return this.api.request(post('archiveConsentNotice', `${path}/archive`, { id: noticeId }), options);
  }

  /** Counts the decisions on a notice by day (UTC, up to today) and purpose, newest first; days without any are absent. */
  statistics(
    noticeId: string,
    params: Api.GetConsentNoticeStatisticsParams = {},
    options?: RequestOptions,
  ): ApiPromise<Items<Api.NoticeDay>> {
    return this.api.request(get('getConsentNoticeStatistics', `${path}/statistics`, { id: noticeId }, params), options);
  }

  /** Lists the hosts whose pages show a notice, the latest seen first. */
  listSightings(noticeId: string, options?: RequestOptions): ApiPromise<Items<Api.NoticeSighting>> {
    return this.api.request(get('listConsentNoticeSightings', `${path}/sightings`, { id: noticeId }), options);
  }

  /** Gets what the banner says in a language where a notice has no text of its own. */
  retrieveWords(params: Api.GetConsentNoticeWordsParams = {}, options?: RequestOptions): ApiPromise<Api.NoticeWords> {
    return this.api.request(get('getConsentNoticeWords', '/v1/consent/notices/words', {}, params), options);
  }

  /**
   * Gets what visitors saw of a published version in one language.
   * @param hash SHA-256 in hex of the bytes of the response: one of `shown` of a version.
   * @throws {NotFoundError} `not_found` for a hash of no published version of the notice.
   */
  retrieveShown(noticeId: string, hash: string, options?: RequestOptions): ApiPromise<Api.PublicNotice> {
    return this.api.request(get('getConsentNoticeShown', `${path}/shown/{hash}`, { id: noticeId, hash }), options);
  }

  /**
   * Lists the published versions of a notice, newest first.
   * @throws {BadRequestError} `invalid_cursor`.
   */
  listVersions(noticeId: string, params: PageParams = {}, options?: ListOptions): PagePromise<Api.NoticeVersion> {
    return this.api.list(page('listConsentNoticeVersions', `${path}/versions`, { id: noticeId }, params), options);
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
