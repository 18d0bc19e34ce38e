import type { ApiPromise, RequestOptions } from '../transport.ts';
import type * as Api from '../types/api.ts';
import { ConsentNotices } from './consent-notices.ts';
import { ConsentRecords } from './consent-records.ts';
import { ConsentSubjects } from './consent-subjects.ts';
import { post, Resource } from './resource.ts';

/** Consent: the notices, the ledger of records given against them, and the short form for one purpose. */
export class Consent extends Resource {
  /** What visitors read and decide. Scopes: `consent:read`, `consent:write`. */
  readonly notices = new ConsentNotices(this.api);
  /** The consent ledger. Scopes: `consent:read`, `consent:write`. */
  readonly records = new ConsentRecords(this.api);
  /** The people whose consent is recorded. Scopes: `consent:read`, `dsr:write` to erase. */
  readonly subjects = new ConsentSubjects(this.api);

  /**
   * Records the decision of a subject about one purpose, against the published notice that asks for it. Needs the scope
   * `consent:write`.
   * @param decision with `noticeId` when several published notices ask for the purpose.
   * @returns the decision with its place in the ledger: `id` is that of the consent record.
   * @throws {ConflictError} `conflict` when several notices ask for the purpose, `consent_notice_not_published` (with
   *   `requiredStatus` and `actualStatus` in `fields`) for a draft or an archived notice.
   * @throws {NotFoundError} `not_found` for an unknown `noticeId`.
   * @throws {ValidationError} `validation_failed` for a purpose that no published notice asks for, or not the named
   *   one, and for a refusal of one that is required.
   */
  decide(decision: Api.ConsentDecisionInput, options?: RequestOptions): ApiPromise<Api.ConsentDecision> {
    return this.api.request(post('recordConsentDecision', '/v1/consent', {}, decision), options);
  }
}
