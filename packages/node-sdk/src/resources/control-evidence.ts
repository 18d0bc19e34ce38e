import type { ApiPromise, ListOptions, PagePromise, RequestOptions, Transport } from '../transport.ts';
import type { Evidence, EvidenceInput } from '../types/api.ts';
import type { PageParams } from '../types/values.ts';

/** The evidence of a control. Every method takes the `controlId` of the control, or its `id`. */
export class ControlEvidence {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Lists the items of a control, those added last first, withdrawn ones included. Needs the scope `controls:read`.
   * @param params `limit` is 1 to 200, default 50.
   * @throws {NotFoundError} `not_found`.
   * @throws {BadRequestError} `invalid_cursor`.
   */
  list(controlId: string, params: PageParams = {}, options?: ListOptions): PagePromise<Evidence> {
    return this.#transport.list(
      {
        id: 'listEvidence',
        method: 'GET',
        path: '/v1/control-framework/controls/{controlId}/evidence',
        parameters: { controlId },
        query: params,
        page: 'items',
      },
      options,
    );
  }

  /**
   * Adds an item to a control. One whose evidence was requested becomes `evidence_submitted`, unless the item has expired
   * already. Needs the scope `controls:write`.
   * @throws {NotFoundError} `not_found`.
   * @throws {ValidationError} `validation_failed`, also for a `collectedAt` in the future.
   */
  add(controlId: string, evidence: EvidenceInput, options?: RequestOptions): ApiPromise<Evidence> {
    return this.#transport.request(
      {
        id: 'addEvidence',
        method: 'POST',
        path: '/v1/control-framework/controls/{controlId}/evidence',
        parameters: { controlId },
        body: evidence,
      },
      options,
    );
  }

  /**
   * Gets one item. Needs the scope `controls:read`.
   * @throws {NotFoundError} `not_found`.
   */
  retrieve(controlId: string, evidenceId: string, options?: RequestOptions): ApiPromise<Evidence> {
    return this.#transport.request(
      {
        id: 'getEvidence',
        method: 'GET',
        path: '/v1/control-framework/controls/{controlId}/evidence/{evidenceId}',
        parameters: { controlId, evidenceId },
      },
      options,
    );
  }

  /**
   * Withdraws an item: it is kept and no longer counts. Nothing happens when it was withdrawn before: the first reason
   * stays. Needs the scope `controls:write`.
   * @param withdrawal `reason`, 1 to 500 characters, is recorded in the audit log.
   * @throws {NotFoundError} `not_found`.
   */
  withdraw(
    controlId: string,
    evidenceId: string,
    withdrawal: { readonly reason: string },
    options?: RequestOptions,
  ): ApiPromise<Evidence> {
    return this.#transport.request(
      {
        id: 'withdrawEvidence',
        method: 'POST',
        path: '/v1/control-framework/controls/{controlId}/evidence/{evidenceId}/withdraw',
        parameters: { controlId, evidenceId },
        body: withdrawal,
      },
      options,
    );
  }
}
