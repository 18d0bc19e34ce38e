import type { ApiPromise, RequestOptions } from '../transport.ts';
import type * as Api from '../types/api.ts';
import { ControlEvidence } from './control-evidence.ts';
import { ControlTests } from './control-tests.ts';
import { Frameworks } from './frameworks.ts';
import { get, patch, post, Resource, remove } from './resource.ts';

const controlPath = '/v1/control-framework/controls/{controlId}';

/**
 * The controls of the tenant: those of the frameworks that it follows, and its own. Methods take the `controlId` of a
 * control, or its `id`. Reading needs the scope `controls:read`, the other methods `controls:write`.
 */
export class Controls extends Resource {
  /** The frameworks of the catalog. Scopes: `controls:read`, `controls:write`. */
  readonly frameworks = new Frameworks(this.api);
  /** The evidence of a control. Scopes: `controls:read`, `controls:write`. */
  readonly evidence = new ControlEvidence(this.api);
  /** The tests of a control and their results. Scopes: `controls:read`, `controls:write`. */
  readonly tests = new ControlTests(this.api);

  /** Gets all controls by their codes, with totals. */
  list(options?: RequestOptions): ApiPromise<Api.ControlList> {
    return this.api.request(get('listControls', '/v1/control-framework'), options);
  }

  /** Gets a control, with what the list leaves out. */
  retrieve(controlId: string, options?: RequestOptions): ApiPromise<Api.ControlDetail> {
    return this.api.request(get('getControl', controlPath, { controlId }), options);
  }

  /**
   * Creates a control of your own; a tenant has at most 1,000.
   * @throws {ConflictError} `conflict` for a code that another control has, and for one control too many.
   * @throws {ValidationError} `validation_failed`, also for an owner who may not sign in.
   */
  create(control: Api.ControlInput, options?: RequestOptions): ApiPromise<Api.ControlDetail> {
    return this.api.request(post('createControl', '/v1/control-framework/controls', {}, control), options);
  }

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
    return this.api.request({ ...patch('editControl', controlPath, { controlId }, change), idempotent }, options);
  }

  /**
   * Removes a control of your own from every list and count; its history stays in the audit log.
   * @throws {ConflictError} `conflict` for a control of the catalog: set it to `not_applicable` instead.
   */
  retire(controlId: string, options?: RequestOptions): ApiPromise<void> {
    return this.api.request({ ...remove('retireControl', controlPath, { controlId }), answer: 'none' }, options);
  }

  /**
   * Gets the readiness of the tenant, in total and for each framework and domain. Of the controls that apply: `score` =
   * floor(100 × accepted ÷ total), 0 without any control.
   */
  retrieveReadiness(options?: RequestOptions): ApiPromise<Api.Readiness> {
    return this.api.request(get('getReadiness', '/v1/control-framework/readiness'), options);
  }

  /** Gets the state of the tests and the evidence of the controls that apply. */
  retrieveTestHealth(options?: RequestOptions): ApiPromise<Api.TestHealth> {
    return this.api.request(get('getTestHealth', '/v1/control-framework/test-health'), options);
  }
}
