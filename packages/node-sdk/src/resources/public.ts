import type { ApiPromise, RequestOptions } from '../transport.ts';
import type * as Api from '../types/api.ts';
import { PublicConsentMethods, PublicRequests, PublicTrust } from './methods.ts';
import { post, Resource } from './resource.ts';

/** The public operations: no credentials are sent. */
export class Public extends Resource {
  /** Published notices and the decisions of visitors. */
  readonly consent = new PublicConsent(this.api);
  /** Requests of data subjects. */
  readonly requests = new PublicRequests(this.api);
  /** The content of published trust centers. */
  readonly trust = new PublicTrust(this.api);
}

/** Options of the capture of a visitor's decision. */
export interface PublicCaptureOptions extends RequestOptions {
  /** The site that the visitor decided on, such as `https://www.example.com`: it must belong to the domain of the notice. */
  readonly origin: string;
}

/** Published notices and the decisions of visitors, as the consent banner reads and sends them. */
class PublicConsent extends PublicConsentMethods {
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
