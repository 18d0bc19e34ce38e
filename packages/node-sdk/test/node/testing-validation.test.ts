import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { before, describe, test } from 'node:test';
import fc from 'fast-check';
import { Problem, type ProblemDetail } from '../../../../server/http/problem.ts';
import type { Route } from '../../../../server/http/route.ts';
import { createValidator } from '../../../../server/http/validate.ts';
import { requestRules } from '../../src/testing/request-rules.ts';
import type { OperationRow } from '../../src/testing/rules.ts';
import { validatePart } from '../../src/testing/validate.ts';
import { readPacked, readRoutes, rulesFile, writeCatalogue, writeRules } from '../../write-request-rules.ts';
import { anyInput } from './testing-inputs.ts';

describe('the rules of requests', () => {
  let routes: readonly Route[];
  before(async () => {
    routes = await readRoutes();
  });

  test('are those of the server: written by node packages/node-sdk/write-request-rules.ts', () => {
    assert.equal(readFileSync(rulesFile, 'utf8'), writeRules(routes));
    assert.equal(readPacked(), writeCatalogue());
  });

  test('find in any request of any operation what the server finds, in its words', () => {
    const operations = requestRules.operations.filter((row) => row[6] !== null || row[7] !== null || row[8] !== null);
    const validators = new Map(routes.map((route) => [route.operationId, createValidator(route)]));
    let good = 0;
    for (const row of operations) {
      const [id, , , , , , params, query, body] = row;
      const validate = validators.get(id) as ReturnType<typeof createValidator>;
      const parts = { params: anyInput(params), query: anyInput(query), body: anyInput(body) };
      // A counterexample is to name its operation.
      const input = fc.record({ operation: fc.constant(id), ...parts });
      const examples = (differedOnce[id] ?? []).map((sent): [Input] => [{ operation: id, ...noParts, body: sent }]);
      fc.assert(
        fc.property(input, (parts) => {
          // A query is text, and what is no object is not read as one.
          const given = { params: texts(parts.params), query: texts(parts.query), body: parts.body };
          fc.pre(body === null || (given.body !== undefined && isStorable(given)));
          const expected = validateThere(validate, given);
          const { details, value } = validateHere(row, given);
          assert.deepEqual(details, expected.details);
          if (details.length > 0) return;
          good += 1;
          assert.deepEqual(sortTypes(value), sortTypes(expected.value));
        }),
        { numRuns: 60, examples },
      );
    }
    assert.ok(good > operations.length * 5, `${good} requests were good`);
  });
});

/** The order of the types of a webhook is the server's own matter. */
function sortTypes(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (key, one) =>
    key === 'eventTypes' && Array.isArray(one) ? one.sort() : one,
  );
}

/** A request to an operation, as chance makes it. */
interface Input {
  readonly operation: string;
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
}

const noParts = { params: {}, query: {} };
const filtered = (values: readonly unknown[]) => ({ url: 'https://example.com/', filter: { kind: values } });

/** Bodies in which the two once found different things: they are looked at each time. */
const differedOnce: Readonly<Record<string, readonly unknown[]>> = {
  // What has the type of one option of several is judged by that one alone, and those after it go on.
  createWebhook: [
    filtered(['x'.repeat(256)]),
    filtered(['x'.repeat(256), 'x'.repeat(256)]),
    filtered(['x'.repeat(256), {}]),
  ],
};

interface Parts {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly body: unknown;
}

function texts(value: unknown): Readonly<Record<string, string>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return {};
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [key, typeof one === 'string' ? one : String(JSON.stringify(one))]),
  );
}

/** What the readers of bodies and queries refuse before any rule is looked at. */
function isStorable(parts: Parts): boolean {
  const text = JSON.stringify(parts);
  return !/\\u0000|\\u[dD][89a-fA-F]|__proto__/.test(text);
}

function validateThere(validate: ReturnType<typeof createValidator>, { params, query, body }: Parts) {
  try {
    const valid = validate({ params, querystring: new URLSearchParams(query).toString(), body });
    return { details: [] as readonly ProblemDetail[], value: { ...valid } };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { details: error.options.details ?? [], value: null };
  }
}

function validateHere([, , , , , , params, query, body]: OperationRow, parts: Parts) {
  const one = (rule: number | null, value: unknown, where: string) =>
    rule === null ? { value, details: [] } : validatePart(rule, value, where);
  const read = {
    params: one(params, parts.params, 'path'),
    query: one(query, parts.query, 'query'),
    body: one(body, parts.body, 'body'),
  };
  const details = [...read.params.details, ...read.query.details, ...read.body.details].slice(0, 100);
  return { details, value: { params: read.params.value, query: read.query.value, body: read.body.value } };
}
