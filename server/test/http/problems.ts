import assert from 'node:assert/strict';
import { type ProblemCode, problemKinds } from '../../http/problem.ts';
import type { TestResponse } from '../harness.ts';

/** The fields that only some codes add to the error. */
const extraFields: Readonly<Record<string, readonly string[]>> = {
  consent_notice_not_published: ['requiredStatus', 'actualStatus'],
  webhook_not_enabled: ['requiredStatus', 'actualStatus'],
  control_transition_not_allowed: ['from', 'to', 'allowed'],
  evidence_quota_exceeded: ['quota', 'used'],
  breach_transition_not_allowed: ['from', 'to', 'allowed'],
};

/**
 * Asserts that a response is an error of the API: the envelope and nothing besides, a code of the catalogue with its
 * status, the request id of the header. @returns the error.
 */
export function assertEnvelope(response: TestResponse) {
  assert.match(response.headers.get('content-type') ?? '', /^application\/json/, response.text);
  assert.deepEqual(Object.keys(response.body), ['error']);
  const { error } = response.body;
  assert.ok(Object.hasOwn(problemKinds, error.code), `${error.code} is not in the catalogue`);
  assert.equal(response.status, problemKinds[error.code as ProblemCode].status);
  const allowed = ['code', 'message', 'details', 'requestId', ...(extraFields[error.code] ?? [])];
  assert.deepEqual(
    Object.keys(error).filter((name) => !allowed.includes(name)),
    [],
  );
  assert.equal(typeof error.message, 'string');
  assert.notEqual(error.message, '');
  assert.equal(error.requestId, response.headers.get('svc-request-id'));
  if (error.details !== undefined) assertDetails(error.details);
  return error;
}

function assertDetails(details: readonly object[]): void {
  assert.ok(details.length > 0);
  for (const detail of details) {
    assert.deepEqual(Object.keys(detail), ['path', 'issue']);
    for (const text of Object.values(detail)) assert.equal(typeof text, 'string');
  }
}

/** Asserts that a response is this error. @returns the error. */
export function assertProblem(response: TestResponse, code: ProblemCode) {
  const error = assertEnvelope(response);
  assert.equal(error.code, code, response.text);
  return error;
}

/** Asserts a 422 that names exactly these paths. */
export function assertInvalid(response: TestResponse, ...paths: readonly string[]): void {
  const { details } = assertProblem(response, 'validation_failed');
  assert.deepEqual(
    details.map(({ path }: { readonly path: string }) => path),
    paths,
  );
}
