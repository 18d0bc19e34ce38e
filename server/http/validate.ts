import type { z } from 'zod';
import { findUnstorable } from './body.ts';
import { invalidValues, type ProblemDetail } from './problem.ts';

/** A part of a request with the schema it must fit; `name` begins the paths of its details. */
export interface Part {
  readonly name: 'path' | 'query' | 'body';
  readonly schema: z.ZodType | null;
  readonly value: unknown;
}

/**
 * Validates the parts of a request together, so that one answer names everything that is wrong.
 * @returns the parsed values in the order of the parts.
 * @throws {Problem} `validation_failed`.
 */
export function validateParts(parts: readonly Part[]): readonly unknown[] {
  const details: ProblemDetail[] = [];
  const values = parts.map(({ name, schema, value }) => {
    if (schema === null) return value;
    const parsed = schema.safeParse(value);
    if (!parsed.success) details.push(...describeIssues(name, parsed.error.issues));
    return parsed.data;
  });
  if (details.length > 0) throw invalidValues(details);
  return values;
}

function describeIssues(name: string, issues: readonly z.core.$ZodIssue[]): readonly ProblemDetail[] {
  return issues.flatMap((issue) => {
    const path = [name, ...issue.path.map(String)].join('.');
    if (issue.code !== 'unrecognized_keys') return [{ path, issue: issue.message }];
    return issue.keys.map((key) => ({ path: `${path}.${key}`, issue: 'is not a known field' }));
  });
}

/**
 * Reads a query string into an object.
 * @throws {Problem} `validation_failed` for a parameter that is given twice or cannot be stored.
 */
export function readQuery(querystring: string): Readonly<Record<string, string>> {
  const query: Record<string, string> = {};
  if (querystring === '') return query;
  const details: ProblemDetail[] = [];
  for (const [name, value] of new URLSearchParams(querystring)) {
    const issue = Object.hasOwn(query, name) ? 'is given more than once' : findUnstorable(value);
    if (issue !== null || name === '__proto__')
      details.push({ path: `query.${name}`, issue: issue ?? 'is not a known field' });
    else query[name] = value;
  }
  if (details.length > 0) throw invalidValues(details);
  return query;
}
