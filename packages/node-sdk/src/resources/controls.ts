import type { ApiPromise, RequestOptions } from '../transport.ts';
import type * as Api from '../types/api.ts';
import { ControlEvidence } from './control-evidence.ts';
import { ControlsFrameworks, ControlsMethods, ControlsTests } from './methods.ts';
import { patch } from './resource.ts';

/**
 * The controls of the tenant: those of the frameworks that it follows, and its own. Methods take the `controlId` of a
 * control, or its `id`. Reading needs the scope `controls:read`, the other methods `controls:write`.
 */
export class Controls extends ControlsMethods {
  /** The frameworks of the catalog. Scopes: `controls:read`, `controls:write`. */
  readonly frameworks = new ControlsFrameworks(this.api);
  /** The evidence of a control. Scopes: `controls:read`, `controls:write`. */
  readonly evidence = new ControlEvidence(this.api);
  /** The tests of a control and their results. Scopes: `controls:read`, `controls:write`. */
  readonly tests = new ControlsTests(this.api);

  /**
   * Changes the status, the owner or the cadence of a control, and of your own controls what they are. `implemented` or
   * `accepted` once more is another review.
   * @param change at least one field; `allowedStatuses` of the control lists the next statuses.
   * @throws {ConflictError} `control_transition_not_allowed`; `control_evidence_missing` for `evidence_submitted`
   *   without an item that counts, and `accepted` without current evidence; `control_test_failing` for `accepted` while
   *   the latest result of a test is `fail`.
   * @throws {ValidationError} `validation_failed`, also where a status lacks its reason or its date.
   */
  update(controlId: string, change: Api.ControlChange, options?: RequestOptions): ApiPromise<Api.ControlDetail> {
    // Once more the same status is another review, and a reason may be rejected because the status is set already.
    const idempotent = !change.reason && change.status !== 'implemented' && change.status !== 'accepted';
    return this.api.request(
      { ...patch('editControl', '/v1/control-framework/controls/{controlId}', { controlId }, change), idempotent },
      options,
    );
  }
}
