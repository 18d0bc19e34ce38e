import type { z } from 'zod';
import { readFields } from './body.ts';
import { invalidValues, type ProblemDetail } from './problem.ts';
import type { Route } from './route.ts';
import { noFields } from './schemas.ts';

/** The parts of a request as they came. */
export interface RequestParts {
  readonly params: Readonly<Record<string, string>>;
  readonly querystring: string;
  /** Undefined where there is none. */
  readonly body: unknown;
}

/** The parts of a request as the handler gets them. */
export interface ValidParts {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
}

/**
 * Makes the validation of a route: all parts together, so that one answer names everything that is wrong.
 * The validation throws `validation_failed` (Problem).
 */
export function createValidator({ params, query, body, surface }: Route): (parts: RequestParts) => ValidParts {
  const querySchema = query ?? noFields;
  const opaque = 'cursor' in querySchema.shape ? 'cursor' : undefined;
  // Most requests have no query string; what it stands for is worked out once, by the first: a schema costs memory when
  // it is first used.
  let emptyQuery: ReturnType<typeof querySchema.safeParse> | undefined;
  return (parts) => {
    const details: ProblemDetail[] = [];
    const check = (name: string, schema: z.ZodType | null, value: unknown): unknown => {
      if (schema === null) return value;
      const parsed = schema.safeParse(value);
      if (!parsed.success) details.push(...describeIssues(name, parsed.error.issues));
      return parsed.data;
    };
    if (parts.querystring === '') emptyQuery ??= querySchema.safeParse({});
    const valid = {
      params: check('path', params, parts.params),
      query:
        parts.querystring === '' && emptyQuery?.success
          ? emptyQuery.data
          : check('query', querySchema, readFields(parts.querystring, 'query', opaque)),
      body: check('body', body, requireBody(body, parts.body, surface.bodyTypes[0] as string)),
    };
    if (details.length > 0) throw invalidValues(details);
    return valid;
  };
}

/** A missing body is its own message, clearer than a complaint about `undefined`. */
function requireBody(schema: z.ZodType | null, value: unknown, type: string): unknown {
  if (schema !== null && value === undefined && !schema.safeParse(undefined).success) {
    throw invalidValues([{ path: 'body', issue: `is required: send it as ${type}` }]);
  }
  if (schema === null && value !== undefined && !isEmptyObject(value)) {
    throw invalidValues([{ path: 'body', issue: 'must be empty: this operation takes no fields' }]);
  }
  return value;
}

/** Without JSON.stringify, which fails on a body that nests too deep. */
function isEmptyObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length === 0;
}

function describeIssues(name: string, issues: readonly z.core.$ZodIssue[]): readonly ProblemDetail[] {
  return issues.flatMap((issue) => {
    const path = [name, ...issue.path.map(String)].join('.');
    // What is wrong with a key, and not only that something is.
    if (issue.code === 'invalid_key') return issue.issues.map(({ message }) => ({ path, issue: message }));
    if (issue.code !== 'unrecognized_keys') return [{ path, issue: issue.message }];
    return issue.keys.map((key) => ({ path: `${path}.${key}`, issue: 'is not a known field' }));
  });
}
