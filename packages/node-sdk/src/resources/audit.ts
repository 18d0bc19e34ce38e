import type { ApiPromise, ListOptions, PagePromise, RequestOptions } from '../transport.ts';
import type * as Api from '../types/api.ts';
import { get, page, Resource } from './resource.ts';

/** The audit log: who did what, in a chain of hashes. Needs the scope `audit:read`. */
export class Audit extends Resource {
  /**
   * Lists the events, newest first.
   * @param params which ones; `limit` is 1 to 200, default 50. With two or more of `module`, `actor`, `action`,
   *   `actorId` and `targetId` a page may have fewer and still a next one.
   * @throws {BadRequestError} `invalid_cursor` for a cursor of other filters.
   */
  list(params: Api.ListAuditEventsParams = {}, options?: ListOptions): PagePromise<Api.AuditEvent> {
    return this.api.list(page('listAuditEvents', '/v1/audit', {}, params), options);
  }

  /** Gets one event with its details. */
  retrieve(eventId: string, options?: RequestOptions): ApiPromise<Api.AuditEventDetail> {
    return this.api.request(get('getAuditEvent', '/v1/audit/{id}', { id: eventId }), options);
  }
}
