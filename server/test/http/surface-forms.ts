import assert from 'node:assert/strict';
import { type ProblemCode, problemKinds } from '../../http/problem.ts';
import type { Route } from '../../http/route.ts';
import type { TestResponse } from '../harness.ts';
import { assertEnvelope } from './problems.ts';

const scimError = 'urn:ietf:params:scim:api:messages:2.0:Error';
/** RFC 7644 section 3.12. */
const scimTypes = [
  'invalidFilter',
  'invalidPath',
  'invalidSyntax',
  'invalidValue',
  'mutability',
  'noTarget',
  'uniqueness',
];
/** RFC 6749 section 5.2. */
const oauthErrors = ['invalid_request', 'invalid_client', 'invalid_scope', 'unsupported_grant_type'];

/** Asserts that a response is an error in the format of the surface of a route. @returns its message. */
export function assertErrorForm({ surface }: Pick<Route, 'surface'>, response: TestResponse): string {
  assert.ok(response.status >= 400, response.text);
  assert.match(response.headers.get('svc-request-id') ?? '', /^[0-9a-f-]{36}$/);
  if (surface.base === '/v1') return assertEnvelope(response).message;
  if (surface.base === '/oauth') {
    assert.match(response.headers.get('content-type') ?? '', /^application\/json/);
    assert.deepEqual(Object.keys(response.body), ['error', 'error_description']);
    assert.equal(typeof response.body.error, 'string');
    return response.body.error_description;
  }
  assert.equal(surface.base, '/scim/v2', `${surface.base} has no form: add it to surface-forms.ts`);
  assert.equal(response.headers.get('content-type'), 'application/scim+json');
  const { schemas, status, scimType, detail, ...more } = response.body;
  assert.deepEqual([schemas, status, more], [[scimError], String(response.status), {}]);
  if (scimType !== undefined) assert.ok(scimTypes.includes(scimType), scimType);
  assert.ok(typeof detail === 'string' && detail !== '');
  return detail;
}

/** Asserts that a response is this error, in the format of the surface of a route. @returns its message. */
export function assertError(route: Pick<Route, 'surface'>, response: TestResponse, code: ProblemCode): string {
  const message = assertErrorForm(route, response);
  const { status } = problemKinds[code];
  const isValue = code === 'validation_failed';
  switch (route.surface.base) {
    case '/scim/v2': {
      const type = isValue ? 'invalidValue' : code === 'invalid_json' ? 'invalidSyntax' : code;
      const expected = [isValue ? 400 : status, scimTypes.includes(type) ? type : undefined];
      assert.deepEqual([response.status, response.body.scimType], expected, response.text);
      break;
    }
    case '/oauth': {
      const expected = [isValue ? 400 : status, oauthErrors.includes(code) ? code : 'invalid_request'];
      assert.deepEqual([response.status, response.body.error], expected, response.text);
      break;
    }
    default:
      assert.equal(response.body.error.code, code, response.text);
  }
  return message;
}
