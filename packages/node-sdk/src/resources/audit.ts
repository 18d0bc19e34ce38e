import type { ApiPromise, ListOptions, PagePromise, RequestOptions, Transport } from '../transport.ts';
import type { AuditEvent, AuditEventDetail, ListAuditEventsParams } from '../types/api.ts';

/** The audit log: who did what, in a chain of hashes. */
export class Audit {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Lists the events, newest first. Needs the scope `audit:read`.
   * @param params which ones; `limit` is 1 to 200, default 50. With two or more of `module`, `actor`, `action`, `actorId` and
   *   `targetId` a page may have fewer and still a next one.
   * @throws {BadRequestError} `invalid_cursor` for a cursor of other filters.
   */
  list(params: ListAuditEventsParams = {}, options?: ListOptions): PagePromise<AuditEvent> {
    return this.#transport.list(
      { id: 'listAuditEvents', method: 'GET', path: '/v1/audit', query: params, page: 'items' },
      options,
    );
  }

  /**
   * Gets one event with its details. Needs the scope `audit:read`.
   * @throws {NotFoundError} `not_found`.
   */
  retrieve(eventId: string, options?: RequestOptions): ApiPromise<AuditEventDetail> {
    return this.#transport.request(
      { id: 'getAuditEvent', method: 'GET', path: '/v1/audit/{id}', parameters: { id: eventId } },
      options,
    );
  }
}
