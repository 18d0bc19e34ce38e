import type { ApiPromise, ListOptions, PagePromise, RequestOptions } from '../transport.ts';
import type * as Api from '../types/api.ts';
import type { Items, PageParams } from '../types/values.ts';
import { get, page, post, Resource, remove } from './resource.ts';

const path = '/v1/control-framework/controls/{controlId}/tests';

/**
 * The tests of a control and how they went. Every method takes the `controlId` of the control, or its `id`. Reading
 * needs the scope `controls:read`, the other methods `controls:write`.
 */
export class ControlTests extends Resource {
  /** Gets the tests of a control, the oldest first. */
  list(
    controlId: string,
    params: Api.ListControlTestsParams = {},
    options?: RequestOptions,
  ): ApiPromise<Items<Api.ControlTest>> {
    return this.api.request(get('listControlTests', path, { controlId }, params), options);
  }

  /**
   * Adds a test to a control; it is due at once. At most 200 for a control, retired ones included.
   * @throws {ConflictError} `conflict` for one test too many.
   */
  add(controlId: string, test: Api.ControlTestInput, options?: RequestOptions): ApiPromise<Api.ControlTest> {
    return this.api.request(post('addControlTest', path, { controlId }, test), options);
  }

  /** Retires a test: it is kept with its results, and no longer counts. Nothing happens when it was retired before. */
  retire(controlId: string, testId: string, options?: RequestOptions): ApiPromise<Api.ControlTest> {
    return this.api.request(remove('retireControlTest', `${path}/{testId}`, { controlId, testId }), options);
  }

  /**
   * Lists the results of a test, the latest first.
   * @param params `limit` is 1 to 200, default 50.
   * @throws {BadRequestError} `invalid_cursor`.
   */
  listResults(
    controlId: string,
    testId: string,
    params: PageParams = {},
    options?: ListOptions,
  ): PagePromise<Api.TestResult> {
    return this.api.list(page('listTestResults', `${path}/{testId}/results`, { controlId, testId }, params), options);
  }

  /**
   * Records how a test went. The latest result of a test counts: while it is `fail`, a control that was accepted is in
   * `needs_review`.
   * @throws {ConflictError} `conflict` for a retired test.
   * @throws {ValidationError} `validation_failed`, also for a `testedAt` in the future.
   */
  recordResult(
    controlId: string,
    testId: string,
    result: Api.TestResultInput,
    options?: RequestOptions,
  ): ApiPromise<Api.TestResult> {
    const operation = post('recordTestResult', `${path}/{testId}/results`, { controlId, testId }, result);
    return this.api.request(operation, options);
  }
}
