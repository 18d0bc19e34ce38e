import type { ApiPromise, RequestOptions } from '../transport.ts';
import type * as Api from '../types/api.ts';
import { get, post, Resource } from './resource.ts';

/** The public operations: no credentials are sent. */
export class Public extends Resource {
  /** Published notices and the decisions of visitors. */
  readonly consent = new PublicConsent(this.api);
  /** Requests of data subjects. */
  readonly requests = new PublicRequests(this.api);
  /** What trust centers show. */
  readonly trust = new PublicTrust(this.api);
}

/** What the capture of a visitor may set besides. */
export interface PublicCaptureOptions extends RequestOptions {
  /** The site that the visitor decided on, such as `https://www.example.com`: it must belong to the domain of the notice. */
  readonly origin: string;
}

/** Published notices and the decisions of visitors, as the consent banner reads and sends them. */
class PublicConsent extends Resource {
  /**
   * Reads a published notice.
   * @param params `language` (BCP 47) asks for another language than the own one of the notice.
   * @throws {NotFoundError} `not_found` when it does not exist or is not published.
   */
  retrieveNotice(
    noticeId: string,
    params: Api.GetPublicConsentNoticeParams = {},
    options?: RequestOptions,
  ): ApiPromise<Api.PublicNotice> {
    const operation = get('getPublicConsentNotice', '/v1/public/consent/{noticeId}', { noticeId }, params);
    return this.api.request({ ...operation, credential: 'none' }, options);
  }

  /**
   * Records the decision of a visitor. With `capturedAt` it is safe to send again: the same decision of the same moment
   * gives the record that is there already.
   * @param record one entry for each purpose of the notice.
   * @throws {ConflictError} `consent_notice_not_published`, with `requiredStatus` and `actualStatus` in `fields`.
   * @throws {PermissionError} `consent_origin_not_allowed` when the origin does not belong to the domain of the notice.
   * @throws {RateLimitError} `rate_limited`: there is a limit for each notice and for each client address.
   * @throws {ValidationError} `validation_failed`, naming each purpose that is missing, unknown or cannot be refused.
   */
  capture(
    noticeId: string,
    record: Api.PublicConsentRecordInput,
    options: PublicCaptureOptions,
  ): ApiPromise<Api.PublicConsentRecord> {
    // In a program without types, a missing argument must fail as any other call does.
    const { origin, headers, ...others }: Partial<PublicCaptureOptions> = options ?? {};
    const operation = post('capturePublicConsentRecord', '/v1/public/consent/{noticeId}/records', { noticeId }, record);
    const idempotent = Object(record).capturedAt !== undefined;
    const call = { ...others, headers: { ...headers, Origin: origin as string } };
    return this.api.request({ ...operation, credential: 'none', idempotent }, call);
  }
}

/** Requests of data subjects, as the form of a tenant sends them. */
class PublicRequests extends Resource {
  /**
   * Makes a request. The response never reveals whether anything is known about the person.
   * @param slug of the tenant.
   * @throws {NotFoundError} `not_found` when there is no such tenant or its form is off.
   * @throws {RateLimitError} `rate_limited`: there is a limit for each tenant and for each client address.
   */
  create(
    slug: string,
    request: Api.PublicDataSubjectRequestInput,
    options?: RequestOptions,
  ): ApiPromise<Api.PublicDataSubjectRequest> {
    const operation = post('createPublicDsr', '/v1/public/dsr/{slug}', { slug }, request);
    return this.api.request({ ...operation, credential: 'none' }, options);
  }

  /**
   * Confirms the e-mail address of a request, with the token of the link that was sent to it.
   * @throws {NotFoundError} `not_found` when the token is unknown, used or expired.
   */
  confirm(
    confirmation: Api.DataSubjectRequestConfirmationInput,
    options?: RequestOptions,
  ): ApiPromise<Api.DataSubjectRequestConfirmation> {
    const operation = post('confirmPublicDsr', '/v1/public/dsr-confirmations', {}, confirmation);
    return this.api.request({ ...operation, credential: 'none' }, options);
  }
}

/** What trust centers show. */
class PublicTrust extends Resource {
  /**
   * Reads what the trust badge shows.
   * @param slug of the tenant.
   * @param params `language` (BCP 47) adds the words of the badge.
   * @throws {NotFoundError} `not_found` when there is no such tenant or its trust center is not published.
   */
  retrieveWidget(
    slug: string,
    params: Api.GetPublicTrustWidgetParams = {},
    options?: RequestOptions,
  ): ApiPromise<Api.TrustWidget> {
    const operation = get('getPublicTrustWidget', '/v1/public/trust/{slug}/widget', { slug }, params);
    return this.api.request({ ...operation, credential: 'none' }, options);
  }
}
